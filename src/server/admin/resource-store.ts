/**
 * What the server keeps besides rows: instances, clusters, app profiles, and which of the engine's
 * tables is whose. They are rows of one table of the engine, so they are as durable as the rest.
 */
import { prefixRange, noBytes } from '../../bytes/index.js';
import { isRowsmithError } from '../../protocol/index.js';
import { collectRows, type Engine } from '../../store/index.js';

/** The table of the server's own; no API shows it. */
export const ownTable = '_rowsmith.server';
const family = 'r';
const qualifier = noBytes;

/** Kinds of stored objects; the first part of their keys. */
export type StoredKind = 'instance' | 'cluster' | 'appProfile' | 'table';

/** Stored objects by kind and full name, in memory as on disk. */
export class ResourceStore {
  #made: boolean;
  readonly #held = new Map<string, Uint8Array>();

  readonly #engine: Engine;

  private constructor(engine: Engine, made: boolean) {
    this.#engine = engine;
    this.#made = made;
  }

  /** Reads what is stored. */
  static async open(engine: Engine): Promise<ResourceStore> {
    const made = (await engine.listTables()).some(({ name }) => name === ownTable);
    const store = new ResourceStore(engine, made);
    if (!made) return store;
    const rows = await collectRows(
      engine.readRows({
        table: ownTable,
        ranges: [prefixRange(noBytes)],
        reversed: false,
      }),
    );
    for (const { key, cells } of rows)
      store.#held.set(new TextDecoder().decode(key), cells[0].value);
    return store;
  }

  /** The object's bytes. */
  get(kind: StoredKind, name: string): Uint8Array | undefined {
    return this.#held.get(`${kind}/${name}`);
  }

  /** The names of a kind that begin with `prefix`, and their bytes, in byte order of the names. */
  list(kind: StoredKind, prefix: string): [string, Uint8Array][] {
    const start = `${kind}/${prefix}`;
    const found = [...this.#held]
      .filter(([key]) => key.startsWith(start))
      .map(([key, bytes]): [string, Uint8Array] => [key.slice(kind.length + 1), bytes]);
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Stores the object in place of what was there. */
  async put(kind: StoredKind, name: string, value: Uint8Array): Promise<void> {
    await this.#makeTable();
    const key = `${kind}/${name}`;
    await this.#engine.mutateRow(ownTable, {
      key: Buffer.from(key),
      mutations: [{ kind: 'setCell', family, qualifier, timestamp: 0, value }],
    });
    this.#held.set(key, value);
  }

  /** Removes the object, if it is there. */
  async remove(kind: StoredKind, name: string): Promise<void> {
    const key = `${kind}/${name}`;
    if (!this.#held.has(key)) return;
    await this.#engine.mutateRow(ownTable, {
      key: Buffer.from(key),
      mutations: [{ kind: 'deleteFromRow' }],
    });
    this.#held.delete(key);
  }

  async #makeTable(): Promise<void> {
    if (this.#made) return;
    try {
      await this.#engine.createTable({ name: ownTable, families: new Map([[family, {}]]) });
    } catch (error) {
      if (!isRowsmithError(error) || error.code !== 'TABLE_EXISTS') throw error;
    }
    this.#made = true;
  }
}
