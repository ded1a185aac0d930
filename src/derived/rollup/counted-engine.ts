/**
 * Rollups whose source rows count once. Every write that may create a row becomes an insert, so
 * that it is known whether the row is new; then the row is added to its buckets. Whatever would
 * change what was counted is rejected before anything is written.
 */
import { compareBytes, equalBytes, pointRange, printable } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel, RollupModel } from '../../model/index.js';
import type {
  CheckAndMutate,
  DropTarget,
  Engine,
  Filter,
  Mutation,
  ReadModifyWriteRule,
  Row,
  RowMutation,
} from '../../store/index.js';
import { DelegatingEngine } from '../delegating-engine.js';
import { incrementError } from './refusals.js';
import { type CountedRow, RollupSender } from './rollup-sender.js';
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
    const results = new Array<RowsmithError | undefined>(rows.length).fill(undefined);
    const insertions = new Array<Insertion | undefined>(rows.length).fill(undefined);
    rows.forEach((row, i) => {
      try {
        insertions[i] = this.#insertionOf(table, row);
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        results[i] = error;
      }
    });
    const existing = await this.#existing(table, insertions, options);
    const written = rows.flatMap((row, i) => {
      if (results[i] !== undefined) return [];
      const touches = insertions[i]?.touches;
      if (!existing.has(i) || touches === undefined) return [i];
      results[i] = this.#existsError(row.key);
      return [];
    });
    if (written.length === 0) return results;
    const outcomes = await this.engine.mutateRows(
      table,
      written.map((i) => rows[i]),
      options,
    );
    outcomes.forEach((error, at) => (results[written[at]] = error));
    const counted = written.filter(
      (i) => results[i] === undefined && insertions[i] !== undefined && !existing.has(i),
    );
    if (counted.length === 0) return results;
    const errors = await this.#sender.add(counted.map((i) => insertions[i]!));
    errors.forEach((error, at) => (results[counted[at]] = error));
    return results;
  }

  override async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    if (this.#isSource(table, key)) {
      const touched = this.#source.ruleTouches(rules);
      if (touched !== undefined) throw incrementError(this.#model, touched, key);
      const existing = await this.#keysOf(table, [key]);
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
    insertions: readonly (Insertion | undefined)[],
    options?: CallOptions,
  ): Promise<ReadonlySet<number>> {
    const existing = new Set<number>();
    const order: number[] = [];
    let isSorted = true;
    insertions.forEach((insertion, i) => {
      if (insertion === undefined) return;
      const last = order.at(-1);
      if (last !== undefined) isSorted &&= compareBytes(insertions[last]!.key, insertion.key) < 0;
      order.push(i);
    });
    if (order.length === 0) return existing;
    const keyOf = (i: number): Uint8Array => insertions[i]!.key;
    if (!isSorted) order.sort((a, b) => compareBytes(keyOf(a), keyOf(b)) || a - b);
    const distinct = order.filter((i, at) => {
      const isNew = at === 0 || !equalBytes(keyOf(order[at - 1]), keyOf(i));
      if (!isNew) existing.add(i);
      return isNew;
    });
    const stored = await this.#keysOf(table, distinct.map(keyOf), options);
    let at = 0;
    for (const key of stored) {
      while (at < distinct.length && compareBytes(keyOf(distinct[at]), key) < 0) at++;
      if (at < distinct.length) existing.add(distinct[at]);
    }
    return existing;
  }

  /** Those of the keys, sorted and distinct, that have a row. */
  async #keysOf(
    table: string,
    keys: readonly Uint8Array[],
    options?: CallOptions,
  ): Promise<readonly Uint8Array[]> {
    const found: Uint8Array[] = [];
    const ranges = keys.map(pointRange);
    const stream = this.engine.readRows(
      { table, ranges, reversed: false, filter: anyCell },
      options,
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next())
        while (page.nextRow()) found.push(page.keyBytes.slice(page.keyStart, page.keyEnd));
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
