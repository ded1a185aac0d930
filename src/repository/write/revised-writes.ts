/**
 * Sends the writes of rows that have a revision. Each is a CheckAndMutateRow, which is never
 * repeated: a repetition could bring an earlier revision back, after other writes.
 */
import { equalBytes, pointRange, printable } from '../../bytes/index.js';
import { invalidArgument, isRowsmithError, RowsmithError } from '../../errors.js';
import { type Condition, damagedCellError } from '../../mapping/index.js';
import { type ColumnModel, type EntityModel, isEntityOf, qualifiersOf } from '../../model/index.js';
import { type Cell, collectRows, type Engine, type RowMutation } from '../../store/index.js';
import type { Expected } from '../managed/managed-values.js';
import type { RowSender, WriteCall } from './row-sender.js';
import type { Values } from './write-checks.js';

/** A write with the revision that the row must have. */
export interface RevisedCall extends WriteCall {
  readonly expected?: Expected;
}

type RevisionColumn = Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>;

/** The conditional writes of one repository. */
export class RevisedWrites {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #sender: RowSender;
  readonly #column: RevisionColumn;

  constructor(engine: Engine, model: EntityModel, sender: RowSender, revision: string) {
    this.#engine = engine;
    this.#model = model;
    this.#sender = sender;
    this.#column = model.columns.find(({ property }) => property === revision) as RevisionColumn;
  }

  /**
   * The revision that a row must have whose key is given by `key`: that of an entity, which is null
   * for an entity without one, or of a result that holds it; undefined for a plain key.
   */
  expectedOf(key: unknown): Expected {
    const { property } = this.#column;
    const found = (key as Values | null | undefined)?.[property];
    if (isEntityOf(this.#model, key)) return found ?? null;
    return found ?? undefined;
  }

  /**
   * Writes the row; `undefined` only checks. Rejects with REVISION_CONFLICT and CONDITION_FAILED.
   */
  async send(key: Values, row: RowMutation | undefined, call: RevisedCall): Promise<void> {
    const { expected, if: condition, signal } = call;
    if (expected === undefined) return this.#sendUnconditional(key, row, call);
    const checked = this.#conditionOf(condition, expected);
    try {
      if (row === undefined) await this.#sender.check(key, checked, signal);
      else await this.#sender.mutate(row, checked, signal);
    } catch (error) {
      if (!isRowsmithError(error) || error.code !== 'CONDITION_FAILED') throw error;
      const rowKey = row?.key ?? this.#model.key.encode(key);
      const found = await this.#found(rowKey, signal);
      // The revision is as it was read: the other condition did not hold.
      if (condition !== undefined && found === (expected ?? undefined)) throw error;
      throw this.#conflict(rowKey, expected ?? undefined, found);
    }
  }

  async #sendUnconditional(
    key: Values,
    row: RowMutation | undefined,
    { if: condition, signal }: WriteCall,
  ): Promise<void> {
    if (row === undefined) {
      if (condition !== undefined) await this.#sender.check(key, condition, signal);
      return;
    }
    // Deletions and additions leave no revision that could come back.
    const setsRevision = row.mutations.some(({ kind }) => kind === 'setCell');
    if (condition === undefined && setsRevision) await this.#sender.mutateOnce(row, signal);
    else await this.#sender.mutate(row, condition, signal);
  }

  #conditionOf(condition: Condition | undefined, expected: Expected): Condition {
    const { property } = this.#column;
    const { equals = {} } = condition ?? {};
    if (typeof equals === 'object' && equals !== null && Object.hasOwn(equals, property))
      throw invalidArgument(
        property,
        'the condition names the revision, and the write is conditional on that of the entity',
        'leave it out of the condition, or pass a key without a revision',
        { entity: this.#model.name },
      );
    return { ...condition, equals: { ...equals, [property]: expected } };
  }

  /** The stored revision; undefined if there is none. */
  async #found(key: Uint8Array, signal: AbortSignal | undefined): Promise<unknown> {
    const { family } = this.#column;
    const qualifiers = qualifiersOf(this.#column);
    const stream = this.#engine.readRows(
      {
        table: this.#model.table.name,
        ranges: [pointRange(key)],
        reversed: false,
        limit: 1,
        filter: {
          kind: 'chain',
          filters: [
            { kind: 'columns', columns: [{ family, qualifiers }] },
            { kind: 'cellsPerColumn', count: 1 },
          ],
        },
      },
      { signal },
    );
    const [row] = await collectRows(stream);
    if (row === undefined) return undefined;
    const cells = qualifiers.flatMap((qualifier) =>
      row.cells.filter((cell) => equalBytes(cell.qualifier, qualifier)),
    );
    return this.#decode(key, cells[0]);
  }

  #decode(key: Uint8Array, { qualifier, value }: Cell): unknown {
    try {
      return this.#column.codec.decode(value, 0, value.length);
    } catch (error) {
      throw damagedCellError(this.#model, this.#column, key, qualifier, error);
    }
  }

  #conflict(key: Uint8Array, expected: unknown, found: unknown): RowsmithError {
    let problem = 'the row was written since the entity was read; nothing was written now';
    if (expected === undefined)
      problem = 'the entity has no revision, and the row has one; nothing was written';
    else if (found === undefined)
      problem = 'the row was deleted since the entity was read; nothing was written now';
    return new RowsmithError('REVISION_CONFLICT', {
      entity: this.#model.name,
      property: this.#column.property,
      problem,
      fix: 'read the row again and repeat the change, as update(key, change) does',
      key: printable(key),
      expected,
      found,
    });
  }
}
