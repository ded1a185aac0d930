/** Bodies of requests. */
import type { IncomingMessage } from 'node:http';
import type { FaultTexts } from '../../../base/index.js';
import { StudioError } from '../studio-error.js';

/** Bytes of a body in JSON: a row with a value of a few MiB can be written. */
const maxBytes = 32 << 20;

/** The JSON of a request. Throws BAD_REQUEST and TOO_LARGE. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
  // A form of another site cannot send it without asking first.
  if (type !== 'application/json') throw new StudioError('BAD_REQUEST', faults.noJson);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new StudioError('TOO_LARGE', faults.tooLarge);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch (error) {
    throw new StudioError('BAD_REQUEST', faults.wrongJson((error as Error).message));
  }
}

const faults = {
  noJson: { problem: 'the request is not JSON', fix: 'send content-type: application/json' },
  tooLarge: {
    problem: `the request has more than ${maxBytes >> 20} MiB`,
    fix: 'write large values with a program',
  },
  wrongJson: (message: string) => ({ problem: `the request is not JSON: ${message}` }),
} satisfies FaultTexts;
