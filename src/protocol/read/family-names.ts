/**
 * The families of a table by the bytes of their names, so that every cell of a family has the same
 * string.
 */
import { isUtf8 } from 'node:buffer';
import { compareBytes } from '../../bytes/index.js';
import { responseError } from '../response-error.js';

/** More names than this are no table's: they are not kept. Production suggests at most 100. */
const mostNames = 10_000;

/** Names by number, as they came. */
export class FamilyNames {
  readonly names: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  #last = 0;

  /** The number of the name in `[start, end)`. */
  find(b: Uint8Array, start: number, end: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    // A row's families come in the same order as the last row's.
    for (
      let i = 0, number = this.#last;
      i < length;
      i++, number = number + 1 < length ? number + 1 : 0
    ) {
      if (isSame(bytes[number], b, start, end)) return (this.#last = number);
    }
    return (this.#last = this.#add(b, start, end));
  }

  /** The order of two names, by their numbers. */
  compare(a: number, b: number): number {
    return compareBytes(this.#bytes[a], this.#bytes[b]);
  }

  #add(b: Uint8Array, start: number, end: number): number {
    const name = new Uint8Array(b.subarray(start, end));
    if (this.names.length >= mostNames || !isUtf8(name))
      throw responseError('a family has a name that no family can have');
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
