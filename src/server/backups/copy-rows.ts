/** Copies the rows of a table of the engine into another one. */
import { everyKey, maxMutations } from '../../base/index.js';
import {
  copyRow,
  planAfter,
  type Cell,
  type Engine,
  type Mutation,
  type ReadPlan,
  type RowCursor,
  type RowMutation,
} from '../../data/store/index.js';

/** Bytes of rows after which a batch is written. A batch has at least one row. */
const batchBytes = 4 * 1024 * 1024;
/** Cells of a batch; also of one write of a row, which may have more cells than a request. */
const batchCells = maxMutations / 10;

/** What is copied. */
export interface RowCopy {
  readonly from: string;
  readonly to: string;
  /** The families of `to`. Cells of a family that was created later are not copied. */
  readonly families: ReadonlySet<string>;
  /** Families of `to` that are aggregates: values are merged, as they cannot be set. */
  readonly aggregates: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Called after each batch with the bytes of its keys, qualifiers and values. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Copies all cells with their timestamps. Each row is copied as it was at one moment; rows that are
 * written meanwhile may be copied as they were before or after.
 */
export async function copyRows(engine: Engine, copy: RowCopy): Promise<void> {
  let plan: ReadPlan | undefined = { table: copy.from, ranges: [everyKey], reversed: false };
  // A page must be read before anything is awaited, but may be left: large rows are read anew.
  while (plan !== undefined) {
    const last: Uint8Array | undefined = await copyPages(engine, plan, copy);
    plan = last && planAfter(plan, last, 0);
  }
}

/** Copies pages of a read to its end, or up to the returned key of a full batch. */
async function copyPages(
  engine: Engine,
  plan: ReadPlan,
  copy: RowCopy,
): Promise<Uint8Array | undefined> {
  const { signal } = copy;
  const stream = engine.readRows(plan, { signal });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      const { writes, bytes, last } = nextBatch(page, copy);
      signal.throwIfAborted();
      if (writes.length > 0) await write(engine, writes, copy);
      copy.onBytes(bytes);
      if (last !== undefined) return last;
    }
  } finally {
    await stream.close();
  }
  return undefined;
}

async function write(
  engine: Engine,
  writes: readonly RowMutation[],
  { to, signal }: RowCopy,
): Promise<void> {
  const errors = await engine.mutateRows(to, writes, { signal });
  const error = errors.find((each) => each !== undefined);
  if (error !== undefined) throw error;
}

interface Batch {
  readonly writes: readonly RowMutation[];
  readonly bytes: number;
  /** The last key, if the page may have further rows. */
  readonly last?: Uint8Array;
}

function nextBatch(page: RowCursor, { families, aggregates }: RowCopy): Batch {
  const writes: RowMutation[] = [];
  let bytes = 0;
  let cells = 0;
  while (page.nextRow()) {
    const row = copyRow(page);
    const copied = row.cells.filter(({ family }) => families.has(family));
    bytes += row.key.length;
    for (const { qualifier, value } of copied) bytes += qualifier.length + value.length;
    cells += copied.length;
    for (let at = 0; at < copied.length; at += batchCells) {
      const part = copied.slice(at, at + batchCells);
      writes.push({ key: row.key, mutations: part.map((cell) => cellWrite(cell, aggregates)) });
    }
    if (bytes >= batchBytes || cells >= batchCells) return { writes, bytes, last: row.key };
  }
  return { writes, bytes };
}

function cellWrite(
  { family, qualifier, timestamp, value }: Cell,
  aggregates: ReadonlySet<string>,
): Mutation {
  if (aggregates.has(family))
    return { kind: 'mergeToCell', family, qualifier, timestamp, input: value };
  return { kind: 'setCell', family, qualifier, timestamp, value };
}
