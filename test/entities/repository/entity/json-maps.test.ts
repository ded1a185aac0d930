/** The JSON form of column maps with typed keys, against the generated schema and as text. */
import {
  ColumnMap,
  DateMap,
  entriesOf,
  Entity,
  entryCountOf,
  entryKeysOf,
  open,
  type OpenDatabase,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';

@Entity({ table: 'maps', families: { t: {}, u: {}, i: {}, b: {}, s: {}, e: {} } })
class Maps {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @ColumnMap('t', 'double', { qualifiers: 'timestamp', order: 'desc' }) times?: DateMap<number>;
  @ColumnMap('u', 'int64', { qualifiers: 'uint' }) uints?: Map<number, bigint>;
  @ColumnMap('i', 'string', { qualifiers: 'int' }) ints?: Map<number, string>;
  @ColumnMap('b', 'bytes', { qualifiers: 'bigint', width: 30 }) bigs?: Map<bigint, Uint8Array>;
  @ColumnMap('s', 'bool') texts?: Map<string, boolean>;
  @ColumnMap('e', 'timestamp', { qualifiers: 'enum', values: ['a', 'b'] }) enums?: Map<
    'a' | 'b',
    Date
  >;
}

let db: OpenDatabase<typeof Maps>;
beforeAll(async () => {
  db = await open('memory:', { entities: [Maps] });
});
afterAll(() => db.close());

const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const pairs = <K, V>(key: fc.Arbitrary<K>, value: fc.Arbitrary<V>): fc.Arbitrary<Map<K, V>> =>
  fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 }).map((list) => new Map(list));

const entity = fc
  .record({
    times: fc
      .array(fc.tuple(time, fc.double()), { minLength: 1, maxLength: 4 })
      .map((list) => new DateMap(list)),
    uints: pairs(fc.maxSafeNat(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    ints: pairs(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' })),
    bigs: pairs(
      fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }),
      fc.uint8Array({ maxLength: 4 }),
    ),
    texts: pairs(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean()),
    enums: pairs(fc.constantFrom('a' as const, 'b' as const), time),
  })
  .map((values) => Object.assign(new Maps(), { id: 'x', ...values }));

test('property: entities are the same after JSON and back, and after storage', async () => {
  const maps = db.repository(Maps);
  await fc.assert(
    fc.asyncProperty(entity, async (each) => {
      const text = JSON.stringify(each);
      expect(JSON.stringify(maps.toJSON(each))).toBe(text);
      const back = maps.fromJSON(JSON.parse(text));
      expect(back).toStrictEqual(each);
      await maps.save(back);
      expect(await maps.get({ id: 'x' })).toEqual(each);
    }),
    { numRuns: 200 },
  );
});

test('names that are not keys of the map are rejected', () => {
  const maps = db.repository(Maps);
  const wrong = [
    { times: { 'not a time': 1 } },
    { uints: { '-1': '1' } },
    { uints: { ' 1': '1' } },
    { ints: { '1.5': 'x' } },
    { bigs: { '1e3': '' } },
    { enums: { c: '2026-11-20T00:00:00.000Z' } },
  ];
  for (const each of wrong)
    expect(() => maps.fromJSON({ id: 'x', ...each })).toThrow(
      expect.objectContaining({
        code: 'INVALID_VALUE',
        details: expect.objectContaining({ entity: 'Maps', fix: expect.any(String) as string }),
      }),
    );
});

test('parts of maps in JSON', async () => {
  const maps = db.repository(Maps);
  const at = new Date('2026-11-20T00:00:00.000Z');
  await maps.save(
    Object.assign(new Maps(), {
      id: 'p',
      times: new DateMap([[at, 1]]),
      uints: new Map([[7, 1n]]),
      texts: new Map([['x', true]]),
    }),
  );
  const [row] = await maps
    .scanAll()
    .select(entryKeysOf('times'), entryCountOf('texts'), entriesOf('uints', { from: 5 }))
    .where({ id: 'p' } as never)
    .all();
  expect(JSON.parse(JSON.stringify(row))).toEqual({
    id: 'p',
    times: ['2026-11-20T00:00:00.000Z'],
    texts: 1,
    uints: { 7: '1' },
  });
});
