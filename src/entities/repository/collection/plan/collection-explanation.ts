/** Explains what a query of a collection reads, as data and as text. */
import {
  boundConditions,
  type ExplainedRange,
  explainedRange,
  filterSteps,
  rangeText,
  segmentCondition,
} from '../../../query/index.js';
import { type CollectionPlan, type PlannedMember, rangesOfShard } from './collection-plan.js';

/** A member as it is read. */
export interface ExplainedMember {
  /** Name of the entity class. */
  readonly entity: string;
  /** Properties in the results, key segments first. */
  readonly properties: readonly string[];
  /** Maximum number of rows, in all or in each group; undefined without a limit. */
  readonly limit: number | undefined;
  /**
   * Whether `afterRead` of the class runs: only on whole entities. Undefined if it has none.
   */
  readonly afterRead?: boolean | undefined;
}

/** The plan of a query of a collection. `toString()` returns it as text. */
export class CollectionExplanation {
  constructor(
    readonly table: string,
    /** What is read of each member, by kind. */
    readonly members: Readonly<Record<string, ExplainedMember>>,
    /** Conditions on shared segments: `tenant = 'acme'`. */
    readonly conditions: readonly string[],
    readonly ranges: readonly ExplainedRange[],
    /** Number of shards that are read and merged; 1 without shards. */
    readonly fanOut: number,
    /** What the storage filters, step by step. */
    readonly filters: readonly string[],
    /** The segment by which rows are grouped. */
    readonly groupBy: string | undefined,
    /** Maximum number of rows, or of groups. */
    readonly limit: number | undefined,
    readonly reversed: boolean,
    /** What one run of the query requests from the storage, in words. */
    readonly requests: string,
  ) {
    Object.freeze(this);
  }

  /** The plan as text of several lines. */
  toString(): string {
    const lines: string[] = [];
    const add = (name: string, text: string): unknown => lines.push(`${name.padEnd(10)}${text}`);
    add('scan', `${Object.keys(this.members).join(', ')} in table ${this.table}`);
    add('where', this.conditions.join(' and ') || 'every row of the members');
    for (const [kind, { entity, properties, limit, afterRead }] of Object.entries(this.members)) {
      const most = limit === undefined ? '' : `, at most ${limit}${this.#perGroup()}`;
      const hook = afterRead === true ? ', afterRead runs' : '';
      add('member', `${kind}: ${entity} (${properties.join(', ')})${most}${hook}`);
    }
    if (this.groupBy !== undefined) add('groups', `by ${this.groupBy}`);
    if (this.ranges.length === 0) add('range', 'none: no key matches');
    for (const range of this.ranges.slice(0, maxShownRanges)) add('range', rangeText(range));
    if (this.ranges.length > maxShownRanges)
      add('', `... and ${this.ranges.length - maxShownRanges} more ranges`);
    if (this.fanOut > 1) add('fan-out', `${this.fanOut} shards, merged in key order`);
    add('order', this.reversed ? 'key, descending' : 'key');
    add('filter', this.filters.join(', then '));
    const unit = this.groupBy === undefined ? 'rows' : 'groups';
    add('limit', this.limit === undefined ? 'none' : `${this.limit} ${unit}`);
    add('requests', this.requests);
    return lines.join('\n');
  }

  /** What console.log prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #perGroup(): string {
    return this.groupBy === undefined ? '' : ' in each group';
  }
}

const maxShownRanges = 6;

/** Explains a plan. */
export function explainCollection(plan: CollectionPlan): CollectionExplanation {
  const { collection, spec, members, shards, filter } = plan;
  const [{ model }] = members;
  const {
    prefixes: [prefix],
    bound,
  } = spec.key;
  const scope = Object.entries(model.key.scope?.values() ?? {});
  const conditions = [
    ...scope.map(([name, value]) => `${segmentCondition(name, value)} (scope)`),
    ...Object.entries(prefix).map(([name, value]) => segmentCondition(name, value)),
  ];
  if (bound !== undefined) conditions.push(...boundConditions(bound));
  return new CollectionExplanation(
    collection.members[0].model.table.name,
    Object.fromEntries(members.map((member) => [member.kind, explainedMember(member)])),
    conditions,
    shards.flatMap((shard, i) =>
      rangesOfShard(plan, shard).map((range) => explainedRange(range, i)),
    ),
    shards.length,
    filterSteps(filter),
    spec.groupBy,
    spec.limit,
    spec.reversed,
    requestsOf(plan),
  );
}

function explainedMember({ model, selection, limit }: PlannedMember): ExplainedMember {
  const scope = selection.whole ? (model.key.scope?.names ?? []) : [];
  return {
    entity: model.name,
    properties: [
      ...scope,
      ...model.key.names,
      ...selection.columns.map(({ property }) => property),
    ],
    limit: limit === Infinity ? undefined : limit,
    afterRead: model.hooks?.afterRead === undefined ? undefined : selection.whole,
  };
}

function requestsOf({ members, shards, groupNames }: CollectionPlan): string {
  if (shards.length === 0) return 'none';
  const base = shards.length === 1 ? '1' : `${shards.length}, one for each shard`;
  const limited = members.filter(({ limit }) => limit !== Infinity).map(({ kind }) => kind);
  if (limited.length === 0) return base;
  const where = groupNames.length === 0 ? '' : ' of a group';
  return (
    `${base}; one more to continue after the rows of ${limited.join(', ')}${where} beyond the limit, ` +
    'if many are there and others come after them'
  );
}
