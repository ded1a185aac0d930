/** A heat map that is too large for its page is halved: half the columns, or half the key ranges. */
import { halved } from '../../../src/tools/page/halve.js';
import type { HeatMap } from '../../../src/tools/page/heat-map.js';

/** A map with a mark on its last cell, and the number of a cell as its value. */
function mapOf(columns: number, buckets: number): HeatMap {
  const values = Array.from({ length: columns * buckets }, (_, i) => i);
  return {
    name: 'events',
    table: {
      table: 'events',
      start: 1_000,
      columnMs: 60_000,
      columns,
      buckets: Array.from({ length: buckets }, (_, i) => ({
        key: `k${i}`,
        entity: undefined,
        segments: [],
        rows: i,
      })),
      values: { operations: values, reads: values, writes: values, bytes: values },
    },
    findings: [
      { marks: [[columns - 1, columns - 1, buckets - 1, buckets - 1]] },
    ] as unknown as HeatMap['findings'],
  };
}

test('columns are joined, the last one alone if they are odd', () => {
  const { table, findings } = halved(mapOf(5, 2));
  expect(table).toMatchObject({ start: 1_000, columnMs: 120_000, columns: 3 });
  expect(table.values.reads).toEqual([0 + 2, 1 + 3, 4 + 6, 5 + 7, 8, 9]);
  expect(findings[0].marks).toEqual([[2, 2, 1, 1]]);
});

test('key ranges are joined, with the key of the first and the rows of both', () => {
  const { table, findings } = halved(mapOf(1, 9));
  expect(table).toMatchObject({ columnMs: 60_000, columns: 1 });
  expect(table.buckets.map(({ key, rows }) => [key, rows])).toEqual([
    ['k0', 0 + 1],
    ['k2', 2 + 3],
    ['k4', 4 + 5],
    ['k6', 6 + 7],
    ['k8', 8],
  ]);
  expect(table.values.bytes).toEqual([0 + 1, 2 + 3, 4 + 5, 6 + 7, 8]);
  expect(findings[0].marks).toEqual([[0, 0, 4, 4]]);
});

test('a small map stays as it is', () => {
  const map = mapOf(4, 8);
  expect(halved(map)).toBe(map);
  expect(halved(mapOf(5, 8)).table.columns).toBe(3);
});
