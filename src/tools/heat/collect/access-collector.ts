/** Collects the operations of a database by table and window, in constant memory. */
import type { AccessKind, AccessLog, AccessOperation, AccessWindow } from '../access-log.js';
import { type SampleLimits, skipCount, WindowSample } from './window-sample.js';

/** Options of a collector. */
export interface CollectOptions extends Partial<SampleLimits> {
  /** Length of a window in milliseconds; default 60,000. */
  readonly windowMs?: number | undefined;
  /**
   * Share of the operations to look at, above 0 and at most 1; default 1. In each window it is
   * halved whenever the samples of a table reach `maxSamples`.
   */
  readonly sample?: number | undefined;
  /** Tables at a time; default 64. Operations on further ones are not collected. */
  readonly maxTables?: number | undefined;
  /** Default: Math.random. */
  readonly random?: (() => number) | undefined;
}

/** Windows by which a clock may be set back. */
const maxSetBack = 2;

/** Called with each window that has ended. */
export type OnWindow = (table: string, window: AccessWindow) => void;

/** An operation to add. */
export interface TakenOperation {
  readonly table: string;
  readonly kind: AccessKind;
  /** The key is at `[start, end)`, and is copied. */
  readonly keyBytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What `take` has returned for it. */
  readonly probability: number;
}

interface TableState {
  readonly table: string;
  /** Operations to skip before the next one is taken. */
  skip: number;
  window: WindowSample | undefined;
}

/** The state of tables that are not collected. */
const ignored: TableState = Object.freeze({ table: '', skip: Infinity, window: undefined });

export class AccessCollector {
  readonly windowMs: number;
  readonly #limits: SampleLimits;
  readonly #sample: number;
  readonly #maxTables: number;
  readonly random: () => number;
  readonly #onWindow: OnWindow;
  readonly #tables = new Map<string, TableState>();
  /** The start of the current windows. */
  #start = -Infinity;

  constructor(options: CollectOptions, onWindow: OnWindow) {
    const { windowMs = 60_000, maxSamples = 2048, topKeys = 256 } = options;
    this.windowMs = windowMs;
    this.#limits = { maxSamples, topKeys };
    this.#sample = options.sample ?? 1;
    this.#maxTables = options.maxTables ?? 64;
    this.random = options.random ?? Math.random;
    this.#onWindow = onWindow;
  }

  /** The share of the operations on a table that is taken at present; 0 if it is not collected. */
  probability(table: string): number {
    const state = this.#tables.get(table) ?? this.#addTable(table);
    return state === ignored ? 0 : (state.window?.probability ?? this.#sample);
  }

  /**
   * Chooses operations: returns 0 for one to leave out, or else the probability with which it was
   * chosen, to be passed to `add`. Called once for each operation, and cheap if it is left out.
   */
  take(table: string): number {
    const state = this.#tables.get(table) ?? this.#addTable(table);
    if (state.skip > 0) {
      if (state !== ignored) state.skip--;
      return 0;
    }
    const probability = state.window?.probability ?? this.#sample;
    state.skip = skipCount(probability, this.random);
    return probability;
  }

  /** Adds an operation that `take` has chosen. */
  add(operation: TakenOperation): void {
    this.endWindows(operation.at);
    const state = this.#tables.get(operation.table) ?? this.#addTable(operation.table);
    if (state === ignored) return;
    state.window ??= this.#newWindow();
    state.window.add(operation);
  }

  /**
   * Ends the windows that began before the one of `at`. If the clock was set back by two windows or
   * less, operations are added to the current ones; if it jumped further, new ones begin.
   */
  endWindows(at: number): void {
    const start = Math.floor(at / this.windowMs) * this.windowMs;
    if (start <= this.#start && this.#start - start <= maxSetBack * this.windowMs) return;
    this.end();
    this.#start = start;
  }

  /** Ends all windows. */
  end(): void {
    for (const state of this.#tables.values()) {
      const { window } = state;
      state.window = undefined;
      // A busy window may have left many operations to skip.
      state.skip = skipCount(this.#sample, this.random);
      if (window !== undefined) this.#onWindow(state.table, window.end());
    }
    // Tables that are no longer used make room for new ones.
    if (this.#tables.size >= this.#maxTables) this.#tables.clear();
    this.#start = -Infinity;
  }

  #newWindow(): WindowSample {
    return new WindowSample(this.#start, this.#limits, this.#sample, this.random);
  }

  #addTable(table: string): TableState {
    if (this.#tables.size >= this.#maxTables) return ignored;
    const skip = skipCount(this.#sample, this.random);
    const state: TableState = { table, skip, window: undefined };
    this.#tables.set(table, state);
    return state;
  }
}

/** Collects operations that are given in the order of their time. */
export function collectAccess(
  operations: Iterable<AccessOperation>,
  options: CollectOptions = {},
): AccessLog {
  const tables = new Map<string, AccessWindow[]>();
  const collector = new AccessCollector(options, (table, window) => {
    const windows = tables.get(table) ?? [];
    tables.set(table, windows);
    windows.push(window);
  });
  for (const { table, kind, key, bytes, at } of operations) {
    // Before `takes`: a skip of the last window must not reach into the next one.
    collector.endWindows(at);
    const probability = collector.take(table);
    if (probability === 0) continue;
    const taken = { table, kind, keyBytes: key, keyStart: 0, keyEnd: key.length };
    collector.add({ ...taken, bytes, at, probability });
  }
  collector.end();
  return {
    windowMs: collector.windowMs,
    tables: [...tables]
      .map(([table, windows]) => ({ table, windows }))
      .sort((a, b) => (a.table < b.table ? -1 : 1)),
  };
}
