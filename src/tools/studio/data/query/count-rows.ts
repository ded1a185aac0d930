/** The streams `count` and `measure`: all results of a query, without sending them. */
import type { CallOf } from '../../context.js';
import { measured, ReadMeter } from '../../state/read-meter.js';
import type { ErrorLine, ProgressLine } from '../../protocol/failure.js';
import type { CountedLine, Measured } from '../../protocol/query.js';
import type { RequestFields } from '../../request-fields.js';
import { withProgress } from '../../work-progress.js';
import { buildQuery } from './build-query.js';
import { askForFullScan } from './full-scan.js';
import { parseQuery } from './parse-query.js';
import { costOf } from './read-rows.js';

/** Counts the results, by their keys where the query can read these alone. */
export async function* countRows({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<ProgressLine | CountedLine> {
  const parsed = parseQuery(context.models, request.object('query'));
  await askForFullScan(context, parsed);
  const query = buildQuery(context.db, parsed).signal(signal);
  const isKeyed = parsed.source.kind === 'entity' || parsed.source.kind === 'pattern';
  const meter = new ReadMeter();
  let rows = 0;
  const count = async (): Promise<void> => {
    for await (const page of (isKeyed ? query.keysOnly() : query).pages()) rows += page.length;
  };
  yield* withProgress(measured(meter, count), () => ({ done: rows, unit: 'rows' }));
  const leftOut = [...meter.leftOutRows.values()].reduce((sum, each) => sum + each, 0);
  yield { type: 'end', rows, leftOut };
}

type MeasureLine =
  ProgressLine | { readonly type: 'report'; readonly measured: Measured } | ErrorLine;

/** Runs the query, and counts what the storage did for it. */
export async function* measureQuery({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<MeasureLine> {
  const parsed = parseQuery(context.models, request.object('query'));
  await askForFullScan(context, parsed);
  const limit = request.count('limit', { max: 10_000_000, fallback: 100_000 });
  const query = buildQuery(context.db, parsed).signal(signal);
  const meter = new ReadMeter();
  const started = performance.now();
  let rows = 0;
  let firstRowMs: number | undefined;
  const run = async (): Promise<void> => {
    for await (const page of query.pages()) {
      firstRowMs ??= performance.now() - started;
      rows += page.length;
      if (rows >= limit) return;
    }
  };
  yield* withProgress(measured(meter, run), () => ({ done: rows, unit: 'rows' }));
  const foreign = meter.leftOutRows.get('FOREIGN_KEY') ?? 0;
  const undecodable = [...meter.leftOutRows.values()].reduce((sum, n) => sum + n, 0) - foreign;
  const other = Math.max(0, meter.rows - rows - foreign - undecodable);
  yield {
    type: 'report',
    measured: {
      ...costOf(meter, started),
      rows,
      firstRowMs,
      thrownAway: { foreign, undecodable, other },
      stopped: rows >= limit,
    },
  };
}
