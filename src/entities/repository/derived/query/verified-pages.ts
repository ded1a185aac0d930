/**
 * Reads rows through an index: entries, and then the rows that they lead to. A row is a result if
 * its values still give the entry.
 */
import {
  copyBytes,
  equalBytes,
  latin1Text,
  pointRange,
  printable,
  rangeContains,
  RowsmithError,
  unionRanges,
} from '../../../../base/index.js';
import { entryKeyOf } from '../../../derived/index.js';
import type { EntityModel } from '../../../model/index.js';
import {
  type ColumnSelection,
  type QueryPlan,
  rangesAfter,
  readPlansOf,
} from '../../../query/index.js';
import { hookOf, type RunHook } from '../../managed/hooks.js';
import { openKeyedRows, openWrappedRows, type Pages } from '../../read/rows/entity-pages.js';
import { FurtherPages } from '../../read/runs/further-pages.js';
import type { RunOptions } from '../../read/runs/query-run.js';
import type { IndexTarget } from './index-target.js';

type Values = Readonly<Record<string, unknown>>;

/** A row, with the key of the entry that led to it. */
export interface VerifiedRow {
  readonly key: Uint8Array;
  readonly row: object;
}

/** An entry, with the key of its row. */
interface FoundEntry {
  readonly key: Uint8Array;
  readonly row: Uint8Array;
}

/** What is read of entries, and of rows. */
export interface VerifiedPlans {
  readonly entries: QueryPlan;
  readonly rows: QueryPlan;
}

/** Entries that are read for a small limit if rows are tested, too. */
const minTestedEntries = 64;

/** The rows that the entries of a plan lead to, in the order of the entries. */
export class VerifiedPages implements Pages<VerifiedRow> {
  readonly #target: IndexTarget;
  readonly #model: EntityModel;
  readonly #rows: QueryPlan;
  readonly #afterRead: RunHook | undefined;
  readonly #entries: FurtherPages<FoundEntry>;
  readonly #signal: AbortSignal | undefined;
  readonly #keyOf: (row: Values) => Uint8Array | undefined;
  #remaining: number;
  /** The batch after the current one, which is read meanwhile. */
  #ahead: Promise<FoundEntry[] | undefined> | undefined;

  constructor(target: IndexTarget, plans: VerifiedPlans, { limit, after, signal }: RunOptions) {
    this.#target = target;
    const { model } = target;
    // Entries are made of what is stored: rows are compared with them before the hook runs.
    this.#afterRead = plans.rows.selection.whole ? hookOf(model, 'afterRead') : undefined;
    const isStored = this.#afterRead === undefined;
    this.#model = isStored ? model : { ...model, hooks: undefined };
    this.#rows = isStored ? plans.rows : { ...plans.rows, selection: unhooked(plans.rows) };
    this.#signal = signal;
    this.#remaining = limit ?? Infinity;
    this.#keyOf = entryKeys(target, plans.rows.selection.whole);
    let entries = limit;
    if (limit !== undefined && plans.rows.query.where !== undefined)
      entries = Math.max(limit, minTestedEntries);
    this.#entries = new FurtherPages(
      (options) => openEntries(target, plans.entries, options),
      ({ key }) => key,
      { limit: entries, after, signal },
    );
  }

  async next(): Promise<VerifiedRow[] | undefined> {
    try {
      while (this.#remaining > 0) {
        this.#signal?.throwIfAborted();
        const batch = await (this.#ahead ?? this.#entries.next());
        this.#ahead = undefined;
        if (batch === undefined) break;
        if (this.#entries.continues && batch.length < this.#remaining) this.#readAhead();
        const rows = await this.#verified(batch);
        this.#remaining -= rows.length;
        if (rows.length > 0) return rows;
      }
      await this.close();
      return undefined;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#remaining = 0;
    await this.#entries.close();
  }

  #readAhead(): void {
    this.#ahead = this.#entries.next();
    // Its error is thrown when the batch is needed.
    this.#ahead.catch(() => undefined);
  }

  async #verified(batch: readonly FoundEntry[]): Promise<VerifiedRow[]> {
    const rows = await this.#readRows(batch);
    const results: VerifiedRow[] = [];
    for (const { key, row: rowKey } of batch) {
      if (results.length >= this.#remaining) break;
      const row = rows.get(latin1Text(rowKey));
      if (row === undefined) continue;
      const current = this.#keyOf(row as Values);
      if (current === undefined || !equalBytes(current, key)) continue;
      this.#afterRead?.(row, () => printable(rowKey));
      results.push({ key, row });
    }
    return results;
  }

  /** The rows of a batch, in one request. */
  async #readRows(batch: readonly FoundEntry[]): Promise<ReadonlyMap<string, object>> {
    const { context } = this.#target;
    const model = this.#model;
    const keys = batch.filter(({ row }) => row.length > 0);
    const rows = new Map<string, object>();
    if (keys.length === 0) return rows;
    const read = {
      table: model.table.name,
      ranges: unionRanges(keys.map(({ row }) => pointRange(row))),
      reversed: false,
      filter: this.#rows.selection.filter,
    };
    const pages = openKeyedRows(context, model, this.#rows, read, this.#signal);
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next())
        for (const { key, row } of page) rows.set(latin1Text(key), row);
    } finally {
      await pages.close();
    }
    return rows;
  }
}

/** Readers are kept by selection: readers that call no hook need separate selections. */
const unhookedSelections = new WeakMap<ColumnSelection, ColumnSelection>();

function unhooked({ selection }: QueryPlan): ColumnSelection {
  const known = unhookedSelections.get(selection) ?? { ...selection };
  unhookedSelections.set(selection, known);
  return known;
}

/** The key of the entry that a row has now; undefined if it has none. */
function entryKeys(
  { index, model }: IndexTarget,
  whole: boolean,
): (row: Values) => Uint8Array | undefined {
  // Plain objects leave out the segments of a scope.
  const scope = whole ? undefined : model.key.scope?.values();
  return (row) => {
    try {
      return entryKeyOf(index, scope === undefined ? row : { ...row, ...scope });
    } catch (error) {
      // A value that no entry can have.
      if (error instanceof RowsmithError) return undefined;
      throw error;
    }
  };
}

/** Opens the entries of a plan, in its order. */
function openEntries(
  target: IndexTarget,
  plan: QueryPlan,
  { limit, after, signal }: RunOptions,
): Pages<FoundEntry> {
  const { entry, entryContext } = target;
  const [read] = readPlansOf(entry, plan, limit);
  const { ranges, reversed } = read;
  const rest = after === undefined ? ranges : rangesAfter(ranges, after, reversed);
  const rowKeyOf = rowKeysOf(target);
  return openWrappedRows<FoundEntry>(
    entryContext,
    entry,
    plan,
    { ...read, ranges: rest },
    {
      signal,
      wrap: (values, { keyBytes, keyStart, keyEnd }) => {
        const row = rowKeyOf(values as Values);
        // Skipped rows do not count towards the limit, so that an entry without a row stays.
        return { key: copyBytes(keyBytes, keyStart, keyEnd), row };
      },
    },
  );
}

/** The key of the row that an entry leads to; empty if there is none in the scope. */
function rowKeysOf({ model, holder }: IndexTarget): (values: Values) => Uint8Array {
  if (holder === undefined) return (values) => model.key.encode(values);
  const ranges = model.key.scope?.ranges;
  return (values) => {
    const key = values[holder.property];
    if (!(key instanceof Uint8Array)) return noRow;
    const isInside = ranges?.some((range) => rangeContains(range, key)) ?? true;
    return isInside ? key : noRow;
  };
}

const noRow = new Uint8Array();
