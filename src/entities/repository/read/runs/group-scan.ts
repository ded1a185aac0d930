/**
 * Reads the first row of each group of rows that are equal in their leading segments, by a loose
 * index scan: after the first row of a group, the scan continues after the group.
 */
import { intersectRanges, type KeyRange, rangeContains } from '../../../../base/index.js';
import type { EntityModel } from '../../../model/index.js';
import type { QueryPlan } from '../../../query/index.js';
import { groupOf, type Lane, rangesAfterGroup } from './group-lanes.js';
import { openKeyedRows, type Keyed, type Pages, type ReaderContext } from '../rows/entity-pages.js';

/** Scans of alternative prefixes that run at the same time: on a live table each is a request. */
const maxInFlight = 16;
/** Maximum rows of one read of a scan. */
const maxReadRows = 1024;
/** A scan that reads single rows reads two every so often, to see whether groups are small. */
const probeEvery = 8;
/** Reads yield to the event loop after this long, in milliseconds. */
const maxBlockingMs = 1;

/** What all scans of a query share. */
export interface GroupScanContext {
  readonly context: ReaderContext;
  readonly model: EntityModel;
  readonly plan: QueryPlan;
  readonly signal: AbortSignal | undefined;
}

/** The ranges of a group in the shard of one of its keys. */
function rangesOfGroup(model: EntityModel, group: object, key: Uint8Array): readonly KeyRange[] {
  const { perShard } = model.key.ranges({ fixed: group as Record<string, unknown> });
  return perShard.find((ranges) => ranges.some((range) => rangeContains(range, key)))!;
}

/** Reads the groups of the lanes of one shard, which are in reading order. */
export class GroupPages implements Pages<Keyed> {
  readonly #waiting: LaneScan[];
  readonly #running: { readonly scan: LaneScan; page: Promise<Keyed[] | undefined> }[] = [];
  #closed = false;

  constructor(scan: GroupScanContext, lanes: readonly Lane[]) {
    this.#waiting = lanes.map((lane) => new LaneScan(scan, lane));
  }

  async next(): Promise<Keyed[] | undefined> {
    const rows: Keyed[] = [];
    const started = performance.now();
    while (!this.#closed) {
      this.#start();
      const head = this.#running.at(0);
      if (head === undefined) break;
      const page = await head.page;
      if (page === undefined) {
        this.#running.shift();
      } else {
        rows.push(...page);
        head.page = this.#nextPage(head.scan);
      }
      if (performance.now() - started < maxBlockingMs) continue;
      if (rows.length > 0) return rows;
      await new Promise((resolve) => void setImmediate(resolve));
    }
    if (rows.length > 0) return rows;
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#running.map(({ scan }) => scan.close()));
  }

  #start(): void {
    while (this.#running.length < maxInFlight) {
      const scan = this.#waiting.shift();
      if (scan === undefined) return;
      this.#running.push({ scan, page: this.#nextPage(scan) });
    }
  }

  #nextPage(scan: LaneScan): Promise<Keyed[] | undefined> {
    const page = scan.next();
    // `next` reports the error; if it is never called again, the rejection must not be unhandled.
    page.catch(() => undefined);
    return page;
  }
}

/** The scan of one lane. */
class LaneScan {
  readonly #scan: GroupScanContext;
  readonly #isGroup: boolean;
  /** What was not read yet. */
  #ranges: readonly KeyRange[];
  /** Rows of the next read: few if groups are large, more if they are small. */
  #readRows = 2;
  #reads = 0;
  #open: Pages<Keyed> | undefined;

  constructor(scan: GroupScanContext, { ranges, isGroup }: Lane) {
    this.#scan = scan;
    this.#isGroup = isGroup;
    this.#ranges = ranges;
  }

  /** Returns the first rows of the next groups, or undefined at the end. */
  async next(): Promise<Keyed[] | undefined> {
    while (this.#ranges.length > 0) {
      const found = await this.#readGroups();
      if (found.length > 0) return found;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#ranges = [];
    await this.#open?.close();
  }

  async #readGroups(): Promise<Keyed[]> {
    if (this.#isGroup) {
      const ranges = this.#ranges;
      this.#ranges = [];
      return this.#read(ranges, 1);
    }
    let count = this.#readRows;
    if (count === 1 && this.#reads++ % probeEvery === 0) count = 2;
    const rows = await this.#read(this.#ranges, count);
    const firsts = this.#skipToGroups(rows);
    if (rows.length < count) this.#ranges = [];
    this.#readRows = nextReadRows(count, firsts.length);
    return this.#withBound(firsts);
  }

  /** Keeps the first row of each group, and moves the scan after the last group. */
  #skipToGroups(rows: readonly Keyed[]): Keyed[] {
    const { model, plan } = this.#scan;
    const { firstPer, reversed } = plan.query;
    const firsts: Keyed[] = [];
    let group: readonly KeyRange[] = [];
    for (const found of rows) {
      if (group.some((range) => rangeContains(range, found.key))) continue;
      group = rangesOfGroup(model, groupOf(model, firstPer!, found.row), found.key);
      firsts.push(found);
    }
    if (firsts.length > 0) this.#ranges = rangesAfterGroup(this.#ranges, group, reversed);
    return firsts;
  }

  /** Replaces the first row of each group by the first within the query's bound. */
  async #withBound(firsts: readonly Keyed[]): Promise<Keyed[]> {
    const { model, plan } = this.#scan;
    const { key, firstPer } = plan.query;
    const { bound } = key;
    if (bound === undefined) return [...firsts];
    const found: Keyed[] = [];
    for (const first of firsts) {
      const fixed = groupOf(model, firstPer!, first.row);
      const whole = rangesOfGroup(model, fixed, first.key);
      const ranges = model.key
        .ranges({ fixed, bound })
        .perShard.flat()
        .filter((range) => whole.some((part) => intersectRanges(part, range) !== undefined));
      if (ranges.some((range) => rangeContains(range, first.key))) found.push(first);
      else if (ranges.length > 0) found.push(...(await this.#read(ranges, 1)));
    }
    return found;
  }

  async #read(ranges: readonly KeyRange[], limit: number): Promise<Keyed[]> {
    const { context, model, plan, signal } = this.#scan;
    const read = {
      table: model.table.name,
      ranges,
      reversed: plan.query.reversed,
      filter: plan.selection.filter,
      limit,
    };
    const pages = openKeyedRows(context, model, plan, read, signal);
    this.#open = pages;
    const rows: Keyed[] = [];
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next())
        rows.push(...page);
    } finally {
      await pages.close();
    }
    return rows;
  }
}

function nextReadRows(count: number, groups: number): number {
  if (groups <= 1) return Math.max(1, count >>> 1);
  if (groups * 2 >= count) return Math.min(maxReadRows, count * 4);
  return count;
}
