/** The module of an entity, or of the rows of one of its indexes or rollups. */
import type { ColumnData, EntityData, RollupValueData } from '../entity-data.js';
import { entitySource, keySource } from './declarations.js';
import {
  type Block,
  keyClass,
  keyFunctions,
  namedSegments,
  rangeFunctions,
  rowClass,
  fromRow,
  rowWriters,
} from './functions.js';
import { call, docText, lines, named, prefixed, type PythonSource, text } from './layout.js';
import { holderProperty } from '../names.js';
import type { PythonNames } from './names.js';
import { messageAlias, messageImport, rollupValueType, segmentType } from './types.js';

/** What the modules of a project have in common. */
export interface ModuleContext {
  readonly entities: readonly EntityData[];
  readonly names: ReadonlyMap<EntityData, PythonNames>;
  /** Whether writers are generated of rows that Python must not write. */
  readonly unsafeWriters: boolean;
}

/** The text of a module. */
export function moduleText(entity: EntityData, context: ModuleContext): string {
  const names = context.names.get(entity)!;
  const assignments = [
    ...lines(prefixed('_KEY = ', keySource(entity, names))),
    ...lines(prefixed('_ENTITY = ', entitySource(entity, '_KEY', names))),
  ];
  const blocks = [
    keyClass(entity, names),
    ...rowBlocks(entity, names),
    ...keyFunctions(entity, names),
    ...rangeFunctions(entity, names),
    ...rowFunctions(entity, names, context),
  ];
  const body = `${assignments.join('\n')}\n\n\n${blocks.map(joined).join('\n\n\n')}\n`;
  const base = baseOf(entity, context);
  return `${[...header(entity), '', ...imports(entity, body, base)].join('\n')}\n\n${body}`.replaceAll(
    /(: \.\.\.\n)\n\n(?=@overload|def )/g,
    '$1',
  );
}

function joined(block: Block): string {
  return block.join('\n');
}

function header({ name, row, table, lockVersion }: EntityData): readonly string[] {
  const of = row.kind === 'entity' ? name : row.of;
  return [
    `"""Rows of ${docText(name)} in the table ${docText(table)}.`,
    '',
    `Entity ${docText(of)}, version ${lockVersion} of its declaration in rowsmith.lock.json.`,
    'Written by rowsmith generate python. Do not edit: the next run overwrites it.',
    '"""',
  ];
}

/** The entity that an index refers to, with its module. */
function baseOf(entity: EntityData, { names, entities }: ModuleContext): PythonNames | undefined {
  const { row } = entity;
  if (row.kind !== 'index' || row.unique) return undefined;
  return names.get(entities.find((each) => each.name === row.of)!);
}

const standardNames: readonly (readonly [module: string, names: readonly string[]])[] = [
  ['collections.abc', ['Mapping']],
  ['dataclasses', ['dataclass', 'field']],
  ['datetime', ['date', 'datetime']],
  ['decimal', ['Decimal']],
  ['typing', ['Any', 'Literal', 'NoReturn', 'overload']],
  ['uuid', ['UUID']],
];

const clientNames: typeof standardNames = [
  ['google.cloud.bigtable.data', ['Mutation']],
  ['google.cloud.bigtable.data.read_modify_write_rules', ['IncrementRule']],
];

function imports(
  { columns }: EntityData,
  body: string,
  base: PythonNames | undefined,
): readonly string[] {
  // Texts of the declaration are no names.
  const code = body.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
  const statements = (all: typeof standardNames): string[] =>
    all.flatMap(([module, names]) => {
      const used = names.filter((name) => new RegExp(`(?<![\\w.])${name}\\b`).test(code));
      return used.length === 0 ? [] : [`from ${module} import ${used.join(', ')}`];
    });
  const files = new Set(
    columns.flatMap(({ value }) => (value.kind === 'message' ? [value.file] : [])),
  );
  const messages = [...files].sort().map((file) => messageImport(file));
  const dynamic = [...files].sort().filter((file) => messageImport(file) === undefined);
  const client = statements(clientNames);
  return [
    'from __future__ import annotations',
    '',
    ...(dynamic.length > 0 ? ['import importlib'] : []),
    ...statements(standardNames),
    '',
    ...client,
    ...(client.length > 0 ? [''] : []),
    ...messages.filter((each) => each !== undefined),
    'from . import runtime as rt',
    ...(base === undefined ? [] : [`from . import ${base.module} as _base`]),
    ...dynamic.map((file) => `${messageAlias(file)} = importlib.import_module("${file}_pb2")`),
  ];
}

function rowBlocks(entity: EntityData, names: PythonNames): readonly Block[] {
  if (entity.row.kind === 'rollup') return [bucketClass(entity, entity.row.values, names)];
  return [rowClass(entity, names)];
}

function rowFunctions(
  entity: EntityData,
  names: PythonNames,
  { unsafeWriters, ...context }: ModuleContext,
): readonly Block[] {
  const { row } = entity;
  if (row.kind === 'rollup') return [bucketReader(entity, row.values, names)];
  if (row.kind === 'entity') return [fromRow(names), ...rowWriters(entity, names, unsafeWriters)];
  const base = baseOf(entity, { unsafeWriters, ...context });
  return [fromRow(names), rowKeyFunction(names, base, context)];
}

/** The key of the row that an entry of an index leads to. */
function rowKeyFunction(
  names: PythonNames,
  base: PythonNames | undefined,
  { entities, names: all }: Pick<ModuleContext, 'entities' | 'names'>,
): Block {
  const start = [
    `def row_key_of(entry: ${names.rowClass}) -> bytes:`,
    '    """The key of the row that the entry leads to."""',
  ];
  if (base === undefined) {
    const holder = names.properties.get(holderProperty)!;
    return [...start, `    return entry.${holder} or b""`];
  }
  const target = entities.find((each) => all.get(each) === base)!;
  const values = namedSegments(target, base).map(([name, { property }]) =>
    named(name, `entry.${names.properties.get(property)!}`),
  );
  return [...start, ...lines(call('return _base.key_of', values), '    ')];
}

function bucketClass(
  entity: EntityData,
  values: readonly RollupValueData[],
  names: PythonNames,
): Block {
  return [
    '@dataclass(kw_only=True)',
    `class ${names.rowClass}:`,
    '    """The values of a bucket."""',
    '',
    ...namedSegments(entity, names).map(
      ([name, segment]) => `    ${name}: ${segmentType(segment)}`,
    ),
    ...values.map(
      (value) =>
        `    ${names.values.get(value.name)!}: ${rollupValueType(value, columnOf(entity, value.cell))}`,
    ),
    '    # Whether no write of the bucket is under way: else its values may be older.',
    '    settled: bool',
  ];
}

function columnOf({ columns }: EntityData, property: string): ColumnData | undefined {
  return columns.find((column) => column.property === property);
}

function bucketReader(
  entity: EntityData,
  values: readonly RollupValueData[],
  names: PythonNames,
): Block {
  const cell = (property: string): string => `values["${names.properties.get(property)!}"]`;
  const items: PythonSource[] = [
    ...namedSegments(entity, names).map(([name]) => named(name, `values["${name}"]`)),
    ...values.map((value) =>
      named(names.values.get(value.name)!, valueSource(value, cell, entity.name)),
    ),
    named('settled', `not ${cell('_marks')} and "s" not in ${cell('_state')}`),
  ];
  return [
    `def from_row(row: rt.AnyRow) -> ${names.rowClass} | None:`,
    '    """The bucket; None if it has no row."""',
    '    values = _ENTITY.read(row)',
    `    if values is None or not ${cell('_rows')}:`,
    '        return None',
    ...lines(call(`return ${names.rowClass}`, items), '    '),
  ];
}

function valueSource(
  { name, kind, number, decimals, cell, count }: RollupValueData,
  of: (property: string) => string,
  entity: string,
): PythonSource {
  if (count !== undefined) return `rt.mean(${of(cell)}, ${of(count)}, ${decimals})`;
  const stored = kind === 'sum' || kind === 'count' ? `${of(cell)} or 0` : of(cell);
  switch (number) {
    case 'whole':
    case 'stored':
      return stored;
    case 'time':
      return call('rt.time_of', [stored, text(entity), text(name)]);
    case 'decimal':
      return `rt.decimal_of(${stored}, ${decimals})`;
    case 'single':
      return `rt.single(${stored}, ${decimals})`;
    case 'fraction':
      return `rt.scaled(${stored}, ${decimals})`;
  }
}
