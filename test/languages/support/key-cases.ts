/** Cases of random keys for tests of generated code: wrong values, changed keys, conditions. */
import { toHex } from '../../../src/base/index.js';
import type { KeyCondition } from '../../../src/data/key/index.js';
import fc from '../../support/fast-check.js';
import { seed } from '../../support/seed.js';
import type { RandomEntity } from './random-keys.js';
import { tagged } from './values.js';

/** Values that most kinds refuse, with the same meaning in all languages. */
export const wrongValues: readonly unknown[] = [
  null,
  true,
  'no such member',
  '\ud800',
  'a|b#c$d\0',
  'x'.repeat(5000),
  new Uint8Array(5000),
  new Date(1),
  new Date(-8e12),
  new Date(1e13),
  new Date(-8.64e15),
];

export function describedKey({ model, samples }: RandomEntity): string {
  const { format, shards } = model.key.spec;
  const segments = [...samples.values()].map(({ type }) =>
    Object.values(type)
      .filter((each) => each !== undefined)
      .join(' '),
  );
  return `${model.name}: ${JSON.stringify(format)} ${shards?.count ?? ''} ${segments.join(', ')}`;
}

/** This many rows of an entity, by the seed, with values that the language has. */
export function rowsOf(
  { samples }: RandomEntity,
  count: number,
  hasValue: (value: unknown) => boolean = () => true,
): readonly Record<string, unknown>[] {
  const shapes = [...samples].map(([name, { values }]) => [name, values.filter(hasValue)]);
  const row = fc.record(Object.fromEntries(shapes) as Record<string, fc.Arbitrary<unknown>>);
  return fc.sample(row, { seed, numRuns: count });
}

/** Values of segments by name, tagged by the kind of each. */
export function taggedValues({ samples }: RandomEntity, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      tagged(value, samples.get(name)!.type.kind),
    ]),
  );
}

/** Keys, and changed ones: cut off, longer, with another byte. */
export function keysNear(keys: readonly string[]): readonly string[] {
  const changed = keys.flatMap((key, i) => {
    const at = 2 * (i % Math.max(1, key.length / 2));
    return [
      key.slice(0, -2),
      `${key}00`,
      `${key}23`,
      `${key.slice(0, at)}${['00', 'ff', '24', '30'][i % 4]}${key.slice(at + 2)}`,
    ];
  });
  return [...keys, ...changed, '', '0000', 'ff'.repeat(5000)];
}

/** The ranges of a condition in the form of the drivers' answers. */
export function rangesOf({ model }: RandomEntity, condition: KeyCondition): unknown {
  return model.key
    .ranges(condition)
    .perShard.flat()
    .map(({ start, end }) => [toHex(start), end === undefined ? null : toHex(end)]);
}

/** Conditions on each number of leading segments, with every kind of bound. */
export function conditionsOf(
  { samples }: RandomEntity,
  values: Record<string, unknown>,
  other: Record<string, unknown>,
): readonly KeyCondition[] {
  const names = [...samples.keys()];
  return names.flatMap((segment, count): KeyCondition[] => {
    const fixed = Object.fromEntries(names.slice(0, count).map((name) => [name, values[name]]));
    const value = values[segment];
    const from = { value, inclusive: count % 2 === 0 };
    const to = { value: other[segment], inclusive: count % 2 === 1 };
    const text = typeof value === 'string' ? value.slice(0, 2) : 'a';
    return [
      { fixed },
      { fixed: { ...fixed, [segment]: value } },
      { fixed, bound: { kind: 'between', segment, from, to } },
      { fixed, bound: { kind: 'between', segment, from } },
      { fixed, bound: { kind: 'between', segment, to: { ...to, inclusive: !to.inclusive } } },
      { fixed, bound: { kind: 'startsWith', segment, text } },
      { fixed, bound: { kind: 'subdomains', segment, domain: 'google.com' } },
    ];
  });
}

/** A condition in the tagged form: a bound is the last value. */
export function taggedCondition(entity: RandomEntity, { fixed, bound }: KeyCondition): object {
  const values = taggedValues(entity, fixed);
  if (bound === undefined) return values;
  const { segment } = bound;
  if (bound.kind === 'startsWith') return { ...values, [segment]: { $startsWith: bound.text } };
  if (bound.kind === 'subdomains') return { ...values, [segment]: { $subdomains: bound.domain } };
  const { kind } = entity.samples.get(segment)!.type;
  const ends = [bound.from, bound.to].map((end) =>
    end === undefined ? null : [tagged(end.value, kind), end.inclusive],
  );
  return { ...values, [segment]: { $between: ends } };
}
