/** Files that go past the page: each has a link that works once, and a progress to follow. */
import { randomBytes } from 'node:crypto';
import type { FaultTexts } from '../../../base/index.js';
import type { ByteSink, ByteSource } from '../../transfer/index.js';
import type { WorkProgress } from '../protocol/failure.js';
import type { Transfer, TransferLine, TransferReport } from '../protocol/transfer.js';
import { reportedError, StudioError } from '../studio-error.js';
import { withProgress } from '../work-progress.js';

/** What a run of a transfer is given. */
export interface TransferRun {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: WorkProgress) => void;
  /** Bytes of an upload, if the browser says. */
  readonly size?: number | undefined;
}

/** A file that is downloaded, or one that is sent. */
export type TransferJob = {
  /** Of the downloaded file. */
  readonly name: string;
  readonly contentType: string;
} & (
  | {
      readonly kind: 'download';
      /** Bytes, if they are known. */
      readonly size?: number;
      readonly run: (sink: ByteSink, run: TransferRun) => Promise<TransferReport>;
    }
  | {
      readonly kind: 'upload';
      readonly run: (source: ByteSource, run: TransferRun) => Promise<TransferReport>;
    }
);

/** Milliseconds for which a link works. */
const validMs = 600_000;
/** Transfers that are remembered. */
const maxTransfers = 1_000;

class PendingTransfer {
  progress: WorkProgress = { done: 0, unit: 'rows' };
  isTaken = false;
  #hasEnded = false;
  readonly ended: Promise<TransferReport>;
  readonly #cancel = new AbortController();
  #end!: (report: TransferReport) => void;
  #fail!: (error: unknown) => void;

  constructor(
    readonly job: TransferJob,
    readonly until: number,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    // Nobody need follow it.
    this.ended.catch(() => undefined);
  }

  /** Whether it had not ended. */
  cancel(): boolean {
    if (this.#hasEnded) return false;
    this.#cancel.abort(new Error('the transfer was cancelled'));
    if (!this.isTaken) this.#finish(this.#cancelled());
    this.isTaken = true;
    return true;
  }

  async run(
    gone: AbortSignal,
    work: (run: Omit<TransferRun, 'size'>) => Promise<TransferReport>,
  ): Promise<TransferReport> {
    const onProgress = (progress: WorkProgress): void => void (this.progress = progress);
    const signal = AbortSignal.any([gone, this.#cancel.signal]);
    try {
      return this.#finish(await work({ signal, onProgress }));
    } catch (error) {
      if (this.#cancel.signal.aborted) return this.#finish(this.#cancelled());
      this.#hasEnded = true;
      this.#fail(error);
      throw error;
    }
  }

  #finish(report: TransferReport): TransferReport {
    this.#hasEnded = true;
    this.#end(report);
    return report;
  }

  #cancelled(): TransferReport {
    const { unit, done } = this.progress;
    const rows = unit === 'rows' ? done : 0;
    return { rows, bytes: 0, failed: 0, failures: [], cancelled: true };
  }
}

/** The transfers of a studio. */
export class Transfers {
  readonly #now: () => number;
  readonly #pending = new Map<string, PendingTransfer>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Announces a transfer; it begins when its link is used. */
  add(job: TransferJob): Transfer {
    for (const [id, { until }] of this.#pending)
      if (until < this.#now() || this.#pending.size >= maxTransfers) this.#pending.delete(id);
    const id = randomBytes(16).toString('hex');
    this.#pending.set(id, new PendingTransfer(job, this.#now() + validMs));
    return { id, href: `/transfer/${id}`, name: job.name };
  }

  /** The transfer of a link, for its one use. Throws NOT_FOUND. */
  take(id: string, kind: TransferJob['kind']): PendingTransfer {
    const found = this.#pending.get(id);
    if (
      found === undefined ||
      found.isTaken ||
      found.job.kind !== kind ||
      found.until < this.#now()
    )
      throw new StudioError('NOT_FOUND', faults.usedLink);
    found.isTaken = true;
    return found;
  }

  /** Stops a transfer; returns whether it had not ended. Throws NOT_FOUND. */
  cancel(id: string): boolean {
    const found = this.#pending.get(id);
    if (found === undefined) throw new StudioError('NOT_FOUND', faults.usedLink);
    return found.cancel();
  }

  /** The progress of a transfer, to its end. Throws NOT_FOUND. */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<TransferLine> {
    const found = this.#pending.get(id);
    if (found === undefined) throw new StudioError('NOT_FOUND', faults.usedLink);
    const gone = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    gone.catch(() => undefined);
    try {
      const ended = Promise.race([found.ended, gone]);
      const report = yield* withProgress(ended, () => found.progress);
      yield { type: 'done', report };
    } catch (error) {
      yield { type: 'error', error: reportedError(error).failure };
    }
  }
}

const faults = {
  usedLink: {
    problem: 'the link does not exist, was used, or is older than ten minutes',
    fix: 'start the transfer again',
  },
} satisfies FaultTexts;
