/** Writes one entity class: validates entities, converts them to row mutations, and sends those. */
import { abortable, nearestName, valueText } from '../../base/index.js';
import { pointRange, printable } from '../../bytes/index.js';
import { invalidArgument, RowsmithError } from '../../errors.js';
import {
  compileDehydrator,
  type Condition,
  conditionalWrite,
  damagedCellError,
  type Dehydrator,
  invalidValueError,
  partialReadOf,
  type Validators,
  validatorsOf,
} from '../../mapping/index.js';
import {
  type ColumnModel,
  declarationOf,
  type EntityClass,
  type EntityModel,
} from '../../model/index.js';
import {
  collectRows,
  type CellClock,
  type Engine,
  type Mutation,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
} from '../../store/index.js';

type Values = Readonly<Record<string, unknown>>;

const deleteRow: readonly Mutation[] = Object.freeze([
  Object.freeze({ kind: 'deleteFromRow' } as const),
]);

/** WriteOptions without the entity's types. */
interface WriteCall {
  readonly if?: Condition;
  readonly signal?: AbortSignal;
}

/** The writes of one repository. */
export class EntityWriter {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #dehydrate: Dehydrator;
  readonly #clock: CellClock;
  readonly #validate: boolean;
  #validators: Validators | undefined | 'unknown' = 'unknown';
  /** Subclasses that are no entities. */
  readonly #subclasses = new WeakSet();

  /** `validate` is whether class-validator rules are checked. */
  constructor(engine: Engine, model: EntityModel, clock: CellClock, validate: boolean) {
    this.#engine = engine;
    this.#model = model;
    this.#dehydrate = compileDehydrator(model);
    this.#clock = clock;
    this.#validate = validate;
  }

  async save(entity: unknown, { if: condition, signal }: WriteCall = {}): Promise<void> {
    let row = this.rowOf(entity);
    // Without rules nothing is awaited here, so that a write called before close() has reached the
    // engine.
    if (row instanceof Promise) row = await row;
    await this.#write(row, condition, signal);
  }

  /** The validated mutation that saves an entity; a promise only if there are rules to check. */
  rowOf(entity: unknown): RowMutation | Promise<RowMutation> {
    const values = this.#checkEntity(entity);
    this.#checkReadWhole(values);
    const validators = this.#rules();
    if (validators === undefined) return this.#dehydrate.save(values, this.#clock.next());
    const row = runNow(() => this.#dehydrate.save(values, this.#clock.next()));
    return validators.checkEntity(values, () => this.#keyText(values)).then(row);
  }

  /** The mutation that deletes the row of a key. */
  deletionOf(key: Values): RowMutation {
    return { key: this.#model.key.encode(key), mutations: deleteRow };
  }

  async insert(entity: unknown, { signal }: WriteCall = {}): Promise<void> {
    const values = this.#checkEntity(entity);
    const row = runNow(() => this.#dehydrate.insert(values, this.#clock.next()));
    const rules = this.#rules();
    if (rules !== undefined) await rules.checkEntity(values, () => this.#keyText(values));
    const { key, mutations } = row();
    signal?.throwIfAborted();
    const exists = await abortable(
      this.#engine.checkAndMutateRow(this.#model.table.name, { key, onFalse: mutations }),
      signal,
    );
    if (!exists) return;
    throw new RowsmithError('ROW_EXISTS', {
      entity: this.#model.name,
      problem: 'a row with this key already exists',
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
      throw this.#argumentError(
        'changes',
        'patch() takes an object of columns to write',
        'write patch(key, { column: value })',
      );
    const row = runNow(() => this.#dehydrate.patch(key, changes as Values, this.#clock.next()));
    const rules = this.#rules();
    if (rules !== undefined) await this.#validatePatch(rules, key, changes as Values);
    const ready = row();
    if (ready !== undefined) return this.#write(ready, condition, signal);
    if (condition !== undefined) await this.#checkCondition(key, condition, signal);
  }

  async #validatePatch(rules: Validators, key: Values, changes: Values): Promise<void> {
    const segments = this.#model.segments.map(({ property }): [string, unknown] => [
      property,
      key[property],
    ]);
    const written = Object.entries(changes).filter(([, value]) => value !== undefined);
    const properties = Object.fromEntries([...segments, ...written]);
    await rules.checkPatch(
      Object.assign(new this.#model.entityClass(), properties),
      () => this.#keyText(key),
      Object.keys(properties),
    );
  }

  async delete(key: Values, { if: condition, signal }: WriteCall = {}): Promise<void> {
    await this.#write(this.deletionOf(key), condition, signal);
  }

  /**
   * Adds to a counter and returns the new value, or undefined in an aggregate family, where storage
   * does not report it.
   */
  async increment(
    key: Values,
    property: string,
    amount: unknown,
    signal?: AbortSignal,
  ): Promise<bigint | undefined> {
    const column = this.#column(property, 'increment');
    if (column.kind !== 'counter')
      throw this.#argumentError(
        property,
        'only a counter can be incremented',
        `declare it with @Counter('${column.family}')`,
      );
    if (typeof amount !== 'bigint' || BigInt.asIntN(64, amount) !== amount)
      throw this.#argumentError(
        property,
        'the amount is not an int64 bigint',
        'write 1n, -5n, ...',
      );
    const table = this.#model.table.name;
    const row = this.#model.key.encode(key);
    const { family, qualifier } = column;
    signal?.throwIfAborted();
    if (column.aggregate) {
      // Always timestamp 0: aggregation is per cell, and a cell is identified by its timestamp.
      const mutation = {
        kind: 'addToCell',
        family,
        qualifier,
        timestamp: 0,
        input: amount,
      } as const;
      await abortable(this.#engine.mutateRow(table, { key: row, mutations: [mutation] }), signal);
      return undefined;
    }
    const rule = { kind: 'increment', family, qualifier, amount } as const;
    const changed = await abortable(this.#readModifyWrite(row, rule), signal);
    const { buffer, byteOffset } = changed.cells[0].value;
    return new DataView(buffer, byteOffset, 8).getBigInt64(0);
  }

  /** Appends to a string or bytes column and returns the new value. */
  async append(
    key: Values,
    property: string,
    value: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const column = this.#column(property, 'append');
    if (column.kind !== 'column' || !['string', 'bytes'].includes(column.codec.kind))
      throw this.#argumentError(
        property,
        'only a string or bytes column can be appended to',
        'patch() the whole value',
      );
    if (column.alsoReads !== undefined)
      throw this.#argumentError(
        property,
        'the value may be stored under an earlier qualifier, and storage cannot append across two',
        'patch() the whole value',
      );
    const row = this.#model.key.encode(key);
    const addition = this.#encode(column, value);
    signal?.throwIfAborted();
    const { family, qualifier } = column;
    const rule = { kind: 'append', family, qualifier, value: addition } as const;
    const changed = await abortable(this.#readModifyWrite(row, rule), signal);
    const { value: appended } = changed.cells[0];
    try {
      return column.codec.decode(appended, 0, appended.length);
    } catch (error) {
      throw damagedCellError(this.#model, column, row, qualifier, error);
    }
  }

  /** Checks the condition of a patch that changes nothing, by reading. */
  async #checkCondition(
    keyValues: Values,
    condition: Condition,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const key = this.#model.key.encode(keyValues);
    const { check, appliedWhen } = conditionalWrite(this.#model, condition, { key, mutations: [] });
    const rows = this.#engine.readRows(
      {
        table: this.#model.table.name,
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

  #conditionFailed(key: Uint8Array): RowsmithError {
    return new RowsmithError('CONDITION_FAILED', {
      entity: this.#model.name,
      problem: 'the row does not satisfy the condition; nothing was written',
      fix: 'read the row again, and retry with a condition that holds',
      key: printable(key),
    });
  }

  /** The engine's clock sets the timestamp, so ours moves on to it. */
  async #readModifyWrite(key: Uint8Array, rule: ReadModifyWriteRule): Promise<Row> {
    const model = this.#model;
    const row = await this.#engine.readModifyWriteRow(model.table.name, key, [rule]);
    if (model.cellTimestamp === undefined)
      for (const { timestamp } of row.cells) this.#clock.advance(timestamp);
    return row;
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
    // It would replace what is visible with cells that are not.
    this.#dehydrate.assertNotExpired(row, this.#clock.next());
    const matched = await abortable(
      this.#engine.checkAndMutateRow(table, check, { signal }),
      signal,
    );
    if (matched !== appliedWhen) throw this.#conditionFailed(row.key);
  }

  #checkEntity(entity: unknown): Values {
    if (entity instanceof this.#model.entityClass) {
      this.#checkClass(entity);
      return entity as unknown as Values;
    }
    let problem = `it is ${valueText(entity)}, not an instance of ${this.#model.name}`;
    if (typeof entity === 'object' && entity !== null)
      problem = `it is not an instance of ${this.#model.name} (results of select() are plain objects)`;
    throw this.#argumentError(
      'entity',
      problem,
      `create it with create({ ... }) or new ${this.#model.name}(); to write some columns use patch()`,
    );
  }

  /** An entity of a subclass has a row of its own, with another key and other columns. */
  #checkClass(entity: object): void {
    const { constructor: subclass } = entity;
    if (subclass === this.#model.entityClass || typeof subclass !== 'function') return;
    if (this.#subclasses.has(subclass)) return;
    if (declarationOf(subclass as EntityClass).entity === undefined) {
      this.#subclasses.add(subclass);
      return;
    }
    throw this.#argumentError(
      'entity',
      `it is a ${subclass.name}, which is an entity of its own`,
      `save it with db.repository(${subclass.name})`,
    );
  }

  /** save() would delete the versions, and the newer cells, that a query has left out. */
  #checkReadWhole(entity: Values): void {
    const read = partialReadOf(entity);
    if (read === undefined) return;
    throw this.#argumentError(
      'entity',
      `it was read by a query with ${read}(), so stored data is missing in it that save() would delete`,
      'write some columns with patch(), or read the entity with get() before you save it',
    );
  }

  /**
   * Looked up at the first write, not on opening: rules may be registered later, and a class
   * without any never awaits.
   */
  #rules(): Validators | undefined {
    if (!this.#validate) return undefined;
    if (this.#validators === 'unknown') this.#validators = validatorsOf(this.#model);
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
      throw invalidValueError(this.#model, column.property, error);
    }
  }

  #column(property: unknown, method: string): Exclude<ColumnModel, { kind: 'columnMap' }> {
    if (typeof property !== 'string')
      throw this.#argumentError(
        'property',
        `${method}() takes the name of a column`,
        'name a column of the entity',
      );
    const { columns } = this.#model;
    const column = columns.find((candidate) => candidate.property === property);
    if (column === undefined) throw this.#unknownColumn(property);
    if (column.kind !== 'columnMap') return column;
    throw this.#argumentError(
      property,
      `${method}() does not work on a column map`,
      'name a column of the entity',
    );
  }

  #unknownColumn(property: string): RowsmithError {
    const nearest = nearestName(
      property,
      this.#model.columns.map((column) => column.property),
    );
    let fix = 'name a column of the entity';
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    return this.#argumentError(property, 'no column has this name', fix);
  }

  #argumentError(property: string, problem: string, fix: string): RowsmithError {
    return invalidArgument(property, problem, fix, { entity: this.#model.name });
  }
}

/**
 * Runs `work` now and returns a function that yields its result or throws its error. An entity is
 * converted as it is when the write is called, but violated rules are reported before invalid
 * values.
 */
function runNow<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
