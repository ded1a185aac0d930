/** Compares everything that follows from rows with the rows. */
import type { Database } from '../../src/index.js';
import type { ItemKey, Repository } from './calls.js';
import { rowOf, tenants } from './calls.js';
import type { Declared, Item, ItemClass, Owner } from './declare.js';
import { addRows, type Bucket, bucketOf, emptyBucket } from './expected.js';

export interface Expected {
  readonly items: readonly Item[];
  readonly owners: readonly Owner[];
  /** What expired rows have left in their buckets. */
  readonly expired: ReadonlyMap<string, Bucket>;
  /** Buckets that begin earlier keep extremes of rows that are gone. */
  readonly computedSince: number;
}

/** What is wrong, in words. */
type Problems = string[];
const text = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)) ??
  'undefined';
const names = (rows: Iterable<ItemKey>): string => [...rows].map(rowOf).sort().join(' ') || 'none';

function compare(problems: Problems, what: string, found: string, expected: string): void {
  if (found !== expected) problems.push(`${what}: found ${found}, expected ${expected}`);
}

/** Queries of indexes and rollups, which are right at any time. */
export async function checkQueries(
  db: Database,
  declared: Declared,
  expected: Expected,
  entity: ItemClass = declared.Item,
): Promise<Problems> {
  const problems = await indexes(db, declared, expected, entity);
  if (declared.features.has('rollup'))
    problems.push(...(await buckets(db, declared, expected, entity)));
  return problems;
}

async function indexes(
  db: Database,
  { features }: Declared,
  { items }: Expected,
  entity: ItemClass,
): Promise<Problems> {
  const problems: Problems = [];
  const repository: Repository = db.repository(entity);
  for (const tenant of tenants) {
    const own = items.filter((item) => item.tenant === tenant);
    for (const status of features.has('index') ? ['open', 'paid', 'new'] : []) {
      const found = await repository.index('byStatus').prefix({ tenant, status }).all();
      const having = own.filter((item) => item.status === status);
      compare(problems, `index of ${tenant}/${status}`, names(found), names(having));
    }
    for (const code of features.has('unique') ? ['x', 'y'] : []) {
      const having = own.filter((item) => item.code === code);
      if (having.length > 1) problems.push(`code ${code} is not unique: ${names(having)}`);
      const found = await repository.index('byCode').get({ tenant, code });
      compare(problems, `index of ${tenant}/${code}`, names(found ? [found] : []), names(having));
    }
    for (const owner of features.has('copies') ? ['o1', 'o2'] : []) {
      const found = await repository
        .index('byOwner')
        .prefix({ tenant, owner } as never)
        .all();
      const having = own.filter((item) => item.owner === owner);
      compare(problems, `index of ${tenant}/${owner}`, names(found), names(having));
    }
  }
  return problems;
}

/** What holds once nothing is left to repair. */
export async function checkFollowers(
  db: Database,
  declared: Declared,
  expected: Expected,
  entity: ItemClass = declared.Item,
): Promise<Problems> {
  const { features } = declared;
  const problems = await checkQueries(db, declared, expected, entity);
  if (features.has('index') || features.has('covered'))
    problems.push(...(await coveredEntries(db, declared, expected, entity)));
  if (features.has('copies')) problems.push(...copiesOf(expected));
  if (features.has('hooks'))
    for (const { status, id, label } of expected.items)
      compare(problems, `label of ${id}`, String(label), `${status ?? 'none'}/${id}`);
  if (features.has('scopes') && entity === declared.Item)
    problems.push(...(await scopes(db, declared, expected)));
  if (features.has('collections') && entity === declared.Item)
    problems.push(...(await collections(db, declared, expected)));
  problems.push(...(await verified(db, entity, features)));
  return problems;
}

async function coveredEntries(
  db: Database,
  { features }: Declared,
  { items }: Expected,
  entity: ItemClass,
): Promise<Problems> {
  const problems: Problems = [];
  const covered = db.repository(entity).index('byStatus').covered();
  const found = (await covered.scanAll().all()) as unknown as Item[];
  const having = items.filter(({ status }) => status !== undefined);
  const entry = ({ status, total, ...key }: Item): string =>
    `${rowOf(key)} ${status} ${features.has('covered') ? total : ''}`;
  compare(
    problems,
    'covered entries',
    found.map(entry).sort().join(),
    having.map(entry).sort().join(),
  );
  return problems;
}

function copiesOf({ items, owners }: Expected): Problems {
  const problems: Problems = [];
  for (const item of items) {
    const owner = owners.find((each) => each.tenant === item.tenant && each.owner === item.owner);
    compare(problems, `copy of ${rowOf(item)}`, String(item.ownerName), String(owner?.name));
  }
  return problems;
}

async function buckets(
  db: Database,
  { onlySums }: Declared,
  { items, expired, computedSince }: Expected,
  entity: ItemClass,
): Promise<Problems> {
  const problems: Problems = [];
  const expected = new Map([...expired].map(([name, bucket]) => [name, { ...bucket }]));
  addRows(expected, items);
  const rows = await db.repository(entity).rollup('sales').scanAll().all();
  const found = new Map(
    (rows as unknown as (ItemKey & Record<string, unknown>)[]).map((row) => [bucketOf(row), row]),
  );
  for (const name of new Set([...expected.keys(), ...found.keys()])) {
    const { rows: count, total, totals, least, most } = expected.get(name) ?? emptyBucket();
    const row = found.get(name);
    const number = (value: unknown): string => String(BigInt((value as bigint | undefined) ?? 0n));
    compare(problems, `rows of bucket ${name}`, number(row?.rows), String(count));
    // A bucket without rows does not exist, whatever expired columns have added to its sums.
    if (row === undefined || count === 0) continue;
    compare(problems, `total of bucket ${name}`, number(row.total), String(total));
    const mean = totals === 0 ? undefined : Number(total) / totals;
    compare(problems, `mean of bucket ${name}`, String(row.mean), String(mean));
    if (onlySums) continue;
    const isExact = row.at.getTime() >= computedSince;
    const at = (extreme: 'least' | 'most', is: bigint | undefined): void => {
      const found = row[extreme] as bigint | undefined;
      const keeps = is === undefined || (extreme === 'least' ? found! <= is : found! >= is);
      if (isExact || !keeps)
        compare(problems, `${extreme} of bucket ${name}`, String(found), String(is));
    };
    at('least', least);
    at('most', most);
  }
  return problems;
}

async function scopes(db: Database, { Item }: Declared, { items }: Expected): Promise<Problems> {
  const problems: Problems = [];
  for (const tenant of [...tenants, 'none']) {
    const scope = db.scope({ tenant }).repository(Item as never) as unknown as Repository;
    const found = await scope.scanAll().all();
    const own = items.filter((item) => item.tenant === tenant);
    compare(problems, `rows of scope ${tenant}`, names(found), names(own));
  }
  return problems;
}

async function collections(
  db: Database,
  { Item, Owner }: Declared,
  { items, owners }: Expected,
): Promise<Problems> {
  const problems: Problems = [];
  const collection = db.collection({ item: Item, owner: Owner } as never);
  for (const tenant of tenants) {
    const found = (await (collection as unknown as TenantRows).prefix({ tenant }).all()) as {
      kind: string;
      entity: ItemKey & Owner;
    }[];
    const text = ({ kind, entity }: (typeof found)[number]): string =>
      kind === 'item' ? rowOf(entity) : entity.owner;
    const own = [
      ...items.map((entity) => ({ kind: 'item', entity: entity as ItemKey & Owner })),
      ...owners.map((entity) => ({ kind: 'owner', entity: entity as ItemKey & Owner })),
    ].filter(({ entity }) => entity.tenant === tenant);
    compare(
      problems,
      `collection of ${tenant}`,
      found.map(text).sort().join(' '),
      own.map(text).sort().join(' '),
    );
  }
  return problems;
}

interface TenantRows {
  prefix(segments: { tenant: string }): { all(): Promise<unknown> };
}

/** What `verify` finds, which has to be nothing. */
async function verified(
  db: Database,
  entity: ItemClass,
  features: Declared['features'],
): Promise<Problems> {
  const problems: Problems = [];
  const follows = ['index', 'unique', 'copies', 'rollup'].some((each) =>
    features.has(each as 'index'),
  );
  if (!follows) return problems;
  const { findings, rollups } = await db.derived.verify(entity);
  for (const { kind, index, rowKey } of findings)
    problems.push(`verify finds ${kind} in ${index} of ${rowKey}`);
  if (features.has('rollup'))
    for (const { kind, name, key } of rollups?.differences ?? [])
      problems.push(`verify finds ${kind} in rollup ${name} of ${text(key)}`);
  return problems;
}
