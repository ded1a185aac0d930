/** Links of transfers: a download is a GET, an upload is a PUT. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transfers } from '../state/transfers.js';
import { safeHeaders } from './headers.js';
import { sendJson } from './send.js';

/** Answers the request of a link. Throws NOT_FOUND. */
export async function runTransfer(
  transfers: Transfers,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (request.method === 'PUT') {
    const transfer = transfers.take(id, 'upload');
    const { job } = transfer;
    if (job.kind !== 'upload') return;
    const length = Number(request.headers['content-length']);
    const size = Number.isSafeInteger(length) ? length : undefined;
    const report = await transfer.run(signal, (run) => {
      // The import may wait for more of the file without end.
      run.signal.addEventListener('abort', () => request.destroy(), { once: true });
      return job.run(request, { ...run, size });
    });
    if (!response.destroyed) sendJson(response, 200, report);
    return;
  }
  const transfer = transfers.take(id, 'download');
  const { job } = transfer;
  if (job.kind !== 'download') return;
  const size: Record<string, string> =
    job.size === undefined ? {} : { 'content-length': String(job.size) };
  response.writeHead(200, {
    ...safeHeaders,
    ...size,
    'content-type': job.contentType,
    // Names of entities are identifiers.
    'content-disposition': `attachment; filename="${job.name.replace(/[^\w.-]/g, '_')}"`,
  });
  await transfer.run(signal, (run) => {
    // The browser must not take a part for the whole, and a write may wait for it without end.
    run.signal.addEventListener('abort', () => response.destroy(), { once: true });
    return job.run(response, run);
  });
}
