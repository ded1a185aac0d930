/** What each access pattern reads: ranges, shards and rows, on average over calls. */
import { type KeyRange, rangeContains } from '../../../base/index.js';
import { drawNumbers, type Numbers, type Population } from '../population/population.js';
import { Random } from '../../values/index.js';
import type { EntityLoad, ReadKind } from '../workload/entity-load.js';
import { planRead, type PlannedRead } from './planned-read.js';
import { rowValues } from './row-keys.js';

/** The cost of a kind of read. */
export interface ReadCost {
  /** `get`, or the name of the access pattern. */
  readonly name: string;
  /** Of all reads. */
  readonly share: number;
  /** Requests of a call, one for each shard. */
  readonly shards: number;
  /** Key ranges of a call. */
  readonly ranges: number;
  /** Rows that storage reads for a call, on average. */
  readonly rowsRead: number;
  /** Rows that a call returns, on average. */
  readonly rowsReturned: number;
  /** Bytes that storage reads for a call. */
  readonly bytesRead: number;
  /** Every row of the entity is read. */
  readonly fullScan: boolean;
  /** Segments by which the key cannot find the rows. */
  readonly filters: readonly string[];
}

/** Calls that are planned, and rows that are drawn for each. */
const calls = 256;
const rowsOfCall = 100;

export interface FanOutOptions {
  /** Milliseconds since 1970 of the calls. */
  readonly at: number;
  /** Seconds after which rows are gone. */
  readonly retention: number;
  readonly rowBytes: number;
  readonly seed: number;
}

/** The cost of each declared read. */
export function readCosts(
  population: Population,
  load: EntityLoad,
  options: FanOutOptions,
): readonly ReadCost[] {
  return load.reads.map((kind) => {
    if (kind.pattern !== undefined) return patternCost(population, load, kind, options);
    const { name, share } = kind;
    const { rowBytes } = options;
    const one = { shards: 1, ranges: 1, rowsRead: 1, rowsReturned: 1, bytesRead: rowBytes };
    return { name, share, ...one, fullScan: false, filters: [] };
  });
}

function patternCost(
  population: Population,
  load: EntityLoad,
  kind: ReadKind,
  options: FanOutOptions,
): ReadCost {
  // Calls are the same for all designs: rows are drawn from separate numbers.
  const random = new Random(options.seed);
  const rowRandom = new Random(options.seed + 1);
  let [shards, ranges, read, returned] = [0, 0, 0, 0];
  let plan: PlannedRead | undefined;
  for (let i = 0; i < calls; i++) {
    const numbers = inOrderOf(load, population, drawNumbers(population.load.segments, random));
    plan = planRead(load, kind, numbers, { at: options.at, sequence: 0 });
    const { perShard } = plan.ranges;
    shards += perShard.length;
    ranges += perShard.reduce((sum, list) => sum + list.length, 0);
    const rows = new RowsOfCall(population, load, kind, options, rowRandom);
    const inRanges = rows.inRanges(plan, numbers);
    const matching = plan.filters.length === 0 ? inRanges : rows.matching(numbers);
    const { limit = Infinity } = kind.pattern!;
    returned += Math.min(matching, limit);
    read += Math.min(inRanges, rowsUntil(limit, perShard.length, inRanges, matching));
  }
  const rowsRead = read / calls;
  return {
    name: kind.name,
    share: kind.share,
    shards: shards / calls,
    ranges: ranges / calls,
    rowsRead,
    rowsReturned: returned / calls,
    bytesRead: rowsRead * options.rowBytes,
    fullScan: plan!.scans,
    filters: plan!.filters,
  };
}

/**
 * Rows that are read until the limit is reached. Each shard reads as many; with a filter, the rows
 * that match are spread over those in the ranges, of all shards together.
 */
function rowsUntil(limit: number, shards: number, inRanges: number, matching: number): number {
  if (limit === Infinity) return Infinity;
  const each = inRanges / Math.max(matching, Math.min(1, inRanges));
  return limit * Math.max(each, shards);
}

/** Rows that one call concerns. */
class RowsOfCall {
  readonly #population: Population;
  readonly #load: EntityLoad;
  readonly #kind: ReadKind;
  readonly #options: FanOutOptions;
  readonly #random: Random;

  constructor(
    population: Population,
    load: EntityLoad,
    kind: ReadKind,
    options: FanOutOptions,
    random: Random,
  ) {
    this.#population = population;
    this.#load = load;
    this.#kind = kind;
    this.#options = options;
    this.#random = random;
  }

  /** Rows of the sample with keys in the ranges of the plan. */
  inRanges({ fixed, bound, ranges }: PlannedRead, numbers: Numbers): number {
    const kind = bound === undefined ? undefined : this.#kindOf(bound);
    if (kind === 'sequential')
      return this.#count(fixed, false, numbers, undefined) * this.#sequenceShare();
    // Rows with the values, and of the time, are in the ranges; of other bounds, keys must tell.
    const tested = kind === 'numbered' ? ranges.perShard.flat() : undefined;
    return this.#count(fixed, bound !== undefined, numbers, tested);
  }

  /** Rows that satisfy the conditions of the pattern, whatever the design. */
  matching(numbers: Numbers): number {
    const { prefix, bound } = this.#kind.pattern!;
    const rows = this.#count(prefix, bound !== undefined, numbers, undefined);
    const segment = this.#load.segments.find(({ property }) => property === bound?.segment);
    if (segment?.kind === 'sequential') return rows * this.#sequenceShare();
    if (segment?.kind !== 'numbered') return rows;
    return rows * Math.min(1, this.#kind.values / segment.draws.cardinality);
  }

  #kindOf(property: string): string | undefined {
    return this.#load.segments.find((each) => each.property === property)?.kind;
  }

  /** The share of all numbers that a call spans: a sample has too few rows to count them. */
  #sequenceShare(): number {
    return Math.min(1, this.#kind.values / Math.max(1, this.#population.writes));
  }

  #count(
    names: readonly string[],
    bounded: boolean,
    numbers: Numbers,
    ranges: readonly KeyRange[] | undefined,
  ): number {
    const { segments, model } = this.#load;
    const fixed = new Map<string, number>();
    segments.forEach(({ property }, i) => {
      const n = numbers[i];
      if (n !== undefined && names.includes(property)) fixed.set(property, n);
    });
    const ages = this.#ages(names, bounded);
    const rows = this.#population.rows(rowsOfCall, this.#random, { ...ages, fixed });
    let count = 0;
    for (const { combination, weight, age, sequence, random } of rows) {
      if (ranges !== undefined) {
        const own = inOrderOf(this.#load, this.#population, combination.numbers);
        const instant = { ms: this.#options.at - age * 1000, sequence, random };
        const key = model.key.encode(rowValues(segments, own, instant));
        if (!ranges.some((range) => rangeContains(range, key))) continue;
      }
      count += weight;
    }
    return count;
  }

  /** The ages that a bound on the time, or a fixed time, leaves; in seconds. */
  #ages(names: readonly string[], bounded: boolean): { newest?: number; oldest: number } {
    const { bound } = this.#kind.pattern!;
    const { retention } = this.#options;
    const time = this.#load.segments.find(({ kind }) => kind === 'time');
    if (time !== undefined && names.includes(time.property)) {
      const { bucketMs = 1 } = this.#load;
      return { oldest: Math.min(retention, bucketMs / 1000) };
    }
    if (!bounded || time === undefined || bound?.segment !== time.property)
      return { oldest: retention };
    const span = this.#kind.spanMs / 1000;
    if (bound.kind === 'until') return { newest: Math.min(span, retention), oldest: retention };
    return { oldest: Math.min(span, retention) };
  }
}

/** Numbers in the order of the declared segments, in the order of a design. */
function inOrderOf({ segments }: EntityLoad, population: Population, numbers: Numbers): Numbers {
  const declared = population.load.segments.map(({ property }) => property);
  return segments.map(({ property }) => numbers[declared.indexOf(property)]);
}
