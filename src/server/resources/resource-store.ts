/**
 * What the server stores besides rows: instances, clusters, app profiles, access policies, value
 * types, and which table of the engine belongs to which instance. Stored as rows of one table of
 * the engine, so it is as durable as the data.
 */
import { prefixRange, noBytes } from '../../bytes/index.js';
import { isRowsmithError } from '../../errors.js';
import { collectRows, type Engine } from '../../store/index.js';

/** The server's own table; no API method shows it. */
export const systemTable = '_rowsmith.server';
const family = 'r';
const qualifier = noBytes;

/**
 * Kinds of stored objects; the first part of their keys. Instances, clusters, app profiles and
 * access policies are messages of the API; `table` is the engine's name of a table, and
 * `valueTypes` a Table message with the types of families that engines do not keep.
 */
export type StoredKind = 'instance' | 'cluster' | 'appProfile' | 'table' | 'policy' | 'valueTypes';

/** Stored objects by kind and full name. All are kept in memory as well. */
export class ResourceStore {
  readonly #engine: Engine;
  readonly #objects = new Map<string, Uint8Array>();
  #version = 0;
  #tableExists: boolean;

  private constructor(engine: Engine, tableExists: boolean) {
    this.#engine = engine;
    this.#tableExists = tableExists;
  }

  /** Loads all stored objects. */
  static async open(engine: Engine): Promise<ResourceStore> {
    const tableExists = (await engine.listTables()).some(({ name }) => name === systemTable);
    const store = new ResourceStore(engine, tableExists);
    if (!tableExists) return store;
    const rows = await collectRows(
      engine.readRows({
        table: systemTable,
        ranges: [prefixRange(noBytes)],
        reversed: false,
      }),
    );
    for (const { key, cells } of rows)
      store.#objects.set(new TextDecoder().decode(key), cells[0].value);
    return store;
  }

  /** Changes whenever an object is stored or removed. */
  get version(): number {
    return this.#version;
  }

  /** The object's bytes. */
  get(kind: StoredKind, name: string): Uint8Array | undefined {
    return this.#objects.get(`${kind}/${name}`);
  }

  /** The objects of a kind whose names begin with `prefix`, sorted by name. */
  list(kind: StoredKind, prefix: string): [string, Uint8Array][] {
    const start = `${kind}/${prefix}`;
    const found = [...this.#objects]
      .filter(([key]) => key.startsWith(start))
      .map(([key, bytes]): [string, Uint8Array] => [key.slice(kind.length + 1), bytes]);
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Stores the object, replacing any previous one of this name. */
  async put(kind: StoredKind, name: string, value: Uint8Array): Promise<void> {
    await this.#createTable();
    const key = `${kind}/${name}`;
    await this.#engine.mutateRow(systemTable, {
      key: Buffer.from(key),
      mutations: [{ kind: 'setCell', family, qualifier, timestamp: 0, value }],
    });
    this.#objects.set(key, value);
    this.#version++;
  }

  /** Removes the object if it exists. */
  async remove(kind: StoredKind, name: string): Promise<void> {
    const key = `${kind}/${name}`;
    if (!this.#objects.has(key)) return;
    await this.#engine.mutateRow(systemTable, {
      key: Buffer.from(key),
      mutations: [{ kind: 'deleteFromRow' }],
    });
    this.#objects.delete(key);
    this.#version++;
  }

  async #createTable(): Promise<void> {
    if (this.#tableExists) return;
    try {
      await this.#engine.createTable({ name: systemTable, families: new Map([[family, {}]]) });
    } catch (error) {
      if (!isRowsmithError(error) || error.code !== 'TABLE_EXISTS') throw error;
    }
    this.#tableExists = true;
  }
}
