/**
 * The work behind the writes: full buffers become tables, tables are merged, and the manifest
 * follows. One piece of work at a time, in steps between which other calls are executed.
 */
import type { Levels, MergedPart } from '../levels/levels.js';
import { compactionStep, type MergePlan, nextMerge } from '../levels/merge-policy.js';
import { type KeySpan, spanOf, wholeTable, sizeOf, withoutSpans } from '../levels/table-entry.js';
import { compareBytes, noBytes } from '../../../../base/index.js';
import type { Buffers } from './buffers.js';
import { type InstalledParts, InstalledLevels, type LogPosition } from './installed-levels.js';
import type { StoreLimits } from './store-limits.js';
import type { CollectPair } from '../ordered-store.js';
import { turn, WorkLoop } from './work-loop.js';
import { mergeTables, writeBuffers, type WriteContext } from './write-table.js';

export interface MaintenanceParts extends InstalledParts {
  readonly limits: StoreLimits;
  readonly buffers: Buffers;
  /** Freezes the buffer that is written to, which may remove what older ones have. */
  readonly freezeRemovals: () => void;
}

interface RunningCompaction {
  /** The first key that was not visited. */
  from: Uint8Array;
  readonly onStep: (fraction: number) => void;
  readonly onEnd: () => void;
}

export class Maintenance {
  readonly #installed: InstalledLevels;
  readonly #loop: WorkLoop;
  readonly #cursors: (Uint8Array | undefined)[] = [];
  #relief: (() => void)[] = [];
  #compaction: RunningCompaction | undefined = undefined;

  /** What merges leave of pairs; undefined for all of them. */
  collect: CollectPair | undefined = undefined;

  readonly #parts: MaintenanceParts;
  readonly #context: WriteContext;

  constructor(parts: MaintenanceParts, levels: Levels, position: LogPosition) {
    this.#parts = parts;
    this.#installed = new InstalledLevels(parts, levels, position);
    this.#loop = new WorkLoop({
      isDue: () => this.#isDue(),
      next: () => this.#nextWork(),
      onRetry: parts.freezeRemovals,
      onFailure: () => (this.#compaction = undefined),
      onEnd: () => {
        for (const resolve of this.#relief.splice(0)) resolve();
      },
      releaseReserve: () => parts.files.releaseReserve(),
    });
    this.#context = { files: parts.files, pause: () => this.#pause() };
  }

  get levels(): Levels {
    return this.#installed.levels;
  }

  get error(): Error | undefined {
    return this.#loop.error;
  }

  get bytes(): number {
    return this.#installed.bytes;
  }

  /** True when writes should wait. */
  get isBehind(): boolean {
    const { buffers, limits } = this.#parts;
    return (
      buffers.frozen.length >= limits.waiting || this.levels.entries[0].length >= limits.maxNewest
    );
  }

  /** Resolves once writes need not wait, or work has failed. */
  async relief(): Promise<void> {
    this.wake();
    if (this.isBehind && this.#loop.isRunning)
      await new Promise<void>((resolve) => void this.#relief.push(resolve));
  }

  /** Applies a removal that is in the log. */
  removeRange(span: KeySpan): void {
    this.#installed.removeRange(span);
    if (this.#installed.isDirty) this.wake();
  }

  /** Begins the work that is due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Does the work that is due, until it has ended or failed. */
  end(): Promise<void> {
    return this.#loop.end();
  }

  /** Resolves once no work is due, or it has failed, which then is thrown. */
  async settle(): Promise<void> {
    await this.#loop.end();
    if (this.error !== undefined && this.#isDue()) throw this.error;
  }

  /** Merges all tables; tables that are written meanwhile, in part. */
  async compact(onStep: (fraction: number) => void): Promise<void> {
    const loop = this.#loop;
    while (this.#compaction !== undefined && !loop.isStopped) await this.settle();
    // What runs already may fail for want of space that is free since.
    for (let attempts = loop.isRunning ? 2 : 1; attempts > 0 && !loop.isStopped; attempts--) {
      let isDone = false;
      this.#compaction = { from: noBytes, onStep, onEnd: () => (isDone = true) };
      await loop.end();
      if (isDone) return;
    }
    if (this.error !== undefined) throw this.error;
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Writes all buffers and the manifest, after the work was stopped. */
  async finish(): Promise<void> {
    const { buffers } = this.#parts;
    if (this.error !== undefined && this.#installed.isDirty) await this.#installed.save();
    while (buffers.oldest !== undefined) await this.#flush(turn);
    // A manifest that was deleted is written again, or nothing could be opened.
    if (this.#installed.isDirty || !this.#parts.files.isSaved) await this.#installed.save();
  }

  #isDue(): boolean {
    return (
      this.#parts.buffers.oldest !== undefined ||
      this.#installed.isDirty ||
      this.#compaction !== undefined ||
      this.#plan() !== undefined
    );
  }

  #plan(): MergePlan | undefined {
    return nextMerge(this.levels, this.#parts.limits, this.#cursors);
  }

  /** Does one piece of work; false if none is due. */
  async #nextWork(): Promise<boolean> {
    const isSaved = !this.#installed.isDirty;
    // After a failure, the manifest comes first: what removals have freed is space for the rest.
    if (this.error !== undefined && !isSaved) {
      await this.#installed.save();
      return true;
    }
    if (this.#parts.buffers.oldest !== undefined) {
      await this.#flush(() => this.#loop.pause());
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
    if (isSaved) return false;
    await this.#installed.save();
    return true;
  }

  /**
   * Writes the oldest buffer to a table. After a failure, all of them to one: what newer buffers
   * have removed then takes no space on a full disk.
   */
  async #flush(pause: () => Promise<void>): Promise<void> {
    const { buffers, files } = this.#parts;
    const frozen = this.error === undefined ? [buffers.oldest!] : buffers.frozen;
    const pairs = frozen.map((buffer) => buffer.pairs);
    const { commit, segment } = frozen[0];
    const spans = this.#installed.watch();
    try {
      const table = await this.#installed.attempt(() => writeBuffers(pairs, { files, pause }));
      await this.#installed.install({
        change: (levels) =>
          table === undefined
            ? levels
            : levels.withNewest(withoutSpans([wholeTable(table)], spans)),
        created: table === undefined ? [] : [table],
        position: { commit, segment },
        onChange: () => buffers.removeWritten(frozen),
      });
      this.#relieve();
    } finally {
      this.#installed.unwatch(spans);
    }
  }

  async #compactStep(compaction: RunningCompaction): Promise<void> {
    const { plan, next } = compactionStep(this.levels, this.#parts.limits, compaction.from);
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
    const all = this.levels.entries.flat();
    const before = all.filter(({ end }) => compareBytes(end, key) <= 0);
    return sizeOf(before) / Math.max(1, sizeOf(all));
  }

  async #merge(plan: MergePlan): Promise<void> {
    const installed = this.#installed;
    const inputs = plan.runs.flat();
    if (plan.isMove) {
      installed.move(inputs, plan.level);
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
    const spans = installed.watch();
    const install = async (part: MergedPart): Promise<void> => {
      unpinBefore(part.end);
      await installed.install({
        change: (levels) =>
          levels.withMerged({ ...part, outputs: withoutSpans(part.outputs, spans) }),
        created: part.outputs.map(({ table }) => table),
      });
    };
    try {
      const context = { ...this.#context, collect: this.collect };
      await mergeTables(plan, this.#parts.limits.table, context, install);
      if (plan.runs.length > 0) this.#cursors[plan.level - 1] = spanOf(inputs).end;
      this.#relieve();
    } finally {
      installed.unwatch(spans);
      unpinBefore(undefined);
    }
  }

  /** Between two steps of a merge, full buffers are written: writes may wait for it. */
  async #pause(): Promise<void> {
    await this.#loop.pause();
    while (this.#parts.buffers.oldest !== undefined) await this.#flush(() => this.#loop.pause());
  }

  #relieve(): void {
    if (this.isBehind) return;
    for (const resolve of this.#relief.splice(0)) resolve();
  }
}
