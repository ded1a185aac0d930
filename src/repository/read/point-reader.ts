/** Reads by whole key: get, getMany, exists, history. */
import { pointRange, unionRanges } from '../../bytes/index.js';
import { damagedCell } from '../../mapping/index.js';
import type { ColumnModel, EntityModel, Version } from '../../model/index.js';
import { everything, planOf, type QueryPlan } from '../../query/index.js';
import { type Cell, collectRows, type Filter } from '../../store/index.js';
import { RowsmithError } from '../../errors.js';
import { handleUnreadable, openKeyedRows, openRows, type ReaderContext } from './entity-pages.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Keys of one request of getMany: what a server reads one after another, and what is held in memory
 * at once.
 */
const keysPerRead = 1024;

/** The question without its ranges: compiled once, asked for any key. */
export class PointReader {
  readonly #context: ReaderContext;
  readonly #model: EntityModel;
  readonly #whole: QueryPlan;
  readonly #keysOnly: QueryPlan;

  constructor(context: ReaderContext, model: EntityModel) {
    this.#context = context;
    this.#model = model;
    this.#whole = planOf(model, everything, { perShard: [] });
    this.#keysOnly = planOf(model, { ...everything, keysOnly: true }, { perShard: [] });
  }

  get(key: Values, signal?: AbortSignal): Promise<object | undefined> {
    return this.#readOne(this.#whole, key, signal);
  }

  async exists(key: Values, signal?: AbortSignal): Promise<boolean> {
    return (await this.#readOne(this.#keysOnly, key, signal)) !== undefined;
  }

  /** The entities of the keys, in the order of the keys; undefined where there is no row. */
  async getMany(keys: Iterable<Values>, signal?: AbortSignal): Promise<(object | undefined)[]> {
    signal?.throwIfAborted();
    const wanted = Array.from(keys, (key) => this.#model.key.encode(key));
    const found = new Map<string, object>();
    for (let from = 0; from < wanted.length; from += keysPerRead) {
      await this.#readMany(wanted.slice(from, from + keysPerRead), found, signal);
    }
    return wanted.map((key) => found.get(latin1(key)));
  }

  /** Stored versions of one column, newest first. */
  async history(
    key: Values,
    property: string,
    limit: number | undefined,
    signal?: AbortSignal,
  ): Promise<Version<unknown>[]> {
    const column = this.#historyColumn(property);
    const filters: Filter[] = [
      { kind: 'columns', columns: [{ family: column.family, qualifiers: namesOf(column) }] },
    ];
    if (limit !== undefined) filters.push({ kind: 'cellsPerColumn', count: limit });
    const ranges = [pointRange(this.#model.key.encode(key))];
    const rows = await collectRows(
      this.#context.engine.readRows(
        {
          table: this.#model.table.name,
          ranges,
          reversed: false,
          filter: { kind: 'chain', filters },
        },
        { signal },
      ),
    );
    const found = rows.flatMap((row) =>
      row.cells.flatMap((cell) => this.#version(column, row.key, cell) ?? []),
    );
    // Cells under earlier names come behind or before the column's own: the newest first, whatever
    // the name.
    return namesOf(column).length === 1
      ? found
      : found.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, limit);
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
    } catch (fault) {
      const error = damagedCell(this.#model, column, key, qualifier, fault);
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
      filter: plan.projection.filter,
    };
    const pages = openRows(this.#context, this.#model, plan, read, signal);
    try {
      return (await pages.next())?.[0];
    } finally {
      await pages.close();
    }
  }

  async #readMany(
    keys: readonly Uint8Array[],
    found: Map<string, object>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const read = {
      table: this.#model.table.name,
      ranges: unionRanges(keys.map(pointRange)),
      reversed: false,
      filter: this.#whole.projection.filter,
    };
    const pages = openKeyedRows(this.#context, this.#model, this.#whole, read, signal);
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
        for (const { key, row } of page) found.set(latin1(key), row);
      }
    } finally {
      await pages.close();
    }
  }

  #historyColumn(property: string): Extract<ColumnModel, { qualifier: Uint8Array }> {
    const column = this.#model.columns.find((candidate) => candidate.property === property);
    if (column !== undefined && column.kind !== 'columnMap') return column;
    throw new RowsmithError('INVALID_ARGUMENT', {
      entity: this.#model.name,
      property,
      problem:
        column === undefined
          ? 'no column has this name'
          : 'a column map has many columns and no one history',
      fix: `use one of ${this.#model.columns
        .filter(({ kind }) => kind !== 'columnMap')
        .map((candidate) => candidate.property)
        .join(', ')}`,
    });
  }
}

/** The qualifiers that a column's cells may have. */
function namesOf(column: Extract<ColumnModel, { qualifier: Uint8Array }>): readonly Uint8Array[] {
  return column.kind === 'column' || column.kind === 'packed'
    ? [column.qualifier, ...(column.alsoReads ?? [])]
    : [column.qualifier];
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
