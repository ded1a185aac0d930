/** Which calls to the storage fail or wait. The faults decide; FaultyEngine does it. */
import { type ErrorCode, errorMessages, RowsmithError } from '../../errors.js';
import type { Mutation, RowMutation } from '../../store/index.js';
import { seededRandom } from './seeded-random.js';

/** Which of the calls that match are struck. */
export interface FaultTiming {
  /** The first that is struck, counted from 1 from when the fault was added; default 1. */
  readonly nth?: number;
  /** How many are struck; default 1 when `nth` is given, else all until the fault is cleared. */
  readonly times?: number;
  /** Only calls to this table. */
  readonly table?: string;
}

/** How a struck call fails. */
export interface Failure {
  /** Code of the error; default UNAVAILABLE. */
  readonly code?: ErrorCode;
}

/** One row about to be written, as a predicate sees it. */
export interface SeenWrite {
  readonly table: string;
  /** The row key; of a drop its prefix, empty for the whole table. */
  readonly key: Uint8Array;
  /**
   * The engine's method. Repositories save, patch and delete by mutateRow, and in bulk by
   * mutateRows.
   */
  readonly call:
    'mutateRow' | 'mutateRows' | 'checkAndMutateRow' | 'readModifyWriteRow' | 'dropRowRange';
  /** What is to be done to the row; empty for calls that decide inside the engine. */
  readonly mutations: readonly Mutation[];
}

/** A fault of writes. Every row counts as a write, also each row of a batch. */
export interface WriteFault extends FaultTiming, Failure {
  /** Only rows whose key starts so: bytes, or text as UTF-8. */
  readonly keyPrefix?: string | Uint8Array;
  /** Only writes for which this is true. */
  readonly match?: (write: SeenWrite) => boolean;
  /**
   * True: the write happens and only its answer is lost, as when a connection breaks. Default
   * false: nothing is written.
   */
  readonly applied?: boolean;
}

/** A fault of whole batches (mutateRows: what saveMany and deleteMany send). */
export interface BatchFault extends FaultTiming, Failure {
  /**
   * The entries that fail, by index or by a predicate; the others are written. Left out, the call
   * fails as a whole and nothing is written.
   */
  readonly entries?: readonly number[] | ((row: RowMutation, index: number) => boolean);
}

/** A fault of reads: gets and scans alike. With neither count the read fails at once. */
export interface ReadFault extends FaultTiming, Failure {
  /** Rows that the read still gives; an answer with fewer is not struck. */
  readonly afterRows?: number;
  /** Pages that the read still gives; an answer with fewer is not struck. */
  readonly afterPages?: number;
}

/** Calls of an engine that are about tables, or about a table as a whole. */
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
   * Only this call; default any of them. Calls about every table (listTables, compact) match no
   * `table`.
   */
  readonly call?: TableCall;
  /** True: what was asked for happens and only its answer is lost. Default false. */
  readonly applied?: boolean;
}

/** Latency. */
export interface Delay extends FaultTiming {
  /** Milliseconds, or the least and the most, between which each call draws. */
  readonly millis: number | readonly [number, number];
  /**
   * Where the random delays start: the same seed gives the same delays in the order of the calls.
   * Default 1.
   */
  readonly seed?: number;
  /** Only reads (each page) or only writes (each call); default both. */
  readonly of?: 'reads' | 'writes';
}

/** A fault that was added: how often it struck, and the way to end it. */
export interface InjectedFault {
  /** Calls that matched so far. */
  readonly matched: number;
  /** Calls that were made to fail, or to wait. */
  readonly struck: number;
  /** Ends this fault; the counts stay. */
  clear(): void;
}

/** A fault and what it was told; the engine asks it. */
export class ActiveFault<O extends FaultTiming = FaultTiming> implements InjectedFault {
  matched = 0;
  struck = 0;
  cleared = false;
  #armed = 0;

  constructor(
    readonly kind: string,
    readonly options: O,
  ) {}

  /** Counts a matching call; true when this one is to be struck. */
  arms(): boolean {
    const { nth, times = nth === undefined ? Infinity : 1 } = this.options;
    this.matched++;
    if (this.matched < (nth ?? 1) || this.#armed >= times) return false;
    this.#armed++;
    return true;
  }

  /** Counts a strike, and gives the error to reject with. */
  error(
    code: ErrorCode = 'UNAVAILABLE',
    where: Readonly<Record<string, unknown>> = {},
  ): RowsmithError {
    this.struck++;
    const problem = `an injected fault struck: ${this.kind}, for the ${ordinal(this.struck)} time, after ${this.matched} calls that match`;
    return new RowsmithError(code, {
      problem,
      fix: 'faults.clear() ends injected faults',
      ...where,
    });
  }

  clear(): void {
    this.cleared = true;
  }
}

/**
 * The faults of one engine. Added and cleared at any time; a call meets those that are there when
 * it is made.
 */
export class Faults {
  #writes: ActiveFault<WriteFault>[] = [];
  #batches: ActiveFault<BatchFault>[] = [];
  #reads: ActiveFault<ReadFault>[] = [];
  #calls: ActiveFault<CallFault>[] = [];
  #delays: (ActiveFault<Delay> & { random: () => number })[] = [];

  /**
   * Writes fail. `failWrite({ nth: 3 })` the third row from now, `failWrite({ keyPrefix: 'acme#'
   * })` all rows of a tenant.
   */
  failWrite(options: WriteFault = {}): InjectedFault {
    return added(this.#writes, new ActiveFault('failWrite', checked(options)));
  }

  /** A batch fails, in part or as a whole: `failBatch({ entries: [0, 2], nth: 1 })`. */
  failBatch(options: BatchFault = {}): InjectedFault {
    return added(this.#batches, new ActiveFault('failBatch', checked(options)));
  }

  /** A read fails, at once or in mid-scan: `failRead({ afterRows: 10 })`. */
  failRead(options: ReadFault = {}): InjectedFault {
    return added(this.#reads, new ActiveFault('failRead', checked(options)));
  }

  /** Calls about tables fail: `failCall({ call: 'createTable', nth: 2 })`. */
  failCall(options: CallFault = {}): InjectedFault {
    const { call } = options;
    if (call !== undefined && !Object.hasOwn(tableCalls, call))
      throw refusal('call', call, `give one of ${Object.keys(tableCalls).join(', ')}`);
    return added(this.#calls, new ActiveFault('failCall', checked(options)));
  }

  /**
   * Calls take their time: `delay({ millis: [5, 50], seed: 7 })`. In real milliseconds; the clock
   * of a test database stands.
   */
  delay(options: Delay): InjectedFault {
    const [least, most] =
      typeof options.millis === 'number'
        ? [options.millis, options.millis]
        : (options.millis ?? []);
    if (!(least >= 0 && most >= least && most < 2 ** 31))
      throw refusal('millis', options.millis, 'give milliseconds, or [least, most]');
    const { seed = 1 } = options;
    if (!Number.isSafeInteger(seed)) throw refusal('seed', seed, 'give a whole number');
    return added(
      this.#delays,
      Object.assign(new ActiveFault('delay', checked(options)), { random: seededRandom(seed) }),
    );
  }

  /** Ends every fault. */
  clear(): void {
    for (const fault of [
      ...this.#writes,
      ...this.#batches,
      ...this.#reads,
      ...this.#calls,
      ...this.#delays,
    ])
      fault.clear();
    this.#writes = [];
    this.#batches = [];
    this.#reads = [];
    this.#calls = [];
    this.#delays = [];
  }

  /** @internal The fault that strikes this write: the first of those added that is due. */
  onWrite(write: SeenWrite): ActiveFault<WriteFault> | undefined {
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

  /** @internal `table` is empty for calls about every table. */
  onCall(call: TableCall, table: string): ActiveFault<CallFault> | undefined {
    return this.#first(this.#calls, table, (options) => (options.call ?? call) === call);
  }

  /** @internal Milliseconds that this call waits: the sum of all delays. */
  delayOf(of: 'reads' | 'writes', table: string): number {
    let sum = 0;
    for (const fault of this.#delays) {
      const { millis, of: only = of, table: wanted = table } = fault.options;
      if (fault.cleared || only !== of || wanted !== table || !fault.arms()) continue;
      fault.struck++;
      sum +=
        typeof millis === 'number' ? millis : millis[0] + fault.random() * (millis[1] - millis[0]);
    }
    return sum;
  }

  /** Every fault that matches counts the call, also when an earlier one strikes it. */
  #first<O extends FaultTiming>(
    faults: readonly ActiveFault<O>[],
    table: string,
    matches: (options: O) => boolean,
  ): ActiveFault<O> | undefined {
    let first: ActiveFault<O> | undefined;
    for (const fault of faults) {
      if (fault.cleared || (fault.options.table ?? table) !== table || !matches(fault.options))
        continue;
      if (fault.arms()) first ??= fault;
    }
    return first;
  }
}

/** Every TableCall, for callers from JavaScript. */
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

function ordinal(n: number): string {
  return `${n}${(n % 100 < 11 || n % 100 > 13 ? ['th', 'st', 'nd', 'rd'][n % 10] : undefined) ?? 'th'}`;
}

function added<F>(faults: F[], fault: F): F {
  faults.push(fault);
  return fault;
}

function startsWith(key: Uint8Array, prefix: string | Uint8Array): boolean {
  const bytes = typeof prefix === 'string' ? Buffer.from(prefix) : prefix;
  return bytes.length <= key.length && bytes.every((byte, i) => byte === key[i]);
}

function refusal(property: string, value: unknown, fix: string): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', {
    property,
    problem: `${property} is ${JSON.stringify(value) ?? typeof value}`,
    fix,
  });
}

/** Frozen and checked: a misspelt count must not make a fault that never strikes. */
function checked<O extends FaultTiming>(options: O): O {
  const { code, afterRows, afterPages } = options as Failure & ReadFault;
  for (const [name, value, least] of [
    ['nth', options.nth, 1],
    ['times', options.times, 1],
    ['afterRows', afterRows, 0],
    ['afterPages', afterPages, 0],
  ] as const) {
    if (
      value !== undefined &&
      value !== Infinity &&
      !(Number.isSafeInteger(value) && value >= least)
    )
      throw refusal(name, value, `give a whole number from ${least}`);
  }
  if (code !== undefined && !Object.hasOwn(errorMessages, code))
    throw refusal('code', code, 'give one of the codes of RowsmithError');
  return Object.freeze({ ...options });
}
