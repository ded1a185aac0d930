/** Writes single entries of column maps. */
import { abortable, valueText } from '../../base/index.js';
import { equalBytes } from '../../bytes/index.js';
import { invalidArgument, type RowsmithError } from '../../errors.js';
import { encodeQualifier, invalidValueError, type MapColumn } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import type { CellClock, Engine, ReadModifyWriteRule } from '../../store/index.js';
import { revisionAppender } from '../managed/managed-values.js';

type Values = Readonly<Record<string, unknown>>;

/** The increments of entries of one repository. */
export class EntryWriter {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #clock: CellClock;
  readonly #appendRevision: (() => ReadModifyWriteRule) | undefined;

  constructor(engine: Engine, model: EntityModel, clock: CellClock) {
    this.#engine = engine;
    this.#model = model;
    this.#clock = clock;
    this.#appendRevision = revisionAppender(model);
  }

  /**
   * Adds to an entry and returns the new value, or undefined in an aggregate family, where storage
   * does not report it.
   */
  async increment(
    key: Values,
    property: unknown,
    { entry, amount }: { readonly entry: unknown; readonly amount: unknown },
    signal?: AbortSignal,
  ): Promise<bigint | undefined> {
    const column = this.#counterMap(property);
    if (typeof amount !== 'bigint' || BigInt.asIntN(64, amount) !== amount)
      throw this.#argumentError(
        column.property,
        'the amount is not an int64 bigint',
        'write 1n, -5n, ...',
      );
    const { family } = column;
    const qualifier = this.#qualifier(column, entry);
    const row = this.#model.key.encode(key);
    const table = this.#model.table.name;
    signal?.throwIfAborted();
    if (column.aggregate) {
      // Always timestamp 0: aggregation is per cell, and a cell is identified by its timestamp.
      const cell = { family, qualifier, timestamp: 0 };
      const mutations = [{ kind: 'addToCell', ...cell, input: amount } as const];
      await abortable(this.#engine.mutateRow(table, { key: row, mutations }), signal);
      return undefined;
    }
    const rules: ReadModifyWriteRule[] = [{ kind: 'increment', family, qualifier, amount }];
    if (this.#appendRevision !== undefined) rules.push(this.#appendRevision());
    const changed = await abortable(this.#engine.readModifyWriteRow(table, row, rules), signal);
    const { timestamp, value } = changed.cells.find(
      (cell) => cell.family === family && equalBytes(cell.qualifier, qualifier),
    )!;
    // The engine's clock sets the timestamp, so ours moves on to it.
    if (this.#model.cellTimestamp === undefined) this.#clock.advance(timestamp);
    return new DataView(value.buffer, value.byteOffset, 8).getBigInt64(0);
  }

  #counterMap(property: unknown): MapColumn {
    const column = this.#model.columns.find((candidate) => candidate.property === property);
    if (column?.kind === 'columnMap' && column.codec.kind === 'int64') return column;
    throw this.#argumentError(
      typeof property === 'string' ? property : 'property',
      `incrementEntry() takes a column map of int64, and ${valueText(property)} is not one`,
      "declare it with @ColumnMap(family, 'int64')",
    );
  }

  #qualifier(column: MapColumn, entry: unknown): Uint8Array {
    try {
      return encodeQualifier(column, entry);
    } catch (error) {
      throw invalidValueError(this.#model, column.property, error);
    }
  }

  #argumentError(property: string, problem: string, fix: string): RowsmithError {
    return invalidArgument(property, problem, fix, { entity: this.#model.name });
  }
}
