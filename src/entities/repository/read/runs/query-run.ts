/** Runs a query plan: one storage read, or one for each shard, merged in key order. */
import type { EntityModel } from '../../../model/index.js';
import { type QueryPlan, rangesAfter, readPlansOf } from '../../../query/index.js';
import {
  type Keyed,
  openKeyedRows,
  openRows,
  type Pages,
  type ReaderContext,
} from '../rows/entity-pages.js';
import { groupOf, lanesOf } from './group-lanes.js';
import { GroupPages } from './group-scan.js';
import { ShardMerge } from './shard-merge.js';
import { openKeyedSkipScan, openSkipScan } from './skip-scan.js';

/** How to run a plan. */
export interface RunOptions {
  /** Maximum number of rows; undefined for all. */
  readonly limit: number | undefined;
  /** Key of the last row of the page before; its shard does not matter. */
  readonly after?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** Opens the pages of a plan. Nothing is read before the first `next`. */
export function openQuery(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  options: RunOptions,
): Pages<object> {
  if (plan.query.firstPer !== undefined) return openGroups(context, model, plan, options);
  const { limit, after, signal } = options;
  const reads = readPlansOf(model, rowsAfter(model, plan, after), limit);
  if (reads.length === 1) return openRows(context, model, plan, reads[0], signal);
  return new ShardMerge(
    model.key,
    reads.map((read) => openKeyedRows(context, model, plan, read, signal)),
    plan.query.reversed,
    limit,
  );
}

/**
 * The plan for the rows after `last`, or the whole plan if it is undefined. In a sharded read, each
 * shard continues after the key that the row would have in it.
 */
function rowsAfter(model: EntityModel, plan: QueryPlan, last: Uint8Array | undefined): QueryPlan {
  if (last === undefined) return plan;
  const perShard = plan.ranges.perShard.map((ranges) => {
    if (ranges.length === 0) return ranges;
    return rangesAfter(ranges, model.key.withShardOf(ranges[0], last), plan.query.reversed);
  });
  return { ...plan, ranges: { perShard } };
}

function openGroups(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  { limit, after, signal }: RunOptions,
): Pages<object> {
  const scan = { context, model, plan, signal };
  const lanes = lanesOf(model, plan, after);
  const skips = context.engine.skipsRows === true;
  if (skips && lanes.length === 1) return limitPages(openSkipScan(scan, lanes[0], limit), limit);
  const shards = lanes.map((each) =>
    skips ? openKeyedSkipScan(scan, each, limit) : new GroupPages(scan, each),
  );
  const { firstPer, reversed } = plan.query;
  if (shards.length === 1) return mapPages<Keyed>(shards[0], ({ row }) => row, limit);
  // A group can have rows in several shards: only the first of them in key order counts.
  let previous: string | undefined;
  const merged = new ShardMerge(model.key, shards, reversed);
  return mapPages(
    merged,
    (row) => {
      const group = groupText(model, firstPer!, row);
      if (group === previous) return undefined;
      previous = group;
      return row;
    },
    limit,
  );
}

/** Identifies the group of a row among the groups of one query. */
function groupText(model: EntityModel, segment: string, row: object): string {
  const { perShard } = model.key.ranges({ fixed: groupOf(model, segment, row) });
  return Buffer.from(perShard[0][0].start).toString('latin1');
}

function limitPages(pages: Pages<object>, limit: number | undefined): Pages<object> {
  return limit === undefined ? pages : mapPages(pages, (row) => row, limit);
}

/** The pages with each result mapped; results mapped to undefined are left out. */
export function mapPages<T extends object>(
  pages: Pages<T>,
  map: (result: T) => object | undefined,
  limit?: number,
): Pages<object> {
  return new MappedPages(pages, map, limit);
}

class MappedPages<T extends object> implements Pages<object> {
  readonly #pages: Pages<T>;
  readonly #map: (result: T) => object | undefined;
  #remaining: number;

  constructor(pages: Pages<T>, map: (result: T) => object | undefined, limit = Infinity) {
    this.#pages = pages;
    this.#map = map;
    this.#remaining = limit;
  }

  async next(): Promise<object[] | undefined> {
    while (this.#remaining > 0) {
      const page = await this.#pages.next();
      if (page === undefined) return undefined;
      const rows: object[] = [];
      for (let i = 0; i < page.length && rows.length < this.#remaining; i++) {
        const mapped = this.#map(page[i]);
        if (mapped !== undefined) rows.push(mapped);
      }
      this.#remaining -= rows.length;
      if (rows.length > 0) return rows;
    }
    await this.close();
    return undefined;
  }

  close(): Promise<void> {
    this.#remaining = 0;
    return this.#pages.close();
  }
}
