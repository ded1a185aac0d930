/** Plan -> request -> plan, and filters: what the client writes is what the server reads. */
import {
  everyKey,
  nextKey,
  pointRange,
  prefixRange,
  rangeFrom,
  unionRanges,
  type KeyRange,
} from '../../src/bytes/index.js';
import { literalAlternatives, literalPattern } from '../../src/protocol/filter/literal-pattern.js';
import {
  readFilter,
  readPlan,
  ReadRowsRequest,
  writeFilter,
  encodeReadRequest,
} from '../../src/protocol/index.js';
import type { Filter, ReadPlan } from '../../src/store/index.js';
import { decodePublished } from './published.js';
import fc from '../support/fast-check.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const tableName = 'projects/p/instances/i/tables/t';
const written = (plan: Partial<ReadPlan>): Uint8Array | undefined => {
  const whole = { table: 't', ranges: [everyKey], reversed: false, ...plan };
  return encodeReadRequest(whole, {
    tableName,
    appProfile: undefined,
    filter: whole.filter === undefined ? undefined : writeFilter(whole.filter),
  });
};
const shown = (plan: Partial<ReadPlan>): unknown =>
  decodePublished('google.bigtable.v2.ReadRowsRequest', written(plan)!);

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
  Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as T;

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.constantFrom<Filter>(
    { kind: 'sink' },
    { kind: 'stripValue' },
    { kind: 'passAll' },
    { kind: 'blockAll' },
  ),
  families.map((names): Filter => ({ kind: 'families', families: names })),
  // Columns of nothing but whole families are families.
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
  // A range of a whole family is that family, and one that is closed over one qualifier is that
  // column.
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
  // A range that is closed over one value is that value.
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
    // Those that begin with a family may be read as columns.
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
  // The range of the empty key alone holds no row, and is left out.
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

test('read(write(plan)) is the plan, and it is a request of the published proto', () => {
  fc.assert(
    fc.property(plan, (given) => {
      const request = written(given)!;
      expect(readPlan(ReadRowsRequest.decode(request), 't')).toEqual(given);
      decodePublished('google.bigtable.v2.ReadRowsRequest', request);
    }),
    { numRuns: 500 },
  );
});

test('what is not in its simplest form means the same', () => {
  const read = (given: Filter): Filter => readFilter(writeFilter(given));
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
  // The family is named still, so that an unknown one is told.
  expect(read({ kind: 'columns', columns: [{ family: 'a', qualifiers: [] }] })).toEqual({
    kind: 'chain',
    filters: [{ kind: 'families', families: ['a'] }, { kind: 'blockAll' }],
  });
  expect(read({ kind: 'chain', filters: [{ kind: 'sink' }] })).toEqual({ kind: 'sink' });
  expect(read({ kind: 'cellsPerRow', count: 2 ** 40 })).toEqual({
    kind: 'cellsPerRow',
    count: 2 ** 31 - 1,
  });
  // Both would give a cell twice: an interleave must stay one.
  const twice: Filter = {
    kind: 'interleave',
    filters: [
      { kind: 'families', families: ['a'] },
      { kind: 'columns', columns: [{ family: 'a', qualifiers: [x] }] },
    ],
  };
  expect(read(twice)).toEqual(twice);
});

test.each<[string, Filter, string]>([
  ['an empty chain', { kind: 'chain', filters: [] }, 'INVALID_ARGUMENT'],
  ['an empty interleave', { kind: 'interleave', filters: [] }, 'INVALID_ARGUMENT'],
  [
    'a condition without a branch',
    { kind: 'condition', predicate: { kind: 'passAll' } },
    'INVALID_ARGUMENT',
  ],
  ['no cells', { kind: 'cellsPerRow', count: 0 }, 'INVALID_ARGUMENT'],
  ['half a cell', { kind: 'cellsPerRowOffset', count: 0.5 }, 'INVALID_ARGUMENT'],
  ['a time that is no integer', { kind: 'timestampRange', start: 1.5 }, 'INVALID_ARGUMENT'],
  ['a time past int64', { kind: 'timestampRange', start: 2n ** 63n }, 'INVALID_ARGUMENT'],
  ['half a character', { kind: 'label', label: '\ud800' }, 'INVALID_ARGUMENT'],
  ['a family that cannot be', { kind: 'families', families: ['a:b'] }, 'FAMILY_NOT_FOUND'],
  ['an unknown kind', { kind: 'sample' } as unknown as Filter, 'INVALID_ARGUMENT'],
])('%s is refused', (_what, given, code) => {
  expect(() => writeFilter(given)).toThrow(expect.objectContaining({ code }));
});

test.each([0, -1, 1.5, NaN])('a limit of %s is refused: on the wire 0 is no limit', (limit) => {
  expect(() => written({ limit })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

describe('ranges as the API says them', () => {
  const b64 = (text: string): Buffer => Buffer.from(text);
  test('points are keys, the whole table is no set at all', () => {
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
  test('after a key, and up to a key', () => {
    expect(shown({ ranges: [rangeFrom(nextKey(utf8('a')), nextKey(utf8('c')))] })).toMatchObject({
      rows: { rowRanges: [{ startKeyOpen: b64('a'), endKeyClosed: b64('c') }] },
    });
  });
  test('no rows never become the whole table', () => {
    for (const empty of [
      [],
      [pointRange(utf8(''))],
      [rangeFrom(utf8(''), Uint8Array.of(0))],
      [pointRange(new Uint8Array(4097).fill(1))],
    ])
      expect(written({ ranges: empty })).toBeUndefined();
  });
  test('bounds longer than any key say the same within 4,096 bytes', () => {
    const longest = new Uint8Array(4096).fill(1);
    const over = new Uint8Array(5000).fill(1);
    expect(shown({ ranges: [rangeFrom(over, utf8('z'))] })).toMatchObject({
      rows: { rowRanges: [{ startKeyOpen: Buffer.from(longest), endKeyOpen: b64('z') }] },
    });
    expect(shown({ ranges: [rangeFrom(utf8(''), over)] })).toMatchObject({
      rows: { rowRanges: [{ endKeyClosed: Buffer.from(longest) }] },
    });
    expect(written({ ranges: [rangeFrom(over, new Uint8Array(5001).fill(1))] })).toBeUndefined();
    expect(shown({ ranges: [rangeFrom(nextKey(longest), undefined)] })).toMatchObject({
      rows: { rowRanges: [{ startKeyOpen: Buffer.from(longest) }] },
    });
  });
});

test('exact patterns: any bytes come back, and no other pattern is taken for one', () => {
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
