/** What queries of an index should return, computed of all rows and of all entries. */
import type { Database, EntityClass } from '../../../../src/index.js';
import type { IndexModel } from '../../../../src/entities/model/index.js';
import { collectRows } from '../../../../src/data/store/index.js';

export type Values = Record<string, unknown>;

/** A query, or a repository, as JavaScript calls it. */
export interface Untyped extends AsyncIterable<unknown> {
  index(name: unknown): Untyped;
  covered(): Untyped;
  scanAll(): Untyped;
  prefix(segments: unknown): Untyped;
  prefixes(list: unknown): Untyped;
  oneOf(segment: string, values: unknown): Untyped;
  between(segment: string, from: unknown, to: unknown): Untyped;
  since(segment: string, from: unknown): Untyped;
  until(segment: string, to: unknown): Untyped;
  startsWith(segment: string, text: unknown): Untyped;
  firstPer(segment: string): Untyped;
  distinct(segment: string): Untyped;
  where(conditions: unknown): Untyped;
  limit(rows: number): Untyped;
  reverse(): Untyped;
  select(...properties: string[]): Untyped;
  keysOnly(): Untyped;
  groupBy(...groups: unknown[]): { aggregate(values: unknown): Untyped };
  aggregate(values: unknown): Promise<unknown>;
  all(options?: unknown): Promise<unknown[]>;
  first(): Promise<unknown>;
  count(): Promise<number>;
  get(values: unknown): Promise<unknown>;
  page(request: unknown): Promise<{ readonly rows: unknown[]; readonly next?: string }>;
  delete(): Promise<unknown>;
}

/** Something that an index returns, with the values and the key of its entry. */
export interface Found {
  readonly key: Buffer;
  /** The segments of the entry. */
  readonly entry: Values;
  /** The row, or the covered columns with the segments of the row. */
  readonly row: Values;
}

/** The key of a row's entry; undefined if a value is absent. */
export function entryOf(index: IndexModel, row: Values): Buffer | undefined {
  const values: Values = {};
  for (const { property, type } of index.entry.segments) {
    const value = row[property] ?? null;
    if (value === null && type.nullable !== true) return undefined;
    values[property] = value;
  }
  return Buffer.from(index.entry.key.encode(values));
}

export function decoded(index: IndexModel, key: Uint8Array): Values | undefined {
  const values: Values = {};
  return index.entry.key.decoder()(key, 0, key.length, values) ? values : undefined;
}

const byKey = (a: Found, b: Found): number => Buffer.compare(a.key, b.key);

/** All rows that an index should find, in its order. */
export async function rowsIn(
  db: Database,
  entity: EntityClass,
  index: IndexModel,
): Promise<Found[]> {
  const rows = (await db.repository(entity).scanAll().all()) as Values[];
  const found = rows.flatMap((row): Found[] => {
    const key = entryOf(index, row);
    return key === undefined ? [] : [{ key, entry: decoded(index, key)!, row }];
  });
  return found.sort(byKey);
}

/** All entries of an index as they are stored, in its order. */
export async function entriesIn(
  db: Database,
  entity: EntityClass,
  index: IndexModel,
): Promise<Found[]> {
  const { model } = db.repository(entity);
  const table = index.entry.table.name;
  const rows = await collectRows(
    db.engine.readRows({ table, ranges: [{ start: Buffer.alloc(0) }], reversed: false }),
  );
  return rows
    .flatMap(({ key, cells }): Found[] => {
      const entry = decoded(index, key);
      if (entry === undefined) return [];
      const row: Values = { ...entry };
      for (const { family, qualifier, value } of cells) {
        const name = Buffer.from(qualifier).toString();
        const column = model.columns.find(({ property }) => property === name);
        if (family === '_c') row[name] = column!.codec.decode(value, 0, value.length);
        if (family === '_e' && name === 'k') model.key.decoder()(value, 0, value.length, row);
      }
      return [{ key: Buffer.from(key), entry, row }];
    })
    .sort(byKey);
}

/** Writes an entry that no row backs, unless a row does. */
export async function injectEntry(
  db: Database,
  entity: EntityClass,
  index: IndexModel,
  row: Values,
): Promise<void> {
  const key = entryOf(index, row);
  if (key === undefined) return;
  const own = await rowsIn(db, entity, index);
  if (own.some((each) => each.key.equals(key))) return;
  const { model } = db.repository(entity);
  const cell = (qualifier: string, value: Uint8Array) =>
    ({
      kind: 'setCell',
      family: '_e',
      qualifier: Buffer.from(qualifier),
      timestamp: 0,
      value,
    }) as const;
  const mutations = [cell('', Buffer.from('stray'))];
  if (index.unique) mutations.push(cell('k', model.key.encode(row)));
  await db.engine.mutateRow(index.entry.table.name, { key, mutations });
}
