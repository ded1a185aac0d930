/**
 * The rows of a table as a weighted sample. A sampled row with weight w stands for w rows, so that
 * sums over the sample estimate sums over the table without bias (Horvitz and Thompson): a billion
 * rows cost as much as a million.
 */
import type { EntityLoad, SegmentLoad } from '../workload/entity-load.js';
import { Random } from '../../values/index.js';
import { WriteRate, yearSeconds } from './rates.js';

/** The values of a row's segments as numbers, in key order; times are undefined. */
export type Numbers = readonly (number | undefined)[];

/** A combination of values that rows can have, apart from their times and sequence. */
export interface Combination {
  readonly numbers: Numbers;
  /** Probability that a write has these values. */
  readonly probability: number;
  /** Combinations that it stands for. */
  readonly weight: number;
}

/** A row of the sample. */
export interface SampledRow {
  readonly combination: Combination;
  /** When it was first written, in seconds before now. */
  readonly age: number;
  /** For sequences and the random part of times. */
  readonly sequence: number;
  readonly random: number;
  /** Rows that it stands for. */
  readonly weight: number;
}

/** Segments that are fixed, by name. */
export type FixedNumbers = ReadonlyMap<string, number>;

/** Combinations from which the number of writes is estimated. */
const calibrationSize = 20_000;
/** Combinations of other estimates. */
const estimateSize = 4_096;
/** More than any table: writes after which every combination exists. */
const maxWrites = 1e18;

/** The rows of a workload, before and after now. */
export class Population {
  readonly load: EntityLoad;
  /** Writes so far. */
  readonly writes: number;
  /** Seconds since the first write. */
  readonly history: number;
  readonly rate: WriteRate;

  constructor(load: EntityLoad, seed: number) {
    this.load = load;
    this.writes = writesFor(load, seed);
    const { writesPerSecond } = load;
    if (writesPerSecond > 0) {
      this.history = this.writes / writesPerSecond;
      this.rate = new WriteRate(writesPerSecond, load.growthPerYear, -this.history);
      return;
    }
    // Rows without further writes were written over the last year.
    this.history = yearSeconds;
    this.rate = new WriteRate(this.writes / yearSeconds, 0, -yearSeconds, 0);
  }

  /** Combinations with all segments that are not fixed drawn at random. */
  combinations(count: number, random: Random, fixed?: FixedNumbers): readonly Combination[] {
    return Array.from({ length: count }, () => combination(this.load, random, count, fixed));
  }

  /**
   * A sample of the rows that were written from `oldest` to `newest` seconds before now. Default:
   * all of them.
   */
  rows(count: number, random: Random, options: RowOptions = {}): readonly SampledRow[] {
    const { oldest = this.history, newest = 0, fixed } = options;
    const span = Math.max(0, Math.min(oldest, this.history) - newest);
    return this.combinations(count, random, fixed).map((each) => {
      const age = newest + random.next() * span;
      const expected = this.rowsOf(each, newest, newest + span);
      return {
        combination: each,
        age,
        sequence: Math.max(0, this.writes * (1 - age / this.history) - 1),
        random: random.next(),
        weight: each.weight * expected,
      };
    });
  }

  /** Share of the present writes that make a row; rows are gone after `retention` seconds. */
  insertShare(retention: number, seed: number): number {
    const { bucketMs, sequential, writesPerSecond } = this.load;
    if (sequential || writesPerSecond === 0) return 1;
    const perBucket = (writesPerSecond * (bucketMs ?? 0)) / 1000;
    const before = this.rate.between(-Math.min(retention, this.history), 0);
    let share = 0;
    for (const { probability, weight } of this.combinations(estimateSize, new Random(seed)))
      share +=
        bucketMs === undefined
          ? weight * probability * Math.exp(-probability * before)
          : (weight * -Math.expm1(-probability * perBucket)) / perBucket;
    return Math.min(1, share);
  }

  /**
   * Different values of segments and times, floored to `width` milliseconds, that rows had until
   * `at`, in seconds from now.
   */
  buckets(names: readonly string[], width: number, at: number, seed: number): number {
    const segments = this.load.segments.filter(({ property }) => names.includes(property));
    const writes = this.rate.between(-this.history, at);
    if (segments.some(({ kind }) => kind === 'sequential')) return writes;
    const isTimed = segments.some(({ kind }) => kind === 'time');
    const times = isTimed ? Math.max(1, Math.ceil((this.history + at) / (width / 1000) - 1e-3)) : 1;
    const random = new Random(seed);
    let found = 0;
    for (let i = 0; i < estimateSize; i++) {
      const { probability, weight } = combination({ segments }, random, estimateSize);
      found += weight * times * -Math.expm1((-writes * probability) / times);
    }
    return found;
  }

  /** Expected rows of a combination that were written between two ages in seconds. */
  rowsOf(
    { probability }: Pick<Combination, 'probability'>,
    newest: number,
    oldest: number,
  ): number {
    const writes = this.rate.between(-oldest, -newest) * probability;
    const { bucketMs, sequential } = this.load;
    if (sequential) return writes;
    if (bucketMs === undefined) return -Math.expm1(-writes);
    const buckets = Math.max((oldest - newest) / (bucketMs / 1000), 1e-9);
    if (buckets <= 1) return Math.min(buckets, 1) * -Math.expm1(-writes / Math.min(buckets, 1));
    return buckets * -Math.expm1(-writes / buckets);
  }
}

export interface RowOptions {
  /** Ages in seconds. */
  readonly oldest?: number;
  readonly newest?: number;
  readonly fixed?: FixedNumbers | undefined;
}

function combination(
  { segments }: Pick<EntityLoad, 'segments'>,
  random: Random,
  count: number,
  fixed?: FixedNumbers,
): Combination {
  let [probability, drawn] = [1, 1];
  const numbers = segments.map((segment) => {
    if (segment.kind !== 'numbered') return undefined;
    const given = fixed?.get(segment.property);
    const n = given ?? segment.broad.draw(random);
    probability *= segment.draws.probability(n);
    if (given === undefined) drawn *= segment.broad.probability(n);
    return n;
  });
  return { numbers, probability, weight: 1 / (drawn * count) };
}

/** A combination as writes draw it. */
export function drawNumbers(segments: readonly SegmentLoad[], random: Random): Numbers {
  return segments.map((segment) =>
    segment.kind === 'numbered' ? segment.draws.draw(random) : undefined,
  );
}

/** The writes that made the declared number of rows: more, if writes repeat keys. */
function writesFor(load: EntityLoad, seed: number): number {
  const { rows, sequential, bucketMs, writesPerSecond, segments } = load;
  if (sequential) return rows;
  const random = new Random(seed);
  const sample = Array.from({ length: calibrationSize }, () =>
    combination(load, random, calibrationSize),
  );
  const rowsAfter = (writes: number): number => {
    const buckets =
      bucketMs === undefined ? 1 : Math.max(1, writes / writesPerSecond / (bucketMs / 1000));
    let sum = 0;
    for (const { probability, weight } of sample)
      sum -= weight * buckets * Math.expm1((-writes * probability) / buckets);
    return sum;
  };
  const keys = segments.reduce(
    (product, each) => product * (each.kind === 'numbered' ? each.draws.cardinality : 1),
    1,
  );
  // The last combinations take a share of the writes that no table has seen.
  const wanted = bucketMs === undefined ? Math.min(rows, keys * 0.999) : rows;
  let [low, high] = [rows * 0.5, rows];
  while (rowsAfter(high) < wanted && high < maxWrites) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (rowsAfter(middle) < wanted) low = middle;
    else high = middle;
  }
  return high;
}
