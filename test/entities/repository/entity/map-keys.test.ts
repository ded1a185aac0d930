/** Keys of maps: wrong ones, and dates. */
import { DateMap, entriesOf, entryKeysOf, RowsmithError } from '../../../../src/index.js';
import type { KeyedRepository } from '../../../../src/types.js';
import { backEnds, type OpenedBackEnd } from '../support/back-ends.js';
import { Sheet } from '../support/map-entities.js';

const at = (ms: number): Date => new Date(1_700_000_000_000 + ms);

describe('wrong keys', () => {
  let opened: OpenedBackEnd;
  let sheets: KeyedRepository<Sheet, readonly ['id']>;
  beforeAll(async () => {
    opened = await backEnds[0].open([Sheet]);
    sheets = opened.db.repository(Sheet);
  });
  afterAll(() => opened.close());

  const key = { id: 'bad' };
  type Untyped = Record<string, (...parts: unknown[]) => unknown>;
  const untyped = (): Untyped => sheets as unknown as Untyped;
  const patch = (changes: object) => () => untyped().patch(key, changes);
  const select = (selected: unknown) => () => (untyped().scanAll() as Untyped).select(selected);

  const faults: [string, string, string, () => unknown][] = [
    ['text for a number', 'INVALID_VALUE', 'offsets', patch({ offsets: new Map([['1', 1]]) })],
    ['NaN', 'INVALID_VALUE', 'offsets', patch({ offsets: new Map([[NaN, 1]]) })],
    ['out of range', 'INVALID_VALUE', 'seconds', patch({ seconds: new Map([[3600, 1]]) })],
    ['number for a bigint', 'INVALID_VALUE', 'ids', patch({ ids: new Map([[1, true]]) })],
    ['number for a Date', 'INVALID_VALUE', 'prices', patch({ prices: new Map([[1, 1]]) })],
    ['invalid Date', 'INVALID_VALUE', 'prices', patch({ prices: new Map([[new Date(NaN), 1]]) })],
    [
      'two equal Dates',
      'INVALID_VALUE',
      'prices',
      patch({
        prices: new Map([
          [at(1), 1],
          [at(1), 2],
        ]),
      }),
    ],
    ['milliseconds', 'INVALID_VALUE', 'hits', patch({ hits: new Map([[at(1), 1n]]) })],
    ['unknown member', 'INVALID_VALUE', 'levels', patch({ levels: new Map([['TOP', 1]]) })],
    [
      'a value of an aggregate',
      'INVALID_VALUE',
      'totals["x"]',
      patch({ totals: new Map([['x', 1n]]) }),
    ],
    ['a slice of a column', 'INVALID_QUERY', 'name', select(entriesOf('name'))],
    ['a slice of nothing', 'INVALID_QUERY', 'nothing', select(entriesOf('nothing'))],
    [
      'a bound of another type',
      'INVALID_QUERY',
      'prices',
      select(entriesOf('prices', { from: 5 })),
    ],
    [
      'an undefined bound',
      'INVALID_QUERY',
      'prices',
      select(entriesOf('prices', { from: undefined })),
    ],
    [
      'an unknown option',
      'INVALID_QUERY',
      'prices',
      select(entriesOf('prices', { form: at(1) } as object)),
    ],
    ['no range', 'INVALID_QUERY', 'prices', select(entriesOf('prices', null as never))],
    ['limit 0', 'INVALID_ARGUMENT', 'limit', select(entriesOf('prices', { limit: 0 }))],
    ['offset -1', 'INVALID_ARGUMENT', 'offset', select(entriesOf('prices', { offset: -1 }))],
    [
      'a prefix of numbers',
      'INVALID_QUERY',
      'offsets',
      select(entriesOf('offsets', { startsWith: '1' })),
    ],
    [
      'a prefix and a bound',
      'INVALID_QUERY',
      'tags',
      select(entriesOf('tags', { startsWith: '1', from: '0' } as object)),
    ],
    [
      'a map twice',
      'INVALID_QUERY',
      'tags',
      () => (untyped().scanAll() as Untyped).select('tags', entriesOf('tags')),
    ],
    [
      'an increment of text',
      'INVALID_ARGUMENT',
      'tags',
      () => untyped().incrementEntry(key, 'tags', 'x'),
    ],
    [
      'an increment by a number',
      'INVALID_ARGUMENT',
      'totals["x"]',
      () => untyped().incrementEntry(key, 'totals', 'x', 1),
    ],
    [
      'an increment of a bad key',
      'INVALID_VALUE',
      'hits',
      () => untyped().incrementEntry(key, 'hits', 5),
    ],
    [
      'history of a bad key',
      'INVALID_VALUE',
      'prices',
      () => untyped().entryHistory(key, 'prices', 5),
    ],
    ['history of no map', 'INVALID_ARGUMENT', 'name', () => untyped().entryHistory(key, 'name', 5)],
  ];
  test.each(faults)('%s', async (_name, code, property, run) => {
    const error = await Promise.resolve()
      .then(run)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(error).toBeInstanceOf(RowsmithError);
    expect((error as RowsmithError).code).toBe(code);
    expect((error as RowsmithError).details).toMatchObject({ entity: 'Sheet', property });
    expect((error as RowsmithError).details.fix).toBeTruthy();
    expect(await sheets.exists(key)).toBe(false);
  });

  test('stored qualifiers that are not keys are damaged cells', async () => {
    const cell = (family: string, qualifier: string) =>
      opened.db.engine.mutateRow('maps', {
        key: Buffer.from('damaged'),
        mutations: [
          {
            kind: 'setCell',
            family,
            qualifier: Buffer.from(qualifier),
            timestamp: 0,
            value: new Uint8Array(8),
          },
        ],
      });
    for (const [family, qualifier, property] of [
      ['e', '07', 'levels'],
      ['p', '12', 'prices'],
      ['i', 'x', 'offsets'],
    ]) {
      await cell(family, qualifier);
      await expect(sheets.get({ id: 'damaged' })).rejects.toMatchObject({
        code: 'DAMAGED_CELL',
        details: { entity: 'Sheet', property, column: `${family}:${qualifier}` },
      });
      await expect(
        sheets
          .scanAll()
          .select(entryKeysOf(property as 'prices'))
          .all(),
      ).rejects.toMatchObject({ code: 'DAMAGED_CELL', details: { property } });
      await sheets.delete({ id: 'damaged' });
    }
  });
});

describe('DateMap', () => {
  test('compares keys by time', () => {
    const map = new DateMap([
      [new Date(1), 'a'],
      [new Date(1), 'b'],
      [new Date(2), 'c'],
    ]);
    expect(map.size).toBe(2);
    expect(map.get(new Date(1))).toBe('b');
    expect(map.has(new Date(2))).toBe(true);
    expect(map.delete(new Date(2))).toBe(true);
    expect(map.delete(new Date(2))).toBe(false);
    expect(map.set(new Date(1), 'd').size).toBe(1);
    map.clear();
    expect([map.size, map.has(new Date(1))]).toEqual([0, false]);
    expect(new DateMap().size).toBe(0);
    expect(map.get(5 as never)).toBeUndefined();
  });
});
