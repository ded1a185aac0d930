/**
 * What the server stores besides rows: instances, clusters, app profiles, authorized views, access
 * policies, backups, settings of tables, and which table of the engine belongs to which instance.
 * Stored as rows of one table of the engine, so it is as durable as the data.
 */
import { isRowsmithError, noBytes, prefixRange } from '../../base/index.js';
import { collectRows, type Engine } from '../../data/store/index.js';

/** The server's own table; no API method shows it. */
export const systemTable = '_rowsmith.server';
const family = 'r';
const qualifier = noBytes;

/**
 * Kinds of stored objects; the first part of their keys. Instances, clusters, app profiles,
 * authorized views and access policies are messages of the API; `table` is the engine's name of a
 * table, and `settings` a Table message with what engines do not keep: types of families, and
 * settings. `backup` is a StoredBackup, and `restore` a table that is being restored.
 */
export type StoredKind =
  | 'instance'
  | 'cluster'
  | 'appProfile'
  | 'table'
  | 'policy'
  | 'settings'
  | 'view'
  | 'backup'
  | 'restore';

/** Stored objects by kind and full name. All are kept in memory as well. */
export class ResourceStore {
  readonly #engine: Engine;
  /** By kind, because there may be far more tables than other resources, and then by name. */
  readonly #objects = new Map<string, Map<string, Uint8Array>>();
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
    for (const { key, cells } of rows) {
      const [kind, ...name] = new TextDecoder().decode(key).split('/');
      store.#ofKind(kind).set(name.join('/'), cells[0].value);
    }
    return store;
  }

  /** Changes whenever an object is stored or removed, or what objects name has changed. */
  get version(): number {
    return this.#version;
  }

  /** The families of a table, which its views name, have changed. */
  familiesChanged(): void {
    this.#version++;
  }

  /** The object's bytes. */
  get(kind: StoredKind, name: string): Uint8Array | undefined {
    return this.#objects.get(kind)?.get(name);
  }

  /** The objects of a kind with names that begin with `prefix`, sorted by name. */
  list(kind: StoredKind, prefix: string): [string, Uint8Array][] {
    const found = [...this.#ofKind(kind)].filter(([name]) => name.startsWith(prefix));
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Stores the object, replacing any previous one of this name. */
  async put(kind: StoredKind, name: string, value: Uint8Array): Promise<void> {
    await this.#createTable();
    await this.#engine.mutateRow(systemTable, {
      key: Buffer.from(`${kind}/${name}`),
      mutations: [{ kind: 'setCell', family, qualifier, timestamp: 0, value }],
    });
    this.#ofKind(kind).set(name, value);
    this.#version++;
  }

  /** Removes the object if it exists. */
  async remove(kind: StoredKind, name: string): Promise<void> {
    if (this.get(kind, name) === undefined) return;
    await this.#engine.mutateRow(systemTable, {
      key: Buffer.from(`${kind}/${name}`),
      mutations: [{ kind: 'deleteFromRow' }],
    });
    this.#ofKind(kind).delete(name);
    this.#version++;
  }

  #ofKind(kind: string): Map<string, Uint8Array> {
    let objects = this.#objects.get(kind);
    if (objects === undefined) {
      objects = new Map();
      this.#objects.set(kind, objects);
    }
    return objects;
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
