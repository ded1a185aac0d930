/**
 * The tables of a database, in memory and in the store. Each table has its own metadata record, so
 * that creating one takes the same time however many there are. Changes are written with the commit
 * of the caller.
 */
import { copyBytes, RowsmithError } from '../../../base/index.js';
import {
  type FamilyChange,
  type TableSchema,
  type TableUpdate,
} from '../../../data/store/index.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { number64Bytes, readNumber64 } from '../kv/bytes.js';
import { metaKey, metaSpan } from '../kv/store-key.js';
import { changedFamilies, checkDeletable, newTable, updatedTable } from './table-change.js';
import { readTable, writeTable } from './table-record.js';
import { schemaOf, schemaFix, type TableState } from './table-state.js';

/** Key of the record that holds the next table ID, a u64. */
const nextTableKey = metaKey('tables');
const tablePrefix = 'table/';

/** All tables, and the allocation of table IDs. */
export class Catalog {
  #nextTableId = 1;
  #tables = new Map<string, TableState>();
  #byId = new Map<number, TableState>();

  readonly #store: OrderedStore;

  constructor(store: OrderedStore) {
    this.#store = store;
    this.reload();
  }

  /**
   * Reads the stored tables, after a commit has failed and its changes were undone. If the store
   * cannot be read, the tables remain as they were.
   */
  reload(): void {
    const nextTable = this.#store.get(nextTableKey);
    const tables = new Map<string, TableState>();
    for (const [name, bytes] of this.#records(tablePrefix)) tables.set(name, readTable(bytes));
    this.#nextTableId = nextTable === undefined ? 1 : readNumber64(nextTable, 0);
    this.#tables = tables;
    this.#byId = new Map([...tables.values()].map((table) => [table.id, table]));
  }

  /** Returns the table; TABLE_NOT_FOUND when it does not exist. */
  table(name: string): TableState {
    const table = this.#tables.get(name);
    if (table !== undefined) return table;
    throw missingTable(name);
  }

  byId(id: number): TableState | undefined {
    return this.#byId.get(id);
  }

  has(name: string): boolean {
    return this.#tables.has(name);
  }

  states(): TableState[] {
    return [...this.#tables.values()];
  }

  /** The schemas of all tables, by name. */
  schemas(): TableSchema[] {
    return [...this.#tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(schemaOf);
  }

  /** Creates a table; TABLE_EXISTS when there is one. */
  create(schema: TableSchema, writer: PairWriter): void {
    if (this.#tables.has(schema.name)) {
      throw new RowsmithError('TABLE_EXISTS', {
        table: schema.name,
        fix: 'choose another name, delete the table first, or use the existing one',
      });
    }
    const table = newTable(this.#nextTableId, schema);
    this.#nextTableId++;
    writer.put(nextTableKey, number64Bytes(this.#nextTableId));
    this.#put(table, writer);
  }

  /** Deletes a table and returns its ID. The caller removes its rows in the same commit. */
  drop(name: string, writer: PairWriter): number {
    const table = this.table(name);
    checkDeletable(table);
    writer.remove(metaKey(`${tablePrefix}${name}`));
    this.#tables.delete(name);
    this.#byId.delete(table.id);
    return table.id;
  }

  /** Applies changes to the table's families: all, or none if one of them is rejected. */
  changeFamilies(name: string, changes: readonly FamilyChange[], writer: PairWriter): void {
    this.#put(changedFamilies(this.table(name), changes), writer);
  }

  /** Changes the given properties of the table. */
  update(name: string, update: TableUpdate, writer: PairWriter): void {
    this.#put(updatedTable(this.table(name), update), writer);
  }

  #put(table: TableState, writer: PairWriter): void {
    writer.put(metaKey(`${tablePrefix}${table.name}`), writeTable(table));
    this.#tables.set(table.name, table);
    this.#byId.set(table.id, table);
  }

  /**
   * The metadata records with names that begin with a prefix: the rest of the name, and the value.
   */
  *#records(prefix: string): Generator<readonly [name: string, value: Uint8Array]> {
    const { start, end } = metaSpan(prefix);
    const cursor = this.#store.scan(start, end, false);
    try {
      while (cursor.next()) {
        const name = copyBytes(cursor.keyBytes, cursor.keyStart + start.length, cursor.keyEnd);
        const value = copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
        yield [Buffer.from(name).toString('latin1'), value];
      }
    } finally {
      cursor.release();
    }
  }
}

/** The error of a call that names a table that does not exist. */
export function missingTable(name: string): RowsmithError {
  return new RowsmithError('TABLE_NOT_FOUND', {
    table: name,
    fix: `create the table '${name}', or correct the name`,
    shell: { fix: schemaFix(`table '${name}'`) },
  });
}
