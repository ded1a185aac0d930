/** The failures of a bulk write: counted, the first ones kept, and what ends the call. */
import { type ErrorCode, mayBeApplied, RowsmithError } from '../../../base/index.js';
import type { BulkFailure } from '../types/bulk-types.js';

/** Failures of a result. A list of 200,000 took 370 MB. */
export const maxFailures = 100;

/** Errors after which no other row can be written. */
const fatalCodes: readonly ErrorCode[] = [
  'TABLE_NOT_FOUND',
  'DATABASE_CLOSED',
  'PERMISSION_DENIED',
  'UNSUPPORTED',
];

/** What no row causes if it meets all of them: the declaration or the table refuses the call. */
const refusalCodes: readonly ErrorCode[] = ['FAILED_PRECONDITION', 'FAMILY_NOT_FOUND'];

/** Failures, in constant memory. */
export class BulkFailures<T> {
  readonly #onFailure: ((failure: BulkFailure<T>) => void) | undefined;
  #count = 0;
  #kept: BulkFailure<T>[] = [];
  /** The first error, while all failures have its code. */
  #refusal: RowsmithError | undefined;

  constructor(onFailure: ((failure: BulkFailure<T>) => void) | undefined) {
    this.#onFailure = onFailure;
  }

  get count(): number {
    return this.#count;
  }

  /** The failures of the first items, in the order of the input. */
  get first(): readonly BulkFailure<T>[] {
    this.#shorten();
    return this.#kept;
  }

  /** Throws errors that are not of this item, and what `onFailure` throws. */
  add(index: number, item: T, error: unknown): void {
    if (!(error instanceof RowsmithError) || fatalCodes.includes(error.code)) throw error;
    if (this.#count++ === 0 && refusalCodes.includes(error.code)) this.#refusal = error;
    if (this.#refusal?.code !== error.code) this.#refusal = undefined;
    const mayBeWritten = mayBeApplied(error);
    const failure = { index, item, error, mayBeWritten };
    this.#kept.push(failure);
    if (this.#kept.length >= 2 * maxFailures) this.#shorten();
    this.#onFailure?.(failure);
  }

  /** Called if nothing was written: throws what refused every item. */
  assertNotRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Batches in flight end in any order. */
  #shorten(): void {
    this.#kept.sort((a, b) => a.index - b.index);
    this.#kept.length = Math.min(this.#kept.length, maxFailures);
  }
}
