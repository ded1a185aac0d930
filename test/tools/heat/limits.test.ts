/** Limits: the gap of a run, rows with a count that is not certain, tables that are collected. */
import { AccessCollector } from '../../../src/tools/heat/collect/access-collector.js';
import { KeyNames } from '../../../src/tools/heat/index.js';
import { recordedRates } from '../../../src/tools/heat/findings/rates.js';
import { hotRanges } from '../../../src/tools/heat/findings/range-rules.js';
import { hotRows } from '../../../src/tools/heat/findings/hot-rules.js';
import { KeyExtremes, windowFigures } from '../../../src/tools/heat/findings/window-figures.js';
import { writeFronts, writePattern } from '../../../src/tools/heat/findings/write-rules.js';
import type { KeySample } from '../../../src/tools/heat/access-log.js';

/** Buckets by the number of the key. */
const buckets = {
  count: 100,
  indexOf: (key: Uint8Array) => key[0],
  start: (bucket: number) => bucket,
  last: (bucket: number) => bucket,
};
const samplesIn = (...numbers: readonly number[]): KeySample[] =>
  numbers.map((number) => ({ key: Uint8Array.of(number), kind: 'write', bytes: 1 }));

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
])('places that are %d buckets apart are %d', (distance, count) => {
  const { places } = windowFigures(
    samplesIn(10, 10 + distance),
    buckets as never,
    new KeyExtremes(),
  );
  expect(places.count).toBe(count);
});

test.each([
  [4, 4, 4],
  [4, 5, 0],
  [3, 0, 0],
])('of %d windows with writes to few places and %d other ones, %d count', (few, many, count) => {
  const windowOf = (places: number) => ({
    figures: {
      ...{ writes: 1_000, rho: 0, append: 0, excessAppend: 0, beyond: 0 },
      writePlaces: { count: places, active: 0.1, covered: 0.9, middle: 0 },
    },
    samples: [],
  });
  const judged = [
    ...Array.from({ length: few }, () => windowOf(2)),
    ...Array.from({ length: many }, () => windowOf(5)),
  ];
  expect(writePattern({ judged } as never, 3).few).toHaveLength(count);
});

test.each([
  [0.9, 0.5, 1],
  [-0.9, 0.5, 1],
  [0.89, 0.5, 0],
  [0.9, 0.49, 0],
])('writes with rank correlation %d and %d appends: %d sequential window', (rho, append, count) => {
  const figures = {
    ...{ writes: 1_000, rho, append, excessAppend: 0, beyond: 0 },
    writePlaces: { count: 2, active: 1, covered: 0, middle: 0 },
  };
  const traffic = { judged: [{ figures, samples: [] }] };
  expect(writePattern(traffic as never, 3).sequential).toHaveLength(count);
});

test.each([
  [1, 1, 'info'],
  [1, 2, 'warning'],
])('of %d windows with scans and %d with other reads: %s', (scans, others, level) => {
  const windowOf = (scanRho: number) => ({
    figures: {
      ...{ operations: 1_000, scans: 500, writes: 0, readRho: 0, scanRho, busiest: 0.99 },
      ...{ active: 0.01, excessAppend: 0, places: { count: 1, active: 0.01, covered: 0.1 } },
    },
    samples: samplesIn(...Array.from({ length: 100 }, (_, i) => i)),
    load: 1,
  });
  const judged = [
    ...Array.from({ length: scans }, () => windowOf(0.9)),
    ...Array.from({ length: others }, () => windowOf(0.89)),
  ];
  const traffic = { table: 't', buckets, judged };
  expect(hotRanges(traffic as never, { sequential: [], few: [] } as never, 3)).toMatchObject([
    { kind: 'hotRange', level },
  ]);
});

test('a quarter of appends, and no places that are alike, are four fronts', () => {
  const figures = {
    ...{ writes: 1_000, rho: 0, append: 0.25, excessAppend: 0.25, beyond: 0 },
    writePlaces: { count: 2, active: 1, covered: 0, middle: 0 },
  };
  const window = { figures, samples: [], writeLoad: 0.8 };
  const traffic = { table: 't', buckets, judged: [window] };
  const pattern = { judged: [window], sequential: [], few: [window] };
  expect(writeFronts(traffic as never, pattern as never, 5)).toMatchObject([
    { kind: 'writeFronts', figures: { fronts: 4, load: 0.2 } },
  ]);
});

test('a row is hot by the operations that it certainly had', () => {
  const samples = Array.from({ length: 1_000 }, (_, i): KeySample => ({
    key: Uint8Array.of(i >> 8, i & 0xff),
    kind: 'read',
    bytes: 1,
  }));
  const found = (count: number, error: number) => {
    const top = [{ key: samples[0].key, count, error }];
    const window = { start: 0, reads: 1_000_000, writes: 0, bytes: 1_000_000, samples, top };
    const names = new KeyNames('t', []);
    return hotRows({ table: 't', windows: [window] }, names, 1, recordedRates());
  };
  expect(found(1_200_000, 0)).toMatchObject([{ kind: 'hotRow', figures: { share: 1.2 } }]);
  expect(found(1_200_000, 1_199_999)).toEqual([]);
});

test('rows of a table that is not collected are not looked at', () => {
  const collector = new AccessCollector({ maxTables: 1, sample: 0.5 }, () => {});
  expect(['a', 'b', 'a'].map((table) => collector.probability(table))).toEqual([0.5, 0, 0.5]);
});
