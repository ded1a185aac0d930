/**
 * Rollups that are computed again after each write of a source row; rebuilt-buckets.ts has the
 * protocol. Buckets are marked before any write, whichever it is, and stored after it.
 */
import { everyKey, type KeyRange, prefixRange } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel, RollupModel } from '../../model/index.js';
import {
  type CheckAndMutate,
  DelegatingEngine,
  type DropTarget,
  type Engine,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
} from '../../store/index.js';
import { textOf } from './reading.js';
import { incrementError } from './rejections.js';
import { type Bucket, markOf, newMark, RebuiltBuckets, unmark } from './rebuilt-buckets.js';
import { RollupSourceRows } from './source.js';

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** After these a write may have been applied. */
const unknownOutcomes: ReadonlySet<string> = new Set(['UNAVAILABLE', 'STORAGE_FAILED']);
/** Buckets that are computed at the same time. */
const maxInFlight = 8;

/** Wraps the engine of one entity. */
export class RebuiltRollupEngine extends DelegatingEngine {
  readonly #model: EntityModel;
  readonly #source: RollupSourceRows;
  readonly #buckets: RebuiltBuckets;

  constructor(engine: Engine, model: EntityModel, rollups: readonly RollupModel[]) {
    super(engine);
    this.#model = model;
    this.#source = new RollupSourceRows(model, rollups);
    this.#buckets = new RebuiltBuckets(engine, this.#source);
  }

  override async mutateRow(table: string, row: RowMutation): Promise<void> {
    this.#assertValid(table, row);
    return this.#around(table, [row], () => this.engine.mutateRow(table, row));
  }

  override async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: CallOptions,
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const results = rows.map((row): RowsmithError | undefined => this.#faultOf(table, row));
    const valid = rows.filter((_, i) => results[i] === undefined);
    if (valid.length === 0) return results;
    const outcomes = await this.#around(table, valid, () =>
      this.engine.mutateRows(table, valid, options),
    );
    let next = 0;
    return results.map((fault) => fault ?? outcomes[next++]);
  }

  override async checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: CallOptions,
  ): Promise<boolean> {
    for (const mutations of this.#source.branchesOf(check))
      this.#assertValid(table, { key: check.key, mutations });
    const mutations = this.#source.branchesOf(check).flat();
    return this.#around(table, [{ key: check.key, mutations }], () =>
      this.engine.checkAndMutateRow(table, check, options),
    );
  }

  override async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    const touched = table === this.#model.table.name ? this.#source.ruleTouches(rules) : undefined;
    if (touched !== undefined) throw incrementError(this.#model, touched, key);
    return this.#around(table, [{ key, mutations: [] }], () =>
      this.engine.readModifyWriteRow(table, key, rules),
    );
  }

  override async dropRowRange(table: string, target: DropTarget): Promise<void> {
    if (table !== this.#model.table.name) return this.engine.dropRowRange(table, target);
    const range: KeyRange = target.kind === 'all' ? everyKey : prefixRange(target.prefix);
    const rows: RowMutation[] = [];
    for await (const page of this.#source.scan(this.engine, [range]))
      for (const { key } of page) rows.push({ key, mutations: [] });
    return this.#around(table, rows, () => this.engine.dropRowRange(table, target));
  }

  /** The error of a row that cannot be added up, before anything is written. */
  #faultOf(table: string, row: RowMutation): RowsmithError | undefined {
    try {
      this.#assertValid(table, row);
    } catch (error) {
      if (error instanceof RowsmithError) return error;
      throw error;
    }
    return undefined;
  }

  #assertValid(table: string, { key, mutations }: RowMutation): void {
    if (table !== this.#model.table.name) return;
    const segments = this.#source.segmentsOf(key);
    if (segments === undefined) return;
    this.#source.readingsOf(segments, this.#source.effectOf(mutations).cells);
  }

  /** Marks the buckets of the rows, writes, and stores the buckets. */
  async #around<T>(
    table: string,
    rows: readonly RowMutation[],
    write: () => Promise<T>,
  ): Promise<T> {
    if (table !== this.#model.table.name) return write();
    const buckets = this.#bucketsOf(rows);
    if (buckets.length === 0) return write();
    const mark = newMark();
    await this.#mutate(buckets, () => [markOf(mark)]);
    let result: T;
    try {
      result = await write();
    } catch (error) {
      // What may have been applied, or may be yet, leaves its mark.
      if (error instanceof RowsmithError && !unknownOutcomes.has(error.code))
        await this.#mutate(buckets, () => [unmark(mark)]).catch(() => undefined);
      throw error;
    }
    await this.#storeAll(buckets, mark, mayBeApplied(result));
    return result;
  }

  /** Never rejects: buckets that are not stored keep their mark, so that reads are right. */
  async #storeAll(buckets: readonly Bucket[], mark: Uint8Array, keepMarks: boolean): Promise<void> {
    if (keepMarks) return;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < buckets.length) {
        const bucket = buckets[next++];
        try {
          await this.#buckets.store(bucket, mark);
        } catch (error) {
          if (!(error instanceof RowsmithError)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxInFlight, buckets.length) }, work));
  }

  #bucketsOf(rows: readonly RowMutation[]): readonly Bucket[] {
    const buckets = new Map<string, Bucket>();
    for (const { key } of rows) {
      const segments = this.#source.segmentsOf(key);
      if (segments === undefined) continue;
      this.#source.makers.forEach((maker, i) => {
        const bucket = maker.bucketOf(segments);
        const text = `${i}:${textOf(bucket)}`;
        if (buckets.has(text)) return;
        buckets.set(text, { maker, key: bucket, segments: maker.bucketSegments(segments) });
      });
    }
    return [...buckets.values()];
  }

  async #mutate(
    buckets: readonly Bucket[],
    mutationsOf: () => RowMutation['mutations'],
  ): Promise<void> {
    const tables = new Map<string, RowMutation[]>();
    for (const { key, maker } of buckets) {
      const table = maker.rollup.rows.table.name;
      const rows = tables.get(table) ?? [];
      rows.push({ key, mutations: mutationsOf() });
      tables.set(table, rows);
    }
    for (const [table, rows] of tables) {
      const errors = await this.engine.mutateRows(table, rows);
      const failed = errors.find((error) => error !== undefined);
      if (failed !== undefined) throw failed;
    }
  }
}

/** Whether a row of a bulk write may have been applied although it failed. */
function mayBeApplied(result: unknown): boolean {
  if (!Array.isArray(result)) return false;
  return result.some(
    (error: unknown) => error instanceof RowsmithError && unknownOutcomes.has(error.code),
  );
}
