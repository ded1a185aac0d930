/** Compares copies with their sources, and writes those that differ again. */
import { equalBytes, type KeyRange, rangesAfter, unionRanges } from '../../bytes/index.js';
import type { EntityModel } from '../../model/index.js';
import { fullScan, rangesOf } from '../../query/index.js';
import { collectRows, type Engine } from '../../store/index.js';
import { IndexWriter } from '../index/index-writer.js';
import type { IndexedRow } from '../index/indexed-row.js';
import { CopiedValues } from '../source/copied-values.js';

const pageRows = 256;
/** Milliseconds before a copy that differs is looked at again: a propagation may be on its way. */
const settlingMillis = 50;

/** A copy that differs from its source. */
export interface StaleCopy {
  readonly kind: 'stale copy';
  /** The row that has it. */
  readonly row: Uint8Array;
  readonly property: string;
  readonly repaired: boolean;
}

/** Rows that were compared. */
export interface ComparedCopies {
  readonly rows: number;
  readonly stale: readonly StaleCopy[];
  /** Continues after these rows. */
  readonly position: string;
}

export interface CopyCheck {
  readonly repair: boolean;
  /** The position of an earlier page. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Compares the copies of an entity, page by page. */
export async function* comparedCopies(
  engine: Engine,
  model: EntityModel,
  { repair, after, signal }: CopyCheck,
): AsyncGenerator<ComparedCopies> {
  const writer = new IndexWriter(engine, model);
  const copied = new CopiedValues(engine, model);
  const { name: table } = model.table;
  const { filter } = writer.rows;
  let ranges: readonly KeyRange[] = unionRanges(rangesOf(model, fullScan).perShard.flat());
  if (after !== undefined) ranges = rangesAfter(ranges, Buffer.from(after, 'base64url'), false);
  while (ranges.length > 0) {
    signal?.throwIfAborted();
    const plan = { table, ranges, reversed: false, filter, limit: pageRows };
    const rows = await collectRows(engine.readRows(plan, { signal }));
    if (rows.length === 0) return;
    const seen = rows.map(({ key, cells }) => ({ key, row: writer.rows.seen(key, cells) }));
    const stale: StaleCopy[] = [];
    for (const each of await staleRows(writer, copied, seen)) {
      const found = await settled(writer, copied, each.key);
      if (found.length === 0) continue;
      if (repair) await writer.refresh(each.key);
      for (const property of found)
        stale.push({ kind: 'stale copy', row: each.key, property, repaired: repair });
    }
    const last = rows[rows.length - 1].key;
    yield { rows: rows.length, stale, position: Buffer.from(last).toString('base64url') };
    ranges = rangesAfter(ranges, last, false);
  }
}

interface KeyedRow {
  readonly key: Uint8Array;
  readonly row: IndexedRow;
}

async function staleRows(
  writer: IndexWriter,
  copied: CopiedValues,
  rows: readonly KeyedRow[],
): Promise<readonly (KeyedRow & { readonly properties: readonly string[] })[]> {
  const names = rows.map(({ key, row }) => writer.rows.sources(key, row, []));
  const read = await copied.read([...new Set(names.flat())]);
  const valuesOf = new Map(read.map((each) => [each.source, each]));
  return rows.flatMap((each, i) => {
    const cells = copied.cells(names[i].map((name) => valuesOf.get(name)!));
    const properties = cells.flatMap(({ to, value }) =>
      isSame(writer.rows.valueOf(each.row, to), value) ? [] : to.property,
    );
    return properties.length === 0 ? [] : [{ ...each, properties }];
  });
}

/** The properties that still differ a moment later. */
async function settled(
  writer: IndexWriter,
  copied: CopiedValues,
  key: Uint8Array,
): Promise<readonly string[]> {
  await new Promise((resolve) => setTimeout(resolve, settlingMillis));
  const row = await writer.requests.readRow(key);
  const [found] = await staleRows(writer, copied, [{ key, row }]);
  return found?.properties ?? [];
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equalBytes(a, b);
}
