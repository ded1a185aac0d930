/**
 * Rows that only set cells, as offsets in the buffer that holds them. A large request is decoded to
 * these, because the objects and views of its cells would take longer than writing them.
 */
import type { Mutation, RowMutation } from './mutation.js';

/** Numbers of a cell in `numbers`. */
const stride = 5;

/** Cells to set, in the buffer that holds their qualifiers and values. */
export class PackedCells {
  /** The families of the cells by index. */
  readonly families: string[] = [];
  /** Number of cells. */
  count = 0;
  /** Of each cell: its family's index, and where its qualifier and its value start and end. */
  #numbers: Int32Array;
  /** Of each cell, in microseconds; -1 for the time of the commit. */
  #timestamps: Float64Array;
  /** One byte for each cell: 1 where the timestamp is truncated. */
  #truncated: Uint8Array;

  /** `capacity` is the expected number of cells. */
  constructor(
    readonly bytes: Uint8Array,
    capacity: number,
  ) {
    this.#numbers = new Int32Array(capacity * stride);
    this.#timestamps = new Float64Array(capacity);
    this.#truncated = new Uint8Array(capacity);
  }

  /** Adds a cell. The timestamp is a safe integer. */
  add(
    family: number,
    qualifierStart: number,
    qualifierEnd: number,
    valueStart: number,
    valueEnd: number,
    timestamp: number,
    truncate: boolean,
  ): void {
    if (this.count === this.#timestamps.length) this.#grow();
    const numbers = this.#numbers;
    const at = this.count * stride;
    numbers[at] = family;
    numbers[at + 1] = qualifierStart;
    numbers[at + 2] = qualifierEnd;
    numbers[at + 3] = valueStart;
    numbers[at + 4] = valueEnd;
    this.#timestamps[this.count] = timestamp;
    this.#truncated[this.count] = Number(truncate);
    this.count++;
  }

  /** Index of the cell's family. */
  family(cell: number): number {
    return this.#numbers[cell * stride];
  }

  qualifierStart(cell: number): number {
    return this.#numbers[cell * stride + 1];
  }

  qualifierEnd(cell: number): number {
    return this.#numbers[cell * stride + 2];
  }

  valueStart(cell: number): number {
    return this.#numbers[cell * stride + 3];
  }

  valueEnd(cell: number): number {
    return this.#numbers[cell * stride + 4];
  }

  /** Microseconds since 1970; -1 for the time of the commit. */
  timestamp(cell: number): number {
    return this.#timestamps[cell];
  }

  /** Whether the timestamp is rounded down to the granularity of the table. */
  isTruncated(cell: number): boolean {
    return this.#truncated[cell] === 1;
  }

  /** The cell as a mutation, with views as qualifier and value. */
  mutation(cell: number): Mutation {
    const mutation: Mutation = {
      kind: 'setCell',
      family: this.families[this.family(cell)],
      qualifier: this.bytes.subarray(this.qualifierStart(cell), this.qualifierEnd(cell)),
      timestamp: this.timestamp(cell),
      value: this.bytes.subarray(this.valueStart(cell), this.valueEnd(cell)),
    };
    return this.isTruncated(cell) ? { ...mutation, truncate: true } : mutation;
  }

  #grow(): void {
    const cells = Math.max(16, this.count * 2);
    const numbers = new Int32Array(cells * stride);
    const timestamps = new Float64Array(cells);
    const truncated = new Uint8Array(cells);
    numbers.set(this.#numbers);
    timestamps.set(this.#timestamps);
    truncated.set(this.#truncated);
    this.#numbers = numbers;
    this.#timestamps = timestamps;
    this.#truncated = truncated;
  }
}

/** One of the rows. Its key and mutations are created when they are read. */
export class PackedRow implements RowMutation {
  #mutations: readonly Mutation[] | undefined = undefined;

  constructor(
    readonly cells: PackedCells,
    readonly keyStart: number,
    readonly keyEnd: number,
    /** The row's cells: `[firstCell, endCell)`. */
    readonly firstCell: number,
    readonly endCell: number,
  ) {}

  /** A view. */
  get key(): Uint8Array {
    return this.cells.bytes.subarray(this.keyStart, this.keyEnd);
  }

  get mutations(): readonly Mutation[] {
    return (this.#mutations ??= this.#readMutations());
  }

  #readMutations(): Mutation[] {
    const mutations: Mutation[] = [];
    for (let cell = this.firstCell; cell < this.endCell; cell++)
      mutations.push(this.cells.mutation(cell));
    return mutations;
  }
}
