/** What a query will do, as data and as text. */
import { printable, toHex, type KeyRange } from '../bytes/index.js';
import type { EntityModel } from '../model/index.js';
import type { Filter } from '../store/index.js';
import type { QueryPlan } from './planner.js';

/** One range of keys that is read. */
export interface ExplainedRange {
  /** Index of the shard among those read; 0 without shards. */
  readonly shard: number;
  /** First key, inclusive, for a person: bytes outside printable ASCII as `\xNN`. */
  readonly start: string;
  /** First key past the range, exclusive; undefined without an upper bound. */
  readonly end?: string;
  /** The same, as hexadecimal. */
  readonly startHex: string;
  readonly endHex?: string;
}

/** The plan of a query. `toString()` gives it as text, and console.log shows that text. */
export class Explanation {
  constructor(
    readonly entity: string,
    readonly table: string,
    /** True when every row of the entity is read. */
    readonly fullScan: boolean,
    /** The question in the entity's words: `tenant = 'acme'`, `at >= 2026-11-20T00:00:00.000Z`. */
    readonly conditions: readonly string[],
    readonly ranges: readonly ExplainedRange[],
    /** How many shards are read and merged; 1 without shards. */
    readonly fanOut: number,
    /** Order of the rows, as segments with their direction. */
    readonly order: readonly string[],
    /** Families whose cells are read. */
    readonly families: readonly string[],
    /** Properties in the results, key segments first. */
    readonly properties: readonly string[],
    /** What storage filters, step by step. */
    readonly filters: readonly string[],
    /** Most rows delivered. */
    readonly limit: number | undefined,
  ) {
    Object.freeze(this);
  }

  /** The plan as text over several lines. */
  toString(): string {
    const lines: [string, string][] = [
      [this.fullScan ? 'FULL SCAN' : 'scan', `${this.entity} in table ${this.table}`],
      ['where', this.fullScan ? 'every row of the entity' : this.conditions.join(' and ')],
      ...(this.ranges.length === 0
        ? [['range', 'none: no key can answer'] as [string, string]]
        : []),
      ...this.ranges
        .slice(0, shownRanges)
        .map((range): [string, string] => ['range', rangeText(range)]),
      ...(this.ranges.length > shownRanges
        ? [['', `... and ${this.ranges.length - shownRanges} more ranges`] as [string, string]]
        : []),
      ...(this.fanOut > 1
        ? [['fan-out', `${this.fanOut} shards, merged in key order`] as [string, string]]
        : []),
      ['order', this.order.join(', ')],
      ['reads', `${this.properties.join(', ')}  (families ${this.families.join(', ')})`],
      ['filter', this.filters.join(', then ')],
      ['limit', this.limit === undefined ? 'none' : `${this.limit} rows`],
    ];
    return lines.map(([name, text]) => `${name.padEnd(10)}${text}`).join('\n');
  }

  /** console.log shows the text. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** A plan over 100 shards should still fit a screen; `ranges` has them all. */
const shownRanges = 6;

/** Explains a plan. */
export function explain(model: EntityModel, plan: QueryPlan): Explanation {
  const { question, projection } = plan;
  return new Explanation(
    model.name,
    model.table.name,
    plan.fullScan,
    conditionsOf(plan),
    plan.ranges.perShard.flatMap((ranges, shard) =>
      ranges.map((range) => explainedRange(range, shard)),
    ),
    plan.ranges.perShard.length,
    model.segments.map(
      ({ property, type }) =>
        `${property} ${(type.order === 'desc') === question.reversed ? 'ascending' : 'descending'}`,
    ),
    projection.families,
    [...model.key.names, ...projection.columns.map((column) => column.property)],
    filterSteps(projection.filter),
    question.limit,
  );
}

function conditionsOf({ question: { key } }: QueryPlan): string[] {
  const conditions = Object.entries(key.fixed).map(
    ([name, value]) => `${name} = ${valueText(value)}`,
  );
  const bound = key.bound;
  if (bound?.kind === 'startsWith')
    conditions.push(`${bound.segment} starts with ${valueText(bound.text)}`);
  if (bound?.kind === 'subdomains')
    conditions.push(`${bound.segment} is ${valueText(bound.domain)} or below it`);
  if (bound?.kind === 'between') {
    if (bound.from !== undefined)
      conditions.push(
        `${bound.segment} ${bound.from.inclusive ? '>=' : '>'} ${valueText(bound.from.value)}`,
      );
    if (bound.to !== undefined)
      conditions.push(
        `${bound.segment} ${bound.to.inclusive ? '<=' : '<'} ${valueText(bound.to.value)}`,
      );
  }
  return conditions;
}

function explainedRange({ start, end }: KeyRange, shard: number): ExplainedRange {
  const from = { shard, start: printable(start), startHex: toHex(start) };
  return end === undefined ? from : { ...from, end: printable(end), endHex: toHex(end) };
}

function rangeText({ start, end }: ExplainedRange): string {
  return `[${start === '' ? 'first key' : start} .. ${end ?? 'last key'})`;
}

function filterSteps(filter: Filter): string[] {
  switch (filter.kind) {
    case 'chain':
      return filter.filters.flatMap(filterSteps);
    case 'families':
      return [`families ${filter.families.join(', ')}`];
    case 'cellsPerColumn':
      return [
        filter.count === 1
          ? 'newest cell of each column'
          : `newest ${filter.count} cells of each column`,
      ];
    case 'cellsPerRow':
      return [`first ${filter.count} cell${filter.count === 1 ? '' : 's'} of each row`];
    case 'timestampRange':
      // The end is exclusive, in microseconds: the millisecond before it is the last one read.
      return [`cells up to ${new Date(Number(filter.end ?? 0) / 1000 - 1).toISOString()}`];
    case 'stripValue':
      return ['without values'];
    default:
      return [filter.kind];
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `0x${toHex(value)}`;
  return String(value);
}
