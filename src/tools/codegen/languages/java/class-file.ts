/** The record of an entity, or of the rows of one of its indexes or rollups. */
import { type FaultTexts, RowsmithError } from '../../../../base/index.js';
import type { ColumnData, EntityData, RollupValueData } from '../entity-data.js';
import { recordSource, keysSource } from './declarations.js';
import { assignment, javaCall, javaComment, javaLines, text } from './layout.js';
import {
  type MemberBlock,
  cast,
  components,
  keyMembers,
  type JavaMembers,
  method,
  segmentFields,
  rangeMembers,
  readerMembers,
  returned,
  separated,
  writerMembers,
} from './members.js';
import type { MessageClasses } from './messages.js';
import { holderProperty } from '../names.js';
import type { JavaNames } from './names.js';
import { boxedType, javaRollupType, javaSegmentType } from './types.js';

/** The package of all generated classes. */
export const javaPackage = 'rowsmith.rows';

/** What the classes of a project have in common. */
export interface ClassContext {
  readonly entities: readonly EntityData[];
  readonly names: ReadonlyMap<EntityData, JavaNames>;
  readonly messages: MessageClasses;
  /** Whether writers are generated of rows that Java must not write. */
  readonly unsafeWriters: boolean;
}

/** The text of a class. */
export function classText(entity: EntityData, context: ClassContext): string {
  const names = context.names.get(entity)!;
  const members: JavaMembers = { entity, names, messages: context.messages };
  const { row } = entity;
  const isRollup = row.kind === 'rollup';
  const parts = isRollup ? bucketComponents(members, row.values) : components(members);
  assertFits(entity, parts);
  const body = [
    ...javaLines(javaCall(`public record ${names.rowClass}`, parts), '', ' {'),
    ...separated([
      ...declarations(members),
      ...keyMembers(members),
      ...rangeMembers(members),
      ...rowMembers(members, context),
    ]),
    '}',
  ];
  const used = imports(body.join('\n'));
  return `${[...header(entity), `package ${javaPackage};`, '', ...used, ...body].join('\n')}\n`;
}

/** The constructor of a record has 255 slots, as every method of the JVM has. */
const slots = 255;

function assertFits({ name, row }: EntityData, parts: readonly string[]): void {
  // `this` has a slot, and numbers that are no objects have two.
  const used = parts.reduce((sum, part) => sum + (/^(long|double) /.test(part) ? 2 : 1), 1);
  if (used <= slots) return;
  const entity = row.kind === 'entity' ? name : row.of;
  throw new RowsmithError('UNSUPPORTED', {
    entity,
    ...faults.tooManyComponents(name, parts.length, used),
  });
}

function header({ name, row, table, lockVersion }: EntityData): readonly string[] {
  const of = row.kind === 'entity' ? name : row.of;
  return [
    `// Rows of ${javaComment(name)} in the table ${javaComment(table)}.`,
    `// Entity ${javaComment(of)}, version ${lockVersion} of its declaration in rowsmith.lock.json.`,
    '// Written by rowsmith generate java. Do not edit: the next run overwrites it.',
    '',
  ];
}

function declarations({ entity, messages }: JavaMembers): readonly MemberBlock[] {
  return [
    [
      '  /** The table of the rows. */',
      ...assignment('public static final String TABLE', text(entity.table), '  '),
    ],
    assignment('private static final Rows.Keys KEYS', keysSource(entity), '  '),
    assignment('private static final Rows.Entity ENTITY', recordSource(entity, messages), '  '),
  ];
}

const importable = [
  'com.google.cloud.bigtable.data.v2.models.Mutation',
  'com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow',
  'com.google.cloud.bigtable.data.v2.models.Row',
  'com.google.protobuf.ByteString',
  'com.google.protobuf.Message',
  'java.math.BigDecimal',
  'java.math.BigInteger',
  'java.time.Instant',
  'java.time.LocalDate',
  'java.util.List',
  'java.util.Map',
  'java.util.Optional',
  'java.util.UUID',
];

function imports(body: string): readonly string[] {
  // Texts of the declaration and comments are no names.
  const code = body.replace(/"(?:[^"\\\n]|\\.)*"|\/\/.*|\/\*\*.*\*\//g, '""');
  const used = importable.filter((each) =>
    new RegExp(`(?<![\\w.])${each.slice(each.lastIndexOf('.') + 1)}\\b`).test(code),
  );
  return [...used.map((each) => `import ${each};`), ''];
}

function rowMembers(members: JavaMembers, context: ClassContext): readonly MemberBlock[] {
  const { row } = members.entity;
  if (row.kind === 'rollup') return [bucketReader(members, row.values)];
  const reader = readerMembers(members);
  if (row.kind === 'entity') return [...reader, ...writerMembers(members, context.unsafeWriters)];
  return [...reader, rowKeyMember(members, context)];
}

/** The key of the row that an entry of an index leads to. */
function rowKeyMember(
  { entity, names }: JavaMembers,
  { entities, names: all }: ClassContext,
): MemberBlock {
  const { row } = entity;
  const start = [
    'The key of the row that the entry leads to.',
    'public static ByteString rowKeyOf',
    [`${names.rowClass} entry`],
  ] as const;
  if (row.kind !== 'index' || row.unique) {
    const holder = `entry.${names.properties.get(holderProperty)!}`;
    return method(...start, [`return ${holder} == null ? ByteString.EMPTY : ${holder};`]);
  }
  const target = entities.find((each) => each.name === row.of)!;
  const base = all.get(target)!;
  const values = segmentFields({ entity: target, names: base }).map(
    ([, { property }]) => `entry.${names.properties.get(property)!}`,
  );
  return method(...start, returned(javaCall(`${base.rowClass}.keyOf`, values)));
}

function bucketComponents(
  members: JavaMembers,
  values: readonly RollupValueData[],
): readonly string[] {
  return [
    ...segmentFields(members).map(([name, segment]) => `${javaSegmentType(segment)} ${name}`),
    ...values.map((value) => {
      const stored = members.entity.columns.find(({ property }) => property === value.cell);
      const type = javaRollupType(value, stored, members.messages);
      return `${type} ${members.names.values.get(value.name)!}`;
    }),
    'boolean settled',
  ];
}

function bucketReader(members: JavaMembers, values: readonly RollupValueData[]): MemberBlock {
  const { entity, names, messages } = members;
  const segments = segmentFields(members);
  const indexOf = (property: string): number =>
    segments.length + entity.columns.findIndex((column) => column.property === property);
  const cell = (property: string): string => `values[${indexOf(property)}]`;
  const items = [
    ...segments.map(([, segment], i) => cast(boxedType(segment), i)),
    ...values.map((value) => valueSource(value, entity.columns, messages, indexOf)),
    `Rows.isSettled(${cell('_marks')}, ${cell('_state')})`,
  ];
  const bucket = javaCall(`new ${names.rowClass}`, items);
  return method(
    'The bucket; empty if it has no row. While it is not settled, its values may be older.',
    `public static Optional<${names.rowClass}> fromRow`,
    ['Row row'],
    [
      'Object[] values = ENTITY.read(row);',
      `if (values == null || Rows.orZero(${cell('_rows')}) == 0) return Optional.empty();`,
      ...returned(javaCall('Optional.of', [bucket])),
    ],
  );
}

function valueSource(
  value: RollupValueData,
  columns: readonly ColumnData[],
  messages: MessageClasses,
  indexOf: (property: string) => number,
): string {
  const { kind, number, decimals, cell, count } = value;
  const stored = `values[${indexOf(cell)}]`;
  if (count !== undefined) return `Rows.mean(${stored}, values[${indexOf(count)}], ${decimals})`;
  const isZero = kind === 'sum' || kind === 'count';
  const given = isZero ? `Rows.orZero(${stored})` : stored;
  switch (number) {
    case 'whole':
    case 'stored': {
      const column = columns.find(({ property }) => property === cell);
      return isZero ? given : cast(javaRollupType(value, column, messages), indexOf(cell));
    }
    case 'time':
      return `Rows.time(${given})`;
    case 'decimal':
      return `Rows.decimal(${given}, ${decimals})`;
    case 'single':
      return `Rows.single(${given}, ${decimals})`;
    case 'fraction':
      return `Rows.scaled(${given}, ${decimals})`;
  }
}

const faults = {
  tooManyComponents: (name: string, count: number, used: number) => ({
    problem:
      `the Java record ${name} would have ${count} components, which take ${used} slots of its ` +
      `constructor; Java has ${slots}`,
    fix: 'pack columns into a message, put columns of a type into a column map, or split the entity',
  }),
} satisfies FaultTexts;
