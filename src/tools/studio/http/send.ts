/** Responses. */
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { reportedError } from '../studio-error.js';
import { safeHeaders } from './headers.js';

/** Sends a body. */
export function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    ...safeHeaders,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}

/** Sends a value as JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, JSON.stringify(value), { 'content-type': 'application/json' });
}

/** Sends an error; a response that has begun is cut off. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, failure } = reportedError(error);
  sendJson(response, status, failure);
}

/**
 * Sends lines as they come, as fast as the page reads them. An error before the first line is a
 * status; a later one is a line.
 */
export async function sendLines(
  response: ServerResponse,
  lines: AsyncGenerator<object>,
  signal: AbortSignal,
): Promise<void> {
  try {
    let line = await lines.next();
    response.writeHead(200, { ...safeHeaders, 'content-type': 'application/x-ndjson' });
    for (; line.done !== true; line = await lines.next())
      await writeLine(response, line.value, signal);
    response.end();
  } catch (error) {
    if (signal.aborted) return;
    if (!response.headersSent) throw error;
    const line = { type: 'error', error: reportedError(error).failure };
    response.end(`${JSON.stringify(line)}\n`);
  } finally {
    await lines.return(undefined).catch(() => undefined);
  }
}

async function writeLine(
  response: ServerResponse,
  line: object,
  signal: AbortSignal,
): Promise<void> {
  if (response.write(`${JSON.stringify(line)}\n`)) signal.throwIfAborted();
  else await once(response, 'drain', { signal });
}
