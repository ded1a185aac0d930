/** Rows of an import that are sent together. */
import type { Line } from '../file/line-reader.js';
import type { ReadRow } from './row-reader.js';

/**
 * A batch is sent when it has this many lines, or they this many UTF-16 units: enough to keep the
 * engine busy, little enough for any memory.
 */
const mostLines = 2_048;
const mostUnits = 4 << 20;
/** Mutations of one row at which a batch is sent: a row mutation may have twice as many. */
const mostMutations = 50_000;

/**
 * Lines and their rows, in order. Storage applies rows of a batch in any order, so lines of one row
 * become one row mutation, in which the later wins.
 */
export class ImportBatch {
  readonly rows: ReadRow[] = [];
  /** The lines of each row. */
  readonly lines: Line[][] = [];
  readonly #places = new Map<string, number>();
  #count = 0;
  #units = 0;
  #together = 0;

  get isFull(): boolean {
    return this.#count >= mostLines || this.#units >= mostUnits || this.#together >= mostMutations;
  }

  add(line: Line, row: ReadRow): void {
    const key = Buffer.from(row.key.buffer, row.key.byteOffset, row.key.length).toString('latin1');
    const place = this.#places.get(key);
    if (place === undefined) {
      this.#places.set(key, this.rows.length);
      this.rows.push(row);
      this.lines.push([line]);
    } else {
      const { mutations } = this.rows[place];
      for (const mutation of row.mutations) mutations.push(mutation);
      this.lines[place].push(line);
      this.#together = Math.max(this.#together, mutations.length);
    }
    this.#count++;
    this.#units += line.text.length;
  }

  /** Whether both have lines of one row: then they are written one after the other. */
  meets(other: ImportBatch): boolean {
    for (const key of this.#places.keys()) if (other.#places.has(key)) return true;
    return false;
  }
}
