/** The calls `export`, `import` and `downloadCell`. */
import type { UntypedQuery } from '../../rows/index.js';
import {
  type ByteSink,
  exportRows,
  importRows,
  type ByteSource,
  type ExportableQuery,
} from '../../transfer/index.js';
import type { CallOf } from '../context.js';
import { buildQuery } from '../data/query/build-query.js';
import { askForFullScan } from '../data/query/full-scan.js';
import { type ParsedQuery, parseQuery } from '../data/query/parse-query.js';
import { resultRecords } from '../data/query/result-records.js';
import { cellValue } from '../data/row-cells.js';
import { entityNamed } from '../state/entity-names.js';
import type { FileFormat, Transfer, TransferLine, TransferReport } from '../protocol/transfer.js';
import type { RequestFields } from '../request-fields.js';
import type { TransferRun } from '../state/transfers.js';
import { assertWritable } from '../writable.js';
import { exportResults } from './export-results.js';

const formats = ['jsonl', 'csv'] as const;
const contentTypes = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** Prepares the export of what a query finds. */
export async function exportFile({ context, request }: CallOf<RequestFields>): Promise<Transfer> {
  const parsed = parseQuery(context.models, request.object('query'));
  const format = request.choice('format', formats);
  await askForFullScan(context, parsed);
  const query = buildQuery(context.db, parsed);
  return context.transfers.add({
    kind: 'download',
    name: `${fileName(parsed)}.${format}`,
    contentType: contentTypes[format],
    run: findsWholeRows(parsed)
      ? (sink, run) => exportWhole(query, format, sink, run)
      : (sink, run) => exportParts(query, { parsed, format, sink, run }),
  });
}

/** Whether the query finds rows as they are stored, which an import can write again. */
function findsWholeRows({ source, select, asOf, versions }: ParsedQuery): boolean {
  if (select !== undefined || asOf !== undefined || versions !== undefined) return false;
  if (source.kind === 'pattern') return source.pattern.select === undefined;
  return source.kind === 'entity' || (source.kind === 'index' && !source.covered);
}

function fileName({ source }: ParsedQuery): string {
  if (source.kind === 'collection') return source.members.map(({ name }) => name).join('-');
  if (source.kind === 'rollup') return `${source.model.name}-${source.rollup.name}`;
  return source.model.name;
}

/** Rows with their timestamps and versions. */
async function exportWhole(
  query: UntypedQuery,
  format: FileFormat,
  sink: ByteSink,
  { signal, onProgress }: TransferRun,
): Promise<TransferReport> {
  const { rows } = await exportRows(query as unknown as ExportableQuery, sink, {
    format,
    signal,
    onProgress: ({ rows: done, fraction }) =>
      onProgress({ done, total: totalOf(done, fraction), unit: 'rows' }),
  });
  return { rows, bytes: 0, failed: 0, failures: [] };
}

interface PartsExport {
  readonly parsed: ParsedQuery;
  readonly format: FileFormat;
  readonly sink: ByteSink;
  readonly run: TransferRun;
}

/** The values that the query finds, which are not all that is stored. */
async function exportParts(
  query: UntypedQuery,
  { parsed, format, sink, run: { signal, onProgress } }: PartsExport,
): Promise<TransferReport> {
  const records = resultRecords(parsed);
  const onRows = (done: number): void => onProgress({ done, unit: 'rows' });
  const written = await exportResults(sink, { query, records, format, signal, onRows });
  return { ...written, failed: 0, failures: [] };
}

/** What a fraction of the work says about all of it. */
function totalOf(done: number, fraction: number | undefined): number | undefined {
  return fraction === undefined || fraction === 0 ? undefined : Math.round(done / fraction);
}

/** Maximum number of bad lines that are listed. */
const maxBadLines = 100;

/** Prepares an import, or a dry run of one. Throws READ_ONLY. */
export function importFile({ context, request }: CallOf<RequestFields>): Promise<Transfer> {
  const dryRun = request.flag('dryRun');
  if (!dryRun) assertWritable(context);
  const model = entityNamed(context.models, request.text('entity'));
  const format = request.choice('format', formats);
  const transfer = context.transfers.add({
    kind: 'upload',
    name: '',
    contentType: contentTypes[format],
    async run(source, { signal, onProgress, size }) {
      let bytes = 0;
      const badLines: { readonly line: number; readonly problem: string }[] = [];
      const counted = counting(source, (length) => void (bytes += length));
      const result = await importRows(context.db.engine, model, counted, {
        format,
        dryRun,
        signal,
        onRejected: ({ line, reason }) => {
          if (badLines.length < maxBadLines) badLines.push({ line, problem: reason });
        },
        onProgress: ({ written: done }) => {
          const total = size === undefined ? undefined : totalOf(done, bytes / size);
          onProgress({ done, total, unit: 'rows' });
        },
      });
      if (!dryRun) context.keySpaces.forget();
      const { written, rejected, expired, existing = 0, reasons } = result;
      return {
        rows: written,
        bytes,
        failed: rejected,
        failures: reasons.slice(0, 100).map((each) => ({ problem: each.reason, rows: each.lines })),
        badLines: badLines.length === 0 ? undefined : badLines,
        expired: expired === 0 ? undefined : expired,
        dryRun: dryRun ? { existing } : undefined,
      };
    },
  });
  return Promise.resolve(transfer);
}

/** Stops a transfer. */
export function cancelTransfer({
  context,
  request,
}: CallOf<RequestFields>): Promise<{ readonly cancelled: boolean }> {
  return Promise.resolve({ cancelled: context.transfers.cancel(request.text('id')) });
}

async function* counting(
  source: ByteSource,
  onBytes: (length: number) => void,
): AsyncGenerator<Uint8Array | string> {
  for await (const chunk of source) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** Prepares the download of a cell. */
export async function downloadCell(call: CallOf<RequestFields>): Promise<Transfer> {
  // Read now, so that a cell that is gone is told here.
  const value = await cellValue(call);
  return call.context.transfers.add({
    kind: 'download',
    name: 'cell.bin',
    contentType: 'application/octet-stream',
    size: value.length,
    async run(sink) {
      await new Promise<void>((resolve, reject) => {
        sink.write(value, (error) => (error ? reject(error) : resolve()));
      });
      sink.end();
      return { rows: 0, bytes: value.length, failed: 0, failures: [] };
    },
  });
}

/** The progress of a transfer. */
export function followTransfer({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<TransferLine> {
  return context.transfers.follow(request.text('id'), signal);
}
