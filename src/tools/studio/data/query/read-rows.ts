/** The stream `rows`: pages of a query, with the rows that it left out. */
import { fromHex, type RowsmithError } from '../../../../base/index.js';
import type { CallOf } from '../../context.js';
import { measured, ReadMeter } from '../../state/read-meter.js';
import type { LeftOutRow, QueryCost, RowsLine } from '../../protocol/query.js';
import type { RequestFields } from '../../request-fields.js';
import { withProgress } from '../../work-progress.js';
import { buildQuery } from './build-query.js';
import { askForFullScan } from './full-scan.js';
import { parseQuery } from './parse-query.js';
import { resultsOf } from './results.js';

/** Rows of the first page: few, so that they are seen at once, and may be large. */
const firstRows = 8;
/** Rows of later pages, if they are small. */
const maxRows = 256;
/** Bytes that a page should have: pages of larger rows have fewer. */
const pageBytes = 1 << 20;

/** Reads the rows of a query. */
export async function* readRows({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<RowsLine> {
  const { db, models } = context;
  const started = performance.now();
  const meter = new ReadMeter();
  const parsed = parseQuery(models, request.object('query'));
  // Pages of all rows read only what they show, unless conditions throw rows away.
  if (Object.keys(parsed.where).length > 0) await askForFullScan(context, parsed);
  const query = buildQuery(db, parsed).signal(signal);
  const results = resultsOf(parsed);
  const most = request.count('size', { max: 10_000, fallback: 500 });
  let next = request.optionalText('after');
  yield { type: 'columns', table: results.table, columns: results.columns };
  let rows = 0;
  let size = Math.min(firstRows, most);
  do {
    const before = meter.bytes;
    const reading = measured(meter, () => query.page({ size, after: next }));
    const page = yield* withProgress(reading, () => ({ done: meter.rows, unit: 'rows' }));
    next = page.next;
    rows += page.rows.length;
    const leftOut = meter.takeLeftOut().map((error) => leftOutRow(models, error));
    yield { type: 'rows', rows: page.rows.map((row) => results.view(row)), leftOut, next };
    const perRow = (meter.bytes - before) / Math.max(1, page.rows.length);
    size = Math.min(maxRows, most - rows, Math.max(1, Math.floor(pageBytes / (perRow + 1))));
  } while (next !== undefined && rows < most);
  yield { type: 'end', next, rows, cost: costOf(meter, started) };
}

/** What a meter has counted since a time of `performance.now`. */
export function costOf({ requests, rows, bytes }: ReadMeter, started: number): QueryCost {
  return { ms: performance.now() - started, requests, rowsRead: rows, bytesRead: bytes };
}

function leftOutRow(
  models: CallOf<RequestFields>['context']['models'],
  { code, details }: RowsmithError,
): LeftOutRow {
  const { entity, table, property, problem } = details;
  const ofEntity = models.find(({ name }) => name === entity)?.table.name;
  const key = fromHex(String(details.keyHex)) ?? new Uint8Array();
  return {
    table: typeof table === 'string' ? table : (ofEntity ?? ''),
    key: Buffer.from(key).toString('base64'),
    code,
    property,
    reason: problem ?? code,
  };
}
