/** Buckets of a rollup in an export: values of kinds that only their content tells. */
import { Column, Entity, rollups, rowKey, Segment } from '../../../src/index.js';
import { buildModels } from '../../../src/entities/model/index.js';
import type { ParsedQuery } from '../../../src/tools/studio/data/query/parse-query.js';
import { resultRecords } from '../../../src/tools/studio/data/query/result-records.js';

@Entity({ table: 'sales', families: { m: {} } })
class Sale {
  static readonly key = rowKey('shop', 'at');
  static readonly rollups = rollups({
    daily: {
      by: ['shop', { time: 'at', every: '1d' }],
      values: { n: 'count', sum: { sum: 'total' } },
    },
  });
  @Segment('string') shop!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') total?: bigint;
}

const [rollup] = buildModels([Sale])[0].rollups;
const { names, record } = resultRecords({ source: { kind: 'rollup', rollup } } as ParsedQuery);

test('the names are the segments and the values', () => {
  expect(names).toEqual(['shop', 'at', 'n', 'sum']);
});

test.each<[string, unknown, unknown]>([
  ['an exact number', 9_007_199_254_740_993n, '9007199254740993'],
  ['a number', 0.5, 0.5],
  ['no number', NaN, 'NaN'],
  ['a time', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['bytes', new Uint8Array([1, 2, 3]), 'AQID'],
  ['a text', 'open', 'open'],
])('%s', (_what, sum, expected) => {
  const at = new Date(0);
  expect(record({ shop: 'oslo', at, n: 2, sum })).toEqual({
    shop: 'oslo',
    at: '1970-01-01T00:00:00.000Z',
    n: 2,
    sum: expected,
  });
});
