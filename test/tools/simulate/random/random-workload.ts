/** Random workloads, small enough to be run for real, and the entities of their designs. */
import {
  accessPatterns,
  Column,
  Entity,
  type EntityClass,
  maxAge,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { buildModel, type PatternModel } from '../../../../src/entities/model/index.js';
import { compileWorkload, type DesignReport } from '../../../../src/tools/simulate/index.js';
import type { EntityLoad } from '../../../../src/tools/simulate/workload/entity-load.js';
import type { Random } from '../../../../src/tools/values/index.js';

type Pattern = Pick<PatternModel, 'name' | 'prefix' | 'bound' | 'limit' | 'reverse'>;

/** A workload with a table and traffic that fit in memory. */
export interface RandomWorkload {
  readonly text: string;
  readonly load: EntityLoad;
  /** An entity with the key of a design, and the same patterns. */
  readonly entityOf: (design: Pick<DesignReport, 'model'>) => EntityClass;
}

/** Rows before the traffic, and writes a second: few, so that nodes have to be slow. */
const rows = 3_000;
export const writesPerSecond = 20;

const declarations = {
  area: () => Segment('string'),
  tenant: () => Segment('string'),
  device: () => Segment('string'),
  at: (isNewestFirst: boolean) =>
    isNewestFirst ? Segment('timestamp', { order: 'desc' }) : Segment('timestamp'),
  id: () => Segment('uint', { max: 9_999_999_999 }),
};
type Name = keyof typeof declarations;

/** The workload of a random state. */
export function randomWorkload(random: Random): RandomWorkload {
  const order = randomOrder(random);
  const isNewestFirst = random.next() < 0.5;
  const patterns = randomPatterns(order, random);
  const days = [0.05, 1, 10, 40][random.below(4)];
  const retention = maxAge(days * 86_400_000);
  const make = (names: readonly Name[], shards?: object, reversed = false): EntityClass => {
    class Row {
      static readonly key = rowKey(...(names as readonly ['id']));
      static readonly patterns = patternsFor(names, patterns);
    }
    for (const name of names) {
      const declared = reversed && name === 'id' ? reversedId() : declarations[name](isNewestFirst);
      (declared as PropertyDecorator)(Row.prototype, name);
    }
    (Column('m', 'string') as PropertyDecorator)(Row.prototype, 'data');
    (Entity({ table: 'rows', families: { m: { gc: retention } }, ...shards }) as ClassDecorator)(
      Row,
    );
    return Row;
  };
  const options = {
    rows,
    writesPerSecond,
    readsPerSecond: Math.floor(random.next() * 2) * writesPerSecond,
    segments: segmentsOf(order, random),
    columns: { data: { bytes: 20 + random.below(800) } },
    reads: Object.fromEntries(
      ['get', ...patterns.map(({ name }) => name)].map((name) => [
        name,
        { share: 0.05 + random.next(), span: '5s' },
      ]),
    ),
  };
  return {
    text: JSON.stringify({ order, isNewestFirst, patterns, days, options }),
    load: compileWorkload(buildModel(make(order)), options as never),
    entityOf: ({ model: { key } }) => {
      const isReversed = key.spec.parts.some(
        (part) => part.kind === 'segment' && part.type.kind === 'reversedId',
      );
      const { shards } = key.spec;
      return make(key.names as readonly Name[], shards && { shards }, isReversed);
    },
  };
}

function reversedId(): unknown {
  return Segment('reversedId', { width: 10 });
}

/** Two to four segments, of which one makes new rows. */
function randomOrder(random: Random): readonly Name[] {
  const all: Name[] = ['area', 'tenant', 'device'];
  const chosen = shuffled(all, random).slice(0, 1 + random.below(2));
  const growing = shuffled<Name>(['at', 'id'], random).slice(0, 1 + random.below(2));
  return shuffled([...chosen, ...growing], random);
}

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function segmentsOf(order: readonly Name[], random: Random): Record<string, unknown> {
  const all: Record<Name, unknown> = {
    area: { cardinality: 2 + random.below(4) },
    tenant: {
      distribution: 'zipf',
      cardinality: 5 + random.below(40),
      exponent: 0.5 + random.next() * 1.3,
    },
    device: { cardinality: 100 + random.below(2_000) },
    at: { distribution: 'time' },
    id: { distribution: 'sequential' },
  };
  return Object.fromEntries(order.map((name) => [name, all[name]]));
}

/** Up to two patterns: values of leading segments, and perhaps a time since when. */
function randomPatterns(order: readonly Name[], random: Random): readonly Pattern[] {
  const growing = order.findIndex((name) => name === 'at' || name === 'id');
  return Array.from({ length: random.below(3) }, (_, i): Pattern | undefined => {
    const prefix = order.slice(0, random.below(growing + 1));
    const isBound = order[prefix.length] === 'at' && random.next() < 0.5;
    if (prefix.length === 0 && !isBound) return undefined;
    const limit = random.next() < 0.6 ? { limit: 1 + random.below(60) } : {};
    const reverse = random.next() < 0.2;
    const bound = isBound ? { bound: { kind: 'since', segment: 'at' } as const } : {};
    return { name: `read${i}`, prefix, reverse, ...bound, ...limit };
  }).filter((pattern) => pattern !== undefined);
}

/** The patterns as an entity with this key declares them. */
function patternsFor(names: readonly string[], patterns: readonly Pattern[]): unknown {
  const declared = patterns.map(({ name, prefix, bound, ...others }) => {
    const leading = names.filter((each) => prefix.includes(each));
    const parts = leading.length === 0 ? {} : { prefix: leading };
    const since = bound === undefined ? {} : { since: bound.segment };
    return [name, { ...parts, ...since, ...others }];
  });
  return accessPatterns(Object.fromEntries(declared) as never);
}
