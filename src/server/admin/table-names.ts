/**
 * `projects/P/instances/I/tables/T` <-> tables of the engine, which has one flat list of them. The
 * tables of the home instance are the engine's own, under the same names, so that a program that
 * opens the directory and a client of the server see the same ones. A table of any other instance
 * takes the name T too where it is free, else T.2, T.3...; a stored record says which one it has.
 */
import { RowsmithError } from '../../errors.js';
import { checkId, isRowsmithError, parseResource } from '../../protocol/index.js';
import type { Engine, TableSchema } from '../../store/index.js';
import { ownTable, type ResourceStore } from './resource-store.js';

/** Longest name of a table in the engine (TableSchema.name). */
const longestName = 50;

/** Which table of the engine a name means. */
export class TableNames {
  /** Names of the engine that records give to a table. */
  readonly #taken = new Map<string, string>();
  /** Full name -> engine's name, for tables that have a record. */
  readonly #recorded = new Map<string, string>();
  /** Creations and deletions run one after the other: a name is looked for and then taken. */
  #last: Promise<unknown> = Promise.resolve();

  readonly #engine: Engine;
  readonly #store: ResourceStore;
  readonly #home: string;

  constructor(engine: Engine, store: ResourceStore, home: string) {
    this.#engine = engine;
    this.#store = store;
    this.#home = home;
    for (const [full, bytes] of store.list('table', ''))
      this.#note(full, new TextDecoder().decode(bytes));
  }

  /** The engine's name of a table; TABLE_NOT_FOUND when no table can have this name. */
  find(full: string | undefined): string {
    const recorded = this.#recorded.get(full ?? '');
    if (recorded !== undefined) return recorded;
    const { parent, id } = parseResource(full, 'tables');
    if (parent === this.#home && id !== ownTable && !this.#taken.has(id)) return id;
    throw new RowsmithError('TABLE_NOT_FOUND', { table: full });
  }

  /** The tables of an instance with their full names, in byte order. */
  async list(instance: string): Promise<(readonly [name: string, schema: TableSchema])[]> {
    const found: (readonly [string, TableSchema])[] = [];
    for (const schema of await this.#engine.listTables()) {
      if (schema.name === ownTable) continue;
      const full = this.#taken.get(schema.name) ?? `${this.#home}/tables/${schema.name}`;
      if (full.startsWith(`${instance}/tables/`)) found.push([full, schema]);
    }
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** True when any table lies in the instance. */
  async holds(instance: string): Promise<boolean> {
    return (await this.list(instance)).length > 0;
  }

  /** The instances that hold a table with a record: all that do, but for the home instance. */
  instances(): ReadonlySet<string> {
    return new Set(
      [...this.#recorded.keys()].map((full) => full.slice(0, full.lastIndexOf('/tables/'))),
    );
  }

  /** Makes a table. `schemaFor` gives its schema under the engine's name. */
  create(
    instance: string,
    id: string | undefined,
    schemaFor: (name: string) => TableSchema,
  ): Promise<readonly [name: string, schema: TableSchema]> {
    return this.#alone(async () => {
      const full = `${instance}/tables/${checkId(id, 'tables')}`;
      const own =
        this.#recorded.get(full) ??
        (instance === this.#home && id !== ownTable && !this.#taken.has(id!) ? id : undefined);
      if (own !== undefined) return [full, await this.#make(full, schemaFor(own))];
      // The engine knows which names are free: asking it for all of them would make ten thousand
      // tables cost a hundred million names.
      for (let n = 1; ; n++) {
        const name = numbered(id!, n);
        if (name === ownTable || this.#taken.has(name)) continue;
        try {
          return [full, await this.#make(full, schemaFor(name))];
        } catch (error) {
          if (!isRowsmithError(error) || error.code !== 'TABLE_EXISTS') throw error;
        }
      }
    });
  }

  /** Makes the table under the engine's name, and its record. */
  async #make(full: string, schema: TableSchema): Promise<TableSchema> {
    const { name } = schema;
    // The record first: one without a table is a table that does not exist, a table without a
    // record would be the home instance's.
    const recording = full !== `${this.#home}/tables/${name}` && !this.#recorded.has(full);
    if (recording) await this.#record(full, name);
    try {
      await this.#engine.createTable(schema);
      return schema;
    } catch (error) {
      // A record that stayed would give this instance the next table of that name, whoever makes
      // it.
      if (recording) await this.#forget(full, name);
      throw error;
    }
  }

  /** Deletes a table and its rows. */
  remove(full: string | undefined): Promise<void> {
    return this.#alone(async () => {
      const name = this.find(full);
      await this.#engine.deleteTable(name);
      await this.#forget(full!, name);
    });
  }

  async #forget(full: string, name: string): Promise<void> {
    if (this.#taken.get(name) !== full) return;
    await this.#store.remove('table', full);
    this.#taken.delete(name);
    this.#recorded.delete(full);
  }

  #alone<T>(step: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(step, step);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #record(full: string, name: string): Promise<void> {
    await this.#store.put('table', full, new TextEncoder().encode(name));
    this.#note(full, name);
  }

  #note(full: string, name: string): void {
    this.#taken.set(name, full);
    this.#recorded.set(full, name);
  }
}

/** The name of a table for the n-th that wants it: T, T.2, T.3... */
function numbered(id: string, n: number): string {
  const suffix = n === 1 ? '' : `.${n}`;
  return id.slice(0, longestName - suffix.length) + suffix;
}
