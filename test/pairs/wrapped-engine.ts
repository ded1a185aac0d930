/** Engines with writes that a test changes or stops. */
import { RowsmithError } from '../../src/index.js';
import {
  type CheckAndMutate,
  type Engine,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowMutation,
  type RowStream,
} from '../../src/data/store/index.js';
import { DelegatingEngine } from '../support/delegating-engine.js';

/** What becomes of each write; undefined drops it, as if it had been made. */
export interface WriteHooks {
  readonly row?: (table: string, row: RowMutation) => RowMutation | undefined;
  readonly rows?: (table: string, rows: readonly RowMutation[]) => readonly RowMutation[];
  readonly check?: (table: string, check: CheckAndMutate) => CheckAndMutate | undefined;
  /** Whether a conditional write is made without looking at its condition. */
  readonly isUnconditional?: (table: string, check: CheckAndMutate) => boolean;
  readonly read?: (plan: ReadPlan) => ReadPlan;
  readonly before?: () => void;
  /** How often increments and appends are made. */
  readonly steps?: number;
}

export class WrappedEngine extends DelegatingEngine {
  readonly #hooks: WriteHooks;

  constructor(engine: Engine, hooks: WriteHooks) {
    super(engine);
    this.#hooks = hooks;
  }

  override async mutateRow(table: string, row: RowMutation): Promise<void> {
    this.#hooks.before?.();
    const changed = this.#changed(table, row);
    if (changed !== undefined) await super.mutateRow(table, changed);
  }

  override async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    this.#hooks.before?.();
    const given = this.#hooks.rows?.(table, rows) ?? rows;
    const kept = given.map((row) => this.#changed(table, row)).filter((row) => row !== undefined);
    const errors = kept.length === 0 ? [] : await super.mutateRows(table, kept, options);
    return rows.map((_, i) => errors[i]);
  }

  override async checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    this.#hooks.before?.();
    const changed = this.#hooks.check === undefined ? check : this.#hooks.check(table, check);
    const isOnTrue = check.onTrue !== undefined && check.onTrue.length > 0;
    if (changed === undefined) return isOnTrue;
    if (this.#hooks.isUnconditional?.(table, check) !== true)
      return super.checkAndMutateRow(table, changed, options);
    const { key, onTrue = [], onFalse = [] } = changed;
    const mutations = isOnTrue ? onTrue : onFalse;
    if (mutations.length > 0) await super.mutateRow(table, { key, mutations });
    return isOnTrue;
  }

  override readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    return super.readRows(this.#hooks.read?.(plan) ?? plan, options);
  }

  override async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    this.#hooks.before?.();
    const { steps = 1 } = this.#hooks;
    for (let i = 1; i < steps; i++) await super.readModifyWriteRow(table, key, rules);
    return super.readModifyWriteRow(table, key, rules);
  }

  #changed(table: string, row: RowMutation): RowMutation | undefined {
    return this.#hooks.row === undefined ? row : this.#hooks.row(table, row);
  }
}

/** An engine that rejects all writes after the first ones. */
export function afterWrites(engine: Engine, count: number): Engine {
  let left = count;
  return new WrappedEngine(engine, {
    before() {
      if (left-- <= 0) throw new RowsmithError('STORAGE_FAILED', { problem: 'stopped by a test' });
    },
  });
}
