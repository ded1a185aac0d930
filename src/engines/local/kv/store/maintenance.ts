/**
 * The work behind the writes: full buffers become tables, tables are merged, and the manifest
 * follows. One piece of work at a time, in steps between which other calls are executed.
 */
import { setImmediate as nextTurn } from 'node:timers';
import type { Levels, MergedPart } from '../levels/levels.js';
import { compactionStep, type MergePlan, nextMerge } from '../levels/merge-policy.js';
import { type KeySpan, spanOf, wholeTable, sizeOf, withoutSpans } from '../levels/table-entry.js';
import { compareBytes, noBytes } from '../../../../base/index.js';
import type { SegmentId } from '../log/log-record.js';
import type { Table } from '../tables/table.js';
import type { Buffers } from './buffers.js';
import type { StoreFiles } from './store-files.js';
import type { StoreLimits } from './store-limits.js';
import type { CollectPair } from '../ordered-store.js';
import { mergeTables, writeBuffers, type WriteContext } from './write-table.js';

/** What the work is done on. */
export interface MaintenanceParts {
  readonly files: StoreFiles;
  readonly limits: StoreLimits;
  readonly buffers: Buffers;
  /** Called when pairs have moved. */
  readonly onChange: () => void;
  /** The segment of the log that is being written. */
  readonly lastSegment: () => SegmentId | undefined;
  /** Frees space of the log on a full disk; false if there was nothing. */
  readonly trimLog: () => boolean;
  /** Freezes the buffer that is written to, which may remove what older ones have. */
  readonly freezeRemovals: () => void;
  /** Called once the log before a segment is not needed any more. */
  readonly onSaved: (segment: SegmentId | undefined) => void;
}

/** A compaction of all tables. */
interface RunningCompaction {
  /** The first key that was not visited. */
  from: Uint8Array;
  readonly onStep: (fraction: number) => void;
  readonly onEnd: () => void;
}

/** Thrown to end work when the store is closed. */
const stopped = new Error('stopped');

/** Milliseconds before work is attempted again after it has failed. */
const retryMs = 1000;

export class Maintenance {
  #levels: Levels;
  /** What the saved manifest says. */
  #commit: number;
  #segment: SegmentId | undefined;
  /** True when the manifest does not say what is true. */
  #isDirty = false;
  /** Tables that no level has any more. */
  readonly #unused = new Set<Table>();
  /** The ranges that were removed while pieces of work run. */
  readonly #watching = new Set<KeySpan[]>();
  readonly #cursors: (Uint8Array | undefined)[] = [];
  #isRunning = false;
  #isStopped = false;
  #error: Error | undefined = undefined;
  #retry: NodeJS.Timeout | undefined = undefined;
  #idle: (() => void)[] = [];
  #relief: (() => void)[] = [];
  #compaction: RunningCompaction | undefined = undefined;

  /** What merges leave of pairs; undefined for all of them. */
  collect: CollectPair | undefined = undefined;

  readonly #parts: MaintenanceParts;
  readonly #context: WriteContext;

  constructor(parts: MaintenanceParts, levels: Levels, commit: number, segment?: SegmentId) {
    this.#parts = parts;
    this.#levels = levels;
    this.#commit = commit;
    this.#segment = segment;
    this.#context = { files: parts.files, pause: () => this.#pause() };
  }

  get levels(): Levels {
    return this.#levels;
  }

  /** The last failure, until work succeeds. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Bytes of all tables. */
  get bytes(): number {
    const tables = new Set([...this.#levels.tables(), ...this.#unused]);
    return [...tables].reduce((sum, { info }) => sum + info.bytes, 0);
  }

  /** True when writes should wait. */
  get isBehind(): boolean {
    const { buffers, limits } = this.#parts;
    return (
      buffers.frozen.length >= limits.waiting || this.#levels.entries[0].length >= limits.maxNewest
    );
  }

  /** Resolves once writes need not wait, or work has failed. */
  async relief(): Promise<void> {
    this.wake();
    if (this.isBehind && this.#isRunning)
      await new Promise<void>((resolve) => void this.#relief.push(resolve));
  }

  /** Applies a removal that is in the log. */
  removeRange(span: KeySpan): void {
    for (const spans of this.#watching) spans.push(span);
    const levels = this.#levels.without(span);
    if (levels === this.#levels) return;
    this.#setLevels(levels);
    this.#isDirty = true;
    this.wake();
  }

  /** Begins the work that is due. */
  wake(): void {
    if (this.#isRunning || this.#isStopped || !this.#mayBeDue()) return;
    this.#isRunning = true;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void this.#run();
  }

  /** Resolves once no work is due, or it has failed, which then is thrown. */
  async settle(): Promise<void> {
    await this.#end();
    if (this.#error !== undefined && this.#isDue()) throw this.#error;
  }

  /** Merges all tables; those that are written meanwhile, in part. */
  async compact(onStep: (fraction: number) => void): Promise<void> {
    while (this.#compaction !== undefined && !this.#isStopped) await this.settle();
    // What runs already may fail for want of space that is free since.
    for (let attempts = this.#isRunning ? 2 : 1; attempts > 0 && !this.#isStopped; attempts--) {
      let isDone = false;
      this.#compaction = { from: noBytes, onStep, onEnd: () => (isDone = true) };
      await this.#end();
      if (isDone) return;
    }
    if (this.#error !== undefined) throw this.#error;
  }

  /** Begins the work that is due, and resolves once it has ended. */
  async #end(): Promise<void> {
    this.wake();
    while (this.#isRunning) await new Promise<void>((resolve) => void this.#idle.push(resolve));
  }

  /** Ends the work after its current step. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    while (this.#isRunning) await new Promise<void>((resolve) => void this.#idle.push(resolve));
  }

  /** Writes all buffers and the manifest, after the work was stopped. */
  async finish(): Promise<void> {
    const { buffers } = this.#parts;
    this.#isStopped = false;
    try {
      while (buffers.oldest !== undefined) await this.#flush();
      if (this.#isDirty) await this.#save();
    } finally {
      this.#isStopped = true;
    }
  }

  /** A plan reads indexes. If that fails, the work does: its caller may be in a commit. */
  #mayBeDue(): boolean {
    try {
      return this.#isDue();
    } catch {
      return true;
    }
  }

  #isDue(): boolean {
    return (
      this.#parts.buffers.oldest !== undefined ||
      this.#isDirty ||
      this.#compaction !== undefined ||
      this.#plan() !== undefined
    );
  }

  #plan(): MergePlan | undefined {
    return nextMerge(this.#levels, this.#parts.limits, this.#cursors);
  }

  async #run(): Promise<void> {
    try {
      // In a later turn: it was begun within a commit.
      await turn();
      if (this.#error !== undefined) this.#parts.freezeRemovals();
      while (!this.#isStopped && (await this.#work())) await this.#pause();
      this.#error = undefined;
    } catch (error) {
      if (error !== stopped) this.#fail(error);
    } finally {
      this.#isRunning = false;
      for (const resolve of [...this.#idle.splice(0), ...this.#relief.splice(0)]) resolve();
    }
    // What became due since the last look.
    if (this.#error === undefined) this.wake();
  }

  #fail(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
    this.#compaction = undefined;
    if (!this.#isStopped) this.#retry = setTimeout(() => this.wake(), retryMs).unref();
  }

  /** Does one piece of work; false if none is due. */
  async #work(): Promise<boolean> {
    try {
      return await this.#nextWork();
    } catch (error) {
      if (error === stopped || !(await this.#parts.files.releaseReserve())) throw error;
      // The next attempt is planned anew: a part of a merge may be installed.
      return true;
    }
  }

  async #nextWork(): Promise<boolean> {
    if (this.#parts.buffers.oldest !== undefined) {
      await this.#flush();
      return true;
    }
    const plan = this.#plan();
    if (plan !== undefined) {
      await this.#merge(plan);
      return true;
    }
    if (this.#compaction !== undefined) {
      await this.#compactStep(this.#compaction);
      return true;
    }
    if (!this.#isDirty) return false;
    await this.#save();
    return true;
  }

  /**
   * Writes the oldest buffer to a table. After a failure, all of them to one: what newer buffers
   * have removed then takes no space on a full disk.
   */
  async #flush(): Promise<void> {
    const { buffers } = this.#parts;
    const frozen = this.#error === undefined ? [buffers.oldest!] : buffers.frozen;
    const pairs = frozen.map((buffer) => buffer.pairs);
    const spans = this.#watch();
    try {
      const context = { files: this.#parts.files, pause: () => this.#checkRunning() };
      const table = await this.#attempt(() => writeBuffers(pairs, context));
      if (table !== undefined) {
        const entries = withoutSpans([wholeTable(table)], spans);
        this.#setLevels(this.#levels.withNewest(entries));
        if (entries.length === 0) this.#unused.add(table);
      }
      buffers.removeWritten(frozen);
      this.#parts.onChange();
      this.#commit = frozen[0].commit;
      this.#segment = frozen[0].segment;
      this.#isDirty = true;
      this.#relieve();
      await this.#save();
    } finally {
      this.#watching.delete(spans);
    }
  }

  async #compactStep(compaction: RunningCompaction): Promise<void> {
    const { plan, next } = compactionStep(this.#levels, this.#parts.limits, compaction.from);
    if (plan !== undefined) await this.#merge(plan);
    compaction.onStep(this.#shareBefore(next));
    if (next !== undefined) {
      compaction.from = next;
      return;
    }
    this.#compaction = undefined;
    compaction.onEnd();
  }

  /** The part of the tables with keys before one, 0 to 1. */
  #shareBefore(key: Uint8Array | undefined): number {
    if (key === undefined) return 1;
    const all = this.#levels.entries.flat();
    const before = all.filter(({ end }) => compareBytes(end, key) <= 0);
    return sizeOf(before) / Math.max(1, sizeOf(all));
  }

  async #merge(plan: MergePlan): Promise<void> {
    const inputs = plan.runs.flat();
    if (plan.isMove) {
      this.#setLevels(this.#levels.withMoved(inputs, plan.level));
      this.#isDirty = true;
      this.#relieve();
      return;
    }
    const pinned = new Set(inputs);
    for (const { table } of inputs) table.pins++;
    const unpinBefore = (end: Uint8Array | undefined): void => {
      for (const input of pinned) {
        if (end !== undefined && compareBytes(input.end, end) > 0) continue;
        pinned.delete(input);
        input.table.pins--;
      }
    };
    const spans = this.#watch();
    const install = async (part: MergedPart): Promise<void> => {
      const outputs = withoutSpans(part.outputs, spans);
      this.#setLevels(this.#levels.withMerged({ ...part, outputs }));
      for (const { table } of part.outputs)
        if (!outputs.some((entry) => entry.table === table)) this.#unused.add(table);
      this.#isDirty = true;
      unpinBefore(part.end);
      await this.#save();
    };
    try {
      await mergeTables(
        plan,
        this.#parts.limits.table,
        { ...this.#context, collect: this.collect },
        install,
      );
      if (plan.runs.length > 0) this.#cursors[plan.level - 1] = spanOf(inputs).end;
      this.#relieve();
    } finally {
      this.#watching.delete(spans);
      unpinBefore(undefined);
    }
  }

  /**
   * Works; where the disk is full, again with the space that is kept for it, or the space that the
   * log has allocated: enough for a table of removals. The next write of a row allocates it again.
   */
  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error === stopped) throw error;
      if (!(await this.#parts.files.releaseReserve()) && !this.#parts.trimLog()) throw error;
      return work();
    }
  }

  /** Between two steps of a merge, full buffers are written: writes may wait for it. */
  async #pause(): Promise<void> {
    await this.#checkRunning();
    while (this.#parts.buffers.oldest !== undefined) await this.#flush();
  }

  async #checkRunning(): Promise<void> {
    await turn();
    if (this.#isStopped) throw stopped;
  }

  #watch(): KeySpan[] {
    const spans: KeySpan[] = [];
    this.#watching.add(spans);
    return spans;
  }

  #setLevels(levels: Levels): void {
    const tables = levels.tables();
    for (const table of this.#levels.tables()) if (!tables.has(table)) this.#unused.add(table);
    this.#levels = levels;
    this.#parts.onChange();
  }

  /** Saves the manifest, and then removes what it does not name. */
  async #save(): Promise<void> {
    const { files, onSaved } = this.#parts;
    const lastSegment = this.#parts.lastSegment();
    const state = {
      levels: this.#levels,
      commit: this.#commit,
      segment: this.#segment,
      lastSegment,
    };
    this.#isDirty = false;
    try {
      await this.#attempt(() => files.save(state));
    } catch (error) {
      this.#isDirty = true;
      throw error;
    }
    onSaved(state.segment);
    const named = state.levels.tables();
    const unused = [...this.#unused].filter((table) => table.pins === 0 && !named.has(table));
    for (const table of unused) this.#unused.delete(table);
    await files.remove(unused);
  }

  #relieve(): void {
    if (this.isBehind) return;
    for (const resolve of this.#relief.splice(0)) resolve();
  }
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => void nextTurn(resolve));
}
