/** Factories: entities for tests and seeds, with made-up values for what is not given. */
import {
  checkOptions,
  invalidArgument,
  isDate,
  type FaultTexts,
  type Values,
  valueText,
  wrongObject,
} from '../../../base/index.js';
import {
  argumentError,
  buildModel,
  type EntityClass,
  type EntityModel,
  type KeyParts,
} from '../../../entities/model/index.js';
import {
  createEntity,
  type Init,
  type KeyedRepository,
} from '../../../entities/repository/index.js';
import { mix, Random } from '../../values/index.js';
import { saveAgain } from '../seed-rows.js';
import { InitialValues } from './initial-values.js';
import type { Source } from './numbered-values.js';
import { keyOfParent } from './parent-key.js';

/**
 * Values by property: a value, or a function of the row's number, which counts from 1, and of
 * random numbers, which are the same for this property of this row in every run.
 */
type FactoryValues<E> = {
  readonly [P in keyof Init<E>]?: Known<Init<E>[P]> | ((n: number, random: Random) => Init<E>[P]);
};

/** A union with unknown would be unknown, and the parameters of a function implicitly any. */
type Known<V> = unknown extends V
  ? object | string | number | boolean | bigint | null | undefined
  : V;

/** Options of a factory. */
interface FactoryOptions {
  /** Another seed gives other random numbers and ids; a whole number, default 1. */
  readonly seed?: number;
  /**
   * The time of the first row; each later row is a minute after: a Date, or milliseconds since
   * 1970. Default 2026-01-01T00:00:00.000Z, as of test databases.
   */
  readonly now?: Date | number;
}

/** Where a factory saves: a database or a scope of it, or the repository of the entity. */
type FactoryTarget<E extends object> =
  { repository(entity: never): unknown } | { readonly model: EntityModel<E> };

/**
 * Makes entities of a class. Properties that are not given get plausible values by kind, which keep
 * the rules of their declaration: texts such as `device7`, numbers within their limits, members of
 * enums, times a minute apart, messages with all fields. Keys and values of unique indexes are
 * different. What the library sets stays with it: counters, copies, revisions, defaults and initial
 * values. `undefined` leaves a column out. The rows are the same in every run.
 */
export interface Factory<E extends object> {
  /** The entity of the next row. */
  build(values?: FactoryValues<E>): E;
  /** The entities of the next rows. */
  buildMany(count: number, values?: FactoryValues<E>): E[];
  /** Builds an entity and saves it. In a scope its segments are left to the scope. */
  save(target: FactoryTarget<E>, values?: FactoryValues<E>): Promise<E>;
  /**
   * Builds entities and saves them. Saving the same rows again changes nothing: rows with a
   * revision are replaced, and counters, if given, are incremented by what they lack.
   */
  saveMany(target: FactoryTarget<E>, count: number, values?: FactoryValues<E>): Promise<E[]>;
  /**
   * A factory of rows that belong to `parent`, an entity of any class: the properties of its
   * reference to that class have the key of `parent`, or, without one, the properties that are
   * named as segments of it. It continues the numbers of this factory.
   */
  for(parent: object): Factory<E>;
  /** The next row is number 1 again. */
  rewind(): void;
}

/**
 * Creates a factory of entities for tests and seeds.
 * @example
 * const readings = factory(Reading, { tenant: 'acme', value: (n, random) => random.below(40) });
 * const [first, second] = readings.buildMany(2);
 * await readings.saveMany(db, 100, { device: 'd1' });
 */
export function factory<E extends object, K extends KeyParts>(
  entity: EntityClass<E, K>,
  values: FactoryValues<NoInfer<E>> = {},
  options: FactoryOptions = {},
): Factory<E> {
  checkOptions('factory()', options, ['seed', 'now']);
  checkValues(values);
  const { seed = 1, now = Date.UTC(2026, 0, 1) } = (options as FactoryOptions | null) ?? {};
  if (!Number.isSafeInteger(seed)) throw invalidArgument('seed', faults.wrongSeed(valueText(seed)));
  const millis = isDate(now) ? now.getTime() : now;
  if (!Number.isSafeInteger(millis) || millis < 0 || millis >= Date.UTC(10_000, 0))
    throw invalidArgument('now', faults.wrongTime(valueText(now)));
  return new EntityFactory<E>(new Rows(entity, seed, millis), values);
}

/** The rows that a factory and the factories made of it have built. */
class Rows<E extends object> {
  n = 0;
  readonly keys = new Set<string>();
  #built: { readonly model: EntityModel<E>; readonly values: InitialValues } | undefined;

  constructor(
    readonly entity: EntityClass<E>,
    readonly seed: number,
    readonly now: number,
  ) {}

  /** Built when it is first used: a module may be loaded before the classes that it refers to. */
  get built(): { readonly model: EntityModel<E>; readonly values: InitialValues } {
    if (this.#built !== undefined) return this.#built;
    const model = buildModel<E>(this.entity);
    return (this.#built = { model, values: new InitialValues(model) });
  }

  /** The initial values of the next row. */
  next(given: Values, scope: EntityModel['key']['scope']): Values {
    const { model, values } = this.built;
    this.n++;
    const source = sourceOf(model.name, this);
    const { init, hasMadeUpKey } = values.of(given, source, scope?.names ?? []);
    const key = model.key.encode({ ...init, ...scope?.values() });
    const text = Buffer.from(key).toString('latin1');
    if (hasMadeUpKey && this.keys.has(text)) throw values.keyError(this.n, key);
    this.keys.add(text);
    return init;
  }
}

/** Random numbers depend on the property, so that giving one value changes no other. */
function sourceOf(name: string, rows: Rows<object>): Source {
  const { n, now, seed } = rows;
  const random = (property: string): Random => {
    // The base of ids has no property, and is the same for all rows.
    let state = mix(mix(seed) ^ mix(Math.floor(seed / 2 ** 32)) ^ (property === '' ? 0 : n));
    for (const text of [name, property])
      for (let i = 0; i < text.length; i++) state = mix(state ^ (text.charCodeAt(i) + i));
    return new Random(state);
  };
  return { n, now, random, of: (entity) => sourceOf(entity, rows) };
}

/** Implements Factory. */
class EntityFactory<E extends object> implements Factory<E> {
  readonly #rows: Rows<E>;
  readonly #values: Values;

  constructor(rows: Rows<E>, values: Values) {
    this.#rows = rows;
    this.#values = values;
  }

  build(values: FactoryValues<E> = {}): E {
    // Schemas may be asynchronous: they judge when the entity is saved.
    return createEntity(this.#rows.built.model, this.#next(values), false);
  }

  buildMany(count: number, values: FactoryValues<E> = {}): E[] {
    checkCount(count);
    return Array.from({ length: count }, () => this.build(values));
  }

  async save(target: FactoryTarget<E>, values: FactoryValues<E> = {}): Promise<E> {
    const [saved] = await this.saveMany(target, 1, values);
    return saved;
  }

  async saveMany(
    target: FactoryTarget<E>,
    count: number,
    values: FactoryValues<E> = {},
  ): Promise<E[]> {
    checkCount(count);
    const repository = this.#repositoryOf(target);
    const { scope } = repository.model.key;
    const rows = Array.from({ length: count }, () => this.#next(values, scope));
    return saveAgain(repository, rows as Init<E>[]);
  }

  for(parent: object): Factory<E> {
    const key = keyOfParent(this.#rows.built.model, parent);
    return new EntityFactory(this.#rows, { ...this.#values, ...key });
  }

  rewind(): void {
    this.#rows.n = 0;
    this.#rows.keys.clear();
  }

  #next(values: FactoryValues<E>, scope?: EntityModel['key']['scope']): Values {
    checkValues(values);
    return this.#rows.next({ ...this.#values, ...values }, scope);
  }

  #repositoryOf(target: FactoryTarget<E> | undefined): KeyedRepository<E, KeyParts> {
    const { entity, built } = this.#rows;
    const given = target as {
      readonly repository?: (entity: EntityClass<E>) => KeyedRepository<E, KeyParts>;
      readonly model?: EntityModel;
    } | null;
    if (typeof given?.repository === 'function') return given.repository(entity);
    if (given?.model?.name === built.model.name)
      return target as unknown as KeyedRepository<E, KeyParts>;
    throw argumentError(built.model, 'target', faults.wrongTarget(given?.model?.name ?? target));
  }
}

function checkCount(count: number): void {
  if (Number.isInteger(count) && count >= 0 && count <= 1e6) return;
  throw invalidArgument('count', faults.wrongCount(valueText(count)));
}

function checkValues(values: unknown): void {
  const wrong = wrongObject(values);
  if (wrong !== undefined) throw invalidArgument('values', faults.wrongValues(wrong.given));
}

const faults = {
  wrongSeed: (given: string) => ({ problem: `seed is ${given}`, fix: 'give a whole number' }),
  wrongTime: (given: string) => ({
    problem: `now is ${given}`,
    fix: 'give a Date, or whole milliseconds, from the years 1970 to 9999',
  }),
  wrongCount: (given: string) => ({
    problem: `count is ${given}`,
    fix: 'give a whole number from 0 to 1,000,000',
  }),
  wrongValues: (given: string) => ({
    problem: `a factory takes an object of properties, not ${given}`,
    fix: 'write { property: value } or { property: (n, random) => value }',
  }),
  wrongTarget: (given: unknown) => ({
    problem: `the rows cannot be saved in ${typeof given === 'string' ? `a repository of ${given}` : valueText(given)}`,
    fix: 'give an open database, a scope of it, or the repository of the entity',
  }),
} satisfies FaultTexts;
