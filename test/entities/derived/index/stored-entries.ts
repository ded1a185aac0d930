/** Compares entries with rows, both read from the engine: independent of what keeps them. */
import { type Database, type EntityClass, RowsmithError } from '../../../../src/index.js';
import type { EntityModel, IndexModel } from '../../../../src/entities/model/index.js';
import { collectRows, type Engine, type Row } from '../../../../src/data/store/index.js';

const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

async function rowsOf(db: Database, table: string): Promise<Row[]> {
  return collectRows(
    db.engine.readRows({ table, ranges: [{ start: Buffer.alloc(0) }], reversed: false }),
  );
}

/** The key of the entry that a row should have. */
function expectedKey(index: IndexModel, entity: Record<string, unknown>): string | undefined {
  const values: Record<string, unknown> = {};
  for (const { property } of index.entry.segments) {
    if (entity[property] === undefined) return undefined;
    values[property] = entity[property];
  }
  return utf8(index.entry.key.encode(values));
}

/** The keys of the entries of each index, and the keys that the rows should have. */
export async function compareEntries(
  db: Database,
  entity: EntityClass,
): Promise<Record<string, { readonly stored: string[]; readonly expected: string[] }>> {
  const repository = db.repository(entity);
  const model = repository.model;
  const entities = (await repository.scanAll().all()) as Record<string, unknown>[];
  const result: Record<string, { stored: string[]; expected: string[] }> = {};
  for (const index of model.indexes) {
    const entries = await rowsOf(db, index.entry.table.name);
    const decode = index.entry.key.decoder();
    const stored = entries
      .filter(({ key }) => decode(key, 0, key.length, {}))
      .map(({ key }) => utf8(key));
    const expected = entities.flatMap((row) => expectedKey(index, row) ?? []).sort();
    result[index.name] = { stored, expected };
  }
  return result;
}

/** Fails unless each row has exactly its entries. */
export async function expectExactEntries(db: Database, entity: EntityClass): Promise<void> {
  for (const { stored, expected } of Object.values(await compareEntries(db, entity)))
    expect(stored).toEqual(expected);
}

/** An entry as it is stored. */
export interface StoredEntry {
  readonly entry: { readonly index: number; readonly key: string };
  /** The key of the base row. */
  readonly row: Buffer;
}

/** All entries of an entity, with the keys of their base rows. */
export async function storedEntries(engine: Engine, model: EntityModel): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const [index, { entry, unique }] of model.indexes.entries()) {
    const range = {
      table: entry.table.name,
      ranges: [{ start: Buffer.alloc(0) }],
      reversed: false,
    };
    for (const { key, cells } of await collectRows(engine.readRows(range))) {
      const values: Record<string, unknown> = {};
      if (!entry.key.decoder()(key, 0, key.length, values)) continue;
      const holder = cells.find(({ qualifier }) => utf8(qualifier) === 'k')?.value;
      const row = Buffer.from(unique ? holder! : model.key.encode(values));
      entries.push({ entry: { index, key: Buffer.from(key).toString('latin1') }, row });
    }
  }
  return entries;
}

/** The code of the error that a call rejects with. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'resolved';
  } catch (error) {
    if (error instanceof RowsmithError) return error.code;
    throw error;
  }
}
