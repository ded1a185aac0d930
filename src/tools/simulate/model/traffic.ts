/** The operations of some minutes as the storage sees them: a sample, in the order of time. */
import type { AccessOperation } from '../../heat/index.js';
import { drawNumbers, type Population } from '../population/population.js';
import type { Random } from '../../values/index.js';
import type { EntityLoad, ReadKind } from '../workload/entity-load.js';
import { planRead } from './planned-read.js';
import { rowValues } from './row-keys.js';

/** An operation of the sample. */
export interface TrafficOperation extends AccessOperation {
  /** What is read; undefined for writes. */
  readonly read: ReadKind | undefined;
}

/** An operation with the time of one node that it takes, in seconds. */
export interface TimedOperation extends TrafficOperation {
  readonly seconds: number;
}

/** The traffic of a design. */
export interface Traffic {
  readonly operations: readonly TrafficOperation[];
  /** Operations of the workload for which one of the sample stands. */
  readonly scale: number;
}

/** What to sample. */
export interface TrafficOptions {
  /** Milliseconds since 1970 of the first operation. */
  readonly start: number;
  readonly minutes: number;
  /** Operations in the sample for each minute. */
  readonly perMinute: number;
  /** Bytes of a row without its key. */
  readonly rowBytes: number;
  readonly writtenBytes: number;
  /** Seconds after which rows are gone. */
  readonly retention: number;
}

/** Draws operations; empty if the workload neither reads nor writes. */
export function drawTraffic(
  population: Population,
  load: EntityLoad,
  random: Random,
  options: TrafficOptions,
): Traffic {
  const { start, minutes, perMinute } = options;
  const { writesPerSecond, readsPerSecond } = load;
  const perSecond = writesPerSecond + readsPerSecond;
  if (perSecond === 0) return { operations: [], scale: 0 };
  const count = minutes * perMinute;
  const scale = (perSecond * 60) / perMinute;
  const writeShare = writesPerSecond / perSecond;
  const table = load.model.table.name;
  const operations = Array.from({ length: count }, (_, i): TrafficOperation => {
    const at = start + (i * 60_000) / perMinute;
    if (random.next() < writeShare) {
      const sequence = Math.floor(population.writes + i * scale * writeShare);
      const key = writtenKey(load, random, at, sequence);
      const bytes = key.length + options.writtenBytes;
      return { table, kind: 'write', key, bytes, at, read: undefined };
    }
    const read = chosenRead(load.reads, random);
    const key = readKey(population, load, read, random, at, options.retention);
    const isWhole =
      read.pattern === undefined || read.pattern.prefix.length === load.segments.length;
    const kind = isWhole ? 'read' : 'scan';
    return { table, kind, key, bytes: key.length + options.rowBytes, at, read };
  });
  return { operations, scale };
}

function writtenKey(load: EntityLoad, random: Random, ms: number, sequence: number): Uint8Array {
  const numbers = drawNumbers(load.segments, random);
  return load.model.key.encode(
    rowValues(load.segments, numbers, { ms, sequence, random: random.next() }),
  );
}

function readKey(
  population: Population,
  load: EntityLoad,
  kind: ReadKind,
  random: Random,
  at: number,
  retention: number,
): Uint8Array {
  const numbers = drawNumbers(load.segments, random);
  const oldest = Math.min(retention, population.history);
  const sequenceAt = (age: number): number =>
    Math.max(0, population.writes * (1 - age / population.history) - 1);
  const rowAt = (age: number): Uint8Array => {
    const instant = { ms: at - age * 1000, sequence: sequenceAt(age), random: random.next() };
    return load.model.key.encode(rowValues(load.segments, numbers, instant));
  };
  if (kind.pattern === undefined) return rowAt(random.next() * oldest);
  const sequence = sequenceAt(random.next() * oldest);
  const { ranges, filters, bound } = planRead(load, kind, numbers, { at, sequence });
  const { limit, reverse } = kind.pattern;
  // A read of a whole range is seen somewhere in it, one with a limit where it begins.
  if (filters.length > 0 || limit === undefined) {
    const span = Math.min(oldest, kind.spanMs / 1000);
    const isTime = load.segments.some((each) => each.property === bound && each.kind === 'time');
    if (!isTime) return rowAt(random.next() * oldest);
    if (kind.pattern.bound?.kind === 'until') return rowAt(span + random.next() * (oldest - span));
    return rowAt(random.next() * span);
  }
  if (reverse) return rowAt(isNewestFirst(load) ? oldest : 0);
  const lists = ranges.perShard;
  const [range] = lists[random.below(lists.length)] ?? [];
  return range === undefined || range.start.length === 0
    ? rowAt(random.next() * oldest)
    : range.start;
}

function isNewestFirst({ model, segments }: EntityLoad): boolean {
  const time = segments.find(({ kind }) => kind === 'time');
  const found = model.segments.find(({ property }) => property === time?.property);
  return found?.type.order === 'desc';
}

function chosenRead(reads: readonly ReadKind[], random: Random): ReadKind {
  let left = random.next();
  return reads.find(({ share }) => (left -= share) < 0) ?? reads[reads.length - 1];
}
