/**
 * The last stage of a write: one request for one row, and the errors of its outcome. Requests on a
 * condition are never repeated: a repetition could bring an earlier value back, after other writes.
 */
import {
  abortable,
  equalBytes,
  type ErrorCode,
  pointRange,
  printable,
  RowsmithError,
  type Values,
  type FaultTexts,
} from '../../../base/index.js';
import {
  checkCondition,
  type RowCondition,
  conditionalWrite,
  damagedCellError,
} from '../../mapping/index.js';
import {
  argumentError,
  type ColumnModel,
  type EntityModel,
  qualifiersOf,
} from '../../model/index.js';
import {
  type CellClock,
  type CheckAndMutate,
  collectRows,
  type Engine,
  type Filter,
  type Row,
} from '../../../data/store/index.js';
import { newValues } from './cell-steps.js';
import type { Change } from './change.js';
import {
  type Completed,
  type CompletedRow,
  type CompletedSteps,
  isConditional,
} from './complete.js';

type RevisionColumn = Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>;
type Signal = AbortSignal | undefined;

/** Sends the completed changes of one repository. */
export class Sender {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #clock: CellClock;
  readonly #revision: RevisionColumn | undefined;

  constructor(engine: Engine, model: EntityModel, clock: CellClock) {
    this.#engine = engine;
    this.#model = model;
    this.#clock = clock;
    const { columns, managed } = model;
    if (managed?.revision !== undefined)
      this.#revision = columns.find(({ property }) => property === managed.revision) as
        RevisionColumn | undefined;
  }

  /**
   * Whether a change is a plain mutation of its row, which may be repeated, and share a request
   * with the requests of other rows.
   */
  isPlain(change: Change, completed: Completed): completed is CompletedRow {
    if ('rules' in completed || change.kind === 'insert' || isConditional(change)) return false;
    if (this.#revision === undefined) return true;
    // A revision that is set again could come back. Deletions and additions set none.
    return completed.mutations.every(({ kind }) => kind !== 'setCell');
  }

  /**
   * Returns the new values after increments and appends. Rejects with ROW_EXISTS, CONDITION_FAILED
   * or REVISION_CONFLICT for a condition that does not hold.
   */
  async send(change: Change, completed: Completed, signal: Signal): Promise<Values | undefined> {
    signal?.throwIfAborted();
    if ('rules' in completed) return this.#readModify(completed, signal);
    if (change.kind === 'insert') await this.#insert(completed, signal);
    else if (isConditional(change)) await this.#onCondition(change, completed, signal);
    else if (completed.mutations.length > 0) await this.#mutate(change, completed, signal);
    completed.onWritten?.();
    return undefined;
  }

  #mutate(change: Change, row: CompletedRow, signal: Signal): Promise<unknown> {
    const table = this.#model.table.name;
    if (this.isPlain(change, row)) return abortable(this.#engine.mutateRow(table, row), signal);
    const { key, mutations } = row;
    // CheckAndMutateRow is not repeated if it is unknown whether it was applied.
    const check = { key, predicate: { kind: 'blockAll' }, onFalse: mutations } as const;
    return abortable(this.#engine.checkAndMutateRow(table, check, { signal }), signal);
  }

  async #insert({ key, mutations }: CompletedRow, signal: Signal): Promise<void> {
    const check = { key, onFalse: mutations };
    const exists = await abortable(
      this.#engine.checkAndMutateRow(this.#model.table.name, check),
      signal,
    );
    if (exists) throw this.#refused('ROW_EXISTS', key, faults.rowExists);
  }

  async #onCondition(
    { if: condition, expected }: Change,
    row: CompletedRow,
    signal: Signal,
  ): Promise<void> {
    const { key } = row;
    const allOf = this.#withRevision(condition, expected);
    const { check, appliedWhen } = conditionalWrite(this.#model, allOf, row);
    if ((await this.#matches(check, row, signal)) === appliedWhen) return;
    if (expected !== undefined) {
      const found = await this.#foundRevision(key, signal);
      // Otherwise the revision is as it was read: the other condition did not hold.
      if (condition === undefined || found !== (expected ?? undefined))
        throw this.#conflict(key, expected ?? undefined, found);
    }
    throw this.#refused('CONDITION_FAILED', key, faults.unmetCondition);
  }

  async #matches(check: CheckAndMutate, row: CompletedRow, signal: Signal): Promise<boolean> {
    // Where nothing changes, the condition is checked all the same.
    if (row.mutations.length === 0)
      return (await this.#read(row.key, check.predicate, signal)) !== undefined;
    const table = this.#model.table.name;
    return abortable(this.#engine.checkAndMutateRow(table, check, { signal }), signal);
  }

  /** The condition of a call, with the condition on the revision. */
  #withRevision(condition: RowCondition | undefined, expected: unknown): RowCondition {
    if (expected === undefined) return condition ?? {};
    const { property } = this.#revision!;
    // Of what is no object, a copy would be empty.
    if (condition !== undefined) checkCondition(this.#model, condition);
    const { equals = {} } = condition ?? {};
    if (Object.hasOwn(equals, property))
      throw argumentError(this.#model, property, faults.revisionInCondition);
    return { ...condition, equals: { ...equals, [property]: expected } };
  }

  async #read(
    key: Uint8Array,
    filter: Filter | undefined,
    signal: Signal,
  ): Promise<Row | undefined> {
    const table = this.#model.table.name;
    const plan = { table, ranges: [pointRange(key)], reversed: false, limit: 1, filter };
    const [row] = await collectRows(this.#engine.readRows(plan, { signal }));
    return row;
  }

  async #readModify({ key, rules, steps }: CompletedSteps, signal: Signal): Promise<Values> {
    if (rules.length === 0) return {};
    const { name } = this.#model.table;
    const changed = this.#engine.readModifyWriteRow(name, key, rules).then((row) => {
      // The engine's clock sets the timestamps, so ours moves on to them.
      if (this.#model.cellTimestamp === undefined)
        for (const { timestamp } of row.cells) this.#clock.advance(timestamp);
      return row;
    });
    return newValues(this.#model, steps, await abortable(changed, signal));
  }

  /** The stored revision; undefined if there is none. */
  async #foundRevision(key: Uint8Array, signal: Signal): Promise<unknown> {
    const column = this.#revision!;
    const { family } = column;
    const qualifiers = qualifiersOf(column);
    const row = await this.#read(
      key,
      {
        kind: 'chain',
        filters: [
          { kind: 'columns', columns: [{ family, qualifiers }] },
          { kind: 'cellsPerColumn', count: 1 },
        ],
      },
      signal,
    );
    if (row === undefined) return undefined;
    const [{ qualifier, value }] = qualifiers.flatMap((each) =>
      row.cells.filter((cell) => equalBytes(cell.qualifier, each)),
    );
    try {
      return column.codec.decode(value, 0, value.length);
    } catch (error) {
      throw damagedCellError(this.#model, column, key, qualifier, error);
    }
  }

  #conflict(key: Uint8Array, expected: unknown, found: unknown): RowsmithError {
    let problem = 'the row was written since the entity was read; nothing was written now';
    if (expected === undefined)
      problem = 'the entity has no revision, and the row has one; nothing was written';
    else if (found === undefined)
      problem = 'the row was deleted since the entity was read; nothing was written now';
    return this.#refused('REVISION_CONFLICT', key, {
      property: this.#revision!.property,
      ...faults.revisionConflict(problem),
      expected,
      found,
    });
  }

  #refused(
    code: ErrorCode,
    key: Uint8Array,
    details: Readonly<Record<string, unknown>>,
  ): RowsmithError {
    return new RowsmithError(code, {
      entity: this.#model.name,
      ...details,
      key: printable(key),
    });
  }
}

const faults = {
  rowExists: {
    problem: 'a row with this key already exists',
    fix: 'use save() to replace it or patch() to change it',
  },
  unmetCondition: {
    problem: 'the row does not satisfy the condition; nothing was written',
    fix: 'read the row again, and retry with a condition that holds',
  },
  revisionInCondition: {
    problem:
      'the condition names the revision, and the write is conditional on the revision of the entity',
    fix: 'leave it out of the condition, or pass a key without a revision',
  },
  revisionConflict: (problem: string) => ({
    problem,
    fix: 'read the row again and repeat the change, as update(key, change) does',
  }),
} satisfies FaultTexts;
