/** Names in generated Python. */
import { holderProperty, pascalCase, SafeNames, snakeCase } from '../names.js';
import type { EntityData } from '../entity-data.js';

/** Words of the language. */
const keywords = new Set([
  ...['False', 'None', 'True', 'and', 'as', 'assert', 'async', 'await', 'break', 'class'],
  ...['continue', 'def', 'del', 'elif', 'else', 'except', 'finally', 'for', 'from', 'global'],
  ...['if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass', 'raise', 'return'],
  ...['try', 'while', 'with', 'yield'],
]);

/** Besides them, names that generated modules use where properties have names too. */
const words = new Set([
  ...keywords,
  ...[
    'match',
    'case',
    'type',
    'str',
    'int',
    'float',
    'bool',
    'bytes',
    'dict',
    'list',
    'object',
    'property',
    'vars',
    'date',
    'datetime',
    'field',
  ],
  ...['dataclass', 'overload', 'rt', 'within', 'now', 'replace', 'self'],
  ...['Any', 'Decimal', 'Literal', 'Mapping', 'Mutation', 'IncrementRule', 'NoReturn', 'UUID'],
]);

/** The files of a package that are no entities, as module names. */
const modules = new Set(['runtime', ...words]);

/** The names of one entity in Python. */
export interface PythonNames {
  readonly module: string;
  readonly rowClass: string;
  /** By property, of segments and columns. */
  readonly properties: ReadonlyMap<string, string>;
  /** By name, of the values of a rollup. */
  readonly values: ReadonlyMap<string, string>;
}

/** The names of all entities, in their order. */
export function pythonNames(entities: readonly EntityData[]): ReadonlyMap<EntityData, PythonNames> {
  const moduleNames = new SafeNames(modules);
  return new Map(
    entities.map((entity) => [
      entity,
      {
        module: moduleNames.take(snakeCase(entity.name)),
        rowClass: new SafeNames(words).take(pascalCase(entity.name)),
        ...propertyNames(entity),
      },
    ]),
  );
}

function propertyNames({ key, columns, row }: EntityData) {
  const names = new SafeNames(words);
  const segments = key.parts.flatMap((part) =>
    part.kind === 'segment' ? [part.segment.property] : [],
  );
  const values = row.kind === 'rollup' ? row.values.map(({ name }) => name) : [];
  const take = (property: string): [string, string] => [
    property,
    names.take(property === holderProperty ? 'row_key' : snakeCase(property)),
  ];
  const segmentNames = segments.map(take);
  const valueNames = values.map(take);
  return {
    properties: new Map([...segmentNames, ...columns.map(({ property }) => take(property))]),
    values: new Map(valueNames),
  };
}

/** The module of a .proto file, as protoc names it. */
export function messageModule(file: string): string {
  return `${file.replaceAll('-', '_').replaceAll('/', '.')}_pb2`;
}

/** Whether a name is a word of the language. */
export function isKeyword(name: string): boolean {
  return keywords.has(name);
}
