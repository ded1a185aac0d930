/** Specifications of keys for the suites of bad input. */
import { buildKeyCodec } from '../../../src/data/key/index.js';
import type { KeyCodec, KeyPart, KeySpec, SegmentType } from '../../../src/data/key/index.js';

export const seg = (name: string, type: SegmentType): KeyPart => ({ kind: 'segment', name, type });
export const lit = (text: string): KeyPart => ({ kind: 'literal', text });

export function codecOf(parts: readonly KeyPart[], rest: Partial<KeySpec> = {}): KeyCodec {
  const built = buildKeyCodec({ format: 'text', parts, ...rest }, 'Thing');
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  return built.codec;
}

export const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString('latin1');
