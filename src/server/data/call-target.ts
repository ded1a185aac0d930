/** What a data call goes to: a table, or an authorized view of one. */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { TableSubset, viewStage, withStages, type Engine } from '../../data/store/index.js';
import {
  decodeSubsetView,
  parseView,
  requestError,
  unsupportedRequest,
} from '../../engines/protocol/index.js';
import { notFoundError } from '../resources/resource-error.js';
import { storedView } from '../resources/stored-views.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { TableNames } from '../resources/table-names.js';

/** The fields of requests that name a target. */
export interface NamedTarget {
  readonly tableName?: string;
  readonly authorizedViewName?: string;
  readonly materializedViewName?: string;
}

/** An engine that shows what the call may reach, and the engine's name of the table. */
export interface CallTarget {
  readonly engine: Engine;
  readonly table: string;
}

/** Views that are kept prepared. */
const maxPrepared = 1000;

/** The full name of the table of a request; undefined if it names none. */
export function tableNameOf({ tableName, authorizedViewName }: NamedTarget): string | undefined {
  return tableName ?? authorizedViewName?.split('/authorizedViews/')[0];
}

/** Finds the targets of data calls. */
export class CallTargets {
  readonly #engine: Engine;
  readonly #names: TableNames;
  readonly #store: ResourceStore;
  /** Engines that show a view, by its full name. */
  readonly #prepared = new Map<string, Promise<CallTarget>>();
  #version = -1;

  constructor(engine: Engine, names: TableNames, store: ResourceStore) {
    this.#engine = engine;
    this.#names = names;
    this.#store = store;
  }

  /**
   * The target of a request; a promise only for a view, because most calls have a table. Throws,
   * or rejects with, INVALID_ARGUMENT, UNSUPPORTED, or the NOT_FOUND of a view.
   */
  find(request: NamedTarget): CallTarget | Promise<CallTarget> {
    const { tableName = '', authorizedViewName = '', materializedViewName = '' } = request;
    if (materializedViewName !== '')
      throw unsupportedRequest('materialized_view_name', faults.unsupportedMaterializedView);
    if (authorizedViewName === '')
      return { engine: this.#engine, table: this.#names.find(tableName) };
    if (tableName !== '') throw requestError('authorized_view_name', faults.twoTargets);
    return this.#view(authorizedViewName);
  }

  #view(name: string): Promise<CallTarget> {
    const { version } = this.#store;
    if (version !== this.#version || this.#prepared.size > maxPrepared) this.#prepared.clear();
    this.#version = version;
    let target = this.#prepared.get(name);
    if (target === undefined) {
      target = this.#prepare(name);
      this.#prepared.set(name, target);
      target.catch(() => this.#prepared.delete(name));
    }
    return target;
  }

  async #prepare(name: string): Promise<CallTarget> {
    const { table: fullName } = parseView(name);
    const view = storedView(this.#store, name);
    if (view === undefined) throw notFoundError('AuthorizedView', name);
    const table = this.#names.find(fullName);
    const schema = (await this.#engine.listTables()).find((each) => each.name === table);
    if (schema === undefined) throw notFoundError('AuthorizedView', name);
    const subset = new TableSubset(decodeSubsetView(view.subsetView ?? {}), schema.families.keys());
    // One object: all rows of a request may be refused.
    const outside = new RowsmithError('PERMISSION_DENIED', faults.outsideView(name));
    const stage = viewStage(() => ({ subset, refused: () => outside }));
    return { engine: withStages(this.#engine, [stage]), table };
  }
}

const faults = {
  unsupportedMaterializedView: { problem: 'Materialized views are not offered by this server.' },
  twoTargets: { problem: 'Set table_name or authorized_view_name, not both.' },
  /** The text of Bigtable, which Google's Node client tests. */
  outsideView: (name: string) => ({
    problem: `Cannot mutate from ${name} because the mutation contains cells outside the Authorized View.`,
  }),
} satisfies FaultTexts;
