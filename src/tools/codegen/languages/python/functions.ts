/** The functions of a generated module, and its classes. */
import type { ColumnData, EntityData, SegmentData } from '../entity-data.js';
import { call, docText, lines, prefixed, type PythonSource } from './layout.js';
import type { PythonNames } from './names.js';
import { columnField, segmentType } from './types.js';

/** A block of a module: its lines, without blank lines around them. */
export type Block = readonly string[];

/** The segments of an entity with their names in Python. */
export function namedSegments(
  { key }: EntityData,
  { properties }: PythonNames,
): readonly (readonly [name: string, segment: SegmentData])[] {
  return key.parts.flatMap((part) =>
    part.kind === 'segment'
      ? [[properties.get(part.segment.property)!, part.segment] as const]
      : [],
  );
}

function definition(name: string, parameters: readonly PythonSource[], returns: string): string[] {
  return [...lines(call(`def ${name}`, parameters, ` -> ${returns}`), '', ':')];
}

function stub(name: string, parameters: readonly PythonSource[], returns: string): Block {
  return ['@overload', ...lines(call(`def ${name}`, parameters, ` -> ${returns}`), '', ': ...')];
}

function returned(value: PythonSource): readonly string[] {
  return lines(prefixed('return ', value), '    ');
}

function doc(sentence: string): string {
  return `    """${sentence}"""`;
}

/** Keys of one segment have no scopes. */
function withinParameters(segments: readonly unknown[]): readonly string[] {
  return segments.length > 1 ? ['within: rt.Scope | None = None'] : [];
}

/** The arguments of a call, with the scope if there is one. */
function withScope(value: PythonSource, segments: readonly unknown[]): readonly PythonSource[] {
  return segments.length > 1 ? [value, 'within'] : [value];
}

/** The class with the segments of a key. */
export function keyClass(entity: EntityData, names: PythonNames): Block {
  return [
    '@dataclass(frozen=True, kw_only=True)',
    `class ${names.rowClass}Key:`,
    doc('The segments of a key, in their order.'),
    '',
    ...namedSegments(entity, names).map(
      ([name, segment]) => `    ${name}: ${segmentType(segment)}`,
    ),
  ];
}

/** The class of rows. */
export function rowClass(entity: EntityData, names: PythonNames): Block {
  const fields = entity.columns.flatMap((column) => columnLines(column, names));
  return [
    '@dataclass(kw_only=True)',
    `class ${names.rowClass}:`,
    doc(`A row of the table ${docText(entity.table)}.`),
    '',
    ...namedSegments(entity, names).map(
      ([name, segment]) => `    ${name}: ${segmentType(segment)}`,
    ),
    ...fields,
  ];
}

function columnLines(column: ColumnData, names: PythonNames): Block {
  const { type, default: value } = columnField(column);
  const name = names.properties.get(column.property)!;
  const comment: string[] = [];
  if (column.kind === 'counter') comment.push('    # Changed by additions and increments alone.');
  if (column.version !== undefined)
    comment.push(`    # Version ${column.version.current}: TypeScript upgrades earlier ones.`);
  return [...comment, `    ${name}: ${type}${value === undefined ? '' : ` = ${value}`}`];
}

/** `key_of` and `parse_key`. */
export function keyFunctions(entity: EntityData, names: PythonNames): readonly Block[] {
  const segments = namedSegments(entity, names);
  const parameters = segments.map(([name, segment]) => `${name}: ${segmentType(segment)}`);
  const values: PythonSource = {
    before: '',
    open: '{',
    items: segments.map(([name]) => `"${name}": ${name}`),
    after: '',
  };
  return [
    [
      ...definition('key_of', ['*', ...parameters, ...withinParameters(segments)], 'bytes'),
      doc('The key of a row.'),
      ...returned(call('_KEY.encode', withScope(values, segments))),
    ],
    [
      ...definition('parse_key', ['key: bytes'], `${names.rowClass}Key`),
      doc('The segments of a key; FOREIGN_KEY if it is no key of the entity.'),
      ...returned(`${names.rowClass}Key(**_KEY.parse(key))`),
    ],
  ];
}

/** `ranges`, and `scope` if the key has more than one segment. */
export function rangeFunctions(entity: EntityData, names: PythonNames): readonly Block[] {
  const segments = namedSegments(entity, names);
  const plain = segments.map(([name, segment]) => `${name}: ${segmentType(segment)}`);
  const within = withinParameters(segments);
  const bounded = segments.map(([name, segment]) =>
    parameter(name, [segmentType(segment), ...boundTypes(segment)]),
  );
  const stubs = bounded.map((last, count) =>
    stub('ranges', ['*', ...plain.slice(0, count), last, ...within], 'list[rt.KeyRange]'),
  );
  return [
    // Without a parameter there is no `*`.
    stub('ranges', within.length > 0 ? ['*', ...within] : [], 'list[rt.KeyRange]'),
    ...stubs,
    [
      ...definition(
        'ranges',
        [...(within.length > 0 ? ['*', ...within] : []), '**segments: Any'],
        'list[rt.KeyRange]',
      ),
      doc('The keys with leading segments; the last one may be a bound.'),
      ...returned(call('_KEY.ranges', withScope('segments', segments))),
    ],
    ...scopeFunctions(plain),
  ];
}

function scopeFunctions(plain: readonly string[]): readonly Block[] {
  const leading = plain.slice(0, -1);
  if (leading.length === 0) return [];
  const body = [doc('Leading segments that fix what keys and ranges may name.')];
  const stubs = leading.map((_, count) =>
    stub('scope', ['*', ...leading.slice(0, count + 1)], 'rt.Scope'),
  );
  return [
    // A single overload is an error of mypy: the parameter is named instead.
    ...(leading.length === 1 ? [] : stubs),
    leading.length === 1
      ? [
          ...definition('scope', ['*', ...leading], 'rt.Scope'),
          ...body,
          ...returned(scopeOfOne(leading[0].split(':')[0])),
        ]
      : [
          ...definition('scope', ['**segments: Any'], 'rt.Scope'),
          ...body,
          ...returned('_KEY.scope(segments)'),
        ],
  ];
}

function scopeOfOne(name: string): string {
  return `_KEY.scope({"${name}": ${name}})`;
}

/** A parameter of several types, each on a line if they do not fit on one. */
function parameter(name: string, types: readonly string[]): string {
  const oneLine = `${name}: ${types.join(' | ')}`;
  if (oneLine.length + '    ,'.length <= 88) return oneLine;
  // A type that may be None is two.
  const each = types.flatMap((type) =>
    type.endsWith(' | None') ? [type.slice(0, -7), 'None'] : type,
  );
  return `${name}: (\n        ${each.join('\n        | ')}\n    )`;
}

function boundTypes(segment: SegmentData): readonly string[] {
  const types: string[] = [];
  if (segment.unordered === undefined) types.push(`rt.Between[${segmentType(segment)}]`);
  if (segment.startsWith) types.push('rt.StartsWith');
  if (segment.kind === 'domain') types.push('rt.Subdomains');
  return types;
}

/** `from_row`. */
export function fromRow(names: PythonNames): Block {
  return [
    ...definition('from_row', ['row: rt.AnyRow'], `${names.rowClass} | None`),
    doc('The row of either client; None if it has no cell of the entity.'),
    '    values = _ENTITY.read(row)',
    ...returned(`None if values is None else ${names.rowClass}(**values)`),
  ];
}

/** `to_mutations`, which refuses if the rows must not be written, and functions of counters. */
export function rowWriters(
  entity: EntityData,
  names: PythonNames,
  unsafe: boolean,
): readonly Block[] {
  const keyOfRow: Block = [
    ...definition('key_of_row', [`row: ${names.rowClass}`], 'bytes'),
    doc('The key of a row.'),
    ...returned('_KEY.encode(vars(row))'),
  ];
  const { unwritable } = entity;
  if (unwritable.length > 0 && !unsafe) return [keyOfRow, refusal(entity, names)];
  const parameters = [
    `row: ${names.rowClass}`,
    '*',
    'now: datetime | None = None',
    'replace: bool = True',
  ];
  const warning = unwritable.map((reason) => `    # Unsafe: ${reason}.`);
  return [
    keyOfRow,
    [
      ...definition('to_mutations', parameters, 'list[Mutation]'),
      doc('The whole row; without `replace` a new one, of which nothing is deleted.'),
      ...warning,
      ...returned('_ENTITY.mutations(vars(row), now, replace)'),
    ],
    ...counterFunctions(entity, names),
  ];
}

function refusal({ name, unwritable }: EntityData, names: PythonNames): Block {
  const reason = unwritable.join('; ');
  const given = [name, reason].map((each) => `"${docText(each)}"`);
  return [
    ...definition('to_mutations', [`row: ${names.rowClass}`, '**_: object'], 'NoReturn'),
    doc('Refused: see the reason.'),
    ...lines(call('rt.refuse_writer', given), '    '),
  ];
}

function counterFunctions(entity: EntityData, names: PythonNames): readonly Block[] {
  const name = ({ property }: ColumnData): string => names.properties.get(property)!;
  const values = (columns: readonly ColumnData[]): PythonSource => ({
    before: '',
    open: '{',
    items: columns.map((column) => `"${name(column)}": ${name(column)}`),
    after: '',
  });
  const plain = entity.columns.filter(({ kind, aggregate }) => kind === 'counter' && !aggregate);
  const added = entity.columns.filter(({ aggregate }) => aggregate);
  const blocks: Block[] = [];
  if (plain.length > 0)
    blocks.push([
      ...definition(
        'increments',
        ['*', ...plain.map((column) => `${name(column)}: int | None = None`)],
        'list[IncrementRule]',
      ),
      doc('Rules for read_modify_write_row.'),
      ...returned(call('_ENTITY.increments', [values(plain)])),
    ]);
  if (added.length > 0)
    blocks.push([
      ...definition(
        'additions',
        ['*', ...added.map((column) => additionParameter(column, name(column))), nowParameter],
        'list[Mutation]',
      ),
      doc('Additions to counters, which storage adds up.'),
      ...returned(call('_ENTITY.additions', [values(added), 'now'])),
    ]);
  return blocks;
}

const nowParameter = 'now: datetime | None = None';

function additionParameter({ kind, qualifiers }: ColumnData, name: string): string {
  if (kind !== 'map') return `${name}: int | None = None`;
  return `${name}: Mapping[${segmentType(qualifiers!)}, int] | None = None`;
}
