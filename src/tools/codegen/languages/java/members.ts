/** The members of a generated record: its key, ranges, reader and writers. */
import type { ColumnData, EntityData, SegmentData } from '../entity-data.js';
import {
  javaCall,
  javaComment,
  type JavaCall,
  type JavaSource,
  javaLines,
  text,
} from './layout.js';
import type { MessageClasses } from './messages.js';
import type { JavaNames } from './names.js';
import { boxedType, javaColumnType, javaSegmentType } from './types.js';

/** A member: its lines, without blank lines around them. */
export type MemberBlock = readonly string[];

/** What the members of an entity are made of. */
export interface JavaMembers {
  readonly entity: EntityData;
  readonly names: JavaNames;
  readonly messages: MessageClasses;
}

/** The segments of an entity with their names in Java. */
export function segmentFields({
  entity,
  names,
}: Pick<JavaMembers, 'entity' | 'names'>): readonly (readonly [
  name: string,
  segment: SegmentData,
])[] {
  return entity.key.parts.flatMap((part) =>
    part.kind === 'segment'
      ? [[names.properties.get(part.segment.property)!, part.segment] as const]
      : [],
  );
}

/** The columns of an entity with their names in Java. */
function namedColumns({
  entity,
  names,
}: JavaMembers): readonly (readonly [name: string, column: ColumnData])[] {
  return entity.columns.map((column) => [names.properties.get(column.property)!, column]);
}

/** A statement: text, or what is returned or thrown. */
type Statement = string | { readonly keyword: string; readonly value: JavaCall };

/** A method with a comment, at its indent. */
export function method(
  comment: string,
  start: string,
  parameters: readonly JavaSource[],
  body: readonly Statement[],
  indent = '  ',
): MemberBlock {
  const inner = `${indent}  `;
  return [
    ...(comment === '' ? [] : [`${indent}/** ${comment} */`]),
    ...javaLines(javaCall(start, parameters), indent, ' {'),
    ...body.flatMap((each) => (typeof each === 'string' ? [inner + each] : laid(each, inner))),
    `${indent}}`,
  ];
}

function laid({ keyword, value }: Exclude<Statement, string>, indent: string): MemberBlock {
  return javaLines({ ...value, before: `${keyword} ${value.before}` }, indent, ';');
}

/** `return value;`. */
export function returned(value: JavaCall): readonly Statement[] {
  return [{ keyword: 'return', value }];
}

/** An element of an array of values as its type. */
export function cast(type: string, index: number): string {
  return `(${type}) values[${index}]`;
}

function segmentCasts(members: JavaMembers): readonly string[] {
  return segmentFields(members).map(([, segment], i) => cast(boxedType(segment), i));
}

function segmentParameters(members: JavaMembers): readonly string[] {
  return segmentFields(members).map(([name, segment]) => `${javaSegmentType(segment)} ${name}`);
}

/** The components of the record. */
export function components(members: JavaMembers): readonly string[] {
  return [
    ...segmentParameters(members),
    ...namedColumns(members).map(
      ([name, column]) => `${javaColumnType(column, members.messages)} ${name}`,
    ),
  ];
}

/** The record of the segments, `keyOf` and `parseKey`. */
export function keyMembers(members: JavaMembers): readonly MemberBlock[] {
  const parameters = segmentParameters(members);
  const names = segmentFields(members).map(([name]) => name);
  const within = method(
    'The key; OUTSIDE_SCOPE if the scope fixes other values.',
    'public ByteString within',
    ['Rows.Scope scope'],
    returned(javaCall('KEYS.encodeWithin', ['scope', ...names])),
    '    ',
  );
  return [
    [
      '  /** The segments of a key, in their order. */',
      // Keys of one segment have no scopes.
      ...(names.length > 1
        ? [...javaLines(javaCall('public record Key', parameters), '  ', ' {'), ...within, '  }']
        : javaLines(javaCall('public record Key', parameters), '  ', ' {}')),
    ],
    method(
      'The key of a row.',
      'public static ByteString keyOf',
      parameters,
      returned(javaCall('KEYS.encode', names)),
    ),
    method(
      'The segments of a key; FOREIGN_KEY if it is no key of the entity.',
      'public static Key parseKey',
      ['ByteString key'],
      [
        'Object[] values = KEYS.parse(key);',
        ...returned(javaCall('new Key', segmentCasts(members))),
      ],
    ),
  ];
}

/** `prefix` and `range` for each number of leading segments, and `scope`. */
export function rangeMembers(members: JavaMembers): readonly MemberBlock[] {
  const parameters = segmentParameters(members);
  const segments = segmentFields(members);
  const names = segments.map(([name]) => name);
  const blocks: MemberBlock[] = [];
  for (let count = 0; count <= names.length; count++) {
    blocks.push(
      method(
        count === 0 ? 'All keys of the entity.' : 'The keys with these leading segments.',
        'public static Rows.KeySet prefix',
        parameters.slice(0, count),
        returned(javaCall('KEYS.prefix', names.slice(0, count))),
      ),
    );
    if (count < names.length && hasBounds(segments[count][1])) {
      const bound = `Rows.Bound<${boxedType(segments[count][1])}> ${names[count]}`;
      blocks.push(
        method(
          'The keys with leading segments, of which the last one has a bound.',
          'public static Rows.KeySet range',
          [...parameters.slice(0, count), bound],
          returned(javaCall('KEYS.range', [names[count], ...names.slice(0, count)])),
        ),
      );
    }
  }
  for (let count = 1; count < names.length; count++)
    blocks.push(
      method(
        'Leading segments that fix what keys and ranges may name.',
        'public static Rows.Scope scope',
        parameters.slice(0, count),
        returned(javaCall('new Rows.Scope', ['KEYS', ...names.slice(0, count)])),
      ),
    );
  return blocks;
}

function hasBounds({ unordered, startsWith, kind }: SegmentData): boolean {
  return unordered === undefined || startsWith || kind === 'domain';
}

/** `fromRow`, and the row of values. */
export function readerMembers(members: JavaMembers): readonly MemberBlock[] {
  const { rowClass } = members.names;
  const types = namedColumns(members).map(([, column]) => javaColumnType(column, members.messages));
  const count = segmentFields(members).length;
  const casts = [...segmentCasts(members), ...types.map((type, i) => cast(type, count + i))];
  const of = method(
    '',
    `private static ${rowClass} of`,
    ['Object[] values'],
    returned(javaCall(`new ${rowClass}`, casts)),
  );
  return [
    method(
      'The row; empty if it has no cell of the entity.',
      `public static Optional<${rowClass}> fromRow`,
      ['Row row'],
      [`return Optional.ofNullable(ENTITY.read(row)).map(${rowClass}::of);`],
    ),
    [
      ...(types.some((type) => type.includes('<')) ? ['  @SuppressWarnings("unchecked")'] : []),
      ...of,
    ],
  ];
}

/** `keyOfRow`, and `toMutations`, which refuses if the rows must not be written. */
export function writerMembers(members: JavaMembers, unsafe: boolean): readonly MemberBlock[] {
  const { entity, names } = members;
  const { rowClass } = names;
  const segments = segmentFields(members).map(([name]) => `row.${name}`);
  const keyOfRow = method(
    'The key of a row.',
    'public static ByteString keyOfRow',
    [`${rowClass} row`],
    returned(javaCall('keyOf', segments)),
  );
  const { unwritable } = entity;
  if (unwritable.length > 0 && !unsafe) {
    const reason = [entity.name, unwritable.join('; ')].map(text);
    const body = [{ keyword: 'throw', value: javaCall('Rows.unwritable', reason) }];
    const start = 'public static Mutation toMutations';
    return [keyOfRow, method('Refused: see the reason.', start, [`${rowClass} row`], body)];
  }
  return [keyOfRow, ...mutationMembers(members), ...counterMembers(members), ...builder(members)];
}

function mutationMembers(members: JavaMembers): readonly MemberBlock[] {
  const { entity, names } = members;
  const row = `${names.rowClass} row`;
  const all = [...segmentFields(members), ...namedColumns(members)].map(([name]) => `row.${name}`);
  return [
    method(
      'The whole row: what save writes.',
      'public static Mutation toMutations',
      [row],
      ['return toMutations(row, null, true);'],
    ),
    method(
      'Without {@code replace} a new row, of which nothing is deleted; null is the time now.',
      'public static Mutation toMutations',
      [row, 'Instant now', 'boolean replace'],
      [
        ...entity.unwritable.map((reason) => `// Unsafe: ${javaComment(reason)}.`),
        'return ENTITY.mutations(valuesOf(row), now, replace);',
      ],
    ),
    method('', 'private static Object[] valuesOf', [row], returned(javaCall('Rows.values', all))),
  ];
}

function counterMembers(members: JavaMembers): readonly MemberBlock[] {
  return namedColumns(members).flatMap(([name, { kind, aggregate, qualifiers }], i) => {
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    const index = String(i);
    if (aggregate) {
      const isMap = kind === 'map';
      return [
        method(
          'Adds to the counter, of which storage keeps the result.',
          `public static Mutation add${capital}`,
          ['Mutation to', ...(isMap ? [`${javaSegmentType(qualifiers!)} key`] : []), 'long amount'],
          returned(javaCall('ENTITY.add', ['to', index, isMap ? 'key' : 'null', 'amount'])),
        ),
      ];
    }
    if (kind !== 'counter') return [];
    return [
      method(
        'Adds to the counter.',
        `public static ReadModifyWriteRow increment${capital}`,
        ['ReadModifyWriteRow to', 'long amount'],
        returned(javaCall('ENTITY.increment', ['to', index, 'amount'])),
      ),
    ];
  });
}

/** `builder` and its class, without counters, which rows do not write. */
function builder(members: JavaMembers): readonly MemberBlock[] {
  const { rowClass } = members.names;
  const segments = segmentFields(members);
  const setters = namedColumns(members).flatMap(([name, column], i) => {
    if (column.kind === 'counter' || column.aggregate) return [];
    const type = javaColumnType(column, members.messages);
    return [
      method(
        '',
        `public Builder ${name}`,
        [`${type} ${name}`],
        [`this.values[${segments.length + i}] = ${name};`, 'return this;'],
        '    ',
      ),
    ];
  });
  const inner: readonly MemberBlock[] = [
    ['    private final Object[] values;'],
    method('', 'private Builder', ['Object[] values'], ['this.values = values;'], '    '),
    ...setters,
    method('', `public ${rowClass} build`, [], [`return ${rowClass}.of(values);`], '    '),
  ];
  const names = segments.map(([name]) => name);
  return [
    method(
      'Starts a row with its key.',
      'public static Builder builder',
      segmentParameters(members),
      returned(javaCall('new Builder', [javaCall('ENTITY.blank', names)])),
    ),
    method(
      'Starts a row with the values of this one.',
      'public Builder toBuilder',
      [],
      ['return new Builder(valuesOf(this));'],
    ),
    [
      '  /** The columns of a row; those that are not set have their defaults. */',
      '  public static final class Builder {',
      ...separated(inner),
      '  }',
    ],
  ];
}

/** Blocks with a blank line between each two. */
export function separated(blocks: readonly MemberBlock[]): readonly string[] {
  return blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]));
}
