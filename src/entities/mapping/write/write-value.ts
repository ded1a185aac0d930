/** What the writers of all kinds of columns share. */
import type { FaultTexts } from '../../../base/index.js';
import { type CellCodec, CodecError, within } from '../../../data/cell/index.js';
import type { Micros, Mutation } from '../../../data/store/index.js';

/**
 * Appends the mutations for a column's value to `out`. With `replace`, versions and map entries
 * that are stored already are deleted first.
 */
export type WriteValue = (
  value: unknown,
  timestamp: Micros,
  replace: boolean,
  out: Mutation[],
) => void;

/** The end of a deletion that includes cells of this timestamp. */
export function nextMillisecond(timestamp: Micros): Micros {
  return typeof timestamp === 'bigint' ? timestamp + 1000n : timestamp + 1000;
}

/** A value that is not an array or a Map. */
export function wrongFormError(form: string): CodecError {
  return new CodecError(faults.wrongForm(form));
}

/** The bytes of an element; errors name its path. */
export function encodeAt(codec: CellCodec, value: unknown, path: string): Uint8Array {
  try {
    return codec.encode(value);
  } catch (error) {
    throw within(error, path);
  }
}

const faults = {
  wrongForm: (form: string) => ({ problem: `the value is not ${form}`, fix: `give ${form}` }),
} satisfies FaultTexts;
