/** Pages of a scan, and rows by their keys. */
import {
  equalBytes,
  type KeyRange,
  latin1Text,
  pointRange,
  rangesAfter,
  unionRanges,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { fullScan, rangesOf } from '../../query/index.js';
import {
  collectRows,
  copyRow,
  type Engine,
  type Filter,
  type Row,
  type RowCursor,
} from '../../../data/store/index.js';

/** Rows that are looked at together, which bounds the memory of a check. */
const pageRows = 512;

/** The rows of an entity after a key, in pages. */
export async function* pagesOf(
  engine: Engine,
  model: EntityModel,
  filter: Filter,
  { after, signal }: { readonly after?: Uint8Array; readonly signal?: AbortSignal },
): AsyncGenerator<readonly Row[]> {
  let ranges: readonly KeyRange[] = unionRanges(rangesOf(model, fullScan).perShard.flat());
  if (after !== undefined) ranges = rangesAfter(ranges, after, false);
  if (ranges.length === 0) return;
  const table = model.table.name;
  const stream = engine.readRows({ table, ranges, reversed: false, filter }, { signal, pageRows });
  try {
    let rows: Row[] = [];
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      // The pages of a live table are of any size. One is read to its end before anything else.
      const copied = copiedRows(page);
      for (const row of copied) {
        rows.push(row);
        if (rows.length < pageRows) continue;
        yield rows;
        rows = [];
      }
    }
    if (rows.length > 0) yield rows;
  } finally {
    await stream.close();
  }
}

function copiedRows(page: RowCursor): readonly Row[] {
  const rows: Row[] = [];
  while (page.nextRow()) rows.push(copyRow(page));
  return rows;
}

/** Rows by key, one character per byte; rows that do not exist are left out. */
export async function rowsByKey(
  engine: Engine,
  table: string,
  keys: readonly Uint8Array[],
  filter: Filter,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Row>> {
  if (keys.length === 0) return new Map();
  const ranges = unionRanges(keys.map(pointRange));
  const rows = await collectRows(
    engine.readRows({ table, ranges, reversed: false, filter }, { signal }),
  );
  return new Map(rows.map((row) => [latin1Text(row.key), row]));
}

/** Whether two values of a cell, or absent cells, are the same. */
export function isSameCell(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equalBytes(a, b);
}
