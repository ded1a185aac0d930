/** Writes of one entity class: entity -> validate -> row mutation -> engine. */
import { nearestName, abortable } from '../../base/index.js';
/** Writes of one entity class: entity -> validate -> row mutation -> engine. */
import { printable } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import {
  compileDehydrator,
  type Condition,
  conditionalWrite,
  damagedCell,
  type Dehydrator,
  invalidValue,
  type Validators,
  validatorsOf,
} from '../../mapping/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { Mutation, RowMutation, Engine } from '../../store/index.js';
type Values = Readonly<Record<string, unknown>>;

const deleteRow: readonly Mutation[] = Object.freeze([
  Object.freeze({ kind: 'deleteFromRow' } as const),
]);

/** Options of one write, already typed outside. */
interface WriteCall {
  readonly if?: Condition;
  readonly signal?: AbortSignal;
}

/** Compiled once for each repository. */
export class EntityWriter {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #dehydrate: Dehydrator;
  readonly #now: () => number;
  readonly #validate: boolean;
  #validators: Validators | undefined | 'unknown' = 'unknown';

  /**
   * `now` gives microseconds that never go back; `validate` false leaves class-validator's rules
   * alone.
   */
  constructor(engine: Engine, model: EntityModel, now: () => number, validate: boolean) {
    this.#engine = engine;
    this.#model = model;
    this.#dehydrate = compileDehydrator(model);
    this.#now = now;
    this.#validate = validate;
  }

  async save(entity: unknown, { if: condition, signal }: WriteCall = {}): Promise<void> {
    const row = this.rowOf(entity);
    // Nothing is awaited that need not be: a write that was asked for before close() has then
    // reached the engine.
    await this.#write(row instanceof Promise ? await row : row, condition, signal);
  }

  /**
   * The mutation that saves an entity, validated: what saveMany puts into its batches. A promise
   * only where rules have to be awaited.
   */
  rowOf(entity: unknown): RowMutation | Promise<RowMutation> {
    const values = this.#checkEntity(entity);
    const validators = this.#rules();
    if (validators === undefined) return this.#dehydrate.save(values, this.#now());
    const row = outcomeOf(() => this.#dehydrate.save(values, this.#now()));
    return validators.whole(values, () => this.#keyText(values)).then(row);
  }

  /** The mutation that deletes the row of a key. */
  deletionOf(key: Values): RowMutation {
    return { key: this.#model.key.encode(key), mutations: deleteRow };
  }

  async insert(entity: unknown, { signal }: WriteCall = {}): Promise<void> {
    const values = this.#checkEntity(entity);
    const row = outcomeOf(() => this.#dehydrate.insert(values, this.#now()));
    const rules = this.#rules();
    if (rules !== undefined) await rules.whole(values, () => this.#keyText(values));
    const { key, mutations } = row();
    signal?.throwIfAborted();
    const exists = await abortable(
      this.#engine.checkAndMutateRow(this.#model.table.name, { key, onFalse: mutations }),
      signal,
    );
    if (!exists) return;
    throw new RowsmithError('ROW_EXISTS', {
      entity: this.#model.name,
      problem: 'a row with this key is there already',
      fix: 'use save() to replace it or patch() to change it',
      key: printable(key),
    });
  }

  async patch(
    key: Values,
    changes: unknown,
    { if: condition, signal }: WriteCall = {},
  ): Promise<void> {
    if (typeof changes !== 'object' || changes === null)
      throw this.#refusal(
        'changes',
        'patch() takes an object of columns to write',
        'write patch(key, { column: value })',
      );
    const row = outcomeOf(() => this.#dehydrate.patch(key, changes as Values, this.#now()));
    const rules = this.#rules();
    if (rules !== undefined) await this.#validatePatch(rules, key, changes as Values);
    const ready = row();
    if (ready !== undefined) await this.#write(ready, condition, signal);
  }

  async #validatePatch(rules: Validators, key: Values, changes: Values): Promise<void> {
    const segments = this.#model.segments.map(({ property }): [string, unknown] => [
      property,
      key[property],
    ]);
    const given = Object.fromEntries([
      ...segments,
      ...Object.entries(changes).filter(([, value]) => value !== undefined),
    ]);
    await rules.partial(
      Object.assign(new this.#model.entityClass(), given),
      () => this.#keyText(key),
      Object.keys(given),
    );
  }

  async delete(key: Values, { if: condition, signal }: WriteCall = {}): Promise<void> {
    await this.#write(this.deletionOf(key), condition, signal);
  }

  /**
   * Adds to a counter. Resolves to the new value, or undefined for an aggregate family, where
   * storage gives none.
   */
  async increment(
    key: Values,
    property: string,
    amount: unknown,
    signal?: AbortSignal,
  ): Promise<bigint | undefined> {
    const column = this.#column(property, 'increment');
    if (column.kind !== 'counter')
      throw this.#refusal(
        property,
        'only a counter can be incremented',
        `declare it with @Counter('${column.family}')`,
      );
    if (typeof amount !== 'bigint' || BigInt.asIntN(64, amount) !== amount)
      throw this.#refusal(property, 'the amount is not an int64 bigint', 'write 1n, -5n, ...');
    const row = this.#model.key.encode(key);
    const { family, qualifier } = column;
    signal?.throwIfAborted();
    if (column.aggregate) {
      // One cell for all time: additions meet in the cell of one timestamp.
      await abortable(
        this.#engine.mutateRow(this.#model.table.name, {
          key: row,
          mutations: [{ kind: 'addToCell', family, qualifier, timestamp: 0, input: amount }],
        }),
        signal,
      );
      return undefined;
    }
    const changed = await abortable(
      this.#engine.readModifyWriteRow(this.#model.table.name, row, [
        { kind: 'increment', family, qualifier, amount },
      ]),
      signal,
    );
    return new DataView(
      changed.cells[0].value.buffer,
      changed.cells[0].value.byteOffset,
      8,
    ).getBigInt64(0);
  }

  /** Appends to a text or bytes column. Resolves to the new value. */
  async append(
    key: Values,
    property: string,
    value: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const column = this.#column(property, 'append');
    if (column.kind !== 'column' || !['string', 'bytes'].includes(column.codec.kind))
      throw this.#refusal(
        property,
        'only a string or bytes column can be appended to',
        'patch() the whole value',
      );
    if (column.alsoReads !== undefined)
      throw this.#refusal(
        property,
        'the value may still be under an earlier qualifier, which storage cannot append to',
        'patch() the whole value',
      );
    const row = this.#model.key.encode(key);
    const addition = this.#encode(column, value);
    signal?.throwIfAborted();
    const { family, qualifier } = column;
    const changed = await abortable(
      this.#engine.readModifyWriteRow(this.#model.table.name, row, [
        { kind: 'append', family, qualifier, value: addition },
      ]),
      signal,
    );
    const { value: whole } = changed.cells[0];
    try {
      return column.codec.decode(whole, 0, whole.length);
    } catch (error) {
      throw damagedCell(this.#model, column, row, qualifier, error);
    }
  }

  async #write(
    row: RowMutation,
    condition: Condition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const table = this.#model.table.name;
    if (condition === undefined) return abortable(this.#engine.mutateRow(table, row), signal);
    const { check, appliedWhen } = conditionalWrite(this.#model, condition, row);
    if ((await abortable(this.#engine.checkAndMutateRow(table, check), signal)) === appliedWhen)
      return;
    throw new RowsmithError('CONDITION_FAILED', {
      entity: this.#model.name,
      problem: 'the row is not as the condition says; nothing was written',
      fix: 'read the row again and decide anew',
      key: printable(row.key),
    });
  }

  #checkEntity(entity: unknown): Values {
    if (entity instanceof this.#model.entityClass) return entity as unknown as Values;
    throw this.#refusal(
      'entity',
      typeof entity === 'object' && entity !== null
        ? `it is not an instance of ${this.#model.name} (a partial result of select() never is)`
        : `it is ${entity === null ? 'null' : typeof entity}`,
      `make it with create({ ... }) or new ${this.#model.name}(); to write some columns use patch()`,
    );
  }

  /**
   * Looked up at the first write: rules are recorded when classes are loaded, and a class without
   * rules never awaits.
   */
  #rules(): Validators | undefined {
    if (this.#validators === 'unknown')
      this.#validators = this.#validate ? validatorsOf(this.#model) : undefined;
    return this.#validators;
  }

  #keyText(values: Values): string {
    try {
      return printable(this.#model.key.encode(values));
    } catch {
      return 'not a key';
    }
  }

  #encode(column: ColumnModel, value: unknown): Uint8Array {
    try {
      return column.codec.encode(value);
    } catch (error) {
      throw invalidValue(this.#model, column.property, error);
    }
  }

  #column(property: unknown, method: string): Exclude<ColumnModel, { kind: 'columnMap' }> {
    if (typeof property !== 'string')
      throw this.#refusal(
        'property',
        `${method}() takes the name of a column`,
        'name a column of the entity',
      );
    const column = this.#model.columns.find((candidate) => candidate.property === property);
    if (column !== undefined && column.kind !== 'columnMap') return column;
    const nearest = nearestName(
      property,
      this.#model.columns.map((candidate) => candidate.property),
    );
    if (column !== undefined)
      throw this.#refusal(
        property,
        `${method}() does not work on a column map`,
        'name a column of the entity',
      );
    throw this.#refusal(
      property,
      'no column has this name',
      nearest === undefined ? 'name a column of the entity' : `did you mean '${nearest}'?`,
    );
  }

  #refusal(property: string, problem: string, fix: string): RowsmithError {
    return new RowsmithError('INVALID_ARGUMENT', {
      entity: this.#model.name,
      property,
      problem,
      fix,
    });
  }
}

/**
 * The work done now, and its outcome when asked: what is written is the entity as it was when the
 * call was made, but broken rules are told first.
 */
function outcomeOf<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
