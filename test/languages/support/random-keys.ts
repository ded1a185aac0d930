/** Entities with random keys, and random values of them. */
import { column, defineEntity, type EntityClass, literal, rowKey } from '../../../src/index.js';
import { delimited, type KeyFormat } from '../../../src/data/key/index.js';
import { buildModels, type EntityModel } from '../../../src/entities/model/index.js';
import { type KindSample, samplesOf } from '../../data/key/support/kinds.js';
import fc from '../../support/fast-check.js';

/** An entity with the samples of its segments, by name. */
export interface RandomEntity {
  readonly model: EntityModel;
  readonly entityClass: EntityClass;
  /** Of all but its key. */
  readonly seed: number;
  readonly samples: ReadonlyMap<string, KindSample>;
}

type FormatName = 'text' | 'ordered' | 'delimited';
const formats: Readonly<Record<FormatName, KeyFormat>> = {
  text: 'text',
  ordered: 'ordered',
  delimited: delimited('|'),
};

interface Plan {
  readonly format: FormatName;
  readonly picks: readonly number[];
  readonly literals: readonly (string | undefined)[];
  readonly shards: number | undefined;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  format: fc.constantFrom('text', 'ordered', 'delimited'),
  picks: fc.array(fc.nat(999), { minLength: 1, maxLength: 4 }),
  literals: fc.array(
    fc.option(fc.constantFrom('k', 'a b', 'ü', '#', '\0x'), { nil: undefined, freq: 2 }),
    { minLength: 5, maxLength: 5 },
  ),
  shards: fc.option(fc.constantFrom(2, 16, 1000), { nil: undefined, freq: 2 }),
});

/**
 * This many entities by a seed; plans that are no valid declaration are left out. `rest` declares
 * what is not the key, by another seed.
 */
export function randomEntities(
  count: number,
  seed: number,
  rest: (seed: number) => object = noteOnly,
): readonly RandomEntity[] {
  const found: RandomEntity[] = [];
  for (let round = 0; found.length < count; round++) {
    if (round > 20 * count + 100) throw new Error('hardly any plan is a valid declaration');
    const [plan] = fc.sample(plans, { seed: seed + round, numRuns: 1 });
    const entity = entityOf(plan, `Thing${found.length}`, rest(seed + round));
    if (entity !== undefined) found.push({ ...entity, seed: seed + round });
  }
  return found;
}

const noteOnly = (): object => ({ families: { f: {} }, columns: { note: column('f', 'string') } });

function entityOf(
  { format, picks, literals, shards }: Plan,
  name: string,
  rest: object,
): Omit<RandomEntity, 'seed'> | undefined {
  const known = samplesOf(format);
  const samples = new Map(picks.map((pick, i) => [`s${i}`, known[pick % known.length]]));
  const names = [...samples.keys()];
  const parts = names.flatMap((each, i) => {
    const text = literals[i];
    return text === undefined ? [each] : [literal(text), each];
  });
  const end = literals[4];
  if (end !== undefined) parts.push(literal(end));
  return buildEntity(name, {
    ...rest,
    keyFormat: formats[format],
    key: rowKey(...(parts as [string])),
    segments: Object.fromEntries([...samples].map(([each, { type }]) => [each, defined(type)])),
    shards: shards === undefined ? undefined : { count: shards, by: [names[0]] },
    samples,
  });
}

function defined(type: KindSample['type']): object {
  const given = Object.entries(type).filter(([, value]) => value !== undefined);
  // Each text may be empty: rules are not what these tests are about.
  const rules = type.kind === 'string' ? { minLength: 0 } : {};
  return { ...Object.fromEntries(given), ...rules };
}

/** The model of a declaration; undefined if it has faults. */
function buildEntity(
  name: string,
  { samples, ...declared }: { samples: RandomEntity['samples'] } & Record<string, unknown>,
): Omit<RandomEntity, 'seed'> | undefined {
  const entityClass = defineEntity({ [name]: class {} }[name], {
    ...declared,
    name,
    table: name,
  } as never) as EntityClass;
  try {
    const [model] = buildModels([entityClass]);
    return { model, entityClass, samples };
  } catch {
    return undefined;
  }
}
