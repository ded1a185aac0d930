/** The operations of some minutes as the storage sees them: a sample, in the order of time. */
import type { AccessOperation } from '../../heat/index.js';
import { drawNumbers, type Population } from '../population/population.js';
import { Random } from '../../values/index.js';
import type { EntityLoad, ReadKind } from '../workload/entity-load.js';
import { DerivedKeys } from './derived-keys.js';
import { planRead } from './planned-read.js';
import { rowValues } from './row-keys.js';

/** What takes time of a node. */
export interface TrafficOperation extends Pick<AccessOperation, 'kind' | 'key'> {
  /** What is read; undefined for writes, and for what follows from them. */
  readonly read: ReadKind | undefined;
  /** Position of the index, rollup or copies that it is for; undefined for the row itself. */
  readonly derived?: number;
}

type RowOperation = AccessOperation & TrafficOperation;

/** The traffic of a design. */
export interface Traffic {
  readonly operations: readonly RowOperation[];
  /** What follows from the writes, in the order of `DerivedKeys`. */
  readonly derived: readonly (readonly TrafficOperation[])[];
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

/** Of the columns in indexes: the traffic on rows is the same with and without indexes. */
const derivedSeed = 2;

/**
 * Draws operations; empty if the workload neither reads nor writes. All of them take seconds: other
 * work goes on after each minute, in `pause`.
 */
export async function drawTraffic(
  population: Population,
  load: EntityLoad,
  random: Random,
  options: TrafficOptions,
  pause: () => Promise<void>,
): Promise<Traffic> {
  const { start, minutes, perMinute } = options;
  const keys = new DerivedKeys(load);
  const derived = keys.owners.map((): TrafficOperation[] => []);
  const columns = new Random(derivedSeed);
  const { writesPerSecond, readsPerSecond } = load;
  const perSecond = writesPerSecond + readsPerSecond;
  if (perSecond === 0) return { operations: [], derived, scale: 0 };
  const scale = (perSecond * 60) / perMinute;
  const writeShare = writesPerSecond / perSecond;
  const table = load.model.table.name;
  const operationAt = (i: number): RowOperation => {
    const at = start + (i * 60_000) / perMinute;
    if (random.next() < writeShare) {
      const sequence = Math.floor(population.writes + i * scale * writeShare);
      const numbers = drawNumbers(load.segments, random);
      const instant = { ms: at, sequence, random: random.next() };
      const values = rowValues(load.segments, numbers, instant);
      const key = load.model.key.encode(values);
      keys.keysOf(values, columns).forEach((each, owner) => {
        const kind = keys.owners[owner].kind === 'copies' ? 'read' : 'write';
        if (each !== undefined)
          derived[owner].push({ kind, key: each, read: undefined, derived: owner });
      });
      const bytes = key.length + options.writtenBytes;
      return { table, kind: 'write' as const, key, bytes, at, read: undefined };
    }
    const read = chosenRead(load.reads, random);
    const key = readKey(population, load, read, random, at, options.retention);
    const isWhole =
      read.pattern === undefined || read.pattern.prefix.length === load.segments.length;
    const kind = isWhole ? ('read' as const) : ('scan' as const);
    return { table, kind, key, bytes: key.length + options.rowBytes, at, read };
  };
  const operations: RowOperation[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    while (operations.length < minute * perMinute) operations.push(operationAt(operations.length));
    await pause();
  }
  return { operations, derived, scale };
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
