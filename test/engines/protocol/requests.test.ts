/** Plan -> request -> plan, and filters: the server decodes what the client encoded. */
import {
  everyKey,
  type KeyRange,
  nextKey,
  pointRange,
  prefixRange,
  rangeFrom,
  unionRanges,
} from '../../../src/base/index.js';
import {
  literalAlternatives,
  literalPattern,
} from '../../../src/engines/protocol/filter/literal-pattern.js';
import {
  decodeFilter,
  decodeReadRequest,
  ReadRowsRequest,
  encodeFilter,
  encodeReadRequest,
} from '../../../src/engines/protocol/index.js';
import type { Filter, ReadPlan } from '../../../src/data/store/index.js';
import { decodePublished } from './published.js';
import fc from '../../support/fast-check.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const tableName = 'projects/p/instances/i/tables/t';
const encoded = (plan: Partial<ReadPlan>): Uint8Array | undefined => {
  const fullPlan = { table: 't', ranges: [everyKey], reversed: false, ...plan };
  return encodeReadRequest(fullPlan, {
    tableName,
    appProfileId: undefined,
    filter: fullPlan.filter === undefined ? undefined : encodeFilter(fullPlan.filter),
  });
};
const shown = (plan: Partial<ReadPlan>): unknown =>
  decodePublished('google.bigtable.v2.ReadRowsRequest', encoded(plan)!);

const bytes = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 12 }) },
  fc.constantFrom(
    utf8('a.b|c'),
    utf8(''),
    Uint8Array.of(0),
    Uint8Array.of(0xff, 0),
    utf8('\\Q{}[]()^$*+?\n'),
  ),
);
const family = fc.constantFrom('a', 'b', 'constructor', '__proto__', 'with.dot', 'with-dash', '0');
const families = fc.uniqueArray(family, { minLength: 1, maxLength: 4 });
const qualifiers = fc.uniqueArray(bytes, {
  minLength: 1,
  maxLength: 4,
  selector: (one) => Buffer.from(one).toString('latin1'),
});
const count = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.constantFrom<Filter>(
    { kind: 'sink' },
    { kind: 'stripValue' },
    { kind: 'passAll' },
    { kind: 'blockAll' },
  ),
  families.map((names): Filter => ({ kind: 'families', families: names })),
  // Columns that are all whole families would be decoded as families.
  fc
    .tuple(families, fc.array(optional(qualifiers), { minLength: 4, maxLength: 4 }), qualifiers)
    .map(([names, chosen, last]): Filter => ({
      kind: 'columns',
      columns: names.map((name, i) => ({
        family: name,
        qualifiers: i === names.length - 1 ? last : (chosen[i] ?? 'all'),
      })),
    })),
  count.map((value): Filter => ({ kind: 'cellsPerColumn', count: value })),
  count.map((value): Filter => ({ kind: 'cellsPerRow', count: value })),
  count.map((value): Filter => ({ kind: 'cellsPerRowOffset', count: value - 1 })),
  fc
    .double({ noNaN: true })
    .filter((value) => !Object.is(value, -0))
    .map((probability): Filter => ({ kind: 'rowSample', probability })),
  bytes.map((pattern): Filter => ({ kind: 'rowKeyRegex', pattern })),
  fc
    .constantFrom('.*', 'a|b', '[a-c]', '')
    .map((pattern): Filter => ({ kind: 'familyRegex', pattern })),
  bytes.map((pattern): Filter => ({ kind: 'qualifierRegex', pattern })),
  bytes.map((pattern): Filter => ({ kind: 'valueRegex', pattern })),
  bytes.map((mask): Filter => ({ kind: 'valueBitmask', mask })),
  bytes.map((value): Filter => ({ kind: 'valueEquals', value })),
  fc.stringMatching(/^[a-z0-9-]{1,15}$/).map((label): Filter => ({ kind: 'label', label })),
  // Not a range over a whole family or a single qualifier, which would be decoded as columns.
  fc
    .tuple(
      family,
      optional(fc.record({ qualifier: bytes, inclusive: fc.boolean() })),
      optional(fc.record({ qualifier: bytes, inclusive: fc.constant(false) })),
    )
    .filter(([, start, end]) => start !== undefined || end !== undefined)
    .map(([name, start, end]) =>
      defined({ kind: 'columnRange' as const, family: name, start, end }),
    ),
  // Not a range over a single value, which would be decoded as valueEquals.
  fc
    .tuple(
      optional(fc.record({ value: bytes, inclusive: fc.boolean() })),
      optional(fc.record({ value: bytes, inclusive: fc.constant(false) })),
    )
    .map(([start, end]) => defined({ kind: 'valueRange' as const, start, end })),
  fc
    .tuple(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      optional(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })),
    )
    .map(([start, end]) => defined({ kind: 'timestampRange' as const, start, end })),
);
const filter = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    // A chain that begins with a family may be decoded as columns.
    fc
      .tuple(
        leaf.filter(({ kind }) => kind !== 'families'),
        fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      )
      .map(([first, rest]): Filter => ({ kind: 'chain', filters: [first, ...rest] })),
    fc
      .tuple(
        leaf.filter(({ kind }) => kind !== 'families' && kind !== 'columns'),
        fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      )
      .map(([first, rest]): Filter => ({ kind: 'interleave', filters: [first, ...rest] })),
    fc
      .tuple(tie('filter'), tie('filter'), optional(tie('filter')))
      .map(([predicate, one, other]) =>
        defined({ kind: 'condition' as const, predicate, onTrue: other, onFalse: one }),
      ),
    fc
      .tuple(tie('filter'), tie('filter'))
      .map(([predicate, onTrue]): Filter => ({ kind: 'condition', predicate, onTrue })),
  ),
})).filter;

const key = fc.uint8Array({ minLength: 1, maxLength: 4 });
const ranges: fc.Arbitrary<readonly KeyRange[]> = fc
  .array(
    fc.oneof(
      key.map(pointRange),
      fc
        .tuple(fc.oneof(key, fc.constant(utf8(''))), optional(key))
        .map(([start, end]) => rangeFrom(start, end)),
      fc.tuple(key, key).map(([start, end]) => rangeFrom(nextKey(start), nextKey(end))),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map(unionRanges)
  // A range with only the empty key contains no row and is not sent.
  .filter(
    (union) => union.length > 0 && !union.some(({ end }) => end?.length === 1 && end[0] === 0),
  );

const plan: fc.Arbitrary<ReadPlan> = fc
  .record({
    table: fc.constant('t'),
    ranges,
    reversed: fc.boolean(),
    limit: optional(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    filter: optional(filter),
  })
  .map(defined);

test('decode(encode(plan)) is the plan, and the request is valid for the published proto', () => {
  fc.assert(
    fc.property(plan, (given) => {
      const request = encoded(given)!;
      expect(decodeReadRequest(ReadRowsRequest.decode(request), 't')).toEqual(given);
      decodePublished('google.bigtable.v2.ReadRowsRequest', request);
    }),
    { numRuns: 200 },
  );
});

test('filters that are not in their simplest form are simplified', () => {
  const read = (given: Filter): Filter => decodeFilter(encodeFilter(given));
  const [x, y] = [utf8('x'), utf8('y')];
  expect(read({ kind: 'families', families: ['a', 'b', 'a'] })).toEqual({
    kind: 'families',
    families: ['a', 'b'],
  });
  expect(read({ kind: 'families', families: [] })).toEqual({ kind: 'blockAll' });
  expect(read({ kind: 'columns', columns: [] })).toEqual({ kind: 'blockAll' });
  expect(
    read({
      kind: 'columns',
      columns: [
        { family: 'a', qualifiers: 'all' },
        { family: 'b', qualifiers: 'all' },
      ],
    }),
  ).toEqual({ kind: 'families', families: ['a', 'b'] });
  expect(
    read({
      kind: 'columns',
      columns: [
        { family: 'a', qualifiers: [x] },
        { family: 'a', qualifiers: [x, y] },
      ],
    }),
  ).toEqual({ kind: 'columns', columns: [{ family: 'a', qualifiers: [x, y] }] });
  expect(
    read({
      kind: 'columns',
      columns: [
        { family: 'a', qualifiers: [x] },
        { family: 'a', qualifiers: 'all' },
      ],
    }),
  ).toEqual({ kind: 'families', families: ['a'] });
  // The family is kept so that an unknown one is reported.
  expect(read({ kind: 'columns', columns: [{ family: 'a', qualifiers: [] }] })).toEqual({
    kind: 'chain',
    filters: [{ kind: 'families', families: ['a'] }, { kind: 'blockAll' }],
  });
  expect(read({ kind: 'chain', filters: [{ kind: 'sink' }] })).toEqual({ kind: 'sink' });
  expect(read({ kind: 'cellsPerRow', count: 2 ** 40 })).toEqual({
    kind: 'cellsPerRow',
    count: 2 ** 31 - 1,
  });
  // It returns cells twice, so it must remain an interleave.
  const overlapping: Filter = {
    kind: 'interleave',
    filters: [
      { kind: 'families', families: ['a'] },
      { kind: 'columns', columns: [{ family: 'a', qualifiers: [x] }] },
    ],
  };
  expect(read(overlapping)).toEqual(overlapping);
});

test.each<[string, Filter, string]>([
  ['an empty chain', { kind: 'chain', filters: [] }, 'INVALID_ARGUMENT'],
  ['an empty interleave', { kind: 'interleave', filters: [] }, 'INVALID_ARGUMENT'],
  [
    'a condition without a branch',
    { kind: 'condition', predicate: { kind: 'passAll' } },
    'INVALID_ARGUMENT',
  ],
  ['a count of 0', { kind: 'cellsPerRow', count: 0 }, 'INVALID_ARGUMENT'],
  ['a fractional count', { kind: 'cellsPerRowOffset', count: 0.5 }, 'INVALID_ARGUMENT'],
  [
    'a timestamp that is not an integer',
    { kind: 'timestampRange', start: 1.5 },
    'INVALID_ARGUMENT',
  ],
  ['a timestamp beyond int64', { kind: 'timestampRange', start: 2n ** 63n }, 'INVALID_ARGUMENT'],
  ['a lone surrogate', { kind: 'label', label: '\ud800' }, 'INVALID_ARGUMENT'],
  ['an invalid family name', { kind: 'families', families: ['a:b'] }, 'FAMILY_NOT_FOUND'],
  ['an unknown kind', { kind: 'sample' } as unknown as Filter, 'INVALID_ARGUMENT'],
])('%s is rejected', (_what, given, code) => {
  expect(() => encodeFilter(given)).toThrow(expect.objectContaining({ code }));
});

test.each([0, -1, 1.5, NaN])('a limit of %s is rejected: on the wire 0 means no limit', (limit) => {
  expect(() => encoded({ limit })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

describe('ranges in the form of the API', () => {
  const b64 = (text: string): Buffer => Buffer.from(text);
  test('points become keys, and the whole table has no row set', () => {
    expect(
      shown({ ranges: [pointRange(utf8('a')), prefixRange(utf8('b')), pointRange(utf8('d'))] }),
    ).toEqual({
      tableName,
      rows: {
        rowKeys: [b64('a'), b64('d')],
        rowRanges: [{ startKeyClosed: b64('b'), endKeyOpen: b64('c') }],
      },
    });
    expect(shown({})).toEqual({ tableName });
  });
  test('ranges after a key and up to a key', () => {
    expect(shown({ ranges: [rangeFrom(nextKey(utf8('a')), nextKey(utf8('c')))] })).toMatchObject({
      rows: { rowRanges: [{ startKeyOpen: b64('a'), endKeyClosed: b64('c') }] },
    });
  });
  test('an empty set of rows never becomes the whole table', () => {
    for (const empty of [
      [],
      [pointRange(utf8(''))],
      [rangeFrom(utf8(''), Uint8Array.of(0))],
      [pointRange(new Uint8Array(4097).fill(1))],
    ])
      expect(encoded({ ranges: empty })).toBeUndefined();
  });
  test('bounds over 4,096 bytes are replaced by equivalent ones', () => {
    const longest = new Uint8Array(4096).fill(1);
    const over = new Uint8Array(5000).fill(1);
    expect(shown({ ranges: [rangeFrom(over, utf8('z'))] })).toMatchObject({
      rows: { rowRanges: [{ startKeyOpen: Buffer.from(longest), endKeyOpen: b64('z') }] },
    });
    expect(shown({ ranges: [rangeFrom(utf8(''), over)] })).toMatchObject({
      rows: { rowRanges: [{ endKeyClosed: Buffer.from(longest) }] },
    });
    expect(encoded({ ranges: [rangeFrom(over, new Uint8Array(5001).fill(1))] })).toBeUndefined();
    expect(shown({ ranges: [rangeFrom(nextKey(longest), undefined)] })).toMatchObject({
      rows: { rowRanges: [{ startKeyOpen: Buffer.from(longest) }] },
    });
  });
});

test('literal patterns: any bytes are recovered, and other patterns are not literal', () => {
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 1, maxLength: 5 }), (given) => {
      expect(
        literalAlternatives(literalPattern(given))!.map((one) =>
          Buffer.from(one).toString('latin1'),
        ),
      ).toEqual(given.map((one) => Buffer.from(one).toString('latin1')));
    }),
  );
  for (const pattern of [
    'a.',
    'a*',
    '\\C',
    '\\d',
    '(a|b)',
    '[a]',
    '\\',
    'a$',
    '\\x4',
    '\\x{41}',
    '\\Qa\\E',
  ])
    expect(literalAlternatives(utf8(pattern))).toBeUndefined();
});
