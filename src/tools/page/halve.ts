/** A heat map with half as many cells. */
import type { HeatMap } from './heat-map.js';
import type { HeatTable } from './heat-table.js';
import { type CellRange, fewMarks } from './marks.js';

/** Columns and ranges below which a map is not halved: many maps share a page. */
const minColumns = 4;
const minBuckets = 8;

/** The map with pairs of columns, or of ranges, joined; the same if it is small. */
export function halved(map: HeatMap): HeatMap {
  const { columns, buckets } = map.table;
  const [c, b] = [columns / minColumns, buckets.length / minBuckets];
  if (Math.max(c, b) <= 1) return map;
  const [byColumns, byBuckets] = c > b ? [2, 1] : [1, 2];
  const mark = ([firstColumn, lastColumn, first, last]: CellRange): CellRange => [
    Math.floor(firstColumn / byColumns),
    Math.floor(lastColumn / byColumns),
    Math.floor(first / byBuckets),
    Math.floor(last / byBuckets),
  ];
  return {
    ...map,
    table: joined(map.table, byColumns, byBuckets),
    findings: map.findings.map((finding) => ({
      ...finding,
      marks: fewMarks(finding.marks.map(mark)),
    })),
  };
}

function joined(table: HeatTable, byColumns: number, byBuckets: number): HeatTable {
  const columns = Math.ceil(table.columns / byColumns);
  const count = Math.ceil(table.buckets.length / byBuckets);
  const sums = (values: readonly number[]): readonly number[] => {
    const found = new Array<number>(columns * count).fill(0);
    let index = 0;
    for (let column = 0; column < table.columns; column++) {
      const start = Math.floor(column / byColumns) * count;
      for (let bucket = 0; bucket < table.buckets.length; bucket++)
        found[start + Math.floor(bucket / byBuckets)] += values[index++];
    }
    return found;
  };
  const { operations, reads, writes, bytes } = table.values;
  return {
    ...table,
    columnMs: table.columnMs * byColumns,
    columns,
    buckets: Array.from({ length: count }, (_, i) => {
      const parts = table.buckets.slice(i * byBuckets, (i + 1) * byBuckets);
      return { ...parts[0], rows: parts.reduce((sum, { rows }) => sum + rows, 0) };
    }),
    values: {
      operations: sums(operations),
      reads: sums(reads),
      writes: sums(writes),
      bytes: sums(bytes),
    },
  };
}
