/** Random entities of many tenants: what lies beside their rows, and what follows from them. */
import {
  copies,
  copyOf,
  column,
  defineEntity,
  delimited,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  maxVersions,
  rollups,
  rowKey,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import fc from '../../../support/fast-check.js';

/** A row as tests see it. */
export interface Values {
  tenant?: string | null;
  device?: string;
  at?: Date;
  place?: string;
  code?: string;
  value?: bigint;
  partner?: string;
  name?: string;
}

/** Entities that can be opened together. */
export interface Layout {
  readonly entities: readonly EntityClass[];
  /** How they are declared, for messages. */
  readonly text: string;
}

/** Some contain each other, some the delimiter. */
export const tenants = ['acme', 'acme2', 'a', 'acme#d', 'ac', 'ACME', 'b', null] as const;
export const devices = ['d', 'acme', 'D', 'd2', 'd#'] as const;
const names = ['Alpha', 'Beta', 'Gamma', 'Delta'];
const families = { m: { gc: maxVersions(1) }, k: { gc: maxVersions(1) } };

const keys = {
  plain: ['tenant', 'device', 'at'],
  byTime: ['tenant', 'at', 'device'],
  short: ['tenant', 'device'],
  alone: ['tenant'],
  between: ['tenant', literal('x'), 'device', 'at'],
  after: ['tenant', 'device', literal('y'), 'at'],
  first: [literal('acme'), 'tenant', 'device', 'at'],
  swapped: ['device', literal('z'), 'tenant', 'at'],
  last: [literal('acme'), literal('l'), 'at', 'tenant'],
} as const;

const indexesOf = {
  byPlace: () => indexOn('place'),
  byOwnPlace: () => indexOn('tenant', 'place'),
  byDevice: () => indexOn('device', 'tenant', 'place').in('entries'),
  byCode: () => uniqueIndexOn('code').in('entries'),
  byOwnCode: () => uniqueIndexOn('tenant', 'code'),
  covering: () => indexOn('tenant').including('value').in('entries'),
};

const day = { time: 'at', every: '1d' };
const rollupsOf = {
  own: ['tenant', day],
  deep: ['tenant', 'device', day],
  turned: ['device', 'tenant', day],
  overall: [day],
} as const;

const shape = fc.record({
  key: fc.constantFrom(...(Object.keys(keys) as (keyof typeof keys)[])),
  table: fc.constantFrom('one', 'two', 'one', 'own'),
  indexes: fc.subarray(Object.keys(indexesOf) as (keyof typeof indexesOf)[], { maxLength: 3 }),
  rollups: fc.subarray(Object.keys(rollupsOf) as (keyof typeof rollupsOf)[], { maxLength: 2 }),
  isPlain: fc.boolean(),
  tenant: fc.constantFrom({}, {}, { nullable: true }, { order: 'desc' }, { lower: true }),
});
type Shape = typeof shape extends fc.Arbitrary<infer S> ? S : never;

const storage = fc.record({
  keyFormat: fc.constantFrom('text', 'ordered', 'ordered', delimited('#')),
  shards: fc.constantFrom(undefined, undefined, ['tenant'], ['device']),
});
type Storage = typeof storage extends fc.Arbitrary<infer S> ? S : never;

const copying = fc.constantFrom('none', 'none', 'inside', 'across', 'both');

/** Layouts that can be declared. */
export const layout: fc.Arbitrary<Layout> = fc
  .tuple(
    fc.array(shape, { minLength: 1, maxLength: 4 }),
    fc.tuple(storage, storage, storage),
    copying,
  )
  .map((drawn) => layoutOf(...drawn))
  .filter((built) => built !== undefined);

/** Undefined if the entities cannot be declared together. */
function layoutOf(
  shapes: readonly Shape[],
  storages: readonly Storage[],
  copied: string,
): Layout | undefined {
  const entities = [
    ...shapes.map((each, i) => entityOf(each, i, storages)),
    ...(copied === 'none' ? [] : copiesOf(copied)),
  ];
  try {
    buildModels(entities);
  } catch {
    return undefined;
  }
  const text = JSON.stringify({ shapes, storages, copied });
  return { entities, text };
}

function entityOf(drawn: Shape, i: number, storages: readonly Storage[]): EntityClass {
  const parts = keys[drawn.key] as readonly (string | object)[];
  const has = (name: string): boolean => parts.includes(name);
  const isOwn = drawn.table === 'own';
  const { keyFormat, shards } = storages[['one', 'two', 'own'].indexOf(drawn.table)];
  const named = { [names[i]]: class {} }[names[i]];
  const tenant = canHave(drawn.tenant, keyFormat) ? drawn.tenant : {};
  const declared: Record<string, unknown> = {
    table: isOwn ? `own${i}` : drawn.table,
    families,
    keyFormat,
    key: rowKey(...(parts as [string])),
    segments: Object.fromEntries(
      Object.entries({
        tenant: { kind: 'string', minLength: 0, maxLength: 20, ...tenant },
        device: { kind: 'string', minLength: 0, maxLength: 20 },
        at: { kind: 'timestamp' },
      }).filter(([name]) => has(name)),
    ),
    columns: {
      place: column('m', 'string'),
      code: column('m', 'string'),
      value: column('m', 'int64'),
    },
  };
  if (shards !== undefined && shards.every(has)) declared.shards = { count: 3, by: shards };
  const kept = drawn.indexes.filter((name) => name !== 'byDevice' || has('device'));
  if (!drawn.isPlain && kept.length > 0)
    declared.indexes = indexes(
      Object.fromEntries(kept.map((name) => [name, indexesOf[name]()])) as never,
    );
  // The rows of a bucket are a range of the source.
  const segments = parts.filter((part) => typeof part === 'string');
  const added = drawn.rollups.filter((name) =>
    rollupsOf[name].every((each, at) => segments[at] === (each === day ? 'at' : each)),
  );
  if (!drawn.isPlain && added.length > 0)
    declared.rollups = rollups(
      Object.fromEntries(
        added.map((name) => [
          name,
          {
            by: rollupsOf[name],
            values: { count: 'count', total: { sum: 'value' } },
          },
        ]),
      ) as never,
    );
  return defineEntity(named, declared as never);
}

/** Text formats have no order of text backwards, and a delimited key has no null. */
function canHave(tenant: Shape['tenant'], keyFormat: Storage['keyFormat']): boolean {
  if ('order' in tenant) return keyFormat === 'ordered';
  return !('nullable' in tenant) || typeof keyFormat === 'string';
}

/** A source, and entities that copy from it: within a tenant, across tenants, or both. */
function copiesOf(copied: string): EntityClass[] {
  const segments = {
    tenant: { kind: 'string', minLength: 0, maxLength: 20 },
    device: { kind: 'string', minLength: 0 },
  };
  const source = defineEntity(class Source {}, {
    table: 'sources',
    families,
    key: rowKey('tenant', 'device'),
    segments,
    columns: { name: column('m', 'string') },
  } as never) as EntityClass;
  const target = (entity: new () => object, by: string): EntityClass =>
    defineEntity(
      entity as never,
      {
        table: by,
        families,
        key: rowKey('tenant', 'device'),
        segments,
        columns: {
          place: column('m', 'string'),
          partner: column('m', 'string'),
          name: column('k', 'string'),
        },
        indexes: indexes({ bySource: indexOn(by, 'place') } as never),
        copies: copies({
          name: copyOf(() => source, 'name' as never, { tenant: by, device: 'place' } as never),
        } as never),
      } as never,
    );
  const found = [source];
  if (copied !== 'across') found.push(target(class Inside {}, 'tenant'));
  if (copied !== 'inside') found.push(target(class Across {}, 'partner'));
  return found;
}

const at = fc.integer({ min: 0, max: 3 }).map((n) => new Date(Date.UTC(2026, 10, 20, n * 12)));

/** Values of rows; each entity takes the properties that it declares. */
export const rows: fc.Arbitrary<readonly Values[]> = fc
  .array(
    fc.record({
      tenant: fc.constantFrom(...tenants),
      device: fc.constantFrom(...devices),
      at,
      place: fc.constantFrom('d', 'acme', undefined),
      value: fc.constantFrom(1n, -5n, undefined),
      partner: fc.constantFrom('acme', 'b', undefined),
      hasCode: fc.boolean(),
    }),
    { minLength: 1, maxLength: 24 },
  )
  .map((list) =>
    list.map(({ hasCode, ...values }, i) => ({
      ...values,
      code: hasCode ? `c${i}` : undefined,
      name: `n${i}`,
    })),
  );

/** Leading segments of most keys. */
export const scope = fc
  .record({
    tenant: fc.constantFrom(...tenants),
    second: fc.constantFrom('none', 'none', 'device', 'at'),
    device: fc.constantFrom(...devices),
    at,
  })
  .map(({ tenant, second, device, at: time }): Readonly<Record<string, string | Date | null>> => {
    if (second === 'none') return { tenant };
    return second === 'at' ? { tenant, at: time } : { tenant, device };
  });
