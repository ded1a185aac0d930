/**
 * The tables of a database: held in memory, and each a record of its own in the store, so that
 * making one costs the same however many there are. What changes is written with the commit that
 * the caller is in.
 */
import { noBytes, copyBytes } from '../../../bytes/index.js';
import { RowsmithError } from '../../../errors.js';
import { type FamilyChange, type TableSchema, type TableUpdate } from '../../../store/index.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { ByteReader, ByteWriter } from '../kv/record.js';
import { metaKey, metaSpan } from '../kv/store-key.js';
import { changedFamilies, checkDeletable, newTable, updatedTable } from './table-change.js';
import { readTable, writeTable } from './table-record.js';
import { schemaOf, type TableState } from './table-state.js';

/** Key of the record that holds the first table number that is free: 8 bytes, big-endian. */
const numberKey = metaKey('tables');
const tablePrefix = 'table/';
const droppedPrefix = 'dropped/';

/** Every table, and what keeps numbers from being used twice. */
export class Catalog {
  #following = 1;
  readonly #tables = new Map<string, TableState>();
  readonly #dropped = new Set<number>();

  readonly #store: OrderedStore;

  constructor(store: OrderedStore) {
    this.#store = store;
    this.reload();
  }

  /** Takes what is stored: a commit that failed as a whole has undone what was written with it. */
  reload(): void {
    this.#tables.clear();
    this.#dropped.clear();
    const number = this.#store.get(numberKey);
    this.#following =
      number === undefined ? 1 : new ByteReader(number, 0, number.length).number64();
    for (const [name, bytes] of this.#records(tablePrefix))
      this.#tables.set(name, readTable(bytes));
    for (const [id] of this.#records(droppedPrefix)) this.#dropped.add(Number(id));
  }

  /** The table of that name, or TABLE_NOT_FOUND. */
  table(name: string): TableState {
    const table = this.#tables.get(name);
    if (table !== undefined) return table;
    throw new RowsmithError('TABLE_NOT_FOUND', {
      table: name,
      fix: `create the table '${name}', or correct the name`,
    });
  }

  /** True when there is a table of that name. */
  has(name: string): boolean {
    return this.#tables.has(name);
  }

  /** Every table as it is now. */
  states(): TableState[] {
    return [...this.#tables.values()];
  }

  /** Every table as declared, by name. */
  schemas(): TableSchema[] {
    return [...this.#tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(schemaOf);
  }

  /** Numbers of deleted tables whose rows are not all gone yet. */
  droppedTables(): number[] {
    return [...this.#dropped];
  }

  /** Adds a table. */
  create(schema: TableSchema, writer: PairWriter): void {
    if (this.#tables.has(schema.name)) {
      throw new RowsmithError('TABLE_EXISTS', {
        table: schema.name,
        fix: 'take another name, delete the table first, or use the one that is there',
      });
    }
    const table = newTable(this.#following, schema);
    const bytes = new ByteWriter(8);
    bytes.number64(this.#following + 1);
    writer.put(numberKey, bytes.bytes);
    this.#following++;
    this.#put(table, writer);
  }

  /** Takes a table away; answers its number, whose rows are still to be removed before `forget`. */
  drop(name: string, writer: PairWriter): number {
    const table = this.table(name);
    checkDeletable(table);
    writer.put(metaKey(`${droppedPrefix}${table.id}`), noBytes);
    writer.remove(metaKey(`${tablePrefix}${name}`));
    this.#tables.delete(name);
    this.#dropped.add(table.id);
    return table.id;
  }

  /** Nothing is left of a deleted table. */
  forget(id: number, writer: PairWriter): void {
    writer.remove(metaKey(`${droppedPrefix}${id}`));
    this.#dropped.delete(id);
  }

  /** Changes the table's families: all changes, or what refuses one of them is thrown. */
  changeFamilies(name: string, changes: readonly FamilyChange[], writer: PairWriter): void {
    this.#put(changedFamilies(this.table(name), changes), writer);
  }

  /** Changes what of the table is given. */
  update(name: string, update: TableUpdate, writer: PairWriter): void {
    this.#put(updatedTable(this.table(name), update), writer);
  }

  #put(table: TableState, writer: PairWriter): void {
    writer.put(metaKey(`${tablePrefix}${table.name}`), writeTable(table));
    this.#tables.set(table.name, table);
  }

  /** The own records whose names begin so: the rest of the name, and the bytes. */
  *#records(prefix: string): Generator<readonly [string, Uint8Array]> {
    const { start, end } = metaSpan(prefix);
    const pairs = this.#store.scan(start, end, false);
    try {
      while (pairs.next()) {
        const name = Buffer.from(
          copyBytes(pairs.keyBytes, pairs.keyStart + start.length, pairs.keyEnd),
        ).toString('latin1');
        yield [name, copyBytes(pairs.valueBytes, pairs.valueStart, pairs.valueEnd)];
      }
    } finally {
      pairs.close();
    }
  }
}

/** Writes the records of tables where there are none yet: what an older format is brought to. */
export function writeRecords(
  nextTable: number,
  tables: readonly TableState[],
  dropped: readonly number[],
  writer: PairWriter,
): void {
  const bytes = new ByteWriter(8);
  bytes.number64(nextTable);
  writer.put(numberKey, bytes.bytes);
  for (const table of tables) writer.put(metaKey(`${tablePrefix}${table.name}`), writeTable(table));
  for (const id of dropped) writer.put(metaKey(`${droppedPrefix}${id}`), noBytes);
}
