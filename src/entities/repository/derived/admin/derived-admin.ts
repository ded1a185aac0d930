/** Administration of what follows from rows: `db.derived`. */
import {
  checkOptions,
  invalidArgument,
  nearestName,
  quotedList,
  RowsmithError,
  suggestionText,
  valueText,
  type FaultTexts,
} from '../../../../base/index.js';
import type { IndexStates, Propagation, Propagator } from '../../../derived/index.js';
import {
  buildIndex,
  type CheckedPage,
  checkedPages,
  dropIndex,
  entryFormats,
} from '../../../derived/index.js';
import {
  argumentError,
  type EntityClass,
  type EntityModel,
  stateColumns,
} from '../../../model/index.js';
import { checkCount } from '../../../query/index.js';
import type { Engine } from '../../../../data/store/index.js';
import {
  pendingCopies,
  type PendingCopies,
  propagateCopies,
  type PropagateOptions,
  type PropagationReport,
} from './copy-admin.js';
import type {
  CheckIndexOptions,
  DerivedReport,
  DropIndexOptions,
  IndexInfo,
  RebuildOptions,
  RebuildReport,
} from './derived-types.js';
import type { OpenedEntities } from '../../opened-entities.js';
import { checkRollups, firstRollup, isOfRollup } from './check-rollups.js';
import { checkRequired, requiredColumns, requiredPosition } from './check-required.js';
import { ReportBuilder } from './report-builder.js';
import type { RollupAdmin } from './rollup-admin.js';

/** @internal What administers each kind of derived rows. */
export interface AdminParts {
  readonly indexStates: IndexStates;
  readonly rollups: RollupAdmin;
  readonly propagator: Propagator;
  /** In milliseconds. */
  readonly now: () => number;
}

const rebuildOptions = ['maxFindings', 'inFlight', 'onFinding', 'onProgress', 'signal'];
const checkIndexOptions = ['index', 'after', 'limit', 'onDifference', ...rebuildOptions];
const dropOptions = ['onProgress', 'signal'];
const defaultInFlight = 64;
const maxInFlight = 1_024;

/**
 * Checks, repairs, builds and drops indexes, and checks, repairs and propagates copies, beside
 * readers and writers. Every run takes a page of rows at a time, whatever the size of the table.
 */
export class DerivedAdmin {
  readonly #engine: Engine;
  readonly #entities: OpenedEntities;
  readonly #states: IndexStates;
  readonly #propagator: Propagator;
  readonly #now: () => number;

  /** Compares rollups with their source. */
  readonly rollups: RollupAdmin;

  /** @internal Created by Database. */
  constructor(
    engine: Engine,
    entities: OpenedEntities,
    { indexStates, rollups, propagator, now }: AdminParts,
  ) {
    this.#engine = engine;
    this.#entities = entities;
    this.#states = indexStates;
    this.#propagator = propagator;
    this.#now = now;
    this.rollups = rollups;
  }

  /**
   * Compares the rows of an entity with the entries of its indexes, its copies with their sources,
   * then the rows with its rollups, finds rows without required values, and changes nothing. Safe
   * beside writers: each finding in an index is looked at again before it is reported. `rollups`
   * takes parts of a rollup. Rejects with INVALID_ARGUMENT for an entity or index that is not
   * declared, INVALID_CURSOR for a position of another check, and errors of the storage.
   */
  verify(entity: EntityClass, options?: CheckIndexOptions): Promise<DerivedReport> {
    return this.#check('verify()', entity, options, false);
  }

  /**
   * Writes entries that are missing or wrong, deletes entries that no row backs, writes copies that
   * differ from their sources (all of them if they were declared after the rows), and makes rollups
   * exact. May be stopped and repeated, and is safe beside writers, except for buckets of counted
   * rollups that are being written: see `rollups`. Duplicates of unique values and values that
   * cannot be in an index are reported, for the application to solve. Rejects like `verify`.
   */
  repair(entity: EntityClass, options?: CheckIndexOptions): Promise<DerivedReport> {
    return this.#check('repair()', entity, options, true);
  }

  /**
   * Builds an index of a table that has rows, and opens it to reads. Writers go on meanwhile. A run
   * that was stopped is continued by the next one, in whichever program. Start it once every
   * program that writes the entity declares the index. Rejects like `verify`, and with CONTENTION
   * if two programs build the same index.
   */
  async rebuild(
    entity: EntityClass,
    index: string,
    options?: RebuildOptions,
  ): Promise<RebuildReport> {
    const model = this.#modelOf(entity);
    const given = givenOptions('rebuild()', model, options, rebuildOptions);
    const at = indexOf(model, index);
    const report = new ReportBuilder(model, given);
    const inFlight = inFlightOf(model, given);
    const { signal } = given;
    const pages = buildIndex({
      engine: this.#engine,
      states: this.#states,
      model,
      at,
      inFlight,
      signal,
      now: this.#now,
    });
    for (let page = await pages.next(); ; page = await pages.next()) {
      if (page.done === true) return { ...report.result(undefined), ...page.value };
      report.add(page.value);
    }
  }

  /**
   * Deletes the entries of an index that is no longer declared, by its id, which `list` returns.
   * `from` is the entity, or the table of the entries. Drop it once no program declares it. Rejects
   * with FAILED_PRECONDITION if an opened entity declares it, and INVALID_ARGUMENT if there is no
   * such index.
   */
  async drop(
    from: EntityClass | string,
    id: string,
    options?: DropIndexOptions,
  ): Promise<{ readonly deleted: number }> {
    checkOptions('drop()', options, dropOptions);
    assertIndexId(id);
    const { onProgress, signal } = options ?? {};
    const tables = await this.#tablesOf(from);
    this.#assertUndeclared(tables, id);
    let deleted = 0;
    let exists = false;
    for (const table of tables)
      for (const format of entryFormats) {
        const stored = await this.#states.list(table, format);
        exists ||= stored.some((each) => each.id === id);
        const job = { engine: this.#engine, states: this.#states, table, format, id, signal };
        const before = deleted;
        for await (const count of dropIndex(job)) {
          deleted = before + count;
          onProgress?.({ deleted });
        }
      }
    if (exists || deleted > 0) return { deleted };
    const known = (await this.#states.listAll())
      .filter(({ table }) => tables.includes(table))
      .map((each) => each.id);
    throw invalidArgument('id', faults.unknownStoredIndex(id, tables, known));
  }

  /**
   * The rows of an entity with changed values that are not in all copies yet. Throws
   * INVALID_ARGUMENT if no entity copies from it.
   */
  pending(entity: EntityClass): AsyncIterable<PendingCopies> {
    return pendingCopies(this.#sourceOf(entity).propagation);
  }

  /**
   * Writes the copies that are due, and continues what was interrupted. Rejects with the first
   * error once it has reached all of them; what failed stays pending. Rejects with INVALID_ARGUMENT
   * if no entity copies from this one.
   */
  async propagate(entity: EntityClass, options?: PropagateOptions): Promise<PropagationReport> {
    const { model, propagation } = this.#sourceOf(entity);
    return propagateCopies(model, propagation, options);
  }

  /** All indexes: of the opened entities, and stored ones that no opened entity declares. */
  async list(): Promise<readonly IndexInfo[]> {
    const states = await this.#states.listAll();
    const declared = this.#entities.models.flatMap((model) =>
      model.indexes.map(({ id, name, entry }): IndexInfo => {
        const table = entry.table.name;
        const state = states.find((each) => each.id === id && each.table === table)?.state;
        return { id, entity: model.name, index: name, table, state: state ?? 'building' };
      }),
    );
    const undeclared = states
      .filter(({ id, table }) => !declared.some((each) => each.id === id && each.table === table))
      .map(({ id, entity, table }): IndexInfo => {
        return { id, entity, index: undefined, table, state: 'undeclared' };
      });
    return [...declared, ...undeclared];
  }

  async #check(
    call: string,
    entity: EntityClass,
    options: CheckIndexOptions | undefined,
    repair: boolean,
  ): Promise<DerivedReport> {
    const model = this.#modelOf(entity, true);
    const given = givenOptions(call, model, options, checkIndexOptions);
    const { index, after, signal } = given;
    const isLast = after === requiredPosition;
    const limit = given.limit === undefined ? Infinity : checkCount(model, 'limit', given.limit);
    checkPosition(model, after);
    const indexes = index === undefined ? [...model.indexes.keys()] : [indexOf(model, index)];
    const report = new ReportBuilder(model, given);
    const inFlight = inFlightOf(model, given);
    if (indexes.length > 0 && !isLast && (index !== undefined || !isOfRollup(after))) {
      const copies = index === undefined;
      const now = this.#now;
      const rows = { engine: this.#engine, model, indexes, copies, now };
      const job = { ...rows, repair, after, inFlight, signal };
      let last: CheckedPage | undefined;
      for await (const page of checkedPages(job)) {
        // Only the next page shows that this one was not the last.
        if (last !== undefined && report.looked >= limit) return report.result(last.position);
        report.add(page);
        last = page;
      }
    }
    if (index !== undefined) return report.result(undefined);
    if (model.rollups.length > 0 && !isLast) {
      const isAfterIndexes = indexes.length > 0 && !isOfRollup(after);
      const from = after === undefined || isAfterIndexes ? firstRollup : after;
      const job = { rollups: this.rollups, model, repair, from, limit, signal };
      const position = await checkRollups(job, report);
      if (position !== undefined) return report.result(position);
    }
    if (requiredColumns(model).length === 0) return report.result(undefined);
    if (report.looked >= limit) return report.result(requiredPosition);
    await checkRequired({ engine: this.#engine, model, report, signal });
    return report.result(undefined);
  }

  #sourceOf(entity: EntityClass): {
    readonly model: EntityModel;
    readonly propagation: Propagation;
  } {
    const model = this.#entities.modelOf(entity);
    if (model.copiedBy !== undefined) return { model, propagation: this.#propagator.of(model) };
    throw invalidArgument('entity', faults.entityWithoutCopies, { entity: model.name });
  }

  #modelOf(entity: EntityClass, takesRequired = false): EntityModel {
    const model = this.#entities.modelOf(entity);
    if (model.view !== undefined)
      throw invalidArgument('entity', faults.view(model.view.of.name), { entity: model.name });
    if (model.indexes.length + model.rollups.length > 0) return model;
    if (takesRequired && requiredColumns(model).length > 0) return model;
    const fault = takesRequired ? faults.nothingToCheck : faults.entityWithoutIndex;
    throw new RowsmithError('INVALID_ARGUMENT', { entity: model.name, ...fault });
  }

  /** The tables that can hold entries of an entity, or the one that was named. */
  async #tablesOf(from: EntityClass | string): Promise<readonly string[]> {
    const stored = (await this.#engine.listTables())
      .filter(({ families }) => families.has(stateColumns.family))
      .map(({ name }) => name);
    const model = this.#entities.find(from);
    if (model !== undefined) {
      const states = await this.#states.listAll();
      const used = states.filter(({ entity }) => entity === model.name).map(({ table }) => table);
      const own = model.indexes.map(({ entry }) => entry.table.name);
      return [...new Set([...used, ...own, `${model.table.name}_index`])].filter((table) =>
        stored.includes(table),
      );
    }
    if (typeof from === 'string' && stored.includes(from)) return [from];
    const given = typeof from === 'function' ? from.name : valueText(from);
    throw invalidArgument('from', faults.unknownTable(given, stored.length, stored));
  }

  #assertUndeclared(tables: readonly string[], id: string): void {
    for (const model of this.#entities.models)
      for (const index of model.indexes) {
        if (!tables.includes(index.entry.table.name)) continue;
        if (index.id !== id && index.name !== id) continue;
        throw new RowsmithError('FAILED_PRECONDITION', {
          entity: model.name,
          index: index.name,
          ...faults.declaredIndex(index.name),
        });
      }
  }
}

/** The options of a call; none for undefined and null. Throws INVALID_ARGUMENT. */
function givenOptions<T extends object>(
  call: string,
  { name }: EntityModel,
  options: T | undefined,
  known: readonly string[],
): T | Partial<T> {
  checkOptions(call, options, known, { entity: name });
  return options ?? {};
}

/** Throws INVALID_ARGUMENT: what is no id would match no entry, or the entries of all indexes. */
function assertIndexId(id: unknown): void {
  if (typeof id === 'string' && id !== '') return;
  throw invalidArgument('id', faults.wrongIndexId(id));
}

function checkPosition(model: EntityModel, after: unknown): void {
  if (after === undefined || after === requiredPosition) return;
  const fault = faults.wrongPosition(valueText(after));
  if (typeof after !== 'string' || after === '') throw argumentError(model, 'after', fault);
  // Positions within indexes and rollups are checked where they are read.
  if (model.indexes.length + model.rollups.length > 0) return;
  throw new RowsmithError('INVALID_CURSOR', { entity: model.name, property: 'after', ...fault });
}

function indexOf(model: EntityModel, name: string): number {
  const at = model.indexes.findIndex((index) => index.name === name);
  if (at >= 0) return at;
  const names = model.indexes.map((index) => index.name);
  const nearest = nearestName(name, names);
  let fix = names.length === 0 ? 'the entity declares none' : `use some of ${quotedList(names)}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  if (model.rollups.some((rollup) => rollup.name === name))
    fix = `it is a rollup: call derived.rollups.verify, repair or rebuild with '${name}'`;
  const given = typeof name === 'string' ? `'${name}'` : valueText(name);
  throw invalidArgument('index', faults.unknownIndex(given, fix), { entity: model.name });
}

function inFlightOf(model: EntityModel, { inFlight }: RebuildOptions): number {
  if (inFlight === undefined) return defaultInFlight;
  return checkCount(model, 'inFlight', inFlight, maxInFlight);
}

const faults = {
  unknownStoredIndex: (id: string, tables: readonly string[], known: readonly string[]) => ({
    problem: `there is no index '${id}' in ${quotedList(tables)}`,
    fix:
      known.length === 0
        ? 'none needed: no index is stored'
        : suggestionText(id, known, 'the stored indexes are'),
  }),
  entityWithoutCopies: {
    problem: 'no entity of this database copies from it',
    fix: 'give the entity that has the values, not an entity with copies',
  },
  view: (source: string) => ({
    problem: 'it is an authorized view, and derived rows belong to its entity',
    fix: `open the database with ${source}, and give that`,
  }),
  nothingToCheck: {
    problem: 'the entity declares no index, no rollup and no required column',
    fix: "declare static readonly indexes = indexes({ byStatus: indexOn('status') })",
  },
  entityWithoutIndex: {
    problem: 'the entity declares no index and no rollup',
    fix: "declare static readonly indexes = indexes({ byStatus: indexOn('status') })",
  },
  unknownTable: (given: string, length: number, stored: readonly string[]) => ({
    problem: `${given} is not an opened entity, nor a table with entries of indexes`,
    fix:
      length === 0
        ? 'give an entity of the database: no table has entries of indexes'
        : `use some of ${quotedList(stored)}`,
  }),
  declaredIndex: (name: string) => ({
    problem: `index '${name}' is declared; nothing was deleted`,
    fix: 'remove it from the declaration first, in every program that writes the entity',
  }),
  wrongIndexId: (id: unknown) => ({
    problem: `the id of the index is ${valueText(id)}`,
    fix: 'give the id of an undeclared index',
  }),
  wrongPosition: (given: string) => ({
    problem: `after is ${given}`,
    fix: 'give the position at which a report ended, or leave it out',
  }),
  unknownIndex: (given: string, fix: string) => ({ problem: `there is no index ${given}`, fix }),
} satisfies FaultTexts;
