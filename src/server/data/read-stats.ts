/**
 * The statistics of a read (google/bigtable/v2/request_stats.proto). What a filter removed is
 * counted by a second read without the filter, so that reads without statistics count nothing.
 */
import {
  intersectRanges,
  type KeyRange,
  nextKey,
  noBytes,
  rangeFrom,
  type FaultTexts,
} from '../../base/index.js';
import {
  ReadRowsResponse,
  requestStatsView,
  unsupportedRequest,
  type ChunkEncoder,
} from '../../engines/protocol/index.js';
import type { Engine, ReadPlan } from '../../data/store/index.js';

/** Rows of a page of the second read. */
const pageRows = 1000;

/** Rows and cells of a read. */
interface Counts {
  readonly rows: number;
  readonly cells: number;
}

/** Whether a read returns statistics; UNSUPPORTED for a view that is not known. */
export function wantsStats(view: number = requestStatsView.unspecified): boolean {
  if (view === requestStatsView.full) return true;
  if (view === requestStatsView.unspecified || view === requestStatsView.none) return false;
  throw unsupportedRequest('request_stats_view', faults.unknownView);
}

/** The last message of a read, which began at `started` (performance.now()). */
export async function encodeReadStats(
  engine: Engine,
  plan: ReadPlan,
  { rows, cells }: ChunkEncoder,
  lastKey: Uint8Array | undefined,
  signal: AbortSignal,
  started: number,
): Promise<Uint8Array> {
  let seen: Counts = { rows, cells };
  if (plan.filter !== undefined)
    seen = await countSeen(engine, scanned(plan, rows, lastKey), signal);
  const ms = performance.now() - started;
  return ReadRowsResponse.encode({
    requestStats: {
      fullReadStatsView: {
        readIterationStats: {
          // An interleave returns more cells than it has seen, and rows may be deleted meanwhile.
          rowsSeenCount: BigInt(Math.max(rows, seen.rows)),
          rowsReturnedCount: BigInt(rows),
          cellsSeenCount: BigInt(Math.max(cells, seen.cells)),
          cellsReturnedCount: BigInt(cells),
        },
        requestLatencyStats: { frontendServerLatency: durationOf(ms) },
      },
    },
  });
}

/** The part of the plan that was read: a read ends at its limit. Without the filter. */
function scanned(
  { table, ranges, reversed, limit }: ReadPlan,
  rows: number,
  lastKey: Uint8Array | undefined,
): ReadPlan {
  const filter = { kind: 'stripValue' } as const;
  if (limit === undefined || rows < limit || lastKey === undefined)
    return { table, ranges, reversed, filter };
  const read = reversed ? rangeFrom(lastKey, undefined) : rangeFrom(noBytes, nextKey(lastKey));
  const parts = ranges
    .map((range) => intersectRanges(range, read))
    .filter((range): range is KeyRange => range !== undefined);
  return { table, ranges: parts, reversed, filter };
}

async function countSeen(engine: Engine, plan: ReadPlan, signal: AbortSignal): Promise<Counts> {
  const counts = { rows: 0, cells: 0 };
  const stream = engine.readRows(plan, { signal, pageRows });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next())
      while (page.nextRow()) {
        counts.rows++;
        while (page.nextCell()) counts.cells++;
      }
  } finally {
    await stream.close();
  }
  return counts;
}

/** A Duration of so many milliseconds. */
function durationOf(ms: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Math.round((ms % 1000) * 1e6) };
}

const faults = {
  unknownView: { problem: 'This server does not know the view of the statistics.' },
} satisfies FaultTexts;
