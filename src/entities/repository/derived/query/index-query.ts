/** Queries of an index with rows as results: each row that an entry leads to is read. */
import { RowsmithError, type Values, type FaultTexts } from '../../../../base/index.js';
import { plainRowJson } from '../../../model/index.js';
import {
  decodeCursor,
  encodeCursor,
  explain,
  fullScan,
  planOf,
  type QuerySpec,
} from '../../../query/index.js';
import { hiddenText } from '../../read/rows/hide-expired.js';
import { KeyQuery, type KeySource, storedRows } from '../../read/query/key-query.js';
import type { Reading } from '../../read/query/query.js';
import type { DeleteOptions, DeleteResult } from '../../types/bulk-types.js';
import { rowNotFound } from '../../row-not-found.js';
import type { CallOptions } from '../../types/entity-types.js';
import { deleteRows } from '../../write/delete-rows.js';
import { CoveredQuery } from './covered-query.js';
import { orderedNames } from './entry-order.js';
import { assertCondition, entryRange, explainedPlan, type IndexTarget } from './index-target.js';
import { VerifiedPages, type VerifiedPlans, type VerifiedRow } from './verified-pages.js';

interface VerifiedSource extends KeySource<VerifiedRow> {
  readonly target: IndexTarget;
}

/** Implements IndexQuery and the types that its methods return. Immutable. */
export class VerifiedQuery extends KeyQuery<VerifiedRow, VerifiedSource> {
  /** The query without conditions. */
  static root(target: IndexTarget): VerifiedQuery {
    return new VerifiedQuery(verifiedSource(target), { spec: fullScan });
  }

  covered(): CoveredQuery {
    return CoveredQuery.root(this.source.target);
  }

  async get(values: unknown, options?: CallOptions): Promise<object | undefined> {
    this.checkOptions('get()', options);
    const ranges = entryRange(this.source.target, values);
    return this.renewed({ ...this.state, ranges, scan: true }).first(options);
  }

  async getOrThrow(values: unknown, options?: CallOptions): Promise<object> {
    const found = await this.get(values, options);
    if (found !== undefined) return found;
    const { model, index } = this.source.target;
    throw rowNotFound(model, values as Values, `index '${index.name}'`);
  }

  override firstPer(_segment: unknown): never {
    throw this.#unverifiable('firstPer');
  }

  override distinct(_segment: unknown): never {
    throw this.#unverifiable('distinct');
  }

  async delete(options?: DeleteOptions): Promise<DeleteResult> {
    const { context, model } = this.source.target;
    const { spec, signal } = this.state;
    this.assertCondition();
    return deleteRows(
      {
        engine: context.engine,
        model,
        models: [],
        query: spec,
        ranges: [],
        wholeRanges: false,
        signal,
        keys: (abort) => this.with({ keysOnly: true }).signal(abort),
      },
      options ?? undefined,
    );
  }

  #unverifiable(method: string): RowsmithError {
    const { entry, index } = this.source.target;
    return new RowsmithError('INVALID_QUERY', {
      entity: entry.name,
      property: method,
      ...faults.uncoveredQuery(method, index.name),
    });
  }
}

function verifiedSource(target: IndexTarget): VerifiedSource {
  const { entry, entryContext, index, model } = target;
  return {
    ...storedRows(entryContext, entry),
    rows: model,
    rowsOf: target.context.rowsOf,
    rowOrder: orderedNames(index),
    target,
    assertCondition: (spec) => assertCondition(target, spec),
    reading: (spec, ranges) => {
      const plans = plansOf(target, spec, ranges.perShard.flat());
      const { entries, rows } = plans;
      // What identifies the query: the ranges of entries, and what is read of rows.
      const query = { ...entries.query, where: spec.where };
      const identity = { ...entries, query, selection: rows.selection };
      const finish = withoutVerified(target, spec);
      return {
        open: (options) => new VerifiedPages(target, plans, options),
        resultOf: ({ row }) => finish(row),
        positionOf: (cursor) => decodeCursor(entry, identity, cursor),
        cursorAfter: (page, remaining) =>
          encodeCursor(entry, identity, { last: page[page.length - 1].key, remaining }),
        explain: () => explained(target, plans),
      };
    },
  };
}

function plansOf(
  target: IndexTarget,
  spec: QuerySpec,
  ranges: VerifiedPlans['entries']['ranges']['perShard'][number],
): VerifiedPlans {
  const { model, entry, rowKeys } = target;
  const { key, reversed, limit } = spec;
  const found: QuerySpec = { ...fullScan, key, reversed, limit, keysOnly: true };
  const plan = planOf(entry, found, { perShard: [ranges] });
  const entries = { ...plan, selection: rowKeys };
  const { where, select, entries: parts, keysOnly } = spec;
  let read: QuerySpec = { ...fullScan, where, select, entries: parts };
  if (keysOnly || select !== undefined) {
    const own = keysOnly ? [] : select!;
    read = { ...read, select: [...new Set([...own, ...verifiedNames(target)])], everyRow: true };
  }
  return { entries, rows: planOf(model, read, { perShard: [] }) };
}

/** The columns of the row that are compared with its entry. */
function verifiedNames({ index }: IndexTarget): readonly string[] {
  return index.segments.filter((name) => index.columns.some(({ property }) => property === name));
}

/** Leaves out what was read to be compared. */
function withoutVerified(
  target: IndexTarget,
  { select, keysOnly }: QuerySpec,
): (row: object) => object {
  if (select === undefined && !keysOnly) return (row) => row;
  const { model } = target;
  const wanted = keysOnly ? [] : select!;
  const surplus = verifiedNames(target).filter((name) => !wanted.includes(name));
  if (surplus.length === 0) return (row) => row;
  const names = [...new Set([...model.key.names, ...wanted])];
  const addJson = plainRowJson(
    model,
    model.columns.filter(({ property }) => wanted.includes(property)),
  );
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const name of names)
      if (Object.hasOwn(row, name)) result[name] = (row as Record<string, unknown>)[name];
    addJson?.(result);
    return result;
  };
}

function explained(
  target: IndexTarget,
  { entries, rows }: VerifiedPlans,
): ReturnType<Reading<VerifiedRow>['explain']> {
  const { index, entry, model, context } = target;
  const hidden = hiddenText(context, model);
  const { filter } = context.bareReads?.of(model, rows.selection) ?? rows.selection;
  return explain(entry, explainedPlan(target, entries), {
    filter: entries.selection.filter,
    index: {
      name: index.name,
      covered: false,
      rows: explain(model, rows, { filter, hidden }),
      notes: [
        'rows that no longer match their entry are left out, and do not count in the limit',
        'no snapshot: a row that changes meanwhile can be missed, or found with both values',
      ],
    },
  });
}

const faults = {
  uncoveredQuery: (method: string, name: string) => ({
    problem: `${method}() skips entries, and cannot compare rows with the skipped entries`,
    fix: `call covered() before it: index('${name}').covered()`,
  }),
} satisfies FaultTexts;
