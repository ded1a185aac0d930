/** Other keys that an entity could have: its segments in another order, with shards, reversed. */
import { buildKeyCodec, type KeyPart, type KeySpec } from '../../../data/key/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { EntityLoad, SegmentLoad } from '../workload/entity-load.js';

/** A key design of an entity. */
export interface Design {
  /** `declared`, `at first`, `device first`, `salted by 16`, `reversed id`. */
  readonly name: string;
  /** The workload, with the model and the order of segments of this design. */
  readonly load: EntityLoad;
}

const saltCount = 16;

/**
 * The declared key, and keys to compare with it: time first, the other segments first, time first
 * with a salt, and sequential ids reversed. Without designs that equal an earlier one, or that the
 * key format cannot express.
 */
export function designsOf(load: EntityLoad): readonly Design[] {
  const { spec } = load.model.key;
  const time = load.segments.find(({ kind }) => kind === 'time');
  const others = load.segments.filter((segment) => segment !== time);
  const candidates: Candidate[] = [];
  if (time !== undefined && others.length > 0) {
    const names = others.map(({ property }) => property);
    const timeFirst = [time.property, ...names];
    candidates.push(
      { name: `${time.property} first`, spec: reordered(spec, timeFirst) },
      { name: `${names[0]} first`, spec: reordered(spec, [...names, time.property]) },
      {
        name: `salted by ${saltCount}`,
        spec: { ...reordered(spec, timeFirst), shards: { count: saltCount, by: names } },
      },
    );
  } else if (time !== undefined || load.sequential) {
    const by = load.segments.map(({ property }) => property);
    candidates.push({
      name: `salted by ${saltCount}`,
      spec: { ...spec, shards: { count: saltCount, by } },
    });
  }
  candidates.push(...reversed(load));
  return distinct(load, candidates);
}

interface Candidate {
  readonly name: string;
  readonly spec: KeySpec;
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

function distinct(load: EntityLoad, candidates: readonly Candidate[]): readonly Design[] {
  const designs: Design[] = [{ name: 'declared', load }];
  const known = new Set([identity(load.model.key.spec)]);
  for (const { name, spec } of candidates) {
    if (known.has(identity(spec))) continue;
    known.add(identity(spec));
    const built = buildKeyCodec(spec, load.model.name);
    if ('codec' in built) designs.push({ name, load: withKey(load, built.codec) });
  }
  return designs;
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
