/** Random changes of a row, and a model of what they do. */
import fc from '../../../support/fast-check.js';

export interface Model {
  name?: string;
  level?: number;
  seen?: bigint;
  clicked?: bigint;
  views?: bigint;
  likes?: bigint;
  scores: Map<string, bigint>;
  tags: Map<string, string>;
}

/** Changes as generated: all optional. */
export interface Change {
  readonly set?: Record<string, unknown>;
  readonly remove?: string[];
  readonly add?: Record<string, bigint>;
  readonly increment?: Record<string, unknown>;
  readonly append?: Record<string, unknown>;
}

export const word = fc.string({ unit: 'grapheme', maxLength: 4 });
export const entry = fc.constantFrom('a', 'b', '__proto__');
export const amount = fc.bigInt({ min: -5n, max: 5n });
export const mapOf = <V>(value: fc.Arbitrary<V>) =>
  fc.array(fc.tuple(entry, value), { maxLength: 3 }).map((pairs) => new Map(pairs));

export const some = <T>(shape: { [P in keyof T]: fc.Arbitrary<T[P]> }) =>
  fc.record(shape, { requiredKeys: [] });

export const cells = fc
  .tuple(
    some({ name: fc.option(word), level: fc.integer(), tags: mapOf(fc.option(word)) }),
    fc.subarray(['name', 'level', 'seen', 'clicked', 'views', 'scores', 'tags']),
    some({ views: amount, likes: amount }),
  )
  .map(([set, removed, add]) => ({ set, remove: removed.filter((name) => !(name in set)), add }));

export const readModify = fc.record({
  increment: some({ seen: amount, clicked: amount, scores: mapOf(amount) }),
  append: some({ name: word, tags: mapOf(word) }),
});

export const change: fc.Arbitrary<Change> = fc.oneof(cells, readModify);

export function applyCells(model: Model, { set = {}, remove = [], add = {} }: Change): void {
  for (const property of remove) {
    if (property === 'tags' || property === 'scores') model[property] = new Map();
    else delete model[property as 'name'];
  }
  for (const [property, value] of Object.entries(set)) {
    if (value instanceof Map) {
      for (const [name, each] of value as Map<string, string | null>) {
        if (each === null) model.tags.delete(name);
        else model.tags.set(name, each);
      }
    } else if (value === null) delete model[property as 'name'];
    else (model as unknown as Record<string, unknown>)[property] = value;
  }
  for (const [property, each] of Object.entries(add))
    model[property as 'views'] = (model[property as 'views'] ?? 0n) + each;
}

/** Returns the new values. */
export function applyReadModify(model: Model, { increment = {}, append = {} }: Change): object {
  const values = model as unknown as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  const combine = (before: unknown, by: unknown): unknown =>
    typeof by === 'bigint' ? ((before ?? 0n) as bigint) + by : `${(before ?? '') as string}${by}`;
  for (const [property, by] of [...Object.entries(increment), ...Object.entries(append)]) {
    if (!(by instanceof Map)) {
      result[property] = values[property] = combine(values[property], by);
      continue;
    }
    const map = values[property] as Map<string, unknown>;
    const changed = [...by].map(([name, each]): [unknown, unknown] => {
      map.set(name as string, combine(map.get(name as string), each));
      return [name, map.get(name as string)];
    });
    if (changed.length > 0) result[property] = new Map(changed as [string, unknown][]);
  }
  return result;
}

/** What is read of a row: maps without entries are not stored. */
export function asModel(row: object | undefined): object {
  const { scores = new Map(), tags = new Map(), ...rest } = (row ?? {}) as Model & { id?: string };
  delete rest.id;
  const present = Object.entries(rest).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(present), scores, tags };
}
