/** What is checked of the arguments of writes before anything is sent. */
import { nearestName, valueText } from '../../base/index.js';
import { printable } from '../../bytes/index.js';
import { invalidArgument, type RowsmithError } from '../../errors.js';
import { partialReadOf, type Validators, validatorsOf } from '../../mapping/index.js';
import {
  type ColumnModel,
  declarationOf,
  type EntityClass,
  type EntityModel,
  isEntityOf,
  isSameEntity,
} from '../../model/index.js';

/** Property values of an entity, a key or changes. */
export type Values = Readonly<Record<string, unknown>>;

/** Checks of entities, of names of columns, and of class-validator rules. */
export class WriteChecks {
  readonly #model: EntityModel;
  readonly #validate: boolean;
  #validators: Validators | undefined | 'unknown' = 'unknown';
  /** Subclasses that are no entities. */
  readonly #subclasses = new WeakSet();

  /** `validate` is whether class-validator rules are checked. */
  constructor(model: EntityModel, validate: boolean) {
    this.#model = model;
    this.#validate = validate;
  }

  /** The entity, if it is a whole instance of the class. */
  entity(entity: unknown): Values {
    if (isEntityOf(this.#model, entity)) {
      this.#checkClass(entity);
      return entity as unknown as Values;
    }
    let problem = `it is ${valueText(entity)}, not an instance of ${this.#model.name}`;
    if (typeof entity === 'object' && entity !== null)
      problem = `it is not an instance of ${this.#model.name} (results of select() are plain objects)`;
    throw this.argumentError(
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
    const { entityClass } = this.#model;
    const isEntity = declarationOf(subclass as EntityClass).entity !== undefined;
    if (!isEntity || isSameEntity(entityClass, subclass as EntityClass)) {
      this.#subclasses.add(subclass);
      return;
    }
    throw this.argumentError(
      'entity',
      `it is a ${subclass.name}, which is another entity`,
      `save it with db.repository(${subclass.name})`,
    );
  }

  /** save() would delete the versions, and the newer cells, that a query has left out. */
  readWhole(entity: Values): void {
    const read = partialReadOf(entity);
    if (read === undefined) return;
    throw this.argumentError(
      'entity',
      `it was read by a query with ${read}(), so stored data is missing in it that save() would delete`,
      'write some columns with patch(), or read the entity with get() before you save it',
    );
  }

  /**
   * Looked up at the first write, not on opening: rules may be registered later, and a class
   * without any never awaits.
   */
  rules(): Validators | undefined {
    if (!this.#validate) return undefined;
    if (this.#validators === 'unknown') this.#validators = validatorsOf(this.#model);
    return this.#validators;
  }

  /** Checks the rules of the properties that are written; null deletes one. */
  async patchRules(rules: Validators, key: Values, changes: Values): Promise<void> {
    const segments = this.#model.segments.map(({ property }): [string, unknown] => [
      property,
      key[property],
    ]);
    const written = Object.entries(changes).filter(([, value]) => value !== undefined);
    const properties = Object.fromEntries([...segments, ...written]);
    await rules.checkPatch(
      Object.assign(new this.#model.entityClass(), properties),
      () => this.keyText(key),
      Object.keys(properties),
    );
  }

  /** The entity with other values of some properties, for rules. */
  instanceOf(entity: object, values: Values): object {
    const instance = new this.#model.entityClass();
    for (const [property, value] of Object.entries({ ...entity, ...values }))
      Object.defineProperty(instance, property, { value, enumerable: true, configurable: true });
    return instance;
  }

  /** The row key as text, for messages. */
  keyText(values: Values): string {
    try {
      return printable(this.#model.key.encode(values));
    } catch {
      return 'not a key';
    }
  }

  /** The column of a property; `method` is the call that names it. */
  column(property: unknown, method: string): ColumnModel {
    if (typeof property !== 'string')
      throw this.argumentError(
        'property',
        `${method} takes the name of a column`,
        'name a column of the entity',
      );
    const { columns } = this.#model;
    const column = columns.find((candidate) => candidate.property === property);
    if (column !== undefined) return column;
    const nearest = nearestName(
      property,
      columns.map((candidate) => candidate.property),
    );
    let fix = 'name a column of the entity';
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    throw this.argumentError(property, 'no column has this name', fix);
  }

  /** INVALID_ARGUMENT of this entity. */
  argumentError(property: string, problem: string, fix: string): RowsmithError {
    return invalidArgument(property, problem, fix, { entity: this.#model.name });
  }
}

/**
 * Runs `work` now and returns a function that yields its result or throws its error. An entity is
 * converted as it is when the write is called, but violated rules are reported before invalid
 * values.
 */
export function runNow<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
