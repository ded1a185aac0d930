/** Byte sources as streams of Node. */
import { Readable } from 'node:stream';
import { invalidArgument, valueText, type FaultTexts } from '../../../base/index.js';
import type { ByteSource } from './byte-streams.js';

/** The source as a stream of Node. Items that are not bytes or text are INVALID_ARGUMENT. */
export function readableOf(source: ByteSource): Readable {
  if (source instanceof Readable) return source;
  if (typeof (source as Partial<ByteSource> | null)?.[Symbol.asyncIterator] !== 'function')
    throw invalidArgument('from', faults.wrongSource(valueText(source)));
  return Readable.from(checked(source), { objectMode: false });
}

async function* checked(source: ByteSource): AsyncGenerator<Uint8Array | string> {
  for await (const chunk of source) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw invalidArgument('from', faults.wrongChunk(valueText(chunk)));
    yield chunk;
  }
}

const faults = {
  wrongSource: (given: string) => ({
    problem: `the source is ${given}`,
    fix: 'give the path of a file, a stream or another async iterable of bytes',
  }),
  wrongChunk: (given: string) => ({
    problem: `the source gives ${given}`,
    fix: 'give bytes (Uint8Array) or text',
  }),
} satisfies FaultTexts;
