/** The values of one bucket, computed from its rows, and what they make of the stored ones. */
import { equalBytes } from '../../../../base/index.js';
import {
  type RollupCell,
  type RollupModel,
  rollupFamilies,
  type Scaled,
} from '../../../model/index.js';
import type { Mutation } from '../../../../data/store/index.js';
import { addition, additionsOf, orderedTime } from './bucket-additions.js';
import type { BucketChange, CellChange } from './bucket-change.js';
import { type StoredBucket, valueIn } from './bucket-row.js';
import { inputPlanOf } from '../input/input-plan.js';
import type { CellInput, Reading } from '../input/reading.js';

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

  /** Adds one value to the cell of an extreme. */
  addExtreme({ family, qualifier, is }: CellChange, time: number): void {
    const name = Buffer.from(qualifier);
    const i = this.rollup.cells.findIndex(
      (cell) => cell.family === family && equalBytes(cell.qualifier, name),
    );
    if (i < 0 || is === undefined || !isOrdered(family)) return;
    const value = this.#values[i];
    if (family === rollupFamilies.min)
      this.#values[i] = value === undefined || is < value ? is : value;
    else if (family === rollupFamilies.max)
      this.#values[i] = value === undefined || is > value ? is : value;
    else {
      const isFirst = family === rollupFamilies.first;
      const isOutdone = isFirst ? time > this.#times[i] : time < this.#times[i];
      this.#keep(i, time, is as Uint8Array, value !== undefined && isOutdone);
    }
  }

  /** Whether a value that goes away may be the extreme of a cell. */
  mayBeExtreme({ family, qualifier, was }: CellChange, time: number): boolean {
    const name = Buffer.from(qualifier);
    const i = this.rollup.cells.findIndex(
      (cell) => cell.family === family && equalBytes(cell.qualifier, name),
    );
    const value = i < 0 ? undefined : this.#values[i];
    if (value === undefined || was === undefined) return false;
    if (family === rollupFamilies.min) return was <= value;
    if (family === rollupFamilies.max) return was >= value;
    return family === rollupFamilies.first ? time <= this.#times[i] : time >= this.#times[i];
  }

  #keep(i: number, time: number, value: Uint8Array, isOutdone: boolean): void {
    if (isOutdone) return;
    const isTie = this.#values[i] !== undefined && time === this.#times[i];
    if (isTie) this.#ties[i].push(value);
    else this.#ties[i] = [value];
    this.#values[i] = value;
    this.#times[i] = time;
  }

  /** The sum or count of each cell of the family of sums; undefined for other cells. */
  sumOf(cell: RollupCell): bigint | undefined {
    if (cell.family !== rollupFamilies.sum) return undefined;
    return BigInt((this.#values[this.rollup.cells.indexOf(cell)] as Scaled | undefined) ?? 0);
  }

  /** Makes the cells of extremes hold exactly these values. */
  extremes(): Mutation[] {
    const { cells } = this.rollup;
    const families = new Set(cells.map(({ family }) => family).filter(isOrdered));
    const mutations = [...families].map((family): Mutation => ({
      kind: 'deleteFromFamily',
      family,
    }));
    cells.forEach(({ family, qualifier }, i) => {
      const value = this.#values[i];
      if (value === undefined || !isOrdered(family)) return;
      if (value instanceof Uint8Array)
        mutations.push({
          kind: 'setCell',
          family,
          qualifier,
          timestamp: this.#timestamp(i),
          value,
        });
      else mutations.push(addition(family, Buffer.from(qualifier).toString(), BigInt(value)));
    });
    return mutations;
  }

  /**
   * Whether a stored bucket holds these values, once these changes are added. Of rows of one time,
   * any may be first or last. Extremes are compared only if nothing is open.
   */
  equals(stored: Pick<StoredBucket, 'cells' | 'isStale'>, open: readonly BucketChange[]): boolean {
    const added = additionsOf(open);
    return this.rollup.cells.every((cell, i) => {
      const { family, qualifier } = cell;
      const found = valueIn(stored, family, qualifier);
      const sum = this.sumOf(cell);
      if (sum !== undefined)
        return BigInt.asIntN(64, sum) === int64Of(found?.value) + addedTo(added, qualifier);
      if (stored.isStale || open.length > 0) return true;
      const value = this.#values[i];
      if (found === undefined || value === undefined)
        return found === undefined && value === undefined;
      if (!(value instanceof Uint8Array))
        return int64Of(found.value) === BigInt.asIntN(64, BigInt(value));
      if (BigInt(found.timestamp) !== this.#timestamp(i)) return false;
      return this.#ties[i].some((tie) => equalBytes(tie, found.value));
    });
  }

  #timestamp(i: number): bigint {
    return orderedTime(this.rollup.cells[i].family, this.#times[i]);
  }
}

/** Whether the values of a family depend on the order in which they are added. */
export function isOrdered(family: string): boolean {
  return family !== rollupFamilies.sum;
}

function addedTo(mutations: readonly Mutation[], qualifier: Uint8Array): bigint {
  for (const mutation of mutations)
    if (
      mutation.kind === 'addToCell' &&
      mutation.family === rollupFamilies.sum &&
      equalBytes(mutation.qualifier, qualifier)
    )
      return mutation.input;
  return 0n;
}

function plus(a: Scaled, b: Scaled): Scaled {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** The integer of an aggregate cell; 0 for none. */
export function int64Of(bytes: Uint8Array | undefined): bigint {
  if (bytes === undefined) return 0n;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigInt64(0);
}
