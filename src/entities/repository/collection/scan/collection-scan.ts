/**
 * Reads the rows of a collection in one shard: one stream over the ranges of all members. When a
 * member has reached its limit, the scan continues after its rows with another stream.
 */
import {
  copyBytes,
  type KeyRange,
  printable,
  rangesAfter,
  RowsmithError,
  toHex,
  type FaultTexts,
} from '../../../../base/index.js';
import type { RowCursor, RowStream } from '../../../../data/store/index.js';
import { handleUnreadable, skippedRow, type Pages } from '../../read/rows/entity-pages.js';
import { type CollectionPlan, rangesOfShard } from '../plan/collection-plan.js';
import { MemberLimits } from './member-limits.js';
import { MemberReader, type MemberRow } from './member-rows.js';
import { rangesAfterGroupOf, restRanges } from './rest-ranges.js';
import { UsualRows } from './usual-rows.js';

/** Consecutive rows beyond limits that are read before the scan skips: a stream costs as much. */
const maxSurplusRows = 32;
/** Maximum limit of a stream that continues after more rows than expected. */
const maxStreamRows = 1 << 20;

/** Where the page before has ended. */
export interface Resumption {
  /** Key of its last row, in any shard. */
  readonly last: Uint8Array;
  /** Rows left of members that have a limit in all. */
  readonly remaining?: Readonly<Record<string, number>>;
}

/** How to run the plan of a collection. */
export interface ScanOptions {
  /** Maximum number of rows that are wanted; Infinity for all. */
  readonly limit: number;
  readonly after?: Resumption | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The rows of one shard, as results that `resultOf` makes, without rows beyond limits. */
export class CollectionScan<R> implements Pages<R> {
  readonly #plan: CollectionPlan;
  readonly #shard: string;
  readonly #signal: AbortSignal | undefined;
  readonly #resultOf: (row: MemberRow, cursor: RowCursor) => R;
  readonly #limits: MemberLimits;
  readonly #usual: UsualRows;
  readonly #reader: MemberReader;
  /** What was not read yet when the current stream was opened. */
  #ranges: readonly KeyRange[];
  #stream: RowStream | undefined;
  /** Rows that the current stream returns yet, under its limit. */
  #streamRows = 0;
  /** Factor of the next limit: more each time that one was used up. */
  #growth = 1;
  /** The scan does not continue after a page. */
  readonly #isWhole: boolean;
  /** Rows still wanted. */
  #wanted: number;
  /** Key after which the next stream starts, if this one ends early. */
  #last: Uint8Array | undefined;
  /** Rows beyond limits since the last row that was wanted. */
  #surplus = 0;

  constructor(
    plan: CollectionPlan,
    shard: string,
    { limit, after, signal }: ScanOptions,
    resultOf: (row: MemberRow, cursor: RowCursor) => R,
  ) {
    this.#resultOf = resultOf;
    this.#plan = plan;
    this.#shard = shard;
    this.#signal = signal;
    this.#wanted = limit;
    const { depth } = plan.spec.key;
    const isOneGroup = plan.groupNames.length <= depth;
    this.#usual = new UsualRows(plan.collection, depth);
    this.#isWhole = after === undefined;
    this.#limits = new MemberLimits(plan.members, plan.groupNames, after?.remaining, isOneGroup);
    this.#reader = new MemberReader(plan);
    const ranges = rangesOfShard(plan, shard);
    this.#ranges = ranges;
    if (after === undefined || ranges.length === 0) return;
    const last = plan.members[0].model.key.withShardOf(ranges[0], after.last);
    if (plan.groupNames.length === 0) this.#ranges = this.#rangesAfter(last, after.last);
    else this.#ranges = rangesAfterGroupOf(plan, shard, last, this.#segmentsOf(after.last) ?? {});
  }

  async next(): Promise<R[] | undefined> {
    try {
      while (this.#wanted > 0) {
        this.#signal?.throwIfAborted();
        this.#stream ??= this.#open();
        if (this.#stream === undefined) break;
        const cursor = await this.#stream.next();
        if (cursor === undefined) {
          // The end, unless more rows than expected have used up the limit.
          if (this.#streamRows > 0) {
            this.#onEnd();
            break;
          }
          this.#growth *= 4;
          await this.#skip();
          continue;
        }
        const rows = this.#readPage(cursor);
        if (this.#surplus > maxSurplusRows) await this.#skip();
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
    this.#wanted = 0;
    await this.#stream?.close();
  }

  #open(): RowStream | undefined {
    if (this.#ranges.length === 0) return undefined;
    const { collection, spec, members, filter } = this.#plan;
    const wanted = Math.min(this.#wanted, this.#limits.rowsLeft(this.#usual));
    const limit = Math.max(wanted, Math.min(wanted * this.#growth, maxStreamRows));
    this.#streamRows = limit;
    return collection.context.engine.readRows(
      {
        table: members[0].model.table.name,
        ranges: this.#ranges,
        reversed: spec.reversed,
        filter,
        limit: wanted === Infinity ? undefined : limit,
      },
      { signal: this.#signal },
    );
  }

  /** Ends the stream. The next one starts with the next row that can be wanted. */
  async #skip(): Promise<void> {
    await this.#stream?.close();
    this.#stream = undefined;
    this.#surplus = 0;
    this.#ranges = this.#rangesAfter(this.#last!);
  }

  #readPage(cursor: RowCursor): R[] {
    const rows: R[] = [];
    while (this.#wanted > 0 && this.#surplus <= maxSurplusRows && cursor.nextRow()) {
      const isLast = --this.#streamRows === 0;
      const row = this.#readRow(cursor);
      if (isLast) this.#last = keyOf(cursor);
      if (row === undefined) continue;
      if (!this.#limits.take(row)) {
        this.#surplus++;
        this.#last = keyOf(cursor);
        continue;
      }
      this.#surplus = 0;
      rows.push(this.#resultOf(row, cursor));
      this.#wanted--;
      // Nothing may be left now, and then the rest of the stream need not arrive.
      if (this.#limits.isExhausted(row.member) && this.#isAtEnd(keyOf(cursor))) {
        this.#wanted = 0;
        this.#onEnd();
      }
    }
    return rows;
  }

  /** All rows that are wanted have been read. */
  #onEnd(): void {
    if (this.#isWhole) this.#limits.learn(this.#usual);
  }

  #readRow(cursor: RowCursor): MemberRow | undefined {
    const { context } = this.#plan.collection;
    try {
      const row = this.#reader.read(cursor);
      if (row === undefined && context.onForeignRow !== 'skip') this.#handleForeign(keyOf(cursor));
      return row;
    } catch (error) {
      return skippedRow(context, error);
    }
  }

  #handleForeign(key: Uint8Array): void {
    const { collection, members } = this.#plan;
    const { table, key: codec } = members[0].model;
    const { modelsOf, onForeignRow } = collection.context;
    if (modelsOf(table.name).some((model) => model.key.foreignReason(key) === undefined)) return;
    handleUnreadable(
      onForeignRow,
      new RowsmithError('FOREIGN_KEY', {
        entity: collection.name,
        ...faults.foreignRow(codec.foreignReason(key)),
        table: table.name,
        key: printable(key),
        keyHex: toHex(key),
      }),
    );
  }

  /** Whether nothing that is wanted can come after a key. */
  #isAtEnd(key: Uint8Array): boolean {
    const { members, spec } = this.#plan;
    if (!this.#limits.isOneGroup) return this.#rangesAfter(key).length === 0;
    const isLeft = members.some(
      (member) =>
        !this.#limits.isExhausted(member) &&
        rangesAfter(member.ranges.get(this.#shard) ?? [], key, spec.reversed).length > 0,
    );
    // Of these ranges, only rows of other members may be left.
    return !isLeft || this.#rangesAfter(key).length === 0;
  }

  /** What is left after a key of this shard; `stored` is the key in its own shard. */
  #rangesAfter(key: Uint8Array, stored = key): readonly KeyRange[] {
    const row = this.#segmentsOf(stored);
    if (row === undefined) return rangesAfter(this.#ranges, key, this.#plan.spec.reversed);
    return restRanges(this.#plan, this.#shard, key, row, this.#limits.exhausted());
  }

  /** The segments of a key as it is stored; undefined if it is of no member. */
  #segmentsOf(key: Uint8Array): object | undefined {
    for (const { model } of this.#plan.members) {
      const row = model.key.decode(key);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}

function keyOf({ keyBytes, keyStart, keyEnd }: RowCursor): Uint8Array {
  return copyBytes(keyBytes, keyStart, keyEnd);
}

const faults = {
  foreignRow: (problem = '') => ({
    problem,
    fix: `declare the entity these rows belong to, or skip them with open(url, { onForeignRow: 'skip' })`,
  }),
} satisfies FaultTexts;
