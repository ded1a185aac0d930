/** Adds up amounts in memory and writes the sums on a clock, on their number, and on closing. */
import {
  invalidArgument,
  RowsmithError,
  systemTimers,
  type Timers,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { CounterArguments } from './counter-arguments.js';
import {
  type CounterRow,
  type CounterStep,
  CounterSums,
  type KeyOfRow,
  countedKeyReader,
  reported,
  type CountedSum,
  type SumOutcome,
} from './counter-sums.js';
import type {
  CounterSum,
  FailedSum,
  FlushResult,
  PendingSum,
  UnknownSum,
} from './counter-types.js';
import { type SendParts, SumSender } from './send-sums.js';

/** Constructor arguments of `CounterBuffer`. */
export interface CounterBufferParts extends SendParts {
  readonly flushEvery: number;
  readonly maxKeys: number;
  readonly onFlush: ((result: FlushResult) => void) | undefined;
  readonly timers: Timers | undefined;
}

/** A call of `add` for which there was no room. */
interface WaitingAdd {
  readonly row: CounterRow;
  readonly steps: readonly CounterStep[];
  readonly resolve: () => void;
  readonly reject: (error: RowsmithError) => void;
}

/** The result of a flush while it runs. */
interface GrowingResult {
  readonly written: CounterSum[];
  readonly failed: FailedSum[];
  readonly unknown: UnknownSum[];
}

/**
 * Implements BufferedCounters, without types. A sum is in one of three places: pending, in flight
 * or unknown; every change of a place makes room for calls that wait, or takes some.
 */
export class CounterBuffer {
  readonly #parts: CounterBufferParts;
  readonly #model: EntityModel;
  readonly #arguments: CounterArguments;
  readonly #keyOf: KeyOfRow;
  #pending = new CounterSums();
  readonly #inFlight = new Set<CountedSum>();
  readonly #unknown = new Set<UnknownSum>();
  /** In the order of the calls. */
  readonly #waiting = new Set<WaitingAdd>();
  #waitingSteps = 0;
  /** The flush that runs. Never rejects. */
  #running: Promise<FlushResult> | undefined;
  /** The flush that begins when that one has ended. */
  #queued: Promise<FlushResult> | undefined;
  #cancelTimer: (() => void) | undefined;
  /** After a failure only the clock begins a flush: full counters would repeat it at once. */
  #waitsForClock = false;
  #lastError: RowsmithError | undefined;
  #closed = false;
  #closing: Promise<FlushResult> | undefined;

  constructor(parts: CounterBufferParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.#arguments = new CounterArguments(parts.model);
    this.#keyOf = countedKeyReader(parts.model);
  }

  get size(): number {
    return this.#pending.size + this.#inFlight.size + this.#unknown.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get pending(): PendingSum[] {
    const listed: PendingSum[] = [];
    for (const sum of this.#pending)
      listed.push({ ...reported(sum, this.#keyOf), inFlight: false, error: sum.error });
    for (const sum of this.#inFlight)
      listed.push({ ...reported(sum, this.#keyOf), inFlight: true, error: sum.error });
    return listed;
  }

  get unknown(): UnknownSum[] {
    return [...this.#unknown];
  }

  get lastError(): RowsmithError | undefined {
    return this.#lastError;
  }

  add(key: unknown, what: unknown, amount?: unknown): Promise<void> | undefined {
    if (this.#closed) throw this.#closedError();
    const row = this.#arguments.row(key);
    const steps = this.#arguments.steps(what, amount);
    if (this.#admit(row, steps, this.#waiting.size > 0)) return undefined;
    const { maxKeys } = this.#parts;
    if (steps.length > maxKeys)
      throw invalidArgument('what', faults.tooManyCells(steps.length, maxKeys), {
        entity: this.#model.name,
      });
    if (this.#leavesNoRoom(steps)) throw this.#unknownError();
    if (this.#waitingSteps + steps.length > maxKeys)
      throw this.#fullError(faults.tooManyCalls(this.#waiting.size));
    return new Promise((resolve, reject) => {
      this.#waiting.add({ row, steps, resolve, reject });
      this.#waitingSteps += steps.length;
      this.#schedule();
    });
  }

  flush(): Promise<FlushResult> {
    if (this.#running === undefined) return this.#start();
    return (this.#queued ??= this.#startAfterRunning());
  }

  close(): Promise<FlushResult> {
    return (this.#closing ??= this.#drain().finally(() => {
      this.#closing = undefined;
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { failed, unknown } = await this.close();
    if (failed.length + unknown.length === 0) return;
    const { error } = failed[0] ?? unknown[0];
    throw new RowsmithError(
      'COUNTERS_NOT_WRITTEN',
      {
        entity: this.#model.name,
        ...faults.unwrittenSums(failed.length, unknown.length),
        failed,
        unknown,
      },
      { cause: error },
    );
  }

  /** Counts the amounts if there is room. What `waits` may only be added to sums that exist. */
  #admit(row: CounterRow, steps: readonly CounterStep[], waits: boolean): boolean {
    const missing = this.#pending.missing(row, steps);
    if (missing > 0 && (waits || this.size + missing > this.#parts.maxKeys)) return false;
    for (const step of steps) this.#pending.add(row, step);
    this.#schedule();
    return true;
  }

  /** Counts what waits, in order, as far as there is room. */
  #admitWaiting(): void {
    for (const call of this.#waiting) {
      const { row, steps, resolve, reject } = call;
      if (this.#leavesNoRoom(steps)) reject(this.#unknownError());
      else if (this.#admit(row, steps, false)) resolve();
      else break;
      this.#waiting.delete(call);
      this.#waitingSteps -= steps.length;
    }
  }

  /** Whether no flush can make room for so many sums. */
  #leavesNoRoom(steps: readonly CounterStep[]): boolean {
    return this.#unknown.size + steps.length > this.#parts.maxKeys;
  }

  /** Begins a flush if one is due, or sees to it that the clock begins one. */
  #schedule(): void {
    if (this.#closed || this.#pending.size === 0) return;
    const { flushEvery, maxKeys, timers = systemTimers } = this.#parts;
    const isFull = this.#pending.size * 2 >= maxKeys || this.#waiting.size > 0;
    if (isFull && this.#running === undefined && !this.#waitsForClock) {
      void this.#start();
      return;
    }
    this.#cancelTimer ??= timers.after(flushEvery, () => {
      this.#cancelTimer = undefined;
      void this.flush();
    });
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #startAfterRunning(): Promise<FlushResult> {
    let result: FlushResult = { written: [], failed: [], unknown: [] };
    while (this.#running !== undefined) result = merged(result, await this.#running);
    this.#queued = undefined;
    return merged(result, await this.#start());
  }

  async #start(): Promise<FlushResult> {
    if (this.#pending.size === 0) return { written: [], failed: [], unknown: [] };
    this.#running = this.#send();
    const result = await this.#running;
    this.#parts.onFlush?.(result);
    return result;
  }

  /** Sends what is pending. Not called while it runs. */
  async #send(): Promise<FlushResult> {
    this.#stopTimer();
    const sums = this.#pending;
    this.#pending = new CounterSums();
    for (const sum of sums) this.#inFlight.add(sum);
    const result: GrowingResult = { written: [], failed: [], unknown: [] };
    this.#lastError = undefined;
    const sender = new SumSender(this.#parts, (outcome) => this.#settle(outcome, result));
    await sender.send(sums);
    this.#waitsForClock = result.failed.length > 0;
    this.#running = undefined;
    this.#schedule();
    return result;
  }

  #settle({ sum, error, mayBeWritten }: SumOutcome, result: GrowingResult): void {
    this.#inFlight.delete(sum);
    const known = reported(sum, this.#keyOf);
    if (error === undefined) {
      result.written.push(known);
    } else {
      this.#lastError ??= error;
      if (mayBeWritten) {
        result.unknown.push(this.#remember(sum, { ...known, error }));
      } else {
        result.failed.push({ ...known, error });
        this.#pending.add(sum.row, sum, error);
      }
    }
    this.#admitWaiting();
  }

  #remember(sum: CountedSum, failed: FailedSum): UnknownSum {
    const settle = (again: boolean): boolean => {
      if (!this.#unknown.delete(unknown)) return false;
      if (again) this.#pending.add(sum.row, sum);
      this.#schedule();
      this.#admitWaiting();
      return true;
    };
    const unknown = Object.freeze({
      ...failed,
      drop: () => settle(false),
      again: () => settle(true),
    });
    this.#unknown.add(unknown);
    return unknown;
  }

  async #drain(): Promise<FlushResult> {
    this.#closed = true;
    this.#stopTimer();
    let written: readonly CounterSum[] = [];
    try {
      for (;;) {
        const result = await this.flush();
        written = joined(written, result.written);
        if (result.failed.length > 0) break;
        if (this.#pending.size === 0 && this.#waiting.size === 0) break;
      }
    } finally {
      for (const { reject } of this.#waiting) reject(this.#closedError());
      this.#waiting.clear();
      this.#waitingSteps = 0;
    }
    return { written, failed: this.#notWritten(), unknown: this.unknown };
  }

  /** All that is pending; some may have been admitted after the last flush began. */
  #notWritten(): FailedSum[] {
    return Array.from(this.#pending, (sum) => {
      const error = sum.error ?? this.#lastError ?? this.#closedError();
      return { ...reported(sum, this.#keyOf), error };
    });
  }

  #closedError(): RowsmithError {
    return new RowsmithError('COUNTERS_CLOSED', {
      entity: this.#model.name,
      ...faults.addAfterClose,
    });
  }

  #unknownError(): RowsmithError {
    return this.#fullError(faults.tooManyUnknownSums(this.#unknown.size));
  }

  #fullError(fault: FaultText): RowsmithError {
    const { maxKeys } = this.#parts;
    return new RowsmithError('COUNTERS_FULL', {
      entity: this.#model.name,
      problem: fault.problem,
      fix: fault.fix,
      maxKeys,
    });
  }
}

/** The outcome of two flushes: the second has sent again what the first one failed to write. */
function merged(first: FlushResult, second: FlushResult): FlushResult {
  return {
    written: joined(first.written, second.written),
    failed: second.failed,
    unknown: joined(first.unknown, second.unknown),
  };
}

/** Does not copy where one is empty, as it mostly is. */
function joined<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  return first.concat(second);
}

const faults = {
  tooManyCells: (length: number, maxKeys: number) => ({
    problem: `one call adds to ${length} cells, and maxKeys is ${maxKeys}`,
    fix: 'add to fewer cells in one call, or raise maxKeys',
  }),
  tooManyCalls: (size: number) => ({
    problem: `${size} calls of add() wait for room`,
    fix: 'await each add(), or raise maxKeys',
  }),
  unwrittenSums: (failedLength: number, unknownLength: number) => ({
    problem: `${failedLength} sums were not written, and ${unknownLength} may have been`,
    fix: 'see details.failed and details.unknown, or call close() and read its result',
  }),
  addAfterClose: {
    problem: 'add() was called after close(), or waited for room that closing did not make',
    fix: 'stop adding before you close; write this amount with increment()',
  },
  tooManyUnknownSums: (size: number) => ({
    problem: `${size} sums of unknown outcome leave no room`,
    fix: 'call drop() or again() on each of counters.unknown, or raise maxKeys',
  }),
} satisfies FaultTexts;
