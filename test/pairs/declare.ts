/** Builds the declaration of entities that have a set of features. */
import {
  column,
  columnMap,
  copies,
  copyOf,
  counter,
  createdAt,
  defineEntity,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  maxAge,
  maxVersions,
  revision,
  rollups,
  rowKey,
  aggregate,
  table,
  uniqueIndexOn,
  updatedAt,
} from '../../src/index.js';
import type { FeatureSet } from './features.js';

/** A row with every property that a feature may declare. */
export class Item {
  tenant!: string;
  at!: Date;
  id!: number;
  status?: string;
  code?: string;
  total?: bigint;
  note?: string;
  /** Appended to. */
  log?: string;
  owner?: string;
  ownerName?: string;
  views?: bigint;
  hits?: bigint;
  tags?: Map<string, bigint>;
  revision?: string;
  createdAt?: Date;
  updatedAt?: Date;
  /** Set by the hook. */
  label?: string;
}

/** A row with a name that items copy, and a second member of the collection. */
export class Owner {
  tenant!: string;
  owner!: string;
  name?: string;
  /** Not copied. */
  city?: string;
}

const itemKey = rowKey('tenant', 'at', 'id');
const itemIndexes = indexes({
  byStatus: indexOn('tenant', 'status').including('total'),
  byCode: uniqueIndexOn('tenant', 'code'),
  byOwner: indexOn('tenant', 'owner').including('ownerName'),
});
const sums = {
  rows: 'count',
  total: { sum: 'total' },
  mean: { avg: 'total' },
  newest: { last: 'note' },
} as const;
const rollupsOf = <V extends typeof sums>(values: V) =>
  rollups({ sales: { by: ['tenant', { time: 'at', every: '30m' }], values } });
const itemRollups = rollupsOf({
  ...sums,
  least: { min: 'total' },
  most: { max: 'total' },
} as const);
/** The class of a declaration, as if it declared everything. */
export type ItemClass = (new () => Item) & {
  readonly key: typeof itemKey;
  readonly indexes: typeof itemIndexes;
  readonly rollups: typeof itemRollups;
};
const ownerKey = rowKey('tenant', 'owner');
export type OwnerClass = (new () => Owner) & { readonly key: typeof ownerKey };

export interface DeclareOptions {
  readonly breaksHook?: boolean | undefined;
  /** For a storage that cannot keep minima and maxima. */
  readonly onlySums?: boolean | undefined;
  /** The family of the status. */
  readonly status?: string;
}

export interface Declared {
  /** Begins the names of its tables. */
  readonly name: string;
  readonly onlySums: boolean;
  readonly features: FeatureSet;
  readonly Item: ItemClass;
  /** The same under another key, for migrations. */
  readonly Moved: ItemClass;
  readonly Owner: OwnerClass;
  readonly entities: readonly EntityClass[];
}

export const maxAgeHours = 3;
/** How a hook changes what is saved. */
export const hooked = (status: string | undefined): string | undefined =>
  status?.trim().toLowerCase();

/** The classes of the features. */
export function declare(
  features: FeatureSet,
  name: string,
  { breaksHook = false, onlySums = false, status = familyOfStatus(features) }: DeclareOptions = {},
): Declared {
  const has = (feature: Parameters<FeatureSet['has']>[0]): boolean => features.has(feature);
  const gc = has('maxAge') ? maxAge(`${maxAgeHours}h`) : maxVersions(1);
  const families = {
    m: { gc },
    k: { gc },
    t: { gc },
    c: aggregate('sum'),
    o: { gc: maxVersions(1) },
  };
  const one = table(name, { families });
  const ownerClass = class extends Owner {};
  const OwnerEntity = defineEntity(ownerClass, {
    name: 'Owner',
    table: has('collections') ? one : table(`${name}_owner`, { families }),
    key: has('collections') ? rowKey('tenant', literal('owner'), 'owner') : ownerKey,
    segments: { tenant: 'string', owner: 'string' },
    columns: { name: column('o', 'string'), city: column('o', 'string') },
    shards: has('collections') && has('shards') ? shardsOf(features) : undefined,
  } as never) as unknown as OwnerClass;

  const item = (className: string, first: readonly string[], at: ReturnType<typeof table>) => {
    const parts = first.map((text) => literal(text));
    if (has('collections')) parts.push(literal('item'));
    const leading = has('collections') ? ['tenant', ...parts] : [...parts, 'tenant'];
    const itemClass = class extends Item {};
    if (has('hooks'))
      Object.assign(itemClass, {
        beforeWrite(each: Item) {
          if (!breaksHook) each.status = hooked(each.status);
        },
        afterRead(each: Item) {
          each.label = `${each.status ?? 'none'}/${each.id}`;
        },
      });
    return defineEntity(itemClass, {
      name: className,
      table: at,
      key: (rowKey as (...parts: unknown[]) => unknown)(...leading, 'at', 'id'),
      segments: {
        tenant: 'string',
        at: 'timestamp',
        id: { kind: 'uint', max: 99 },
      },
      columns: columnsOf(features, status),
      ...optionsOf(features),
      ...derivedOf(features, OwnerEntity, onlySums),
    } as never) as unknown as ItemClass;
  };
  const ItemEntity = item('Item', [], one);
  const Moved = item('Moved', ['moved'], table(`${name}_moved`, { families }));
  const entities: EntityClass[] = [ItemEntity, OwnerEntity];
  if (has('migrate')) entities.push(Moved);
  return { name, features, onlySums, Item: ItemEntity, Moved, Owner: OwnerEntity, entities };
}

/** The same, as a program without its index declares it. */
export function withoutIndex({ name, features, onlySums }: Declared): Declared {
  const left = [...features].filter((each) => !['index', 'covered'].includes(each));
  return declare(new Set(left), name, { onlySums, status: familyOfStatus(features) });
}

/** A sum never expires, so that a row with a revision that does is refused. */
export function hasSums(features: FeatureSet): boolean {
  return features.has('counters') && !(features.has('maxAge') && features.has('revision'));
}

/** A value with a default must not expire if its rows are in an index. */
export function keepsStatus(features: FeatureSet): boolean {
  return features.has('index') && features.has('defaults');
}

function familyOfStatus(features: FeatureSet): string {
  return keepsStatus(features) ? 'o' : 'm';
}

function columnsOf(features: FeatureSet, family: string): Record<string, unknown> {
  const status = features.has('defaults') ? { default: 'new' } : {};
  const columns: Record<string, unknown> = {
    status: column(family, 'string', status),
    code: column('m', 'string'),
    total: column('m', 'int64'),
    note: column('m', 'string'),
    log: column('m', 'string'),
  };
  if (features.has('copies')) {
    columns.owner = column('m', 'string');
    columns.ownerName = column('m', 'string');
  }
  if (features.has('counters')) {
    if (hasSums(features)) columns.views = counter('c');
    columns.hits = counter('k');
  }
  if (features.has('columnMap')) columns.tags = columnMap('t', 'int64');
  if (features.has('revision')) columns.revision = revision('m');
  if (features.has('dates')) {
    columns.createdAt = createdAt('m');
    columns.updatedAt = updatedAt('m');
  }
  return columns;
}

/** Members of a collection are in the same shards. */
function shardsOf(features: FeatureSet): { count: number; by: readonly string[] } {
  return { count: 3, by: [features.has('collections') ? 'tenant' : 'id'] };
}

function optionsOf(features: FeatureSet): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  if (features.has('marker')) options.marker = true;
  if (features.has('cellTimestamp')) options.cellTimestamp = 'at';
  if (features.has('shards')) options.shards = shardsOf(features);
  return options;
}

function derivedOf(
  features: FeatureSet,
  owner: OwnerClass,
  onlySums: boolean,
): Record<string, unknown> {
  const derived: Record<string, unknown> = {};
  const declared: Record<string, unknown> = {};
  if (features.has('index'))
    declared.byStatus = features.has('covered')
      ? itemIndexes.byStatus
      : indexOn('tenant', 'status');
  if (features.has('unique')) declared.byCode = itemIndexes.byCode;
  if (features.has('copies')) {
    declared.byOwner = features.has('covered') ? itemIndexes.byOwner : indexOn('tenant', 'owner');
    derived.copies = copies({
      ownerName: copyOf(() => owner, 'name', { tenant: 'tenant', owner: 'owner' }),
    });
  }
  if (Object.keys(declared).length > 0) derived.indexes = indexes(declared as never);
  if (features.has('rollup')) derived.rollups = onlySums ? rollupsOf(sums) : itemRollups;
  return derived;
}
