/**
 * Other keys that an entity could have: its segments in another order, with shards, reversed. Only
 * keys under which each access pattern returns the same rows in the same order.
 */
import { buildKeyCodec, type KeyPart, type KeySpec } from '../../../data/key/index.js';
import type { EntityModel, PatternModel } from '../../../entities/model/index.js';
import type { EntityLoad, SegmentLoad } from '../workload/entity-load.js';

/** A key design of an entity. */
export interface Design {
  /** `declared`, `at first`, `16 shards by tenant, at`, `reversed id`. */
  readonly name: string;
  /** The workload, with the model and the order of segments of this design. */
  readonly load: EntityLoad;
  /** Access patterns that are no ranges of its key: all rows would be read, and most left out. */
  readonly scanned: readonly string[];
}

/** A key that is not compared. */
export interface OtherMeaning {
  readonly name: string;
  /** An access pattern that would return other rows, or in another order. */
  readonly pattern: string;
}

/** Keys to compare, the declared one first. */
export interface Designs {
  readonly compared: readonly Design[];
  readonly leftOut: readonly OtherMeaning[];
}

const shardCounts = [4, 16];
const maxShards = 512;

/**
 * The declared key, without and with shards, each of its segments first, the time last, and
 * sequential ids reversed. Without keys that equal an earlier one, or that the key format cannot
 * express. With more than eight `nodes`, also a number of shards that suits them.
 */
export function designsOf(load: EntityLoad, nodes: number): Designs {
  const { model } = load;
  const { spec } = model.key;
  const compared: Design[] = [{ name: 'declared', load, scanned: [] }];
  const leftOut: OtherMeaning[] = [];
  const known = new Set([identity(spec)]);
  for (const { name, spec: other } of candidates(load, nodes)) {
    if (known.has(identity(other))) continue;
    known.add(identity(other));
    const built = buildKeyCodec(other, model.name);
    if (!('codec' in built)) continue;
    const changed = model.patterns.find((each) => orderOf(each, spec) !== orderOf(each, other));
    if (changed === undefined) {
      const scanned = model.patterns.filter((pattern) => !serves(pattern, other));
      const names = scanned.map((pattern) => pattern.name);
      compared.push({ name, load: withKey(load, built.codec), scanned: names });
    } else leftOut.push({ name, pattern: changed.name });
  }
  return { compared, leftOut };
}

/** Several workloads with their declared keys. Each must have the patterns that another one has. */
export function workloadDesigns(loads: readonly EntityLoad[]): readonly Design[] {
  const wanted = new Map<string, string>();
  const meanings = loads.map(({ model }) => {
    const { patterns, key } = model;
    return new Map(patterns.map((pattern) => [pattern.name, meaningOf(pattern, key.spec)]));
  });
  for (const each of meanings)
    for (const [name, meaning] of each) if (!wanted.has(name)) wanted.set(name, meaning);
  return loads.map((load, i) => {
    const isMissing = (name: string): boolean => meanings[i].get(name) !== wanted.get(name);
    return { name: load.name, load, scanned: [...wanted.keys()].filter(isMissing) };
  });
}

/** Two patterns with the same meaning return the same rows in the same order. */
function meaningOf(pattern: PatternModel, spec: KeySpec): string {
  const { prefix, bound, limit, reverse } = pattern;
  return JSON.stringify([prefix.toSorted(), bound, limit, reverse, orderOf(pattern, spec)]);
}

interface Candidate {
  readonly name: string;
  readonly spec: KeySpec;
}

function candidates(load: EntityLoad, nodes: number): readonly Candidate[] {
  const { spec } = load.model.key;
  const names = load.segments.map(({ property }) => property);
  const time = load.segments.find(({ kind }) => kind === 'time')?.property;
  const moved = names.map((first): Candidate => ({
    name: first === names[0] ? 'without shards' : `${first} first`,
    spec: reordered(spec, [first, ...names.filter((name) => name !== first)]),
  }));
  if (time !== undefined && names.length > 2) {
    const others = names.filter((name) => name !== time);
    moved.push({ name: `${time} last`, spec: reordered(spec, [...others, time]) });
  }
  return [...moved, ...sharded(load, nodes), ...reversed(load)];
}

/** The declared key with shards of all segments, and of those that every pattern fixes. */
function sharded({ segments, model }: EntityLoad, nodes: number): readonly Candidate[] {
  const { spec, names } = model.key;
  const suited = Math.min(maxShards, 2 ** Math.ceil(Math.log2(2 * nodes)));
  const counts = [...shardCounts, ...[suited].filter((count) => count > Math.max(...shardCounts))];
  const isFixed = (name: string): boolean =>
    model.patterns.every(({ prefix }) => prefix.includes(name));
  const fixed = model.patterns.length === 0 ? [] : names.filter(isFixed);
  const spread = fixed.some((name) => segments.some((each) => isNumerous(each, name)));
  const choices = spread ? [names, fixed] : [names];
  return choices.flatMap((by) =>
    counts.map((count): Candidate => ({
      name: `${count} shards by ${by.join(', ')}`,
      spec: { ...spec, shards: { count, by } },
    })),
  );
}

/** Whether a segment has so many values that their shards differ little. */
function isNumerous(segment: SegmentLoad, name: string): boolean {
  if (segment.property !== name) return false;
  return segment.kind !== 'numbered' || segment.draws.cardinality >= 1_000;
}

/** The rows of a pattern are sorted by the segments that it does not fix. */
function orderOf({ prefix }: PatternModel, { parts }: KeySpec): string {
  return JSON.stringify(
    parts.filter((part) => part.kind === 'segment' && !prefix.includes(part.name)),
  );
}

/** Whether the pattern is a range of keys: its segments lead, and the bounded one follows. */
function serves({ prefix, bound }: PatternModel, { parts }: KeySpec): boolean {
  const names = parts.flatMap((part) => (part.kind === 'segment' ? [part.name] : []));
  const leading = names.slice(0, prefix.length);
  return (
    prefix.every((name) => leading.includes(name)) &&
    (bound === undefined || names[prefix.length] === bound.segment)
  );
}

/** The key with a sequential id reversed. */
function reversed({ segments, model }: EntityLoad): readonly Candidate[] {
  const { spec } = model.key;
  const id = segments.find(({ kind }) => kind === 'sequential');
  const part = spec.parts.find((each) => each.kind === 'segment' && each.name === id?.property);
  if (part?.kind !== 'segment' || part.type.kind !== 'uint') return [];
  const { max, width = max === undefined ? 16 : String(max).length } = part.type;
  const type = { kind: 'reversedId', width } as const;
  const parts = spec.parts.map((each): KeyPart => (each === part ? { ...part, type } : each));
  return [{ name: 'reversed id', spec: { ...spec, parts } }];
}

/** The key with its segments in another order, after its literals, without shards. */
function reordered({ format, parts }: KeySpec, names: readonly string[]): KeySpec {
  const literals = parts.filter(({ kind }) => kind === 'literal');
  const segments = names.map((name) =>
    parts.find((part) => part.kind === 'segment' && part.name === name)!,
  );
  return { format, parts: [...literals, ...segments] };
}

function withKey(load: EntityLoad, key: EntityModel['key']): EntityLoad {
  const order = <T extends { readonly property: string }>(list: readonly T[]): readonly T[] =>
    key.names.map((name) => list.find(({ property }) => property === name)!);
  const types = new Map(
    key.spec.parts.flatMap((part) => (part.kind === 'segment' ? [[part.name, part.type]] : [])),
  );
  const segments = order(load.model.segments).map((segment) => ({
    ...segment,
    type: types.get(segment.property)!,
  }));
  return {
    ...load,
    model: { ...load.model, key, segments },
    segments: order<SegmentLoad>(load.segments),
  };
}

function identity(spec: KeySpec): string {
  return JSON.stringify([spec.parts, spec.shards]);
}
