/**
 * Maps `projects/P/instances/I/tables/T` to tables of the engine, which has one flat list of them.
 * Tables of the home instance are the engine's tables of the same name, so a program that opens the
 * directory and a client of the server see the same tables. A table T of any other instance is
 * called T in the engine too if that name is free, otherwise T.2, T.3, and so on; a stored record
 * keeps the assignment.
 */
import {
  everyKey,
  isRowsmithError,
  RowsmithError,
  tokenTable,
  utf8Bytes,
  type FaultTexts,
} from '../../base/index.js';
import { checkId, parseResource } from '../../engines/protocol/index.js';
import { collectRows, type Engine, type TableSchema } from '../../data/store/index.js';
import { systemTable, type ResourceStore } from './resource-store.js';
import { assertNoProtectedView, removeViews } from './stored-views.js';
import { TaskQueue } from './task-queue.js';

/**
 * Tables of the engine that belong to no instance. An instance may have tables of these names, as
 * of any other instance: they have other names in the engine.
 */
const ownTables: ReadonlySet<string> = new Set([systemTable, tokenTable]);

/** Tables with the rows of backups, which also belong to no instance, have names that begin so. */
export const backupTablePrefix = '_rowsmith.backup.';

function isOwnTable(name: string): boolean {
  return ownTables.has(name) || name.startsWith(backupTablePrefix);
}

/** Characters of a table name in the engine (TableSchema.name). */
const maxNameLength = 50;

/** The table of the engine for each full table name. */
export class TableNames {
  /** Engine name -> full name, for tables that have a record. */
  readonly #fullNames = new Map<string, string>();
  /** Full name -> engine name, for tables that have a record. */
  readonly #engineNames = new Map<string, string>();
  /** Full names of tables that are being restored: no call finds them. */
  readonly #hidden = new Set<string>();
  /** Creations, deletions and updates: finding a free name and using it must be atomic. */
  readonly changes = new TaskQueue();

  readonly #engine: Engine;
  readonly #store: ResourceStore;
  readonly #homeInstance: string;

  constructor(engine: Engine, store: ResourceStore, homeInstance: string) {
    this.#engine = engine;
    this.#store = store;
    this.#homeInstance = homeInstance;
    for (const [fullName, bytes] of store.list('table', ''))
      this.#remember(fullName, new TextDecoder().decode(bytes));
  }

  /** The engine's name of a table; TABLE_NOT_FOUND if no table can have the full name. */
  find(fullName: string | undefined): string {
    if (this.#hidden.has(fullName ?? ''))
      throw new RowsmithError('TABLE_NOT_FOUND', { table: fullName });
    return this.#find(fullName);
  }

  #find(fullName: string | undefined): string {
    const recorded = this.#engineNames.get(fullName ?? '');
    if (recorded !== undefined) return recorded;
    const { parent, id } = parseResource(fullName, 'tables');
    if (this.#isHomeTable(parent, id)) return id;
    throw new RowsmithError('TABLE_NOT_FOUND', { table: fullName });
  }

  /** True if this id of the instance is a table of the same name in the engine. */
  #isHomeTable(instance: string, id: string): boolean {
    return instance === this.#homeInstance && !isOwnTable(id) && !this.#fullNames.has(id);
  }

  /** The tables of an instance with their full names, sorted by name. */
  async list(instance: string): Promise<(readonly [name: string, schema: TableSchema])[]> {
    const found: (readonly [string, TableSchema])[] = [];
    for (const schema of await this.#engine.listTables()) {
      const fullName = this.#fullNameOf(schema.name);
      if (fullName?.startsWith(`${instance}/tables/`) === true && !this.#hidden.has(fullName))
        found.push([fullName, schema]);
    }
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The instances that have a table. A record does not mean that its table exists. */
  async instances(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const { name } of await this.#engine.listTables()) {
      const fullName = this.#fullNameOf(name);
      if (fullName !== undefined) found.add(fullName.slice(0, fullName.lastIndexOf('/tables/')));
    }
    return found;
  }

  /**
   * The full name of a table of the engine. Undefined if it has none: it is the server's own, or
   * the home instance has another table of the name, from when another instance was the home one.
   */
  #fullNameOf(engineName: string): string | undefined {
    const recorded = this.#fullNames.get(engineName);
    if (recorded !== undefined) return recorded;
    const fullName = `${this.#homeInstance}/tables/${engineName}`;
    if (isOwnTable(engineName) || this.#engineNames.has(fullName)) return undefined;
    return fullName;
  }

  /**
   * Creates a table. `schemaFor` returns its schema, given its name in the engine; `onCreated` runs
   * before any other change.
   */
  create(
    instance: string,
    id: string | undefined,
    schemaFor: (engineName: string) => TableSchema,
    onCreated: (fullName: string) => Promise<void>,
  ): Promise<readonly [name: string, schema: TableSchema]> {
    return this.changes.run(async () => {
      const created = await this.#createNamed(instance, id, schemaFor);
      await onCreated(created[0]);
      return created;
    });
  }

  async #createNamed(
    instance: string,
    id: string | undefined,
    schemaFor: (engineName: string) => TableSchema,
  ): Promise<readonly [name: string, schema: TableSchema]> {
    const tableId = checkId(id, 'tables');
    const fullName = `${instance}/tables/${tableId}`;
    const assigned = this.#assignedName(instance, tableId, fullName);
    if (assigned !== undefined)
      return [fullName, await this.#create(fullName, schemaFor(assigned))];
    // One attempt for each name: listing all tables for each creation would make creating n tables
    // quadratic.
    for (let n = 1; ; n++) {
      const name = numberedName(tableId, n);
      if (isOwnTable(name) || this.#fullNames.has(name)) continue;
      try {
        return [fullName, await this.#create(fullName, schemaFor(name))];
      } catch (error) {
        if (!isRowsmithError(error) || error.code !== 'TABLE_EXISTS') throw error;
      }
    }
  }

  /** The engine name that this table must have; undefined if any free one will do. */
  #assignedName(instance: string, id: string, fullName: string): string | undefined {
    const recorded = this.#engineNames.get(fullName);
    if (recorded !== undefined) return recorded;
    if (this.#isHomeTable(instance, id)) return id;
    return undefined;
  }

  /** Creates the table in the engine, and its record. */
  async #create(fullName: string, schema: TableSchema): Promise<TableSchema> {
    const { name } = schema;
    const needsRecord =
      fullName !== `${this.#homeInstance}/tables/${name}` && !this.#engineNames.has(fullName);
    // Record first: a record without a table means that the table does not exist, but a table
    // without a record would belong to the home instance.
    if (needsRecord) await this.#record(fullName, name);
    if (this.#hidden.has(fullName)) await this.#store.put('restore', fullName, utf8Bytes(name));
    try {
      await this.#engine.createTable(schema);
      return schema;
    } catch (error) {
      // A leftover record would assign the next table of that name to this instance, whoever
      // creates it.
      if (needsRecord) await this.#forget(fullName, name);
      throw error;
    }
  }

  /**
   * Creates a table that no call finds until `reveal`. `onCreated` gets its schema and runs before
   * any other change. If the server is killed before, `recover` deletes the table.
   */
  createHidden(
    instance: string,
    id: string | undefined,
    schemaFor: (engineName: string) => TableSchema,
    onCreated: (fullName: string) => Promise<void>,
  ): Promise<readonly [name: string, schema: TableSchema]> {
    return this.changes.run(async () => {
      const fullName = `${instance}/tables/${checkId(id, 'tables')}`;
      const isTaken = async () => (await this.list(instance)).some(([name]) => name === fullName);
      if (this.#hidden.has(fullName) || (await isTaken()))
        throw new RowsmithError('TABLE_EXISTS', { table: fullName });
      this.#hidden.add(fullName);
      let created;
      try {
        created = await this.#createNamed(instance, id, schemaFor);
        await this.#rememberToken(fullName, created[1].name);
        await onCreated(fullName);
        return created;
      } catch (error) {
        if (created === undefined) await this.#forgetHidden(fullName);
        else await this.#discard(fullName, created[1].name);
        throw error;
      }
    });
  }

  /** A table that is killed while it is restored is deleted later: this one, and no other. */
  async #rememberToken(fullName: string, name: string): Promise<void> {
    const token = await this.#engine.generateConsistencyToken(name);
    await this.#store.put('restore', fullName, utf8Bytes(`${name} ${token}`));
  }

  /** Shows a table of `createHidden`. */
  reveal(fullName: string): Promise<void> {
    return this.changes.run(() => this.#forgetHidden(fullName));
  }

  /** Deletes a table of `createHidden`. */
  discard(fullName: string): Promise<void> {
    return this.changes.run(() => this.#discard(fullName, this.#find(fullName)));
  }

  async #discard(fullName: string, name: string): Promise<void> {
    try {
      await this.#engine.deleteTable(name);
    } catch (error) {
      if (!isRowsmithError(error) || error.code !== 'TABLE_NOT_FOUND') throw error;
    }
    await this.#forget(fullName, name);
    await this.#store.remove('settings', fullName);
    await this.#forgetHidden(fullName);
  }

  async #forgetHidden(fullName: string): Promise<void> {
    await this.#store.remove('restore', fullName);
    this.#hidden.delete(fullName);
  }

  /** Deletes the tables that were being restored when the server was killed. */
  async recover(): Promise<void> {
    for (const [fullName, bytes] of this.#store.list('restore', '')) {
      const [name, token] = new TextDecoder().decode(bytes).split(' ');
      this.#hidden.add(fullName);
      try {
        if (await this.#isRestored(name, token)) await this.#discard(fullName, name);
        else await this.#forgetHidden(fullName);
      } catch {
        // A full disk, for example: it stays hidden, and reads of other tables go on.
      }
    }
  }

  /** Whether the table of a record was created for it. */
  async #isRestored(name: string, token: string | undefined): Promise<boolean> {
    if (!(await this.#engine.listTables()).some((table) => table.name === name)) return true;
    if (token === undefined) {
      const plan = { table: name, ranges: [everyKey], reversed: false, limit: 1 };
      return (await collectRows(this.#engine.readRows(plan))).length === 0;
    }
    try {
      return await this.#engine.checkConsistency(name, token);
    } catch {
      return false;
    }
  }

  /** Deletes a table and its rows. */
  remove(fullName: string | undefined): Promise<void> {
    return this.changes.run(() => this.#remove(fullName));
  }

  /** Deletes all tables of an instance, or none (FAILED_PRECONDITION) if one is protected. */
  removeAll(instance: string): Promise<void> {
    return this.changes.run(async () => {
      for (const hidden of this.#hidden)
        if (hidden.startsWith(`${instance}/`))
          throw new RowsmithError('FAILED_PRECONDITION', faults.restoredTable(hidden));
      const tables = await this.list(instance);
      const found = tables.find(([, { deletionProtection }]) => deletionProtection === true);
      if (found !== undefined) {
        throw new RowsmithError('FAILED_PRECONDITION', faults.protectedTable(found[0]));
      }
      for (const [name] of tables) assertNoProtectedView(this.#store, name);
      for (const [name] of tables) await this.#remove(name);
    });
  }

  async #remove(fullName: string | undefined): Promise<void> {
    const name = this.find(fullName);
    assertNoProtectedView(this.#store, fullName!);
    await this.#engine.deleteTable(name);
    await this.#forget(fullName!, name);
    await this.#store.remove('policy', fullName!);
    await this.#store.remove('settings', fullName!);
    await removeViews(this.#store, fullName!);
  }

  async #record(fullName: string, name: string): Promise<void> {
    await this.#store.put('table', fullName, utf8Bytes(name));
    this.#remember(fullName, name);
  }

  async #forget(fullName: string, name: string): Promise<void> {
    if (this.#fullNames.get(name) !== fullName) return;
    await this.#store.remove('table', fullName);
    this.#fullNames.delete(name);
    this.#engineNames.delete(fullName);
  }

  #remember(fullName: string, name: string): void {
    this.#fullNames.set(name, fullName);
    this.#engineNames.set(fullName, name);
  }
}

/** The n-th candidate for the engine name of a table: T, T.2, T.3, and so on. */
function numberedName(id: string, n: number): string {
  const suffix = n === 1 ? '' : `.${n}`;
  // A client's table may have the name of a backup's table.
  if (id.startsWith(backupTablePrefix)) return numberedName(id.slice(1), n);
  return id.slice(0, maxNameLength - suffix.length) + suffix;
}

const faults = {
  restoredTable: (found: string) => ({
    problem: `The instance cannot be deleted: table ${found} is being restored.`,
  }),
  protectedTable: (found: string) => ({
    problem: `The instance cannot be deleted: table ${found} is protected from deletion.`,
  }),
} satisfies FaultTexts;
