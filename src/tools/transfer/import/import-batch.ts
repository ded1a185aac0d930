/** Rows of an import that are sent together. */
import type { Line } from '../file/line-reader.js';
import type { RowAge } from './row-age.js';
import type { ReadRow } from './row-reader.js';

/**
 * A batch is full at this many lines or UTF-16 units, which keeps the engine busy in any memory.
 */
const maxLines = 2_048;
const maxUnits = 4 << 20;
/** A batch is full when a row has this many mutations; storage accepts twice as many. */
const maxRowMutations = 50_000;

/**
 * Lines and their rows, in order. Storage applies the rows of a batch in any order, so lines with
 * the same key are merged into one row mutation, in which later lines win.
 */
export class ImportBatch {
  readonly rows: ReadRow[] = [];
  /** The lines of each row. */
  readonly lines: Line[][] = [];
  /** How old these lines are. */
  readonly ages: RowAge[][] = [];
  /** Indexes of `rows` by key, one character per byte. */
  readonly #indexes = new Map<string, number>();
  #lineCount = 0;
  #units = 0;
  /** Mutations of the largest merged row. */
  #rowMutations = 0;

  get isFull(): boolean {
    return (
      this.#lineCount >= maxLines ||
      this.#units >= maxUnits ||
      this.#rowMutations >= maxRowMutations
    );
  }

  add(line: Line, row: ReadRow): void {
    const key = Buffer.from(row.key.buffer, row.key.byteOffset, row.key.length).toString('latin1');
    const index = this.#indexes.get(key);
    if (index === undefined) {
      this.#indexes.set(key, this.rows.length);
      this.rows.push(row);
      this.lines.push([line]);
      this.ages.push([row.age]);
    } else {
      const { mutations } = this.rows[index];
      for (const mutation of row.mutations) mutations.push(mutation);
      this.lines[index].push(line);
      this.ages[index].push(row.age);
      this.#rowMutations = Math.max(this.#rowMutations, mutations.length);
    }
    this.#lineCount++;
    this.#units += line.text.length;
  }

  /** Whether both batches have lines of one row, which must then be written in order. */
  overlaps(other: ImportBatch): boolean {
    for (const key of this.#indexes.keys()) if (other.#indexes.has(key)) return true;
    return false;
  }
}
