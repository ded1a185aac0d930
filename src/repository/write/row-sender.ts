/** Sends the mutations of one row, with and without a condition. */
import { abortable } from '../../base/index.js';
import { pointRange, printable } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import { type Condition, conditionalWrite, type Dehydrator } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  type CellClock,
  collectRows,
  type Engine,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
} from '../../store/index.js';
import type { Values } from './write-checks.js';

/** WriteOptions without the entity's types. */
export interface WriteCall {
  readonly if?: Condition;
  readonly signal?: AbortSignal;
}

/** What all writes of one repository share. */
export interface WriteParts {
  readonly engine: Engine;
  readonly model: EntityModel;
  readonly dehydrate: Dehydrator;
  readonly clock: CellClock;
}

/** The requests for one row. Each is one call of the engine. */
export class RowSender {
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** MutateRow, or CheckAndMutateRow with a condition. Rejects with CONDITION_FAILED. */
  async mutate(
    row: RowMutation,
    condition: Condition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { engine, model } = this.#parts;
    const table = model.table.name;
    if (condition === undefined) return abortable(engine.mutateRow(table, row), signal);
    const { check, appliedWhen } = this.#conditional(row, condition);
    const matched = await abortable(engine.checkAndMutateRow(table, check, { signal }), signal);
    if (matched !== appliedWhen) throw this.#conditionFailed(row.key);
  }

  /**
   * Writes without a condition, but as CheckAndMutateRow, which is not repeated if it is unknown
   * whether it was applied.
   */
  async mutateOnce(
    { key, mutations }: RowMutation,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { engine, model } = this.#parts;
    const check = { key, predicate: { kind: 'blockAll' }, onFalse: mutations } as const;
    await abortable(engine.checkAndMutateRow(model.table.name, check, { signal }), signal);
  }

  /** Throws for a condition that cannot be checked, before anything is sent. */
  #conditional(row: RowMutation, condition: Condition): ReturnType<typeof conditionalWrite> {
    const { model, dehydrate, clock } = this.#parts;
    const write = conditionalWrite(model, condition, row);
    // It would replace what is visible with cells that are not.
    dehydrate.assertNotExpired(row, clock.next());
    return write;
  }

  /** Writes the row if there is none. Rejects with ROW_EXISTS. */
  async insert({ key, mutations }: RowMutation, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { engine, model } = this.#parts;
    const exists = await abortable(
      engine.checkAndMutateRow(model.table.name, { key, onFalse: mutations }),
      signal,
    );
    if (!exists) return;
    throw new RowsmithError('ROW_EXISTS', {
      entity: model.name,
      problem: 'a row with this key already exists',
      fix: 'use save() to replace it or patch() to change it',
      key: printable(key),
    });
  }

  /** Checks the condition of a write that changes nothing, by reading. */
  async check(
    keyValues: Values,
    condition: Condition,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { engine, model } = this.#parts;
    const key = model.key.encode(keyValues);
    const { check, appliedWhen } = conditionalWrite(model, condition, { key, mutations: [] });
    const rows = engine.readRows(
      {
        table: model.table.name,
        ranges: [pointRange(key)],
        reversed: false,
        limit: 1,
        filter: check.predicate,
      },
      { signal },
    );
    const matched = (await collectRows(rows)).length > 0;
    if (matched !== appliedWhen) throw this.#conditionFailed(key);
  }

  /** ReadModifyWriteRow. The engine's clock sets the timestamps, so ours moves on to them. */
  async readModifyWrite(
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
    signal: AbortSignal | undefined,
  ): Promise<Row> {
    signal?.throwIfAborted();
    const { engine, model, clock } = this.#parts;
    const changed = engine.readModifyWriteRow(model.table.name, key, rules).then((row) => {
      if (model.cellTimestamp === undefined)
        for (const { timestamp } of row.cells) clock.advance(timestamp);
      return row;
    });
    return abortable(changed, signal);
  }

  #conditionFailed(key: Uint8Array): RowsmithError {
    return new RowsmithError('CONDITION_FAILED', {
      entity: this.#parts.model.name,
      problem: 'the row does not satisfy the condition; nothing was written',
      fix: 'read the row again, and retry with a condition that holds',
      key: printable(key),
    });
  }
}
