/** Runs the aggregation of a query. */
import { checkOptions, type FaultTexts } from '../../../../base/index.js';
import type { EntityModel } from '../../../model/index.js';
import { queryError } from '../../../query/index.js';
import type { Explanation, QuerySpec } from '../../../query/index.js';
import { type AggregateSpec, checkAggregates } from '../../aggregate/aggregate-spec.js';
import { type GroupAccumulator, groupsOf, totalsOf } from '../../aggregate/aggregation.js';
import { type CompiledGrouping, groupingOf } from '../../aggregate/grouping.js';
import type { CallOptions } from '../../types/entity-types.js';
import type { Pages } from '../rows/entity-pages.js';
import { iteratePages, iterateRows } from '../rows/row-iterator.js';

/** The query of the rows to aggregate. */
export interface AggregateSource {
  readonly model: EntityModel;
  readonly query: QuerySpec;
  /** The query is a part of a split one. */
  readonly isPart: boolean;
  /** The properties that rows come in the order of, if they do not follow the row key. */
  readonly rowOrder?: readonly string[];
  /** Opens the rows with at least these properties; without any, only the keys. */
  open(properties: readonly string[], signal: AbortSignal | undefined): Pages<object>;
  /** Explains the read of these properties. */
  explain(properties: readonly string[], groups: string): Explanation;
  /** The signal of the query itself. */
  readonly signal?: AbortSignal;
}

/** Maximum number of groups in a page. */
const pageGroups = 256;
/** Groups that need no reads, such as gaps, yield to the event loop after so many milliseconds. */
const maxBlockingMs = 5;

/** The aggregates of all rows. */
export async function aggregateRows(
  source: AggregateSource,
  values: unknown,
  options?: CallOptions,
): Promise<object> {
  const { model } = source;
  assertWholeRows(source, 'aggregate');
  const specs = checkAggregates(model, values);
  checkOptions('aggregate()', options, ['signal'], { entity: model.name });
  const totals = totalsOf(model, specs)();
  const signal = options?.signal ?? source.signal;
  const pages = iteratePages(source.open(propertiesOf(specs), signal), signal);
  for await (const page of pages)
    for (const row of page) totals.add(row as Record<string, unknown>);
  return totals.results({});
}

/** Implements GroupedQuery. */
export class GroupedRows {
  readonly #source: AggregateSource;
  readonly #grouping: CompiledGrouping;

  constructor(source: AggregateSource, groups: readonly unknown[]) {
    assertWholeRows(source, 'groupBy');
    this.#source = source;
    this.#grouping = groupingOf(source, groups);
  }

  aggregate(values: unknown): GroupResults {
    const { model } = this.#source;
    const specs = checkAggregates(model, values);
    const both = this.#grouping.parts.find(({ property }) =>
      specs.some(({ name }) => name === property),
    );
    if (both !== undefined)
      throw queryError(model, both.property, faults.duplicateName(both.property));
    return new GroupResults(this.#source, this.#grouping, specs);
  }
}

/** Implements Groups of the types: the results, which are computed as they are read. */
class GroupResults implements AsyncIterable<object> {
  readonly #source: AggregateSource;
  readonly #grouping: CompiledGrouping;
  readonly #specs: readonly AggregateSpec[];

  constructor(
    source: AggregateSource,
    grouping: CompiledGrouping,
    specs: readonly AggregateSpec[],
  ) {
    this.#source = source;
    this.#grouping = grouping;
    this.#specs = specs;
  }

  async all(options?: CallOptions): Promise<object[]> {
    this.#check('all()', options);
    const results: object[] = [];
    for await (const page of this.pages(options)) results.push(...page);
    return results;
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    this.#check('pages()', options);
    const signal = options?.signal ?? this.#source.signal;
    return iteratePages(this.#open(signal), signal);
  }

  explain(): Explanation {
    const kept = this.#grouping.followsKey ? 'one at a time' : 'kept in memory';
    const names = this.#grouping.parts.map(({ property }) => property).join(', ');
    return this.#source.explain(this.#properties(), `${names}: ${kept}`);
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    const { signal } = this.#source;
    return iterateRows(this.#open(signal), signal);
  }

  #check(call: string, options: CallOptions | undefined): void {
    checkOptions(call, options, ['signal'], { entity: this.#source.model.name });
  }

  #properties(): readonly string[] {
    return [...propertiesOf(this.#specs), ...this.#grouping.parts.map(({ property }) => property)];
  }

  #open(signal: AbortSignal | undefined): Pages<object> {
    const { model, query } = this.#source;
    const newTotals = totalsOf(model, this.#specs);
    const groups = groupsOf({ model, query, grouping: this.#grouping, newTotals });
    return new GroupedPages(this.#source.open(this.#properties(), signal), groups);
  }
}

function propertiesOf(specs: readonly AggregateSpec[]): readonly string[] {
  return specs.flatMap(({ property }) => property ?? []);
}

function assertWholeRows({ model, query }: AggregateSource, method: string): void {
  if (query.select === undefined && !query.keysOnly) return;
  throw queryError(model, method, faults.selectedColumns(method));
}

/** The results of groups in pages, computed while rows are read. */
class GroupedPages implements Pages<object> {
  readonly #rows: Pages<object>;
  readonly #groups: GroupAccumulator;
  #results: Iterator<object> = [][Symbol.iterator]();
  #ended = false;
  #yielded = performance.now();

  constructor(rows: Pages<object>, groups: GroupAccumulator) {
    this.#rows = rows;
    this.#groups = groups;
  }

  async next(): Promise<object[] | undefined> {
    if (performance.now() - this.#yielded > maxBlockingMs) {
      await new Promise((resolve) => void setImmediate(resolve));
      this.#yielded = performance.now();
    }
    const page: object[] = [];
    while (page.length < pageGroups) {
      const { value, done } = this.#results.next() as IteratorResult<object, undefined>;
      if (done !== true) page.push(value);
      else if (this.#ended) break;
      else await this.#read();
    }
    return page.length === 0 ? undefined : page;
  }

  close(): Promise<void> {
    return this.#rows.close();
  }

  async #read(): Promise<void> {
    const rows = await this.#rows.next();
    this.#ended = rows === undefined;
    const results = rows === undefined ? this.#groups.end() : this.#groups.take(rows);
    this.#results = results[Symbol.iterator]();
  }
}

const faults = {
  duplicateName: (property: string) => ({
    problem: `'${property}' names a group and a value`,
    fix: 'give the value another name',
  }),
  selectedColumns: (method: string) => ({
    problem: `${method}() reads the columns that it needs`,
    fix: 'leave select(), keysOnly() and distinct() out',
  }),
} satisfies FaultTexts;
