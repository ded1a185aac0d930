/**
 * Interns the family names of a table by their bytes, so that every cell of a family shares one
 * string.
 */
import type { FaultTexts } from '../../../base/index.js';
import { isUtf8 } from 'node:buffer';
import { responseError } from '../response-error.js';

/** Names kept per table. Google recommends at most 100 families in a table. */
const maxNames = 10_000;

/** Names are numbered in order of appearance. */
export class FamilyNames {
  readonly names: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  #last = 0;

  /** The number of the name in `[start, end)`. */
  find(b: Uint8Array, start: number, end: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    // Starts at the last match: rows list their families in the same order.
    for (let i = 0, number = this.#last; i < length; i++, number++) {
      if (number === length) number = 0;
      if (isSame(bytes[number], b, start, end)) {
        this.#last = number;
        return number;
      }
    }
    this.#last = this.#add(b, start, end);
    return this.#last;
  }

  #add(b: Uint8Array, start: number, end: number): number {
    const name = new Uint8Array(b.subarray(start, end));
    if (this.names.length >= maxNames || !isUtf8(name)) throw responseError(faults.notAFamilyName);
    this.#bytes.push(name);
    return this.names.push(Buffer.from(name).toString('utf8')) - 1;
  }
}

function isSame(name: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  const { length } = name;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i++) if (name[i] !== b[start + i]) return false;
  return true;
}

const faults = {
  notAFamilyName: {
    problem: 'a family name is not valid UTF-8, or the table has too many families',
  },
} satisfies FaultTexts;
