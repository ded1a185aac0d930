/**
 * Reads of rollup rows in which something is open: marks of writes that were made are settled, and
 * what a deletion has left stale is computed, before the rows are read again.
 */
import {
  bucketState,
  type EntityModel,
  marksProperty,
  type RollupModel,
  stateProperty,
} from '../../model/index.js';
import type { Engine } from '../../../data/store/index.js';
import { type Bucket, BucketBuilder } from './bucket-builder.js';
import type { StoredBucket } from '../rollup/bucket/bucket-row.js';
import { retentionMillis } from '../rollup/rollup-range.js';
import { textOf } from '../rollup/input/reading.js';

type Cells = Readonly<Record<string, unknown>>;

/** A build that takes longer has stopped. */
const maxBuildMillis = 3_600_000;

/** The rows of one rollup. */
export class OpenBuckets {
  readonly #rollup: RollupModel;
  readonly #builder: BucketBuilder;
  readonly #retention: number | undefined;
  readonly #now: () => number;

  /** `now` is in milliseconds since 1970. */
  constructor(engine: Engine, model: EntityModel, rollup: RollupModel, now: () => number) {
    this.#rollup = rollup;
    this.#builder = new BucketBuilder(engine, model, rollup);
    this.#retention = retentionMillis(model);
    this.#now = now;
  }

  /** Whether a row must be settled before it is used. */
  isOpen(row: Cells): boolean {
    return isFilled(row[marksProperty]) || isUnfinished(row[stateProperty]);
  }

  /** Settles rows. Rejects with the error of the storage. */
  async settle(rows: readonly Cells[], signal?: AbortSignal): Promise<void> {
    const buckets = rows.map((row) => this.#bucketOf(row));
    const stored = await this.#builder.buckets.readAll(buckets.map(({ key }) => textOf(key)));
    for (const [i, bucket] of buckets.entries()) {
      signal?.throwIfAborted();
      await this.#settle(bucket, stored[i], signal);
    }
  }

  async #settle(bucket: Bucket, stored: StoredBucket, signal?: AbortSignal): Promise<void> {
    const now = this.#now();
    const { isStale, buildSince } = await this.#builder.settle(bucket, stored, now, {
      abandoned: false,
    });
    const hasStopped =
      buildSince !== undefined && Number(buildSince / 1000n) < now - maxBuildMillis;
    if (!isStale && !hasStopped) return;
    if (this.#isWhole(bucket, now)) await this.#builder.build(bucket, now, signal);
  }

  /** Whether no row of the bucket can have been collected. */
  #isWhole({ segments }: Bucket, now: number): boolean {
    const begins = (segments[this.#rollup.time] as Date).getTime();
    return this.#retention === undefined || begins >= now - this.#retention;
  }

  #bucketOf(row: Cells): Bucket {
    const segments: Record<string, unknown> = {};
    for (const name of this.#rollup.by) segments[name] = row[name];
    return { segments, key: this.#rollup.rows.key.encode(segments) };
  }
}

function isFilled(map: unknown): boolean {
  return map instanceof Map && map.size > 0;
}

/** Whether a build runs, or a value must be computed. */
function isUnfinished(state: unknown): boolean {
  const { build, stale } = bucketState;
  return [build, stale].some(
    (name) => state instanceof Map && state.has(Buffer.from(name).toString()),
  );
}
