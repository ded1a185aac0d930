/**
 * The states of indexes, each a row of the table that holds the entries: a read through an index is
 * right only once every row has its entries. FORMAT.md describes the rows.
 */
import { stateFaults, stateVersion } from './state-faults.js';
import { randomBytes } from 'node:crypto';
import { latin1Bytes, latin1Text, pointRange, RowsmithError } from '../../../base/index.js';
import { type EntityModel, type IndexModel, stateColumns } from '../../model/index.js';
import { indexStatesModel } from '../../model/index.js';
import { fullScan, rangesOf } from '../../query/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type Mutation,
  type Row,
} from '../../../data/store/index.js';
import { familiesOf } from '../row/families.js';

/** What is stored about an index. */
export interface IndexState {
  /** The id of the index, which its entries begin with. */
  readonly id: string;
  /** The table of the entries, and of this state. */
  readonly table: string;
  readonly state: 'building' | 'ready';
  /** The name of the entity, and the table of its rows. */
  readonly entity: string;
  readonly base: string;
  /** The format of the keys in the table. */
  readonly format: EntryFormat;
  /** Distinguishes this build from earlier ones. */
  readonly build: string;
  /** How far the build is; empty at its beginning. */
  readonly position: string;
  /** Findings of this build that it could not solve. */
  readonly unresolved: number;
}

type EntryFormat = EntityModel['key']['spec']['format'];
/** The formats of keys in tables of entries. */
export const entryFormats: readonly EntryFormat[] = ['text', 'ordered'];

/** How far a build is. */
export type BuildProgress = Pick<IndexState, 'position' | 'unresolved'>;

type IndexPlace = Pick<IndexModel, 'id'> & {
  readonly entry: Pick<EntityModel, 'table' | 'key'>;
};

/** Reads and writes the states of indexes. */
export class IndexStates {
  readonly #engine: Engine;
  /** Indexes that were ready: they are not looked up again. */
  readonly #ready = new Map<IndexModel, Promise<void>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Rejects with INDEX_NOT_READY if rows may be missing in the index. Looks at the stored state
   * until the index is ready, and then never again.
   */
  assertReady(model: EntityModel, index: IndexModel): Promise<void> {
    const known = this.#ready.get(index);
    if (known !== undefined) return known;
    const check = this.#assertReady(model, index);
    this.#ready.set(index, check);
    // Only the answer that it is ready is kept.
    check.catch(() => this.forget(index));
    return check;
  }

  /** Looks at the stored state again at the next read. */
  forget(index: IndexModel): void {
    this.#ready.delete(index);
  }

  async #assertReady(model: EntityModel, index: IndexModel): Promise<void> {
    const state = await this.#stateOrReady(model, index);
    if (state?.state === 'ready') return;
    const name = `'${index.name}'`;
    throw new RowsmithError('INDEX_NOT_READY', {
      entity: model.name,
      index: index.name,
      ...(state === undefined ? stateFaults.unbuiltIndex : stateFaults.unfinishedIndex)(
        name,
        model.name,
        index.name,
      ),
    });
  }

  /**
   * The state; an index of a table without rows is ready. Entries of another table are not built.
   */
  async #stateOrReady(model: EntityModel, index: IndexModel): Promise<IndexState | undefined> {
    const state = await this.read(index);
    if (state !== undefined && state.base !== model.table.name)
      return { ...state, state: 'building' };
    if (state !== undefined || (await this.#hasRows(model))) return state;
    try {
      return await this.#create(model, index, 'ready');
    } catch (error) {
      if (!isReadOnly(error)) throw error;
      return newState(model, index, 'ready');
    }
  }

  /** The same for all indexes: the stored rows were replaced. */
  forgetAll(): void {
    this.#ready.clear();
  }

  /**
   * Marks the indexes of tables without rows as ready, and closes stored indexes of these entities
   * that they do not declare: rows that are written from now on have no entries in them. For tables
   * that exist.
   */
  async prepare(models: readonly EntityModel[]): Promise<void> {
    for (const model of models)
      for (const index of model.indexes)
        await this.#rename(model, await this.#stateOrReady(model, index));
    for (const state of await this.listAll())
      if (models.some((model) => leavesOut(model, state))) await this.#close(state);
  }

  /** The class has another name than when the state was written: its new one closes the index. */
  async #rename(model: EntityModel, state: IndexState | undefined): Promise<void> {
    if (state === undefined || state.base !== model.table.name) return;
    if (state.entity !== model.name) await this.#change(state, { ...state, entity: model.name });
  }

  /** A build of the index begins at the first row again. */
  async #close(listed: IndexState): Promise<void> {
    let state: IndexState | undefined = listed;
    while (state !== undefined && !(state.state === 'building' && state.position === '')) {
      const closed = { ...state, state: 'building', build: newBuild(), position: '' } as const;
      if (await this.#change(state, closed)) return;
      const { table, format }: IndexState = state;
      state = (await this.list(table, format)).find(({ id }) => id === listed.id);
    }
  }

  /** The states of all indexes of the database, declared or not. */
  async listAll(): Promise<IndexState[]> {
    const states: IndexState[] = [];
    for (const { name, families } of await this.#engine.listTables()) {
      if (!families.has(stateColumns.family)) continue;
      for (const format of entryFormats) states.push(...(await this.list(name, format)));
    }
    return states;
  }

  /** The stored state; undefined if there is none. */
  async read(index: IndexPlace): Promise<IndexState | undefined> {
    const key = stateKey(index);
    const table = index.entry.table.name;
    const [row] = await this.#rows(table, [pointRange(key)]);
    return row && stateOf(table, index.id, index.entry.key.spec.format, row);
  }

  /** The states of all indexes in a table, declared or not. */
  async list(table: string, format: EntryFormat): Promise<IndexState[]> {
    const { key } = indexStatesModel(table, format);
    const decode = key.decoder();
    const rows = await this.#rows(table, key.rangesOfAny([{ fixed: {} }]).perShard.flat());
    return rows.flatMap((row) => {
      const values: Record<string, unknown> = {};
      if (!decode(row.key, 0, row.key.length, values)) return [];
      return [stateOf(table, values.id as string, format, row)];
    });
  }

  /** Begins a build, or continues the one that was stopped. */
  async begin(model: EntityModel, index: IndexModel): Promise<IndexState> {
    this.forget(index);
    const state = await this.read(index);
    if (state?.state === 'building' && state.base === model.table.name) return state;
    if (state === undefined) return this.#create(model, index, 'building');
    const next = newState(model, index, 'building');
    await this.#replace(index, state, next);
    return next;
  }

  /** Stores the position of a build. Rejects with CONTENTION if another build has begun. */
  async advance(
    index: IndexModel,
    state: IndexState,
    progress: BuildProgress,
  ): Promise<IndexState> {
    const next = { ...state, ...progress };
    await this.#replace(index, state, next);
    return next;
  }

  /** Marks a build as complete. Rejects with CONTENTION if another build has begun. */
  async finish(index: IndexModel, state: IndexState): Promise<void> {
    await this.#replace(index, state, { ...state, state: 'ready', position: '', unresolved: 0 });
  }

  /** Removes a state. */
  async remove(index: IndexPlace): Promise<void> {
    await this.#engine.mutateRow(index.entry.table.name, {
      key: stateKey(index),
      mutations: [{ kind: 'deleteFromFamily', family: stateColumns.family }],
    });
  }

  /** Writes a state if there is none; resolves to the one that is stored. */
  async #create(
    model: EntityModel,
    index: IndexModel,
    state: IndexState['state'],
  ): Promise<IndexState> {
    const created = newState(model, index, state);
    const exists = await this.#engine.checkAndMutateRow(index.entry.table.name, {
      key: stateKey(index),
      predicate: cellOf(stateColumns.state),
      onFalse: mutationsOf(created),
    });
    if (!exists) return created;
    return (await this.read(index)) ?? created;
  }

  async #replace(index: IndexModel, state: IndexState, next: IndexState): Promise<void> {
    if (await this.#change(state, next)) return;
    throw new RowsmithError('CONTENTION', {
      entity: state.entity,
      index: index.name,
      ...stateFaults.indexTakenOver(index.name),
    });
  }

  /** Writes a state on condition of its build; resolves to whether that was the current one. */
  #change(state: IndexState, next: IndexState): Promise<boolean> {
    const { table, format, id } = state;
    const predicate: Filter = {
      kind: 'chain',
      filters: [
        cellOf(stateColumns.build),
        { kind: 'valueEquals', value: latin1Bytes(state.build) },
      ],
    };
    return this.#engine.checkAndMutateRow(table, {
      key: indexStatesModel(table, format).key.encode({ id }),
      predicate,
      onTrue: mutationsOf(next),
    });
  }

  /** Whether the table has a row of the entity. */
  async #hasRows(model: EntityModel): Promise<boolean> {
    const filter: Filter = {
      kind: 'chain',
      filters: [
        { kind: 'families', families: familiesOf(model) },
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'stripValue' },
      ],
    };
    const decode = model.key.decoder();
    for (const ranges of rangesOf(model, fullScan).perShard) {
      const stream = this.#engine.readRows(
        { table: model.table.name, ranges, reversed: false, filter },
        { pageRows: 1 },
      );
      try {
        for (let page = await stream.next(); page !== undefined; page = await stream.next())
          while (page.nextRow())
            if (decode(page.keyBytes, page.keyStart, page.keyEnd, {})) return true;
      } finally {
        await stream.close();
      }
    }
    return false;
  }

  async #rows(table: string, ranges: Parameters<Engine['readRows']>[0]['ranges']): Promise<Row[]> {
    const filter: Filter = {
      kind: 'chain',
      filters: [
        { kind: 'families', families: [stateColumns.family] },
        { kind: 'cellsPerColumn', count: 1 },
      ],
    };
    return collectRows(this.#engine.readRows({ table, ranges, reversed: false, filter }));
  }
}

function isReadOnly(error: unknown): boolean {
  return (
    error instanceof RowsmithError &&
    (error.code === 'UNSUPPORTED' || error.code === 'PERMISSION_DENIED')
  );
}

/** Whether an entity has the rows of an index, and does not declare it. */
function leavesOut({ name, table, indexes }: EntityModel, state: IndexState): boolean {
  if (name !== state.entity || table.name !== state.base) return false;
  return !indexes.some(({ id, entry }) => id === state.id && entry.table.name === state.table);
}

function newBuild(): string {
  return randomBytes(9).toString('base64url');
}

function newState(model: EntityModel, index: IndexModel, state: IndexState['state']): IndexState {
  return {
    id: index.id,
    table: index.entry.table.name,
    state,
    entity: model.name,
    base: model.table.name,
    format: index.entry.key.spec.format,
    build: newBuild(),
    position: '',
    unresolved: 0,
  };
}

function stateKey({ id, entry }: IndexPlace): Uint8Array {
  return indexStatesModel(entry.table.name, entry.key.spec.format).key.encode({ id });
}

function cellOf(qualifier: Uint8Array): Filter {
  const columns: Filter = {
    kind: 'columns',
    columns: [{ family: stateColumns.family, qualifiers: [qualifier] }],
  };
  return { kind: 'chain', filters: [columns, { kind: 'cellsPerColumn', count: 1 }] };
}

function mutationsOf(state: IndexState): Mutation[] {
  const { family } = stateColumns;
  const set = (qualifier: Uint8Array, value: string): Mutation => ({
    kind: 'setCell',
    family,
    qualifier,
    timestamp: 0,
    value: Buffer.from(value),
  });
  return [
    { kind: 'deleteFromFamily', family },
    set(stateColumns.state, state.state),
    set(stateColumns.build, state.build),
    set(stateColumns.entity, state.entity),
    set(stateColumns.position, state.position),
    set(stateColumns.table, state.base),
    set(stateColumns.unresolved, String(state.unresolved)),
    set(stateColumns.version, stateVersion),
  ];
}

function stateOf(table: string, id: string, format: EntryFormat, { cells }: Row): IndexState {
  const values = new Map(
    cells.map(({ qualifier, value }) => [latin1Text(qualifier), Buffer.from(value).toString()]),
  );
  const valueOf = (qualifier: Uint8Array): string => values.get(latin1Text(qualifier)) ?? '';
  const version = valueOf(stateColumns.version);
  if (version !== stateVersion)
    throw new RowsmithError('FORMAT_TOO_NEW', {
      table,
      index: id,
      ...stateFaults.unsupportedVersion(id, version),
    });
  return {
    id,
    table,
    state: valueOf(stateColumns.state) === 'ready' ? 'ready' : 'building',
    entity: valueOf(stateColumns.entity),
    base: valueOf(stateColumns.table),
    format,
    build: valueOf(stateColumns.build),
    position: valueOf(stateColumns.position),
    unresolved: Number(valueOf(stateColumns.unresolved)),
  };
}
