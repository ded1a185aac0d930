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

/** Called with each window that has ended. */
export type OnWindow = (table: string, window: AccessWindow) => void;

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
  readonly #random: () => number;
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
    this.#random = options.random ?? Math.random;
    this.#onWindow = onWindow;
  }

  /**
   * Whether the next operation on the table is to be added. Called once for each operation, and
   * cheap for those that are skipped.
   */
  takes(table: string): boolean {
    const state = this.#tables.get(table) ?? this.#addTable(table);
    if (state.skip === 0) return true;
    if (state !== ignored) state.skip--;
    return false;
  }

  /** Adds an operation that `takes` has accepted. The key in `[start, end)` is copied. */
  add(
    table: string,
    kind: AccessKind,
    bytes: Uint8Array,
    start: number,
    end: number,
    size: number,
    at: number,
  ): void {
    this.endWindows(at);
    const state = this.#tables.get(table) ?? this.#addTable(table);
    state.window ??= this.#newWindow();
    state.window.add(kind, bytes, start, end, size);
    state.skip = state.window.nextSkip();
  }

  /**
   * Ends the windows that began before the one of `at`. A clock that was set back changes nothing:
   * operations are added to the current windows.
   */
  endWindows(at: number): void {
    const start = Math.floor(at / this.windowMs) * this.windowMs;
    if (start <= this.#start) return;
    this.end();
    this.#start = start;
  }

  /** Ends all windows. */
  end(): void {
    for (const state of this.#tables.values()) {
      const { window } = state;
      state.window = undefined;
      // A busy window may have left many operations to skip.
      state.skip = skipCount(this.#sample, this.#random);
      if (window !== undefined) this.#onWindow(state.table, window.end());
    }
    // Tables that are no longer used make room for others.
    if (this.#tables.size >= this.#maxTables) this.#tables.clear();
    this.#start = -Infinity;
  }

  #newWindow(): WindowSample {
    return new WindowSample(this.#start, this.#limits, this.#sample, this.#random);
  }

  #addTable(table: string): TableState {
    if (this.#tables.size >= this.#maxTables) return ignored;
    const skip = skipCount(this.#sample, this.#random);
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
    if (collector.takes(table)) collector.add(table, kind, key, 0, key.length, bytes, at);
  }
  collector.end();
  return {
    windowMs: collector.windowMs,
    tables: [...tables]
      .map(([table, windows]) => ({ table, windows }))
      .sort((a, b) => (a.table < b.table ? -1 : 1)),
  };
}
