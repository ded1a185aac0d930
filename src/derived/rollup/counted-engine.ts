/**
 * Rollups whose source rows count once. Every write that may create a row becomes an insert, so
 * that it is known whether the row is new; then the row is added to its buckets. Whatever would
 * change what was counted is rejected before anything is written.
 */
import { copyBytes, type KeyRange, pointRange, printable, unionRanges } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel, RollupModel } from '../../model/index.js';
import {
  type CheckAndMutate,
  DelegatingEngine,
  type DropTarget,
  type Engine,
  type Filter,
  type Mutation,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
} from '../../store/index.js';
import { textOf } from './reading.js';
import { incrementError } from './rejections.js';
import { KeySpans } from './key-spans.js';
import { type CountedRow, RollupSender, type RowTotals } from './rollup-sender.js';
import { type RowEffect, RollupSourceRows } from './source.js';

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A row to write, and what it adds if it is new. */
interface Insertion extends CountedRow {
  readonly row: RowMutation;
  /** The property of a rollup that the write changes. */
  readonly touches: string | undefined;
}

/** What the rows of a batch do. */
interface Analysis {
  /** Errors of rows that are not written. */
  readonly results: (RowsmithError | undefined)[];
  /** The property of a rollup that a row changes, or `none`; undefined for other rows. */
  readonly touches: readonly (string | undefined)[];
  readonly totals: RowTotals;
  readonly spans: KeySpans;
}

/** A row that changes nothing that rollups read. */
const none = '';
const anyCell: Filter = Object.freeze<Filter>({
  kind: 'chain',
  filters: [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }],
});

/** Wraps the engine of one entity. */
export class CountedRollupEngine extends DelegatingEngine {
  readonly #model: EntityModel;
  readonly #source: RollupSourceRows;
  readonly #sender: RollupSender;
  readonly #names: string;

  constructor(engine: Engine, model: EntityModel, rollups: readonly RollupModel[]) {
    super(engine);
    this.#model = model;
    this.#source = new RollupSourceRows(model, rollups);
    this.#sender = new RollupSender(engine, model.name, this.#source.makers);
    this.#names = rollups.map(({ name }) => `'${name}'`).join(', ');
  }

  override async mutateRow(table: string, row: RowMutation): Promise<void> {
    const insertion = this.#insertionOf(table, row);
    if (insertion === undefined) return this.engine.mutateRow(table, row);
    const { key, mutations } = row;
    const onTrue = insertion.touches === undefined ? mutations : undefined;
    const exists = await this.engine.checkAndMutateRow(table, { key, onTrue, onFalse: mutations });
    if (!exists) return this.#count(insertion);
    if (insertion.touches !== undefined) throw this.#existsError(key);
  }

  override async checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: CallOptions,
  ): Promise<boolean> {
    const { key, predicate, onTrue = [], onFalse = [] } = check;
    const isInsert = predicate === undefined && onTrue.length === 0;
    const insertion = isInsert ? this.#insertionOf(table, { key, mutations: onFalse }) : undefined;
    if (insertion === undefined) {
      this.#checkBranch(table, key, onTrue, false);
      this.#checkBranch(table, key, onFalse, true);
      return this.engine.checkAndMutateRow(table, check, options);
    }
    const exists = await this.engine.checkAndMutateRow(table, check, options);
    if (!exists) await this.#count(insertion);
    return exists;
  }

  override async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: CallOptions,
  ): Promise<readonly (RowsmithError | undefined)[]> {
    if (table !== this.#model.table.name) return this.engine.mutateRows(table, rows, options);
    const { results, touches, totals, spans } = this.#analyse(table, rows);
    const existing = await this.#existing(table, rows, touches, spans, options);
    const written = rows.flatMap((row, i) => {
      if (results[i] !== undefined) return [];
      if (!existing.has(i) || touches[i] === undefined || touches[i] === none) return [i];
      results[i] = this.#existsError(row.key);
      return [];
    });
    if (written.length === 0) return results;
    const sent = written.length === rows.length ? rows : written.map((i) => rows[i]);
    const outcomes = await this.engine.mutateRows(table, sent, options);
    outcomes.forEach((error, at) => (results[written[at]] = error));
    const isWhole = existing.size === 0 && results.every((error) => error === undefined);
    if (isWhole) {
      const errors = await this.#sender.addTotals(totals);
      if (errors.size === 0) return results;
      return rows.map((row) => {
        const insertion = this.#insertionOf(table, row);
        return insertion && this.#sender.errorOf(insertion, errors);
      });
    }
    const counted = written.filter(
      (i) => results[i] === undefined && touches[i] !== undefined && !existing.has(i),
    );
    if (counted.length === 0) return results;
    const errors = await this.#sender.add(counted.map((i) => this.#insertionOf(table, rows[i])!));
    errors.forEach((error, at) => (results[counted[at]] = error));
    return results;
  }

  /**
   * What the rows of a batch do. Readings are added up at once and not kept: they are computed
   * again for a batch of which not all rows are new.
   */
  #analyse(table: string, rows: readonly RowMutation[]): Analysis {
    const results = new Array<RowsmithError | undefined>(rows.length).fill(undefined);
    const touches = new Array<string | undefined>(rows.length).fill(undefined);
    const totals = this.#sender.newTotals();
    const spans = new KeySpans();
    rows.forEach((row, i) => {
      try {
        const insertion = this.#insertionOf(table, row);
        if (insertion === undefined) return;
        touches[i] = insertion.touches ?? none;
        totals.add(insertion.readings);
        spans.add(row.key, insertion.readings[0].bucketText);
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        results[i] = error;
      }
    });
    return { results, touches, totals, spans };
  }

  override async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    if (this.#isSource(table, key)) {
      const touched = this.#source.ruleTouches(rules);
      if (touched !== undefined) throw incrementError(this.#model, touched, key);
      const existing = await this.#keysIn(table, [pointRange(key)]);
      if (existing.length === 0)
        throw this.#changeError(key, 'an increment would create the row, uncounted');
    }
    return this.engine.readModifyWriteRow(table, key, rules);
  }

  override async dropRowRange(table: string, target: DropTarget): Promise<void> {
    if (table === this.#model.table.name) throw this.#changeError(undefined, 'rows are deleted');
    return this.engine.dropRowRange(table, target);
  }

  /** Undefined for rows of other entities. Throws what would make the rollups inexact. */
  #insertionOf(table: string, row: RowMutation): Insertion | undefined {
    if (table !== this.#model.table.name) return undefined;
    const segments = this.#source.segmentsOf(row.key);
    if (segments === undefined) return undefined;
    const effect = this.#source.effectOf(row.mutations);
    this.#assertKept(row.key, effect);
    const readings = this.#source.readingsOf(segments, effect.cells);
    return { key: row.key, row, readings, touches: effect.touches };
  }

  /** A branch that is applied to a row that exists, or whose existence is not known. */
  #checkBranch(
    table: string,
    key: Uint8Array,
    branch: readonly Mutation[],
    maybeNew: boolean,
  ): void {
    if (branch.length === 0 || !this.#isSource(table, key)) return;
    const effect = this.#source.effectOf(branch);
    this.#assertKept(key, effect);
    if (effect.touches !== undefined)
      throw this.#changeError(key, `'${effect.touches}' is changed`);
    if (maybeNew)
      throw this.#changeError(key, 'the condition does not tell whether the row is new');
  }

  #assertKept(key: Uint8Array, { removes, touches }: RowEffect): void {
    if (!removes) return;
    if (touches === undefined && this.#model.marker !== undefined) return;
    throw this.#changeError(key, 'the row, or a cell of it, is deleted');
  }

  #isSource(table: string, key: Uint8Array): boolean {
    return table === this.#model.table.name && this.#source.segmentsOf(key) !== undefined;
  }

  async #count(insertion: Insertion): Promise<void> {
    const [error] = await this.#sender.add([insertion]);
    if (error !== undefined) throw error;
  }

  /** The indexes of rows that exist, or that come twice. Reads the keys of the batch once. */
  async #existing(
    table: string,
    rows: readonly RowMutation[],
    touches: readonly (string | undefined)[],
    spans: KeySpans,
    options?: CallOptions,
  ): Promise<ReadonlySet<number>> {
    const existing = new Set<number>();
    if (spans.isEmpty) return existing;
    const own = rows.filter((_, i) => touches[i] !== undefined);
    const stored = await this.#storedIn(table, spans, own, options);
    if (spans.isDistinct && stored.length === 0) return existing;
    const known = new Set(stored.map(textOf));
    rows.forEach(({ key }, i) => {
      if (touches[i] === undefined) return;
      const text = textOf(key);
      if (known.has(text)) existing.add(i);
      else known.add(text);
    });
    return existing;
  }

  /**
   * Keys of rows that exist: all of those that are inserted, and maybe others between them. Rows of
   * a bucket are usually written in the order of their time, after those that exist: the range from
   * the first to the last is read, unless it turns out to hold many others.
   */
  async #storedIn(
    table: string,
    spans: KeySpans,
    rows: readonly RowMutation[],
    options?: CallOptions,
  ): Promise<readonly Uint8Array[]> {
    const limit = rows.length;
    const ranges = spans.ranges();
    if (ranges.length < limit) {
      const found = await this.#keysIn(table, unionRanges(ranges), { ...options, limit });
      if (found.length < limit) return found;
    }
    return this.#keysIn(table, unionRanges(rows.map(({ key }) => pointRange(key))), options);
  }

  async #keysIn(
    table: string,
    ranges: readonly KeyRange[],
    { limit, signal }: CallOptions & { readonly limit?: number } = {},
  ): Promise<readonly Uint8Array[]> {
    const found: Uint8Array[] = [];
    const stream = this.engine.readRows(
      { table, ranges, reversed: false, filter: anyCell, limit },
      { signal },
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next())
        while (page.nextRow()) found.push(copyBytes(page.keyBytes, page.keyStart, page.keyEnd));
    } finally {
      await stream.close();
    }
    return found;
  }

  #existsError(key: Uint8Array): RowsmithError {
    return new RowsmithError('ROW_EXISTS', {
      entity: this.#model.name,
      problem: `a row with this key already exists, and was counted by rollup ${this.#names}`,
      fix: "write each row once, or declare the rollup with kind: 'rebuilt'",
      key: printable(key),
    });
  }

  #changeError(key: Uint8Array | undefined, problem: string): RowsmithError {
    const details = {
      entity: this.#model.name,
      problem: `${problem}, and rollup ${this.#names} counts rows once`,
      fix: "insert rows and leave them as they are, or declare the rollup with kind: 'rebuilt'",
    };
    if (key === undefined) return new RowsmithError('FAILED_PRECONDITION', details);
    return new RowsmithError('FAILED_PRECONDITION', { ...details, key: printable(key) });
  }
}
