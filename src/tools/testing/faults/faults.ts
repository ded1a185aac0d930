/** Which calls to storage fail or are delayed. Faults decide, FaultyEngine carries it out. */
import {
  type ErrorCode,
  errorMessages,
  invalidArgument,
  RowsmithError,
  seededRandom,
  type FaultTexts,
} from '../../../base/index.js';
import type { Mutation, RowMutation } from '../../../data/store/index.js';

/** Which of the matching calls a fault is injected into. */
export interface FaultTiming {
  /** The first call, counted from 1 since the fault was added; default 1. */
  readonly nth?: number;
  /** How many calls; default 1 if `nth` is given, otherwise all until the fault is cleared. */
  readonly times?: number;
  /** Only calls to this table. */
  readonly table?: string;
}

/** How a call fails. */
export interface Failure {
  /** Code of the error; default UNAVAILABLE. */
  readonly code?: ErrorCode;
}

/** One row about to be written, as passed to a predicate. */
export interface WriteAttempt {
  readonly table: string;
  /** The row key; for a drop its prefix, empty for the whole table. */
  readonly key: Uint8Array;
  /**
   * The engine's method. Repositories use mutateRow to save, patch and delete, and mutateRows in
   * bulk.
   */
  readonly call:
    'mutateRow' | 'mutateRows' | 'checkAndMutateRow' | 'readModifyWriteRow' | 'dropRowRange';
  /** The mutations of the row; empty for calls that decide their mutations in the engine. */
  readonly mutations: readonly Mutation[];
}

/** A fault of writes. Every row counts as a write, including each row of a batch. */
export interface WriteFault extends FaultTiming, Failure {
  /** Only rows with a key that begins with this: bytes, or text as UTF-8. */
  readonly keyPrefix?: string | Uint8Array;
  /** Only writes for which this is true. */
  readonly match?: (write: WriteAttempt) => boolean;
  /**
   * True: the write is applied and only its response is lost, as when a connection breaks. Default
   * false: nothing is written.
   */
  readonly applied?: boolean;
}

/** A fault of whole batches (mutateRows, which saveMany and deleteMany call). */
export interface BatchFault extends FaultTiming, Failure {
  /**
   * The entries that fail, by index or by a predicate; the rest are written. By default the call
   * fails as a whole and nothing is written.
   */
  readonly entries?: readonly number[] | ((row: RowMutation, index: number) => boolean);
}

/** A fault of reads: gets and scans alike. With neither count the read fails at once. */
export interface ReadFault extends FaultTiming, Failure {
  /** Fails after this many rows; a read with fewer rows succeeds. */
  readonly afterRows?: number;
  /** Fails after this many pages; a read with fewer pages succeeds. */
  readonly afterPages?: number;
}

/** Calls of an engine that concern tables rather than rows. */
export type TableCall =
  | 'listTables'
  | 'createTable'
  | 'deleteTable'
  | 'modifyFamilies'
  | 'updateTable'
  | 'sampleRowKeys'
  | 'generateConsistencyToken'
  | 'checkConsistency'
  | 'compact';

/** A fault of calls that are neither reads nor writes of rows. */
export interface CallFault extends FaultTiming, Failure {
  /**
   * Only this call; default any of them. Calls that concern all tables (listTables, compact) match
   * no `table`.
   */
  readonly call?: TableCall;
  /** True: the call takes effect and only its response is lost. Default false. */
  readonly applied?: boolean;
}

/** Added latency. */
export interface Delay extends FaultTiming {
  /** Milliseconds, or a minimum and a maximum between which each delay is random. */
  readonly millis: number | readonly [number, number];
  /**
   * Seed of the random delays: the same seed gives the same delays in the order of the calls.
   * Default 1.
   */
  readonly seed?: number;
  /** Only reads (each page) or only writes (each call); default both. */
  readonly only?: 'reads' | 'writes';
}

/** A fault that was added: counts of its calls, and a method to remove it. */
export interface InjectedFault {
  /** Calls that matched so far. */
  readonly matched: number;
  /** Calls that failed or were delayed by this fault. */
  readonly injected: number;
  /** Removes this fault; the counts remain. */
  clear(): void;
}

/** A fault with its options and counts. */
export class ActiveFault<O extends FaultTiming = FaultTiming> implements InjectedFault {
  matched = 0;
  injected = 0;
  cleared = false;
  #triggered = 0;

  constructor(
    readonly kind: string,
    readonly options: O,
  ) {}

  /** Counts a matching call; true if the fault is to be injected into this one. */
  triggers(): boolean {
    const { nth, times = nth === undefined ? Infinity : 1 } = this.options;
    this.matched++;
    if (this.matched < (nth ?? 1) || this.#triggered >= times) return false;
    this.#triggered++;
    return true;
  }

  /** Counts the injection, and returns the error to reject with. */
  error(
    code: ErrorCode = 'UNAVAILABLE',
    details: Readonly<Record<string, unknown>> = {},
  ): RowsmithError {
    this.injected++;
    return new RowsmithError(code, {
      ...faults.injectedFailure(this.kind, this.injected, this.matched),
      ...details,
    });
  }

  clear(): void {
    this.cleared = true;
  }
}

/** Latency with its random numbers. */
class ActiveDelay extends ActiveFault<Delay> {
  readonly #random: () => number;

  constructor(options: Delay, seed: number) {
    super('delay', options);
    this.#random = seededRandom(seed);
  }

  /** Counts the injection, and returns the delay of this call in milliseconds. */
  nextMillis(): number {
    this.injected++;
    const { millis } = this.options;
    if (typeof millis === 'number') return millis;
    const [min, max] = millis;
    return min + this.#random() * (max - min);
  }
}

/**
 * The faults of one engine. They can be added and cleared at any time; a call is affected by those
 * that exist when it begins.
 */
export class Faults {
  readonly #writes: ActiveFault<WriteFault>[] = [];
  readonly #batches: ActiveFault<BatchFault>[] = [];
  readonly #reads: ActiveFault<ReadFault>[] = [];
  readonly #calls: ActiveFault<CallFault>[] = [];
  readonly #delays: ActiveDelay[] = [];

  /**
   * Fails writes: `failWrite({ nth: 3 })` the third row from now, `failWrite({ keyPrefix: 'acme#'
   * })` all rows of a tenant.
   */
  failWrite(options: WriteFault = {}): InjectedFault {
    return add(this.#writes, new ActiveFault('failWrite', checkedOptions(options)));
  }

  /** Fails a batch, in part or as a whole: `failBatch({ entries: [0, 2], nth: 1 })`. */
  failBatch(options: BatchFault = {}): InjectedFault {
    return add(this.#batches, new ActiveFault('failBatch', checkedOptions(options)));
  }

  /** Fails a read, at once or in the middle of a scan: `failRead({ afterRows: 10 })`. */
  failRead(options: ReadFault = {}): InjectedFault {
    return add(this.#reads, new ActiveFault('failRead', checkedOptions(options)));
  }

  /** Fails calls that concern tables: `failCall({ call: 'createTable', nth: 2 })`. */
  failCall(options: CallFault = {}): InjectedFault {
    const { call } = options;
    if (call !== undefined && !Object.hasOwn(tableCalls, call))
      throw optionError('call', call, `give one of ${Object.keys(tableCalls).join(', ')}`);
    return add(this.#calls, new ActiveFault('failCall', checkedOptions(options)));
  }

  /**
   * Delays calls: `delay({ millis: [5, 50], seed: 7 })`. These are real milliseconds; the clock of
   * a test database does not advance.
   */
  delay(options: Delay): InjectedFault {
    const { millis, seed = 1 } = options;
    if (!isDelayRange(millis))
      throw optionError('millis', millis, 'give milliseconds, or [min, max]');
    if (!Number.isSafeInteger(seed)) throw optionError('seed', seed, 'give a whole number');
    return add(this.#delays, new ActiveDelay(checkedOptions(options), seed));
  }

  /** Removes all faults. */
  clear(): void {
    for (const faults of [this.#writes, this.#batches, this.#reads, this.#calls, this.#delays]) {
      for (const fault of faults) fault.clear();
      faults.length = 0;
    }
  }

  /** @internal The fault that fails this write: the first added one that triggers. */
  onWrite(write: WriteAttempt): ActiveFault<WriteFault> | undefined {
    return this.#first(
      this.#writes,
      write.table,
      ({ keyPrefix, match }) =>
        (keyPrefix === undefined || startsWith(write.key, keyPrefix)) &&
        (match === undefined || match(write)),
    );
  }

  /** @internal */
  onBatch(table: string): ActiveFault<BatchFault> | undefined {
    return this.#first(this.#batches, table, () => true);
  }

  /** @internal */
  onRead(table: string): ActiveFault<ReadFault> | undefined {
    return this.#first(this.#reads, table, () => true);
  }

  /** @internal `table` is empty for calls that concern all tables. */
  onCall(call: TableCall, table: string): ActiveFault<CallFault> | undefined {
    return this.#first(this.#calls, table, (options) => (options.call ?? call) === call);
  }

  /** @internal Milliseconds by which this call is delayed: the sum of all delays. */
  delayOf(kind: 'reads' | 'writes', table: string): number {
    let sum = 0;
    for (const delay of this.#delays) {
      const { only = kind, table: onlyTable = table } = delay.options;
      if (delay.cleared || only !== kind || onlyTable !== table || !delay.triggers()) continue;
      sum += delay.nextMillis();
    }
    return sum;
  }

  /** Every matching fault counts the call, even if an earlier one fails it. */
  #first<O extends FaultTiming>(
    faults: readonly ActiveFault<O>[],
    table: string,
    matches: (options: O) => boolean,
  ): ActiveFault<O> | undefined {
    let first: ActiveFault<O> | undefined;
    for (const fault of faults) {
      if (fault.cleared || (fault.options.table ?? table) !== table || !matches(fault.options))
        continue;
      if (fault.triggers()) first ??= fault;
    }
    return first;
  }
}

/** All values of TableCall, for callers from JavaScript. */
const tableCalls: Readonly<Record<TableCall, true>> = {
  listTables: true,
  createTable: true,
  deleteTable: true,
  modifyFamilies: true,
  updateTable: true,
  sampleRowKeys: true,
  generateConsistencyToken: true,
  checkConsistency: true,
  compact: true,
};

function add<F>(faults: F[], fault: F): F {
  faults.push(fault);
  return fault;
}

function startsWith(key: Uint8Array, prefix: string | Uint8Array): boolean {
  const bytes = typeof prefix === 'string' ? Buffer.from(prefix) : prefix;
  return bytes.length <= key.length && bytes.every((byte, i) => byte === key[i]);
}

function optionError(property: string, value: unknown, fix: string): RowsmithError {
  return invalidArgument(
    property,
    faults.wrongOption(property, JSON.stringify(value) ?? typeof value, fix),
  );
}

function isDelayRange(millis: Delay['millis'] | undefined): boolean {
  const [min, max] = typeof millis === 'number' ? [millis, millis] : (millis ?? [NaN, NaN]);
  return min >= 0 && max >= min && max < 2 ** 31;
}

/**
 * A frozen copy of the options. Counts are checked, because with a wrong count a fault would
 * silently never trigger.
 */
function checkedOptions<O extends FaultTiming>(options: O): O {
  const { nth, times, code, afterRows, afterPages } = options as Failure & ReadFault;
  checkCount('nth', nth, 1);
  checkCount('times', times, 1);
  checkCount('afterRows', afterRows, 0);
  checkCount('afterPages', afterPages, 0);
  if (code !== undefined && !Object.hasOwn(errorMessages, code))
    throw optionError('code', code, 'give one of the codes of RowsmithError');
  return Object.freeze({ ...options });
}

function checkCount(property: string, value: number | undefined, min: number): void {
  if (value === undefined || value === Infinity) return;
  if (Number.isSafeInteger(value) && value >= min) return;
  throw optionError(property, value, `give a whole number, at least ${min}`);
}

const faults = {
  injectedFailure: (kind: string, injected: number, matched: number) => ({
    problem: `injected by ${kind}: failure ${injected} in ${matched} matching calls`,
    fix: 'call faults.clear() to remove injected faults',
  }),
  wrongOption: (property: string, json: string, fix: string) => ({
    problem: `${property} is ${json}`,
    fix,
  }),
} satisfies FaultTexts;
