/** Probable entities as a TypeScript module that compiles, with the evidence beside each guess. */
import { printable } from '../../../bytes/index.js';
import { fieldDesigns, scalarDesigns, segmentDesigns } from '../../../model/index.js';
import type { Row } from '../../../store/index.js';
import type { ColumnGuess, EntityGuess } from './entity-guess.js';
import type { PartGuess } from './key-guess.js';
import { commentText, familyText, objectLiteral, textLiteral } from './literal-text.js';
import { type FieldGuess, type MessageGuess, isText } from './message-guess.js';
import { Names } from './names.js';
import type { Sample } from './sample-table.js';
import type { ValueGuess } from './value-guess.js';

/** A draft. */
export interface Draft {
  /** Names of the entity classes. */
  readonly entities: readonly string[];
  /** The module; ends with a line break. */
  readonly source: string;
}

interface Writing {
  readonly imports: Set<string>;
  readonly classes: Names;
  /** Message classes, those that others hold first. */
  readonly messages: string[];
}

const typeNames = new Map<unknown, string>([
  [String, 'string'],
  [Number, 'number'],
  [BigInt, 'bigint'],
  [Boolean, 'boolean'],
  [Date, 'Date'],
  [Uint8Array, 'Uint8Array'],
]);
const typeOf = (designs: readonly unknown[]): string => typeNames.get(designs[0]) ?? 'unknown';
/** Keys that are shown of each entity. */
const keysShown = 3;

/** The module for the entities that a sample of a table shows. */
export function draftModule(
  { table, rows, whole }: Sample,
  entities: readonly EntityGuess[],
  unread: readonly Row[],
): Draft {
  const writing: Writing = {
    imports: new Set(['Entity', 'rowKey', 'Segment']),
    classes: new Names(),
    messages: [],
  };
  const shared = entities.length > 1;
  const constant = shared
    ? writing.classes.property(`${table.name} table`, 'sharedTable')
    : undefined;
  const families =
    `{ ${[...table.families].map(([name, family]) => `${propertyKey(name)}: ${familyText(family, writing.imports)}`).join(', ')} }`.replace(
      '{  }',
      '{}',
    );
  const names: string[] = [];
  const classes = entities.map((entity) => {
    const name = writing.classes.className(literalsOf(entity) || singular(table.name), 'Row');
    names.push(name);
    return classText(
      entity,
      name,
      constant !== undefined
        ? `table: ${constant}`
        : `table: ${textLiteral(table.name)},\n  families: ${families}`,
      rows.length,
      writing,
    );
  });
  if (constant !== undefined) writing.imports.add('table');
  const imports = [...writing.imports]
    .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .join(', ');
  const head = [
    `/**`,
    ` * A first draft, from ${whole ? 'all' : 'a sample of'} ${rows.length} rows of the table ${commentText(table.name)}. Bytes do not tell names, and not every kind:`,
    ` * read each line, rename what you know better, and keep what describes how keys and cells are written.`,
    ...unreadText(unread),
    ` */`,
    `import { ${imports} } from 'rowsmith';`,
    '',
  ];
  const table_ =
    constant === undefined
      ? []
      : [`const ${constant} = table(${textLiteral(table.name)}, { families: ${families} });`, ''];
  return {
    entities: names,
    source: `${[...head, ...table_, ...writing.messages.flatMap((text) => [text, '']), classes.join('\n\n')].join('\n')}\n`,
  };
}

function unreadText(unread: readonly Row[]): string[] {
  if (unread.length === 0) return [];
  return [
    ` *`,
    ` * ${unread.length} rows have keys that no key format here writes, for example ${unread
      .slice(0, keysShown)
      .map(({ key }) => commentText(printable(key)))
      .join('   ')}`,
  ];
}

function literalsOf({ key }: EntityGuess): string {
  return key.parts
    .map((part) => (part.kind === 'literal' ? part.text : ''))
    .join(' ')
    .trim();
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

function propertyKey(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : textLiteral(name);
}

function classText(
  entity: EntityGuess,
  name: string,
  table: string,
  sampled: number,
  writing: Writing,
): string {
  const { key, columns } = entity;
  const properties = new Names();
  const segments = key.parts.map((part) =>
    part.kind === 'literal' ? part : { ...part, name: properties.property(part.name, 'segment') },
  );
  const renamed = new Map(
    key.parts.flatMap((part, i) =>
      part.kind === 'segment' ? [[part.name, (segments[i] as { name: string }).name] as const] : [],
    ),
  );
  const options = [
    table,
    ...(typeof key.format === 'string'
      ? key.format === 'text'
        ? []
        : [`keyFormat: '${key.format}'`]
      : [`keyFormat: delimited(${textLiteral(key.format.delimiter)})`]),
    ...(key.shards === undefined
      ? []
      : [
          `shards: { count: ${key.shards.count}, by: [${key.shards.by.map((each) => textLiteral(renamed.get(each) ?? each)).join(', ')}] }`,
        ]),
    ...(entity.cellTimestamp === undefined
      ? []
      : [
          `cellTimestamp: ${textLiteral(renamed.get(entity.cellTimestamp) ?? entity.cellTimestamp)}`,
        ]),
    ...(entity.marker === undefined ? [] : [`marker: ${textLiteral(entity.marker)}`]),
  ];
  if (typeof key.format !== 'string') writing.imports.add('delimited');
  if (key.parts.some(({ kind }) => kind === 'literal')) writing.imports.add('literal');
  const parts = segments.map((part) =>
    part.kind === 'literal' ? `literal(${textLiteral(part.text)})` : textLiteral(part.name),
  );
  return [
    '/**',
    ` * ${key.rows.length} of the ${sampled} rows. Keys:`,
    ...key.rows
      .filter((_, i) => i % Math.ceil(key.rows.length / keysShown) === 0)
      .map((row) => ` *   ${commentText(printable(row.key))}`),
    ...shardNote(entity),
    ' */',
    `@Entity({`,
    ...options.map((option) => `  ${option},`),
    `})`,
    `export class ${name} {`,
    `  static readonly key = rowKey(${parts.join(', ')});`,
    '',
    ...segments.flatMap(segmentText),
    ...(columns.length === 0 ? [] : ['']),
    ...columns.flatMap((column) => columnText(column, name, key.rows.length, properties, writing)),
    '}',
  ].join('\n');
}

function shardNote({ key: { shards } }: EntityGuess): string[] {
  return shards === undefined
    ? []
    : [
        ` * The number in front is the hash of ${shards.by.join(', ')} in every key of the sample; a greater count may fit as well.`,
      ];
}

function segmentText(part: PartGuess): string[] {
  if (part.kind === 'literal') return [];
  const { kind, ...options } = part.type;
  const given =
    Object.keys(options).length === 0
      ? ''
      : `, ${objectLiteral(options as Record<string, string | number | boolean>)}`;
  const nullable = part.type.nullable === true ? ' | null' : '';
  return [
    ...note(part.note),
    `  @Segment('${kind}'${given}) ${part.name}!: ${typeOf(segmentDesigns[kind])}${nullable};`,
  ];
}

function note(text: string | undefined): string[] {
  return text === undefined ? [] : [`  // ${commentText(text)}`];
}

function columnText(
  column: ColumnGuess,
  entity: string,
  rows: number,
  properties: Names,
  writing: Writing,
): string[] {
  const { family, qualifier, value, kind, versions } = column;
  const text =
    qualifier === undefined || !isText(qualifier) ? undefined : Buffer.from(qualifier).toString();
  const name = properties.property(text ?? family, kind === 'columnMap' ? 'values' : 'column');
  const seen = [
    `in ${column.rows} of ${rows} rows`,
    ...(kind === 'columnMap' ? [`${column.qualifiers} qualifiers were seen`] : []),
    ...(value.note === undefined ? [] : [value.note]),
    ...(versions > 1 ? [`several versions in a row: @Versions reads them all`] : []),
  ];
  const options =
    kind === 'columnMap' || text === name
      ? ''
      : `, { qualifier: ${text === undefined ? `Uint8Array.of(${(qualifier ?? []).join(', ')})` : textLiteral(text)} }`;
  return [...note(seen.join('; ')), `  ${declaration(column, name, entity, options, writing)}`];
}

function declaration(
  { kind, family, value }: ColumnGuess,
  name: string,
  entity: string,
  options: string,
  writing: Writing,
): string {
  const place = textLiteral(family);
  if (kind === 'counter') {
    writing.imports.add('Counter');
    return `@Counter(${place}${options}) ${name}?: bigint;`;
  }
  const { source, type } = valueText(value, `${entity} ${name}`, writing);
  if (kind === 'columnMap') {
    writing.imports.add('ColumnMap');
    return `@ColumnMap(${place}, ${source}) ${name}?: Map<string, ${type}>;`;
  }
  const decorator = value.kind === 'message' ? 'Packed' : 'Column';
  writing.imports.add(decorator);
  return `@${decorator}(${place}, ${source}${options}) ${name}?: ${type};`;
}

interface Typed {
  /** As a decorator takes it: `'double'`, `() => Status`. */
  readonly source: string;
  /** As a property is typed. */
  readonly type: string;
}

function valueText(value: ValueGuess, name: string, writing: Writing): Typed {
  if (value.kind === 'scalar')
    return { source: `'${value.scalar}'`, type: typeOf(scalarDesigns[value.scalar]) };
  const className = messageClass(value.message, name, writing);
  return { source: `() => ${className}`, type: className };
}

/** Writes the class of a message, those inside it first; gives its name. */
function messageClass({ fields }: MessageGuess, name: string, writing: Writing): string {
  const className = writing.classes.className(name, 'Packed');
  writing.imports.add('Message');
  const lines = fields.flatMap((field) => fieldText(field, className, writing));
  writing.messages.push([`@Message()`, `export class ${className} {`, ...lines, '}'].join('\n'));
  return className;
}

function fieldText(
  { number, type, repeated, count, note: odd }: FieldGuess,
  owner: string,
  writing: Writing,
): string[] {
  const decorator = repeated ? 'RepeatedField' : 'Field';
  writing.imports.add(decorator);
  const className =
    typeof type === 'string' ? undefined : messageClass(type, `${owner} field${number}`, writing);
  const source = className === undefined ? `'${type as string}'` : `() => ${className}`;
  const typed = className ?? typeOf(fieldDesigns[type as keyof typeof fieldDesigns]);
  const seen = [`in ${count} values`, ...(odd === undefined ? [] : [odd])].join('; ');
  return [
    ...note(seen),
    `  @${decorator}(${number}, ${source}) field${number}?: ${typed}${repeated ? '[]' : ''};`,
  ];
}
