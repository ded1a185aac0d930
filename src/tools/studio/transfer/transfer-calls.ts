/** The calls `export`, `import` and `downloadCell`. */
import type { FaultTexts } from '../../../base/index.js';
import {
  exportRows,
  importRows,
  type ByteSource,
  type ExportableQuery,
} from '../../transfer/index.js';
import type { CallOf } from '../context.js';
import { buildQuery } from '../data/build-query.js';
import { askForFullScan } from '../data/full-scan.js';
import { parseQuery } from '../data/parse-query.js';
import { cellValue } from '../data/row-cells.js';
import { entityNamed } from '../state/entity-names.js';
import type { Transfer, TransferLine } from '../protocol/transfer.js';
import { badRequest, type RequestFields } from '../request-fields.js';
import { assertWritable } from '../writable.js';

const formats = ['jsonl', 'csv'] as const;
const contentTypes = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** Prepares the export of what a query finds. */
export async function exportFile({ context, request }: CallOf<RequestFields>): Promise<Transfer> {
  const parsed = parseQuery(context.models, request.object('query'));
  const format = request.choice('format', formats);
  const { source, select } = parsed;
  const hasEntities =
    source.kind === 'entity' || source.kind === 'pattern' || source.kind === 'index';
  if (!hasEntities || (source.kind === 'index' && source.covered) || select !== undefined)
    throw badRequest(request.pathOf('query'), faults.noEntities);
  await askForFullScan(context, parsed);
  const query = buildQuery(context.db, parsed) as unknown as ExportableQuery;
  return context.transfers.add({
    kind: 'download',
    name: `${source.model.name}.${format}`,
    contentType: contentTypes[format],
    async run(sink, { signal, onProgress }) {
      const { rows } = await exportRows(query, sink, {
        format,
        signal,
        onProgress: ({ rows: done, fraction }) =>
          onProgress({ done, total: totalOf(done, fraction), unit: 'rows' }),
      });
      return { rows, bytes: 0, failed: 0, failures: [] };
    },
  });
}

/** What a fraction of the work says about all of it. */
function totalOf(done: number, fraction: number | undefined): number | undefined {
  return fraction === undefined || fraction === 0 ? undefined : Math.round(done / fraction);
}

/** Prepares an import. Throws READ_ONLY. */
export function importFile({ context, request }: CallOf<RequestFields>): Promise<Transfer> {
  assertWritable(context);
  const model = entityNamed(context.models, request.text('entity'));
  const format = request.choice('format', formats);
  const transfer = context.transfers.add({
    kind: 'upload',
    name: '',
    contentType: contentTypes[format],
    async run(source, { signal, onProgress }) {
      let bytes = 0;
      const counted = counting(source, (length) => void (bytes += length));
      const { written, rejected, reasons } = await importRows(context.db.engine, model, counted, {
        format,
        signal,
        onProgress: (progress) => onProgress({ done: progress.written, unit: 'rows' }),
      });
      context.keySpaces.forget();
      const failures = reasons
        .slice(0, 100)
        .map(({ reason, lines }) => ({ problem: reason, rows: lines }));
      return { rows: written, bytes, failed: rejected, failures };
    },
  });
  return Promise.resolve(transfer);
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

const faults = {
  noEntities: {
    problem: 'only whole entities are exported',
    fix: 'export a query of an entity, a pattern or an index, without select and covered',
  },
} satisfies FaultTexts;
