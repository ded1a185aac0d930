/** Computes buckets of one rollup from their rows, and settles the marks that writers have left. */
import { allEnded, latin1Text } from '../../../base/index.js';
import { bucketState, type EntityModel, type RollupModel } from '../../model/index.js';
import type { Engine, Mutation } from '../../../data/store/index.js';
import { failure } from '../write/row-requests.js';
import { RowWriter, newId } from '../write/row-writer.js';
import {
  type BuildJob,
  type BuildResult,
  type Built,
  continueBuild,
  startBuild,
  unseenOf,
} from '../protocol/bucket-build.js';
import { continueRecovery, startRecovery } from '../protocol/mark-recovery.js';
import type { StorageAnswer, MarkName, Request } from '../protocol/step.js';
import { addition, removalsOf } from '../rollup/bucket/bucket-additions.js';
import type { BucketChange } from '../rollup/bucket/bucket-change.js';
import { BucketRequests } from '../rollup/bucket/bucket-requests.js';
import {
  deleteState,
  setState,
  type StoredBucket,
  type StoredMark,
  valueIn,
} from '../rollup/bucket/bucket-row.js';
import { type BucketTotals, int64Of, isOrdered } from '../rollup/bucket/bucket-totals.js';
import { RollupSourceRows, type ScannedBucket } from '../rollup/source.js';

type Segments = Readonly<Record<string, unknown>>;

/** A bucket, by the segments of its row. */
export interface Bucket {
  readonly key: Uint8Array;
  readonly segments: Segments;
}

const dayMillis = 86_400_000;
/**
 * Marks that are older say nothing: storage forgets after seven days which writes of a row were
 * made. Clocks differ by up to a day.
 */
const maxMarkAge = 5 * dayMillis;
/** A write that takes longer starts again. */
const minAbandonedMillis = 60_000;

/** The buckets of one rollup. */
export class BucketBuilder {
  readonly source: RollupSourceRows;
  readonly buckets: BucketRequests;
  readonly #engine: Engine;
  readonly #rollup: RollupModel;
  readonly #at: number;
  readonly #writer: RowWriter;

  constructor(engine: Engine, model: EntityModel, rollup: RollupModel) {
    this.#engine = engine;
    this.#rollup = rollup;
    this.#at = model.rollups.findIndex(({ id }) => id === rollup.id);
    this.#writer = new RowWriter(engine, model);
    this.source = new RollupSourceRows(model, rollup);
    this.buckets = new BucketRequests(engine, rollup);
  }

  /**
   * Computes a bucket, and stores what differs. `now` is in milliseconds. Rejects with the error of
   * the storage; the bucket keeps its values.
   */
  async build(
    { key, segments }: Bucket,
    now: number,
    signal?: AbortSignal,
  ): Promise<BuildResult['kind']> {
    const job: BuildJob = {
      id: newId(),
      rollup: this.#at,
      bucket: latin1Text(key),
      isOld: (mark) => isOld(mark as StoredMark, now),
      isOrdered: this.#rollup.cells.some(({ family }) => isOrdered(family)),
      correct: (built, whole) => this.#correction(built, whole),
    };
    let step = startBuild(job);
    let failed: unknown;
    while (step.kind === 'ask') {
      signal?.throwIfAborted();
      let answer: StorageAnswer;
      try {
        answer = await this.#ask(step.request, segments, signal);
      } catch (error) {
        failed = error;
        answer = failure(error);
      }
      step = continueBuild(job, step.state, answer);
    }
    if (step.result.kind !== 'failed') return step.result.kind;
    // What is added is not kept any longer than somebody needs it.
    await this.buckets.finishBuild(job.bucket, job.id, [], undefined).catch(() => undefined);
    throw failed;
  }

  /**
   * Adds the marks of writes that were made. If `abandoned` is set, removes marks of writes that
   * can no longer be made, after a minute. `old` includes marks so old that storage may have
   * forgotten whether they were made: for buckets that cannot be computed. Resolves to the bucket
   * afterwards: a mark that was added may leave it stale.
   */
  async settle(
    { key }: Bucket,
    stored: StoredBucket,
    now: number,
    { abandoned, old = false }: { readonly abandoned: boolean; readonly old?: boolean },
  ): Promise<StoredBucket> {
    if (stored.marks.length + stored.damaged.length === 0) return stored;
    if (stored.damaged.length > 0 && abandoned)
      await this.buckets.removeDamaged(latin1Text(key), stored.damaged);
    const bucket = latin1Text(key);
    const marks = old ? stored.marks : stored.marks.filter((mark) => !isOld(mark, now));
    const left = await this.#settleMade(bucket, marks);
    for (const mark of abandoned ? left : [])
      if (Number(mark.since / 1000n) < now - minAbandonedMillis) await this.#recover(bucket, mark);
    return this.buckets.read(bucket);
  }

  /** The marks of writes that were made. */
  async made(marks: readonly StoredMark[]): Promise<readonly StoredMark[]> {
    const rows = await Promise.all(
      marks.map(({ row }) => this.#writer.requests.readRow(Buffer.from(row, 'latin1'))),
    );
    return marks.filter(({ token }, i) => rows[i].rolled[this.#at]?.token === token);
  }

  /** Returns the other marks. */
  async #settleMade(bucket: string, marks: readonly StoredMark[]): Promise<readonly StoredMark[]> {
    const made = await this.made(marks);
    await allEnded(
      made.map(({ token }) => this.buckets.settle({ rollup: this.#at, bucket, token })),
    );
    return marks.filter((mark) => !made.includes(mark));
  }

  async #recover(bucket: string, { token, row }: StoredMark): Promise<void> {
    const job = { id: newId(), rollup: this.#at, bucket, token, row };
    let step = startRecovery(job);
    while (step.kind === 'ask') {
      const answer = await this.#ask(step.request, {}).catch(failure);
      step = continueRecovery(job, step.state, answer);
    }
  }

  async #ask(request: Request, segments: Segments, signal?: AbortSignal): Promise<StorageAnswer> {
    switch (request.kind) {
      case 'readBucket':
        return { kind: 'bucket', bucket: await this.buckets.read(request.bucket) };
      case 'startBuild':
        await this.buckets.startBuild(request.bucket, request.build);
        return { kind: 'done', applied: true };
      case 'scanBucket':
        return {
          kind: 'scanned',
          rows: await this.source.bucketOf(this.#engine, segments, signal),
        };
      case 'finishBuild': {
        const { bucket, build, correction, since } = request;
        const mutations = correction as readonly Mutation[];
        const applied = await this.buckets.finishBuild(bucket, build, mutations, since);
        return { kind: 'done', applied };
      }
      case 'settle':
        await allEnded(request.marks.map((mark) => this.buckets.settle(mark)));
        return { kind: 'done', applied: true };
      case 'unmark':
        await this.#unmark(request.marks);
        return { kind: 'done', applied: true };
      default: {
        const row = request.kind === 'readRow' || request.kind === 'fence' ? request.row : '';
        return this.#writer.requests.send(request, {
          key: Buffer.from(row, 'latin1'),
          mutations: [],
          condition: undefined,
        });
      }
    }
  }

  async #unmark(marks: readonly MarkName[]): Promise<void> {
    for (const { bucket, token } of marks) await this.buckets.unmark(bucket, [token]);
  }

  /** The mutations that make the bucket hold what its rows add. */
  #correction(built: Built, whole: boolean): readonly Mutation[] {
    const first = built.first as StoredBucket;
    const last = built.last as StoredBucket;
    const { totals } = built.rows as ScannedBucket;
    const unseen = unseenOf(last.log, built).map(({ change }) => change);
    const all = last.log.map(({ change }) => change);
    const seen = all.filter((change) => !unseen.includes(change));
    const before = first.log.map(({ change }) => change);
    const mutations = this.#sums(totals, first, before, seen);
    if (whole) mutations.push(...this.#extremes(totals, unseen));
    return mutations;
  }

  #sums(
    totals: BucketTotals,
    first: StoredBucket,
    before: readonly BucketChange[],
    seen: readonly BucketChange[],
  ): Mutation[] {
    return this.#rollup.cells.flatMap((cell) => {
      const { family, qualifier } = cell;
      const sum = totals.sumOf(cell);
      if (sum === undefined) return [];
      const name = Buffer.from(qualifier).toString();
      const stored = int64Of(valueIn(first, family, qualifier)?.value);
      const added = deltaOf(seen, name) - deltaOf(before, name);
      const correction = sum - stored - added;
      return correction === 0n ? [] : [addition(family, name, correction)];
    });
  }

  #extremes(totals: BucketTotals, unseen: readonly BucketChange[]): readonly Mutation[] {
    for (const { time, cells } of unseen) for (const cell of cells) totals.addExtreme(cell, time);
    const isStale = removalsOf(unseen).some(({ change, time }) =>
      totals.mayBeExtreme(change, time),
    );
    const { stale } = bucketState;
    return [...totals.extremes(), ...(isStale ? setState(stale, '') : [deleteState(stale)])];
  }
}

/** Whether storage may have forgotten whether the write of a mark was made. */
export function isOld({ since }: StoredMark, now: number): boolean {
  return Number(since / 1000n) < now - maxMarkAge;
}

/** What changes add to a sum. */
function deltaOf(changes: readonly BucketChange[], qualifier: string): bigint {
  let sum = 0n;
  for (const { cells } of changes)
    for (const cell of cells) {
      if (isOrdered(cell.family) || cell.qualifier !== qualifier) continue;
      sum +=
        BigInt((cell.is as bigint | undefined) ?? 0) -
        BigInt((cell.was as bigint | undefined) ?? 0);
    }
  return sum;
}
