/** Bodies of requests. */
import type { IncomingMessage } from 'node:http';
import type { FaultTexts } from '../../../base/index.js';
import { StudioError } from '../studio-error.js';

/** Bytes of a body in JSON: a row with a value of a few MiB can be written. */
const maxBytes = 32 << 20;

/** The JSON of a request. Throws BAD_REQUEST and TOO_LARGE. */
export async function readRequest(request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
  // A form of another site cannot send it without asking first.
  if (type !== 'application/json') throw new StudioError('BAD_REQUEST', faults.noJson);
  const bytes = await readBytes(request);
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (error) {
    throw new StudioError('BAD_REQUEST', faults.wrongJson((error as Error).message));
  }
}

/**
 * Reads a body to its end, so that the answer arrives also if it is too large: a connection that is
 * closed on a sender loses it.
 */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.once('error', reject);
    request.once('end', () => {
      if (length <= maxBytes) resolve(Buffer.concat(chunks));
      else reject(new StudioError('TOO_LARGE', faults.tooLarge));
    });
  });
}

const faults = {
  noJson: { problem: 'the request is not JSON', fix: 'send content-type: application/json' },
  tooLarge: {
    problem: `the request has more than ${maxBytes >> 20} MiB`,
    fix: 'write large values with a program',
  },
  wrongJson: (message: string) => ({ problem: `the request is not JSON: ${message}` }),
} satisfies FaultTexts;
