/** Queries on the key of one model: of an entity, of the entries of an index, of a rollup. */
import type { FaultTexts } from '../../../../base/index.js';
import type { KeyRanges } from '../../../../data/key/index.js';
import { type EntityModel, plainRowJson } from '../../../model/index.js';
import {
  assertNoKeyCondition,
  assertRows,
  checkBound,
  checkGroupSegment,
  checkOneOf,
  checkPrefix,
  checkPrefixes,
  checkSelect,
  checkWhere,
  checkWhereFrom,
  decodeCursor,
  encodeCursor,
  entitiesWithin,
  explain,
  type Explanation,
  fullScan,
  planOf,
  type QueryPlan,
  type QuerySpec,
  queryError,
  rangesOf,
  splitError,
} from '../../../query/index.js';
import type { CallOptions } from '../../types/entity-types.js';
import { cacheOf, IncludedRows } from '../include/included-rows.js';
import { IncludingQuery } from '../include/including-query.js';
import type { ReaderContext, RowsOf } from '../rows/entity-pages.js';
import { groupOf } from '../runs/group-lanes.js';
import { type AggregateSource, aggregateRows, GroupedRows } from './grouped-query.js';
import { hiddenText } from '../rows/hide-expired.js';
import { Query, type Reading, type RowSource } from './query.js';
import { openQuery } from '../runs/query-run.js';

/** A source of rows or entries with keys of one model. */
export interface KeySource<F extends object = object> extends RowSource<QuerySpec, KeyRanges, F> {
  /** The model of the conditions on the key. */
  readonly model: EntityModel;
  /** Finds the repositories that references lead to. */
  readonly rowsOf?: RowsOf | undefined;
  /** The model of the properties to test, select and aggregate; undefined if there are none. */
  readonly rows: EntityModel | undefined;
  /** The model of results that have more than these properties, unless some are selected. */
  readonly whole?: EntityModel | undefined;
  /**
   * Properties of the rows that the results are ordered by, if they do not follow the row key.
   * `isExact` if the conditions on the key are on the properties themselves.
   */
  readonly rowOrder?: { readonly names: readonly string[]; readonly isExact: boolean };
}

/** The rows of a model as they are stored. */
export function storedRows(context: ReaderContext, model: EntityModel): KeySource {
  return {
    name: model.name,
    model,
    rows: model,
    rowsOf: context.rowsOf,
    prefix: (spec, segments) => {
      assertNoKeyCondition(model, spec);
      const prefix = checkPrefix(model, segments);
      return { depth: Object.keys(prefix).length, prefixes: [prefix] };
    },
    bound: (method, spec, segment, values) => {
      assertRows(model, method, spec);
      return checkBound(model, method, spec, segment, values);
    },
    ranges: (spec) => {
      // The ranges contain whole groups.
      const { bound } = spec.key;
      if (bound !== undefined && spec.firstPer !== undefined) model.key.checkBound(bound);
      return rangesOf(model, spec);
    },
    reading: (spec, ranges) => planReading(context, model, planOf(model, spec, ranges)),
  };
}

/** Reads the rows of a plan; for `distinct`, as the segments of their group. */
export function planReading(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
): Reading<object> {
  const { firstPer, distinct } = plan.query;
  return {
    open: (options) => openQuery(context, model, plan, options),
    resultOf: distinct === true ? groupResult(model, firstPer!) : undefined,
    positionOf: (cursor) => decodeCursor(model, plan, cursor),
    cursorAfter: (page, remaining) => {
      const last = model.key.encode(page[page.length - 1] as Record<string, unknown>);
      return encodeCursor(model, plan, { last, remaining });
    },
    explain: () => explained(context, model, plan),
  };
}

function explained(context: ReaderContext, model: EntityModel, plan: QueryPlan): Explanation {
  const { filter } = context.bareReads?.of(model, plan.selection) ?? plan.selection;
  const others = entitiesWithin(context.modelsOf(model.table.name), model, plan);
  return explain(model, plan, { filter, hidden: hiddenText(context, model), others });
}

function groupResult(model: EntityModel, firstPer: string): (row: object) => object {
  const addJson = plainRowJson(model, []);
  return (row) => {
    const group = groupOf(model, firstPer, row);
    addJson?.(group);
    return group;
  };
}

/** A query with conditions on the key of a model. Immutable. */
export abstract class KeyQuery<
  F extends object = object,
  T extends KeySource<F> = KeySource<F>,
> extends Query<QuerySpec, KeyRanges, F, T> {
  prefixes(list: unknown): this {
    const { model } = this.source;
    assertNoKeyCondition(model, this.state.spec);
    return this.withKey(checkPrefixes(model, list));
  }

  oneOf(segment: unknown, values: unknown): this {
    return this.withKey(checkOneOf(this.source.model, this.state.spec, segment, values));
  }

  firstPer(segment: unknown): this {
    return this.with({ firstPer: this.#groupSegment('firstPer', segment) });
  }

  distinct(segment: unknown): this {
    const firstPer = this.#groupSegment('distinct', segment);
    return this.with({ firstPer, distinct: true, keysOnly: true });
  }

  where(conditions: unknown): this {
    const rows = this.#rows('where');
    return this.with({ where: checkWhere(rows, this.#testedSpec(rows), conditions) });
  }

  whereFrom(untrusted: unknown, options: unknown): this {
    const rows = this.#rows('whereFrom');
    const spec = this.#testedSpec(rows);
    return this.with({ where: checkWhereFrom(rows, spec, untrusted, options) });
  }

  select(...properties: unknown[]): this {
    const rows = this.#rows('select');
    assertRows(rows, 'select', this.state.spec);
    return this.with({ ...checkSelect(rows, properties), keysOnly: false });
  }

  include(references: unknown, options?: unknown): IncludingQuery {
    const { spec, signal } = this.state;
    const model = this.#rows('include');
    assertRows(model, 'include', spec);
    if (spec.asOf !== undefined) throw queryError(model, 'include', faults.includeAsOf);
    const select = spec.keysOnly ? [] : spec.select;
    const { rowsOf, whole = model } = this.source;
    const read = { model: select === undefined ? whole : model, select, rowsOf };
    const included = new IncludedRows(read, references, cacheOf(model, options));
    return new IncludingQuery(this, included, signal);
  }

  keysOnly(): this {
    assertRows(this.#rows('keysOnly'), 'keysOnly', this.state.spec);
    return this.with({ keysOnly: true });
  }

  async aggregate(values: unknown, options?: CallOptions): Promise<object> {
    return aggregateRows(this.#aggregateSource('aggregate'), values, options);
  }

  groupBy(...groups: unknown[]): GroupedRows {
    return new GroupedRows(this.#aggregateSource('groupBy'), groups);
  }

  /** Rows that are found by other keys are tested whole. */
  #testedSpec(rows: EntityModel): QuerySpec {
    const { spec } = this.state;
    return rows === this.source.model ? spec : { ...spec, key: fullScan.key };
  }

  /** The model of the properties that a method names. */
  #rows(method: string): EntityModel {
    const { model, rows } = this.source;
    if (rows !== undefined) return rows;
    throw queryError(model, method, faults.declaredResults(method));
  }

  #aggregateSource(method: string): AggregateSource {
    const model = this.#rows(method);
    const { rowOrder } = this.source;
    const { spec, part, signal } = this.state;
    this.assertCondition();
    const reading = (properties: readonly string[]): this => {
      const select = properties.filter((property) => !model.key.names.includes(property));
      if (select.length === 0) return this.with({ keysOnly: true });
      return this.with({ select, everyRow: true });
    };
    return {
      model,
      query: rowOrder?.isExact === false ? { ...spec, key: fullScan.key } : spec,
      isPart: part === true,
      rowOrder: rowOrder?.names,
      signal,
      open: (properties, abort) => reading(properties).open({ signal: abort }),
      explain: (properties, groups) => reading(properties).explain().grouped(groups),
    };
  }

  #groupSegment(method: string, segment: unknown): string {
    const { model } = this.source;
    const { spec, part } = this.state;
    if (part === true) throw splitError(model, faults.groupInTwoParts);
    return checkGroupSegment(model, method, spec, segment);
  }
}

const faults = {
  includeAsOf: {
    problem: 'include() reads rows as they are now, and not as of another time',
    fix: 'leave asOf() out, or read the rows with getMany(keys, { asOf })',
  },
  declaredResults: (method: string) => ({
    problem: `the results have declared values, which ${method}() cannot choose`,
    fix: `leave ${method}() out`,
  }),
  groupInTwoParts: { problem: 'the rows of a group can be in two parts of a query' },
} satisfies FaultTexts;
