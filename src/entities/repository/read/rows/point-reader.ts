/** Reads by whole key: get, getMany, exists, history. */
import {
  invalidArgument,
  pointRange,
  RowsmithError,
  unionRanges,
  type Values,
  valueText,
  type FaultTexts,
  latin1Text,
} from '../../../../base/index.js';
import { damagedCellError, encodeQualifier, invalidValueError } from '../../../mapping/index.js';
import {
  type ColumnModel,
  type EntityModel,
  qualifiersOf,
  type Version,
} from '../../../model/index.js';
import {
  checkCount,
  assertWriteTimes,
  checkAsOf,
  checkSelect,
  fullScan,
  planOf,
  type QueryPlan,
  type QuerySpec,
} from '../../../query/index.js';
import { type Cell, collectRows, type Filter } from '../../../../data/store/index.js';
import type { CallOptions } from '../../types/entity-types.js';
import type { HistoryOptions } from '../../types/repository-types.js';
import { handleUnreadable, openKeyedRows, openRows, type ReaderContext } from './entity-pages.js';

/** Keys in one request of `getMany`: bounds the work of the server and the memory of the client. */
const keysPerRead = 1024;

/** Options of reads by key, unchecked. */
export interface PointReadOptions extends CallOptions {
  readonly select?: unknown;
  readonly versions?: unknown;
  readonly asOf?: unknown;
  readonly include?: unknown;
  readonly cache?: unknown;
}

/** Plans of `select` that are kept: a program has few of them. */
const maxPlans = 64;

/** Reads rows by key with plans that are compiled once; only the key ranges differ. */
export class PointReader {
  readonly #context: ReaderContext;
  readonly #model: EntityModel;
  readonly #wholeRow: QueryPlan;
  readonly #keysOnly: QueryPlan;
  /** Plans of reads of some properties, by their names. */
  readonly #selected = new Map<string, QueryPlan>();

  constructor(context: ReaderContext, model: EntityModel) {
    this.#context = context;
    this.#model = model;
    this.#wholeRow = planOf(model, fullScan, { perShard: [] });
    this.#keysOnly = planOf(model, { ...fullScan, keysOnly: true }, { perShard: [] });
  }

  get(key: Values, options: PointReadOptions = {}): Promise<object | undefined> {
    return this.#readOne(this.#planOf(options), key, options.signal);
  }

  async exists(key: Values, options: PointReadOptions = {}): Promise<boolean> {
    let plan = this.#keysOnly;
    if (options.asOf !== undefined)
      plan = this.#plan({ ...asOfOf(this.#model, options), keysOnly: true });
    return (await this.#readOne(plan, key, options.signal)) !== undefined;
  }

  /** Returns the entities in the order of the keys; undefined for keys without a row. */
  async getMany(
    keys: Iterable<Values>,
    options: PointReadOptions = {},
  ): Promise<(object | undefined)[]> {
    const plan = this.#planOf(options);
    options.signal?.throwIfAborted();
    const rowKeys = Array.from(keys, (key) => this.#model.key.encode(key));
    const rows = new Map<string, object>();
    for (let i = 0; i < rowKeys.length; i += keysPerRead) {
      await this.#readMany(plan, rowKeys.slice(i, i + keysPerRead), rows, options.signal);
    }
    return rowKeys.map((key) => rows.get(latin1Text(key)));
  }

  /** The plan of a read with options. Throws INVALID_QUERY or INVALID_ARGUMENT. */
  #planOf(options: PointReadOptions): QueryPlan {
    const { select, versions, asOf } = options;
    if (select === undefined && versions === undefined && asOf === undefined) return this.#wholeRow;
    const names = selectedNames(this.#model, select);
    // Compiled for each point in time, and for parts of maps, which rarely come twice.
    const cacheable = versions === undefined && asOf === undefined && names.every(isText);
    const text = cacheable ? JSON.stringify(names) : '';
    const known = this.#selected.get(text);
    if (cacheable && known !== undefined) return known;
    const spec: Partial<QuerySpec> = { ...asOfOf(this.#model, options) };
    if (versions !== undefined)
      Object.assign(spec, { versions: checkCount(this.#model, 'versions', versions) });
    if (select !== undefined)
      Object.assign(spec, checkSelect(this.#model, names), { everyRow: true });
    const plan = this.#plan(spec);
    if (cacheable && this.#selected.size < maxPlans) this.#selected.set(text, plan);
    return plan;
  }

  #plan(spec: Partial<QuerySpec>): QueryPlan {
    return planOf(this.#model, { ...fullScan, ...spec }, { perShard: [] });
  }

  /** Returns the stored versions of one column, newest first. */
  async history(
    key: Values,
    property: string,
    limit: number | undefined,
    signal?: AbortSignal,
  ): Promise<Version<unknown>[]> {
    assertWriteTimes(this.#model, 'history');
    const column = this.#historyColumn(property);
    return this.#versions(column, qualifiersOf(column), key, { limit, signal });
  }

  /** Returns the stored versions of one entry of a column map, newest first. */
  async entryHistory(
    key: Values,
    property: string,
    entry: unknown,
    options: HistoryOptions,
  ): Promise<Version<unknown>[]> {
    assertWriteTimes(this.#model, 'entryHistory');
    const column = this.#model.columns.find((candidate) => candidate.property === property);
    if (column?.kind !== 'columnMap')
      throw invalidArgument(property, faults.notAColumnMap, { entity: this.#model.name });
    let qualifier: Uint8Array;
    try {
      qualifier = encodeQualifier(column, entry);
    } catch (error) {
      throw invalidValueError(this.#model, property, error);
    }
    return this.#versions(column, [qualifier], key, options);
  }

  async #versions(
    column: ColumnModel,
    qualifiers: readonly Uint8Array[],
    key: Values,
    { limit, signal }: HistoryOptions,
  ): Promise<Version<unknown>[]> {
    const filters: Filter[] = [
      { kind: 'columns', columns: [{ family: column.family, qualifiers }] },
    ];
    if (limit !== undefined) filters.push({ kind: 'cellsPerColumn', count: limit });
    const rows = await collectRows(
      this.#context.engine.readRows(
        {
          table: this.#model.table.name,
          ranges: [pointRange(this.#model.key.encode(key))],
          reversed: false,
          filter: { kind: 'chain', filters },
        },
        { signal },
      ),
    );
    const versions = rows.flatMap((row) =>
      row.cells.flatMap((cell) => this.#version(column, row.key, cell) ?? []),
    );
    if (qualifiers.length === 1) return versions;
    // Cells come by qualifier, each with its own limit: merge them into one order.
    return versions.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, limit);
  }

  #version(
    column: ColumnModel,
    key: Uint8Array,
    { qualifier, timestamp, value }: Cell,
  ): Version<unknown> | undefined {
    try {
      return {
        at: new Date(Number(timestamp / 1000n)),
        value: column.codec.decode(value, 0, value.length),
      };
    } catch (cause) {
      const error = damagedCellError(this.#model, column, key, qualifier, cause);
      if (error instanceof RowsmithError)
        return handleUnreadable(this.#context.onDamagedCell, error);
      throw error;
    }
  }

  async #readOne(
    plan: QueryPlan,
    key: Values,
    signal: AbortSignal | undefined,
  ): Promise<object | undefined> {
    const read = {
      table: this.#model.table.name,
      ranges: [pointRange(this.#model.key.encode(key))],
      reversed: false,
      filter: plan.selection.filter,
    };
    const pages = openRows(this.#context, this.#model, plan, read, signal);
    try {
      return (await pages.next())?.[0];
    } finally {
      await pages.close();
    }
  }

  async #readMany(
    plan: QueryPlan,
    keys: readonly Uint8Array[],
    rows: Map<string, object>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const read = {
      table: this.#model.table.name,
      ranges: unionRanges(keys.map(pointRange)),
      reversed: false,
      filter: plan.selection.filter,
    };
    const pages = openKeyedRows(this.#context, this.#model, plan, read, signal);
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
        for (const { key, row } of page) rows.set(latin1Text(key), row);
      }
    } finally {
      await pages.close();
    }
  }

  #historyColumn(property: string): Extract<ColumnModel, { qualifier: Uint8Array }> {
    const { name, columns } = this.#model;
    const column = columns.find((candidate) => candidate.property === property);
    if (column !== undefined && column.kind !== 'columnMap') return column;
    const single = columns.filter(({ kind }) => kind !== 'columnMap');
    const fix = `use one of ${single.map((candidate) => candidate.property).join(', ')}`;
    let problem = 'no column has this name';
    if (column !== undefined)
      problem = 'a column map has many columns, each with its own history: call entryHistory()';
    throw invalidArgument(property, { problem, fix }, { entity: name });
  }
}

function asOfOf(model: EntityModel, { asOf }: PointReadOptions): Partial<QuerySpec> {
  if (asOf === undefined) return {};
  return { asOf: checkAsOf(model, asOf) };
}

function selectedNames(model: EntityModel, select: unknown): readonly unknown[] {
  if (select === undefined) return [];
  if (Array.isArray(select)) return select;
  throw invalidArgument('select', faults.wrongSelect(valueText(select)), { entity: model.name });
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

const faults = {
  notAColumnMap: { problem: 'only a column map has entries', fix: 'call history() for a column' },
  wrongSelect: (given: string) => ({
    problem: `select takes an array of properties, not ${given}`,
    fix: "write select: ['property']",
  }),
} satisfies FaultTexts;
