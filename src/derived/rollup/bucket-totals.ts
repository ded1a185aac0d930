/** The values of one bucket, and the mutations that add them to its row or replace it. */
import { equalBytes } from '../../bytes/index.js';
import { type RollupModel, rollupFamilies, type Scaled } from '../../model/index.js';
import type { Mutation, Row } from '../../store/index.js';
import { inputPlanOf } from './input-plan.js';
import { type CellInput, lastMillis, type Reading } from './reading.js';

/** Aggregate cells have one timestamp, so that all additions meet in one cell. */
const aggregateTime = 0;
const rowsCell = 0;

/** The readings of one bucket, combined. */
export class BucketTotals {
  readonly rollup: RollupModel;
  readonly bucket: Uint8Array;
  readonly #values: CellInput[];
  readonly #inputOf: readonly number[];
  /** For `first` and `last`: the time of the value, and the values of other rows of that time. */
  readonly #times: number[];
  readonly #ties: Uint8Array[][];

  constructor(rollup: RollupModel, bucket: Uint8Array) {
    this.rollup = rollup;
    this.bucket = bucket;
    this.#inputOf = inputPlanOf(rollup).ofCell;
    this.#values = rollup.cells.map(() => undefined);
    this.#times = rollup.cells.map(() => 0);
    this.#ties = rollup.cells.map(() => []);
  }

  get isEmpty(): boolean {
    return this.#values[rowsCell] === undefined;
  }

  add({ time, inputs }: Reading): void {
    const values = this.#values;
    const { cells } = this.rollup;
    for (let i = 0; i < cells.length; i++) {
      const at = this.#inputOf[i];
      const input = at < 0 ? 1 : inputs[at];
      if (input === undefined) continue;
      const value = values[i];
      switch (cells[i].kind) {
        case 'min':
          if (value === undefined || input < value) values[i] = input;
          break;
        case 'max':
          if (value === undefined || input > value) values[i] = input;
          break;
        case 'first':
          this.#keep(i, time, input as Uint8Array, value !== undefined && time > this.#times[i]);
          break;
        case 'last':
          this.#keep(i, time, input as Uint8Array, value !== undefined && time < this.#times[i]);
          break;
        case 'sum':
          values[i] = value === undefined ? input : plus(value as Scaled, input as Scaled);
          break;
        default:
          values[i] = ((value ?? 0) as number) + 1;
      }
    }
  }

  /** Adds what another object has added up for the same bucket. */
  merge(other: BucketTotals): void {
    this.rollup.cells.forEach(({ kind }, i) => {
      const [value, added] = [this.#values[i], other.#values[i]];
      if (added === undefined) return;
      if (kind === 'first' || kind === 'last') {
        const time = other.#times[i];
        const isOutdone = kind === 'first' ? time > this.#times[i] : time < this.#times[i];
        for (const tie of other.#ties[i])
          this.#keep(i, time, tie, value !== undefined && isOutdone);
        return;
      }
      const isBetter = kind === 'min' ? added < value! : added > value!;
      if (value === undefined) this.#values[i] = added;
      else if (kind !== 'min' && kind !== 'max')
        this.#values[i] = plus(value as Scaled, added as Scaled);
      else if (isBetter) this.#values[i] = added;
    });
  }

  #keep(i: number, time: number, value: Uint8Array, isOutdone: boolean): void {
    if (isOutdone) return;
    const isTie = this.#values[i] !== undefined && time === this.#times[i];
    if (isTie) this.#ties[i].push(value);
    else this.#ties[i] = [value];
    this.#values[i] = value;
    this.#times[i] = time;
  }

  /** Adds the values to the row, whatever it holds. */
  additions(): Mutation[] {
    const mutations: Mutation[] = [];
    this.rollup.cells.forEach(({ kind, family, qualifier }, i) => {
      const value = this.#values[i];
      if (value === undefined) return;
      if (value instanceof Uint8Array) {
        const timestamp = this.#timestamp(i);
        mutations.push({ kind: 'setCell', family, qualifier, timestamp, value });
        return;
      }
      // Adding zero changes nothing, except that it makes the cell.
      const input = BigInt.asIntN(64, BigInt(value));
      if (input === 0n && (kind === 'count' || kind === 'rows')) return;
      mutations.push({ kind: 'addToCell', family, qualifier, timestamp: aggregateTime, input });
    });
    return mutations;
  }

  /** Makes the row hold these values and no others. */
  replacement(): Mutation[] {
    const families = new Set(this.rollup.cells.map(({ family }) => family));
    const clear = [...families].map((family): Mutation => ({ kind: 'deleteFromFamily', family }));
    return [...clear, ...this.additions()];
  }

  /** Whether a stored row holds these values. Of rows of one time, any may be first or last. */
  equals(row: Row | undefined): boolean {
    return this.rollup.cells.every(({ kind, family, qualifier }, i) => {
      const stored = row?.cells.find(
        (cell) => cell.family === family && equalBytes(cell.qualifier, qualifier),
      );
      const value = this.#values[i];
      if (stored === undefined || value === undefined)
        return stored === undefined && value === undefined;
      if (kind !== 'first' && kind !== 'last')
        return int64Of(stored.value) === BigInt.asIntN(64, BigInt(value as Scaled));
      if (stored.timestamp !== this.#timestamp(i)) return false;
      return this.#ties[i].some((tie) => equalBytes(tie, stored.value));
    });
  }

  /** The cells by property, as the rows' model reads them. */
  cellValues(): Record<string, unknown> {
    const cells: Record<string, unknown> = {};
    this.rollup.cells.forEach(({ property, source }, i) => {
      const value = this.#values[i];
      if (value instanceof Uint8Array) cells[property] = source!.decode(value);
      else if (value !== undefined) cells[property] = BigInt(value);
    });
    return cells;
  }

  #timestamp(i: number): bigint {
    const { family } = this.rollup.cells[i];
    const time = this.#times[i];
    return BigInt(family === rollupFamilies.first ? lastMillis - time : time) * 1000n;
  }
}

function plus(a: Scaled, b: Scaled): Scaled {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

function int64Of(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigInt64(0);
}
