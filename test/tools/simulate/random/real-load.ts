/** The traffic of a workload on a database in memory, and the nodes that it would need. */
import { compareBytes, type KeyRange } from '../../../../src/base/index.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { type EntityClass, open } from '../../../../src/index.js';
import { nodeProfiles, secondsOfRead, secondsOfWrite } from '../../../../src/tools/heat/index.js';
import { rowValues } from '../../../../src/tools/simulate/model/row-keys.js';
import { boundArgument } from '../../../../src/tools/simulate/model/planned-read.js';
import { drawNumbers, Population } from '../../../../src/tools/simulate/population/population.js';
import type { Random } from '../../../../src/tools/values/index.js';
import type { EntityLoad } from '../../../../src/tools/simulate/workload/entity-load.js';

type Values = Readonly<Record<string, unknown>>;

/** What a program does, whatever the key. */
export interface RealTraffic {
  readonly rows: readonly Values[];
  readonly operations: readonly (
    | { readonly kind: 'write'; readonly values: Values }
    | { readonly kind: 'get'; readonly values: Values }
    | { readonly kind: 'pattern'; readonly name: string; readonly values: Values }
  )[];
  readonly seconds: number;
}

const seconds = 100;
export const start = Date.UTC(2026, 0, 1);

/** Rows that were written before the start, and the operations after it. */
export function realTraffic(load: EntityLoad, random: Random): RealTraffic {
  const { writes, history } = new Population(load, 1);
  const { writesPerSecond, readsPerSecond, segments } = load;
  const [{ from: bytes }] = load.columns;
  const row = (ms: number, sequence: number): Values => ({
    ...rowValues(segments, drawNumbers(segments, random), { ms, sequence, random: random.next() }),
    data: 'x'.repeat(bytes),
  });
  const made = Array.from({ length: Math.floor(writes) }, (_, i) =>
    row(start - (1 - i / writes) * history * 1000, i),
  );
  const written = [...made];
  const count = seconds * (writesPerSecond + readsPerSecond);
  const operations = Array.from({ length: count }, (_, i) => {
    const ms = start + (i / count) * seconds * 1000;
    if (random.next() * (writesPerSecond + readsPerSecond) < writesPerSecond) {
      const values = row(ms, written.length);
      written.push(values);
      return { kind: 'write', values } as const;
    }
    const share = random.next();
    let left = share;
    const read = load.reads.find((each) => (left -= each.share) < 0) ?? load.reads[0];
    const values = written[random.below(written.length)];
    if (read.pattern === undefined) return { kind: 'get', values } as const;
    const { prefix, bound } = read.pattern;
    const fixed = Object.fromEntries(prefix.map((name) => [name, values[name]]));
    const at = segments.find(({ property }) => property === bound?.segment);
    const since =
      at === undefined ? {} : { [at.property]: boundArgument(read.pattern, read, at, 0, ms) };
    return { kind: 'pattern', name: read.name, values: { ...fixed, ...since } } as const;
  });
  return { rows: made, operations, seconds };
}

/** What a design did with the traffic. */
export interface RealLoad {
  /** Rows of all reads by pattern, in their order. */
  readonly results: readonly string[];
  /** Nodes that the traffic keeps busy. */
  readonly work: number;
  /** Bytes of a stored row, on average. */
  readonly rowBytes: number;
  readonly busiestTablet: number;
  /** Nodes of which the busiest stays within the target, if the work were a factor of what it is. */
  readonly nodes: (target: number, factor: number) => number;
}

interface Repository {
  create(values: Values): object;
  save(row: object): Promise<void>;
  saveMany(rows: readonly object[]): Promise<unknown>;
  get(key: Values): Promise<object | undefined>;
  readonly patterns: Readonly<Record<string, (values: Values) => Query>>;
}
interface Query {
  all(): Promise<readonly object[]>;
  explain(): {
    readonly ranges: readonly {
      readonly shard: number;
      readonly startHex: string;
      readonly endHex?: string;
    }[];
    readonly limit: number | undefined;
  };
}

/** One query in so many is run; for the rest, only what they read is counted. */
const queriesRun = 10;

/** Runs the traffic on an entity. */
export async function runTraffic(
  entity: EntityClass,
  { rows, operations, seconds: duration }: RealTraffic,
  random: Random,
): Promise<RealLoad> {
  const { key, segments, patterns } = buildModel(entity);
  const profile = nodeProfiles.ssd;
  await using db = await open('memory:', { entities: [entity] });
  const repository = db.repository(entity) as unknown as Repository;
  await repository.saveMany(rows.map((row) => repository.create(row)));
  const bytesOf = (values: Values): number =>
    key.encode(values).length + 'mdata'.length + 8 + (values.data as string).length;
  const rowBytes = rows.reduce((sum, row) => sum + bytesOf(row), 0) / rows.length;
  const names = segments.map(({ property }) => property).toSorted();
  const identity = (row: object): unknown[] => names.map((name) => (row as Values)[name]);
  const stored = new SortedKeys(rows.map((row) => key.encode(row)));
  const used: Used[] = [];
  const results: string[] = [];
  for (const [i, operation] of operations.entries()) {
    const { values } = operation;
    if (operation.kind === 'write') {
      await repository.save(repository.create(values));
      const written = key.encode(values);
      stored.add(written);
      used.push({ key: written, seconds: secondsOfWrite(profile, bytesOf(values)) });
    } else if (operation.kind === 'get') {
      if (i % queriesRun === 0) expect(await repository.get(values)).toBeDefined();
      used.push({ key: key.encode(values), seconds: secondsOfRead(profile, 1, bytesOf(values)) });
    } else {
      const query = repository.patterns[operation.name](values);
      const { reverse } = patterns.find((each) => each.name === operation.name)!;
      const { ranges, limit = Infinity } = query.explain();
      let counted = 0;
      for (const shard of new Set(ranges.map((range) => range.shard))) {
        const own = ranges.filter((range) => range.shard === shard).map(rangeOf);
        const found = stored.within(own);
        counted += found.length;
        const at = limit === Infinity ? random.below(Math.max(1, found.length)) : 0;
        const read = Math.min(limit, found.length);
        used.push({
          key: (reverse ? found.at(-1 - at) : found[at]) ?? own[0].start,
          seconds: secondsOfRead(profile, 1, read * rowBytes),
        });
      }
      if (i % queriesRun > 0) continue;
      const all = await query.all();
      expect(all.length).toBe(Math.min(limit, counted));
      results.push(JSON.stringify(all.map(identity)));
    }
  }
  const half = used.length >> 1;
  const shares = sharesOf(startsOf(used.slice(0, half)), used.slice(half));
  const work = used.reduce((sum, each) => sum + each.seconds, 0) / duration;
  return {
    results,
    work,
    rowBytes,
    busiestTablet: shares[0],
    nodes: (target, factor) => nodesFor(shares, (work * factor) / target),
  };
}

/** The keys of the rows of a table. */
class SortedKeys {
  readonly #keys: Uint8Array[];

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys.toSorted(compareBytes);
  }

  add(key: Uint8Array): void {
    const at = this.#position(key);
    if (this.#keys[at] === undefined || compareBytes(this.#keys[at], key) !== 0)
      this.#keys.splice(at, 0, key);
  }

  within(ranges: readonly KeyRange[]): readonly Uint8Array[] {
    return ranges.flatMap(({ start, end }) =>
      this.#keys.slice(this.#position(start), end && this.#position(end)),
    );
  }

  /** Of the first key that is not before another one. */
  #position(key: Uint8Array): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBytes(this.#keys[middle], key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function rangeOf({ startHex, endHex }: { startHex: string; endHex?: string }): KeyRange {
  const start = Buffer.from(startHex, 'hex');
  return { start, end: endHex === undefined ? undefined : Buffer.from(endHex, 'hex') };
}

/** What an operation takes of the time of the node with a key. */
interface Used {
  readonly key: Uint8Array;
  readonly seconds: number;
}

const tablets = 256;

/** The first keys of tablets with equal loads. */
function startsOf(used: readonly Used[]): readonly Uint8Array[] {
  const sorted = used.toSorted((a, b) => compareBytes(a.key, b.key));
  const total = sorted.reduce((sum, each) => sum + each.seconds, 0);
  const starts: Uint8Array[] = [];
  let before = 0;
  let next = total / tablets;
  for (const each of sorted) {
    if (before >= next && starts.every((start) => compareBytes(start, each.key) !== 0)) {
      starts.push(each.key);
      next = before + total / tablets;
    }
    before += each.seconds;
  }
  return starts;
}

/** Shares of the load, the greatest first. */
function sharesOf(starts: readonly Uint8Array[], used: readonly Used[]): readonly number[] {
  const shares = new Array<number>(starts.length + 1).fill(0);
  for (const { key, seconds: own } of used) {
    const after = starts.findIndex((start) => compareBytes(start, key) > 0);
    shares[after === -1 ? starts.length : after] += own;
  }
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total).sort((a, b) => b - a);
}

/** Nodes with at most one unit of the work each, of which every tablet has a share. */
function nodesFor(shares: readonly number[], work: number): number {
  if (work * shares[0] > 1) return Infinity;
  for (let nodes = Math.ceil(work); ; nodes++) {
    const loads = new Array<number>(nodes).fill(0);
    for (const share of shares) loads[loads.indexOf(Math.min(...loads))] += share * work;
    if (Math.max(...loads) <= 1) return nodes;
  }
}
