/** Explains what a query will read, as data and as text. */
import { countText, type KeyRange, printable, toHex } from '../../base/index.js';
import type { SegmentBound } from '../../data/key/index.js';
import type { EntityModel, SegmentModel } from '../model/index.js';
import type { Filter } from '../../data/store/index.js';
import type { QueryPlan } from './plan/planner.js';
import { sliceText } from './entries.js';
import type { QueryKey } from './query-spec.js';
import { literal, shownValues } from './where/literal.js';

/** A range of row keys that is read. */
export interface ExplainedRange {
  /** Index of the shard among the shards read; 0 without shards. */
  readonly shard: number;
  /** First key, inclusive, human-readable: bytes outside printable ASCII as `\xNN`. */
  readonly start: string;
  /** End of the range, exclusive; undefined without an upper bound. */
  readonly end?: string;
  /** The same, as hexadecimal. */
  readonly startHex: string;
  readonly endHex?: string;
}

/** How a query uses an index. */
export interface ExplainedIndex {
  readonly name: string;
  /** True if the entries are read alone. */
  readonly covered: boolean;
  /** The reads of the rows that the entries lead to; undefined if only entries are read. */
  readonly rows?: Explanation;
  /** What is read and compared, and what a result may not show. */
  readonly notes: readonly string[];
}

/** The plan of a query. `toString()` returns it as text, which console.log prints, too. */
export class Explanation {
  constructor(
    readonly entity: string,
    readonly table: string,
    /** True if every row of the entity is read. */
    readonly fullScan: boolean,
    /** Conditions on segments: `tenant = 'acme'`, `at >= 2026-11-20T00:00:00.000Z`. */
    readonly conditions: readonly string[],
    readonly ranges: readonly ExplainedRange[],
    /** Number of shards that are read and merged; 1 without shards. */
    readonly fanOut: number,
    /** Order of the rows, as segments with their direction. */
    readonly order: readonly string[],
    /** Families to read cells of. */
    readonly families: readonly string[],
    /** Properties in the results, key segments first. */
    readonly properties: readonly string[],
    /** What the storage filters, step by step. */
    readonly filters: readonly string[],
    /** Maximum number of rows. */
    readonly limit: number | undefined,
    /** The segment of `firstPer` or `distinct`: the query skips through its groups. */
    readonly firstPer?: string,
    /** What `groupBy` groups the rows by, and whether the groups are kept in memory. */
    readonly groups?: string,
    /** Which entries are read of column maps that are not read whole. */
    readonly entries: readonly string[] = [],
    /** Conditions of `where` that the storage tests: other rows are read there, but not sent. */
    readonly whereAtServer: readonly string[] = [],
    /** Conditions of `where` that are tested after a row has arrived. */
    readonly whereAtClient: readonly string[] = [],
    /** Garbage collection rules, as text, of families in which reads hide expired cells. */
    readonly hidden: readonly string[] = [],
    /**
     * Whether `afterRead` of the class runs: only on whole entities. Undefined if it has none.
     */
    readonly afterRead?: boolean,
    /** For queries of an index: all other properties describe its entries. */
    readonly index?: ExplainedIndex,
    /**
     * Other entities of the program that may have rows in the ranges: these rows are read, sent and
     * dropped.
     */
    readonly others: readonly string[] = [],
  ) {
    Object.freeze(this);
  }

  /** The plan as text of several lines. */
  toString(): string {
    const lines: string[] = [];
    const add = (name: string, text: string): unknown => lines.push(`${name.padEnd(10)}${text}`);
    const source = `${this.entity} in table ${this.table}`;
    if (this.fullScan) {
      add('FULL SCAN', source);
      add('where', 'every row of the entity');
    } else {
      add('scan', source);
      add('where', this.conditions.join(' and ') || 'every row of the entity');
    }
    if (this.firstPer !== undefined)
      add('first', `row of each ${this.firstPer}: the rows between are skipped`);
    if (this.whereAtServer.length > 0)
      add('server', `${this.whereAtServer.join(' and ')}: reads the range, sends rows that match`);
    if (this.whereAtClient.length > 0)
      add('client', `${this.whereAtClient.join(' and ')}: tested on rows that were sent`);
    if (this.ranges.length === 0) add('range', 'none: no key matches');
    for (const range of this.ranges.slice(0, maxShownRanges)) add('range', rangeText(range));
    if (this.ranges.length > maxShownRanges)
      add('', `... and ${this.ranges.length - maxShownRanges} more ranges`);
    if (this.fanOut > 1) add('fan-out', `${this.fanOut} shards, merged in key order`);
    if (this.others.length > 0)
      add('walks', `rows of ${this.others.join(', ')} in these ranges, too, and drops them`);
    add('order', this.order.join(', '));
    add('reads', `${this.properties.join(', ')}  (families ${this.families.join(', ')})`);
    for (const slice of this.entries) add('entries', slice);
    add('filter', this.filters.join(', then ') || noFilter);
    if (this.hidden.length > 0) add('hidden', `what rules have expired: ${this.hidden.join(', ')}`);
    if (this.afterRead === true) add('hook', 'afterRead runs on each entity');
    if (this.afterRead === false) add('hook', 'afterRead does not run: results are no entities');
    add('limit', this.limit === undefined ? 'none' : `${this.limit} rows`);
    if (this.groups !== undefined) add('groups', this.groups);
    if (this.index !== undefined) addIndex(this.index, add);
    return lines.join('\n');
  }

  /** The explanation of the same read with its rows in groups. */
  grouped(groups: string): Explanation {
    return new Explanation(
      this.entity,
      this.table,
      this.fullScan,
      this.conditions,
      this.ranges,
      this.fanOut,
      this.order,
      this.families,
      this.properties,
      this.filters,
      this.limit,
      this.firstPer,
      groups,
      this.entries,
      this.whereAtServer,
      this.whereAtClient,
      this.hidden,
      this.afterRead === undefined ? undefined : false,
      this.index,
      this.others,
    );
  }

  /** What console.log prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

function addIndex(
  { name, rows, notes }: ExplainedIndex,
  add: (name: string, text: string) => unknown,
): void {
  add('index', name);
  if (rows !== undefined) {
    add('rows', `${rows.entity} in table ${rows.table}, by key in batches`);
    if (rows.whereAtServer.length > 0)
      add('server', `${rows.whereAtServer.join(' and ')}: sends rows that match`);
    if (rows.whereAtClient.length > 0)
      add('client', `${rows.whereAtClient.join(' and ')}: tested on rows that were sent`);
    add('reads', `${rows.properties.join(', ')}  (families ${rows.families.join(', ')})`);
  }
  for (const note of notes) add('note', note);
}

/** A live table with only mapped families that keep one version. */
const noFilter = 'none: every family is read, and older cells are dropped here';

/** Keeps the text of a plan over many shards short; `ranges` contains all of them. */
const maxShownRanges = 6;

/** How a plan is read, as far as the plan does not decide it. */
export interface ExplainedRead {
  readonly filter: Filter | undefined;
  readonly hidden?: readonly string[];
  readonly index?: ExplainedIndex;
  readonly others?: readonly string[];
}

/** Explains a plan that is read with a filter, or with none. */
export function explain(
  model: EntityModel,
  plan: QueryPlan,
  { filter, hidden, index, others }: ExplainedRead = plan.selection,
): Explanation {
  const query = plan.query;
  const selection = plan.selection;
  return new Explanation(
    model.name,
    model.table.name,
    plan.fullScan,
    [...scopeConditions(model), ...conditionsOf(model.key.names, query.key)],
    plan.ranges.perShard.flatMap((ranges, shard) =>
      ranges.map((range) => explainedRange(range, shard)),
    ),
    plan.ranges.perShard.length,
    model.segments.map((segment) => orderText(segment, query.reversed)),
    selection.families,
    [
      ...propertyNames(model, selection.whole),
      ...selection.columns.map((column) => column.property),
    ],
    filter === undefined ? [] : filterSteps(filter),
    query.limit,
    query.firstPer,
    undefined,
    query.entries?.map(sliceText),
    selection.where?.plan.atServer,
    selection.where?.plan.atClient,
    hidden,
    model.hooks?.afterRead === undefined ? undefined : selection.whole,
    index,
    others,
  );
}

function orderText({ property, type }: SegmentModel, reversed: boolean): string {
  const ascending = (type.order === 'desc') === reversed;
  return `${property} ${ascending ? 'ascending' : 'descending'}`;
}

/** `tenant = 'acme'` for each segment that a scope gives. */
function scopeConditions({ key }: EntityModel): string[] {
  const values = key.scope?.values() ?? {};
  return Object.entries(values).map(([name, value]) => `${segmentCondition(name, value)} (scope)`);
}

/** `tenant = 'acme'`. */
export function segmentCondition(name: string, value: unknown): string {
  return `${name} = ${literal(value)}`;
}

/** The segments in the results: entities have the segments of the scope, too. */
function propertyNames({ key }: EntityModel, whole: boolean): readonly string[] {
  if (!whole) return key.names;
  return [...(key.scope?.names ?? []), ...key.names];
}

function conditionsOf(names: readonly string[], { depth, prefixes, bound }: QueryKey): string[] {
  const conditions = prefixConditions(names.slice(0, depth), prefixes);
  if (bound !== undefined) conditions.push(...boundConditions(bound));
  return conditions;
}

function prefixConditions(names: readonly string[], prefixes: QueryKey['prefixes']): string[] {
  if (prefixes.length === 0) return ['one of no values'];
  const lists = names.map((name) => [...new Set(prefixes.map((prefix) => literal(prefix[name])))]);
  const combinations = lists.reduce((product, list) => product * list.length, 1);
  const isEveryCombination = combinations === new Set(prefixes.map((p) => tuple(names, p))).size;
  if (isEveryCombination) {
    return lists.map((values, i) => {
      if (values.length === 1) return `${names[i]} = ${values[0]}`;
      return `${names[i]} ${alternatives(values)}`;
    });
  }
  return [`${tupleText(names)} ${alternatives(prefixes.map((prefix) => tuple(names, prefix)))}`];
}

function tuple(names: readonly string[], prefix: Readonly<Record<string, unknown>>): string {
  return tupleText(names.map((name) => literal(prefix[name])));
}

function tupleText(texts: readonly string[]): string {
  return `(${texts.join(', ')})`;
}

/** `is one of 'a', 'b'`, and how many there are if not all are shown. */
function alternatives(values: readonly string[]): string {
  return `is one of ${shownValues(values)}`;
}

/** The conditions of a bound. */
export function boundConditions(bound: SegmentBound): string[] {
  const { segment } = bound;
  switch (bound.kind) {
    case 'startsWith':
      return [`${segment} starts with ${literal(bound.text)}`];
    case 'subdomains':
      return [`${segment} is ${literal(bound.domain)} or a subdomain`];
    case 'between': {
      const { from, to } = bound;
      const conditions: string[] = [];
      if (from !== undefined)
        conditions.push(`${segment} ${from.inclusive ? '>=' : '>'} ${literal(from.value)}`);
      if (to !== undefined)
        conditions.push(`${segment} ${to.inclusive ? '<=' : '<'} ${literal(to.value)}`);
      return conditions;
    }
  }
}

/** A range as it is shown. */
export function explainedRange({ start, end }: KeyRange, shard: number): ExplainedRange {
  const range = { shard, start: printable(start), startHex: toHex(start) };
  if (end === undefined) return range;
  return { ...range, end: printable(end), endHex: toHex(end) };
}

/** A range in a line of text. */
export function rangeText({ start, end = 'last key' }: ExplainedRange): string {
  if (start === '') return `[first key .. ${end})`;
  return `[${start} .. ${end})`;
}

/** What a filter does, step by step. */
export function filterSteps(filter: Filter): string[] {
  switch (filter.kind) {
    case 'chain':
      return filter.filters.flatMap(filterSteps);
    case 'interleave':
      return [filter.filters.map((each) => filterSteps(each).join(', ')).join('; and ')];
    case 'families':
      return [`families ${filter.families.join(', ')}`];
    case 'cellsPerColumn':
      if (filter.count === 1) return ['newest cell of each column'];
      return [`newest ${filter.count} cells of each column`];
    case 'columnRange':
      return [columnRangeText(filter)];
    case 'cellsPerRowOffset':
      return [`without the first ${countText(filter.count, 'cell')}`];
    case 'blockAll':
      return ['no cells'];
    case 'cellsPerRow':
      return [`first ${countText(filter.count, 'cell')} of each row`];
    case 'timestampRange':
      // `end` is exclusive and in microseconds: the millisecond before it is the last one.
      return [`cells up to ${new Date(Number(filter.end ?? 0) / 1000 - 1).toISOString()}`];
    case 'columns':
      return [`columns ${filter.columns.map(columnsText).join(', ')}`];
    case 'rowKeyRegex':
      return ['rows by a pattern of their keys'];
    case 'condition':
      return ['rows that match', ...filterSteps(filter.onTrue!)].filter(
        (step, i, steps) => step !== steps[i - 1],
      );
    case 'passAll':
      return [];
    case 'stripValue':
      return ['without values'];
    default:
      return [filter.kind];
  }
}

/** `columns p:[a .. b)`, as bytes; a round bracket is an exclusive end. */
function columnRangeText({
  family,
  start,
  end,
}: Extract<Filter, { readonly kind: 'columnRange' }>): string {
  if (start === undefined && end === undefined) return `columns ${family}:*`;
  const low = start === undefined ? 'first' : printable(start.qualifier);
  const high = end === undefined ? 'last' : printable(end.qualifier);
  const open = start?.inclusive === false ? '(' : '[';
  const close = end?.inclusive === false ? ')' : ']';
  return `columns ${family}:${open}${low} .. ${high}${close}`;
}

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

function columnsText({ family, qualifiers }: Columns[number]): string {
  if (qualifiers === 'all') return `${family}:*`;
  return qualifiers.map((qualifier) => `${family}:${printable(qualifier)}`).join(', ');
}
