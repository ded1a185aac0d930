/**
 * Compares a rollup with its source, and makes buckets that differ exact. The source is read once,
 * in the order of its keys; then the rows of the rollup that no source row belongs to are found.
 */
import {
  compareBytes,
  copyBytes,
  fromHex,
  invalidArgument,
  rangesAfter,
  RowsmithError,
  toHex,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine, Filter } from '../../../data/store/index.js';
import { BucketTotals, int64Of } from '../rollup/bucket/bucket-totals.js';
import { inTurn } from './finding.js';
import { type Bucket, BucketBuilder, isOld } from './bucket-builder.js';
import { type StoredBucket, valueIn } from '../rollup/bucket/bucket-row.js';
import { type ReadingMaker, textOf } from '../rollup/input/reading.js';
import { RollupRange, type RollupRangeOptions } from '../rollup/rollup-range.js';
import type { RollupSourceRows } from '../rollup/source.js';

/** How a row of a rollup differs from its source. */
export type DifferenceKind = 'missing' | 'orphan' | 'wrong';

/** A row of a rollup that differs. */
export interface BucketDifference {
  readonly kind: DifferenceKind;
  /** The segments of the row. */
  readonly key: Readonly<Record<string, unknown>>;
  /** It was made exact. */
  readonly repaired: boolean;
}

/** What was found so far. */
export interface BucketReport {
  /** Rows of the source that were read. */
  readonly rows: number;
  /** Buckets that were compared. */
  readonly buckets: number;
  /** Buckets without a row. */
  readonly missing: number;
  /** Rows without a source row. */
  readonly orphan: number;
  /** Rows with other values. */
  readonly wrong: number;
  readonly repaired: number;
  /** Buckets that writers changed at each attempt to make them exact. */
  readonly busy: number;
  /** Buckets so old that garbage collection may have deleted their rows: not compared. */
  readonly expired: number;
  /**
   * If garbage collection deletes rows of the source: where the first bucket begins that counts all
   * of its rows. Earlier ones count what was written since they were declared.
   */
  readonly countsSince?: Date;
  /** Where another call can continue; undefined at the end. */
  readonly after?: string;
}

/** Options of `checkRollup`. */
export interface RollupCheckOptions extends RollupRangeOptions {
  /** Whether buckets that differ are made exact. */
  readonly fix: boolean;
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onDifference?: (difference: BucketDifference) => void;
  readonly onProgress?: (report: BucketReport) => void;
}

const batchBuckets = 256;
/** Buckets that are kept in memory if they do not follow the order of the source. */
const maxBuckets = 1_000_000;
/** How often a bucket is compared that is written meanwhile. */
const maxAttempts = 5;
/** A writer needs less time between its two writes, unless it has stopped. */
const confirmAfterMs = 50;
const maxInFlight = 16;
type Counts = { -readonly [N in keyof BucketReport]: BucketReport[N] };

/** Compares the rows of one rollup with its source. */
export async function checkRollup(
  engine: Engine,
  model: EntityModel,
  name: string,
  options: RollupCheckOptions,
): Promise<BucketReport> {
  return new RollupCheck(engine, model, name, options).run();
}

class RollupCheck {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #maker: ReadingMaker;
  readonly #source: RollupSourceRows;
  readonly #builder: BucketBuilder;
  readonly #range: RollupRange;
  readonly #options: RollupCheckOptions;
  readonly #decodeBucket: ReturnType<EntityModel['key']['decoder']>;
  readonly #seen = new Set<string>();
  readonly #counts: Counts = {
    rows: 0,
    buckets: 0,
    missing: 0,
    orphan: 0,
    wrong: 0,
    repaired: 0,
    busy: 0,
    expired: 0,
  };

  constructor(engine: Engine, model: EntityModel, name: string, options: RollupCheckOptions) {
    const rollup = model.rollups.find((each) => each.name === name)!;
    this.#engine = engine;
    this.#model = model;
    this.#builder = new BucketBuilder(engine, model, rollup);
    this.#source = this.#builder.source;
    this.#maker = this.#source.maker;
    this.#range = new RollupRange(model, this.#maker, options, options.now);
    this.#options = options;
    this.#decodeBucket = rollup.rows.key.decoder();
  }

  async run(): Promise<BucketReport> {
    const { phase, key } = this.#position();
    if (phase === 1) await this.#readSource(key);
    await this.#readRollup(phase === 2 ? key : undefined);
    const { after: _, ...report } = this.#counts;
    const { horizon } = this.#range;
    if (horizon === -Infinity) return Object.freeze(report);
    const { width } = this.#maker.rollup;
    // A bucket that begins at the horizon is compared.
    const countsSince = new Date(this.#maker.floored(Math.ceil(horizon) - 1) + width);
    return Object.freeze({ ...report, countsSince });
  }

  #position(): { readonly phase: number; readonly key: Uint8Array | undefined } {
    const { after } = this.#options;
    if (after === undefined) return { phase: 1, key: undefined };
    const [, phase, hex] = /^([12]):((?:[0-9a-f]{2})+)$/.exec(String(after)) ?? [];
    if (hex === undefined)
      throw invalidArgument('after', faults.unknownPosition, {
        entity: this.#model.name,
      });
    return { phase: Number(phase), key: fromHex(hex) };
  }

  /** Buckets end one after the other if they follow the order of the source, or all at the end. */
  async #readSource(after: Uint8Array | undefined): Promise<void> {
    const { sourceRanges } = this.#range;
    const ranges = after === undefined ? sourceRanges : rangesAfter(sourceRanges, after, false);
    const streams = this.#follows();
    let open = new Map<string, BucketTotals>();
    let ended: BucketTotals[] = [];
    let current = '';
    let last: Uint8Array | undefined;
    for await (const rows of this.#source.scan(this.#engine, ranges, this.#options.signal)) {
      this.#options.signal?.throwIfAborted();
      for (const { key, reading } of rows) {
        if (reading === undefined) continue;
        this.#counts.rows++;
        if (!this.#range.contains(reading, this.#maker)) continue;
        if (streams && reading.bucketText !== current) {
          ended.push(...open.values());
          open = new Map();
          current = reading.bucketText;
          if (ended.length >= batchBuckets) {
            await this.#compare(ended);
            ended = [];
            if (last !== undefined) this.#report(1, last);
          }
        }
        last = key;
        let totals = open.get(reading.bucketText);
        if (totals === undefined) {
          if (open.size >= maxBuckets) throw this.#tooManyError();
          totals = new BucketTotals(this.#maker.rollup, reading.bucket);
          open.set(reading.bucketText, totals);
        }
        totals.add(reading);
      }
    }
    const rest = [...ended, ...open.values()];
    for (let from = 0; from < rest.length; from += batchBuckets)
      await this.#compare(rest.slice(from, from + batchBuckets));
    if (last !== undefined) this.#report(1, last);
  }

  /** Whether the rows of a bucket come one after the other. */
  #follows(): boolean {
    const { contiguous, by } = this.#maker.rollup;
    const { shards } = this.#model.key.spec;
    const groups = by.slice(0, -1);
    return contiguous && (shards === undefined || shards.by.every((name) => groups.includes(name)));
  }

  async #compare(all: readonly BucketTotals[]): Promise<void> {
    const sorted = [...all].sort((a, b) => compareBytes(a.bucket, b.bucket));
    const names = sorted.map(({ bucket }) => textOf(bucket));
    const stored = await this.#builder.buckets.readAll(names);
    const differing: Uint8Array[] = [];
    for (const [i, totals] of sorted.entries()) {
      this.#options.signal?.throwIfAborted();
      if (this.#seen.size < maxBuckets) this.#seen.add(names[i]);
      const isExpired = this.#countExpired(totals.bucket);
      if (!isExpired) this.#counts.buckets++;
      if (isOpen(stored[i]) || (!isExpired && !totals.equals(stored[i], [])))
        differing.push(totals.bucket);
    }
    await this.#settleAll(differing);
  }

  /** Rows of the rollup that the source did not show. */
  async #readRollup(after: Uint8Array | undefined): Promise<void> {
    const { rows } = this.#maker.rollup;
    const { rollupRanges } = this.#range;
    const ranges = after === undefined ? rollupRanges : rangesAfter(rollupRanges, after, false);
    if (ranges.length === 0) return;
    const stream = this.#engine.readRows(
      { table: rows.table.name, ranges, reversed: false, filter: keysOnly },
      { signal: this.#options.signal },
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        const keys: Uint8Array[] = [];
        while (page.nextRow()) keys.push(copyBytes(page.keyBytes, page.keyStart, page.keyEnd));
        const unknown = keys.filter((key) => {
          const segments = this.#segmentsOf(key);
          if (segments === undefined || this.#seen.has(textOf(key))) return false;
          const begins = (segments[this.#maker.rollup.time] as Date).getTime();
          if (!this.#range.containsTime(begins)) return false;
          this.#countExpired(key);
          return true;
        });
        await this.#settleAll(unknown);
        if (keys.length > 0) this.#report(2, keys[keys.length - 1]);
      }
    } finally {
      await stream.close();
    }
  }

  #segmentsOf(key: Uint8Array): Record<string, unknown> | undefined {
    const segments = {};
    return this.#decodeBucket(key, 0, key.length, segments) ? segments : undefined;
  }

  #countExpired(key: Uint8Array): boolean {
    const isExpired = this.#isExpired(key);
    if (isExpired) this.#counts.expired++;
    return isExpired;
  }

  /** Whether rows of the bucket may have been collected: it keeps its values. */
  #isExpired(key: Uint8Array): boolean {
    const begins = (this.#segmentsOf(key)![this.#maker.rollup.time] as Date).getTime();
    return begins < this.#range.horizon;
  }

  /** Differences were seen, maybe because writers were between their two writes: looks again. */
  async #settleAll(keys: readonly Uint8Array[]): Promise<void> {
    if (keys.length === 0) return;
    await pause(confirmAfterMs);
    await inTurn(keys, maxInFlight, async (key) => {
      this.#options.signal?.throwIfAborted();
      await this.#settle(key);
    });
  }

  async #settle(key: Uint8Array): Promise<void> {
    const bucket: Bucket = { key, segments: this.#segmentsOf(key)! };
    const { fix, now } = this.#options;
    let stored = await this.#read(bucket);
    const old = this.#isExpired(key);
    if (fix) stored = await this.#builder.settle(bucket, stored, now, { abandoned: true, old });
    if (old) return;
    const difference = await this.#confirm(bucket);
    const hasOld = stored.marks.some((mark) => isOld(mark, now));
    const isLeft = fix && (hasOld || stored.isStale || stored.build !== undefined);
    if (difference === undefined && !isLeft) return;
    const repaired =
      fix && (await this.#builder.build(bucket, now, this.#options.signal)) === 'built';
    if (difference === undefined) return;
    this.#counts[difference]++;
    this.#options.onDifference?.({ kind: difference, key: bucket.segments, repaired });
    if (repaired) this.#counts.repaired++;
    else if (fix) this.#counts.busy++;
  }

  #read({ key }: Bucket): Promise<StoredBucket> {
    return this.#builder.buckets.read(textOf(key));
  }

  /** Compares while nothing is added; undefined for a bucket that is written each time. */
  async #confirm(bucket: Bucket): Promise<DifferenceKind | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await this.#read(bucket);
      const { totals } = await this.#source.bucketOf(
        this.#engine,
        bucket.segments,
        this.#options.signal,
      );
      const made = await this.#builder.made(before.marks);
      const stored = await this.#read(bucket);
      const isQuiet = stored.revision === before.revision && isSameMarks(stored, before);
      const open = made.map(({ change }) => change);
      if (isQuiet && totals.equals(stored, open)) return undefined;
      if (isQuiet) return differenceOf(totals, stored);
      await pause(Math.random() * 4 * (attempt + 1));
    }
    return undefined;
  }

  #report(phase: number, last: Uint8Array): void {
    this.#counts.after = `${phase}:${toHex(last)}`;
    this.#options.onProgress?.(Object.freeze({ ...this.#counts }));
  }

  #tooManyError(): RowsmithError {
    return new RowsmithError('LIMIT_EXCEEDED', {
      entity: this.#model.name,
      ...faults.tooManyBuckets(this.#maker.rollup.name),
    });
  }
}

const keysOnly: Filter = Object.freeze<Filter>({
  kind: 'chain',
  filters: [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }],
});
/** Whether something is left in a bucket that somebody must settle or compute. */
function isOpen({ marks, isStale, build, damaged }: StoredBucket): boolean {
  return marks.length + damaged.length > 0 || isStale || build !== undefined;
}

function isSameMarks(a: StoredBucket, b: StoredBucket): boolean {
  const tokens = a.marks.map(({ token }) => token);
  return tokens.length === b.marks.length && b.marks.every(({ token }) => tokens.includes(token));
}

function differenceOf(totals: BucketTotals, { cells }: StoredBucket): DifferenceKind {
  if (totals.isEmpty) return 'orphan';
  return countOf(cells, totals) === 0n ? 'missing' : 'wrong';
}

/** The stored number of source rows. */
function countOf(cells: StoredBucket['cells'], { rollup }: BucketTotals): bigint {
  const { family, qualifier } = rollup.cells[0];
  return int64Of(valueIn({ cells }, family, qualifier)?.value);
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, millis));
}

const faults = {
  unknownPosition: {
    problem: 'it is not the position of a report',
    fix: 'give the `after` of a report, or leave it out',
    shell: { fix: 'give --after the position that a check printed, or leave it out' },
  },
  tooManyBuckets: (name: string) => ({
    problem:
      `rollup '${name}' has more than ${maxBuckets} buckets in this range, ` +
      'in another order than its source',
    fix: 'check a part of it: { prefix, since, until }',
  }),
} satisfies FaultTexts;
