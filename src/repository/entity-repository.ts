/**
 * The implementation of the Repository interface: checks what types cannot, and delegates to
 * readers and writers.
 */
import { checkOptions, nearestName, valueText } from '../base/index.js';
import { invalidArgument, RowsmithError } from '../errors.js';
import { entityJson, type EntityModel, type Version } from '../model/index.js';
import { checkCount } from '../query/index.js';
import type { CellClock } from '../store/index.js';
import { VerifiedQuery } from './derived/index-query.js';
import { indexTarget } from './derived/index-target.js';
import type { ReaderContext } from './read/entity-pages.js';
import { EntityQuery } from './read/entity-query.js';
import type { EntrySeries } from './read/entry-series.js';
import { patternMethods } from './read/pattern-methods.js';
import { PointReader, type PointReadOptions } from './read/point-reader.js';
import { wholeKey } from './scope/whole-key.js';
import type {
  BulkOptions,
  BulkResult,
  ChangeManyOptions,
  InsertManyOptions,
} from './types/bulk-types.js';
import type { CallOptions, PointOptions } from './types/entity-types.js';
import type { HistoryOptions } from './types/repository-types.js';
import { BulkWrite, type ItemWrite } from './write/bulk-write.js';
import { EntityWriter } from './write/entity-writer.js';
import { type ChangeItem, RowChanger } from './write/row-changer.js';
import { EntryWriter } from './write/entry-writer.js';

type Values = Readonly<Record<string, unknown>>;
type Items<T> = Iterable<T> | AsyncIterable<T>;
type WriteCall = Parameters<EntityWriter['save']>[1];

/** The names of the options of each kind of call. */
const callOptions = ['signal'];
const getOptions = ['select', 'versions', 'asOf', 'signal'];
const writeOptions = ['if', 'signal'];
const bulkOptions = ['batchRows', 'inFlight', 'onProgress', 'signal'];
const insertManyOptions = ['onProgress', 'rowsInFlight', 'signal'];
const changeManyOptions = [...bulkOptions, 'rowsInFlight'];
const historyOptions = ['limit', 'signal'];

/** Constructor arguments of `EntityRepository`. */
export interface RepositoryParts {
  readonly context: ReaderContext;
  readonly model: EntityModel;
  readonly cellClock: CellClock;
  /** The same without the scope of the repository; undefined if it has none. */
  readonly unscoped?: Pick<RepositoryParts, 'model' | 'context'>;
  /** Whether class-validator rules are checked before writes. */
  readonly validate: boolean;
}

/** Untyped; Database returns it as `Repository<E, K>`. */
export class EntityRepository {
  readonly model: EntityModel;
  /** Access patterns by name. */
  readonly patterns: ReturnType<typeof patternMethods>;
  readonly #context: ReaderContext;
  readonly #reader: PointReader;
  readonly #writer: EntityWriter;
  readonly #changer: RowChanger;
  readonly #entryWriter: EntryWriter;
  readonly #root: EntityQuery;
  readonly #unscoped: Pick<RepositoryParts, 'model' | 'context'>;
  readonly #indexes = new Map<unknown, VerifiedQuery>();

  constructor({ context, model, cellClock, validate, unscoped }: RepositoryParts) {
    this.model = model;
    this.#context = context;
    this.#unscoped = unscoped ?? { model, context };
    this.#reader = new PointReader(context, model);
    this.#writer = new EntityWriter(context.engine, model, cellClock, validate);
    this.#changer = new RowChanger(model, this.#writer);
    this.#entryWriter = new EntryWriter(context.engine, model, cellClock);
    this.#root = EntityQuery.root(context, model);
    this.patterns = patternMethods(model, this.#root);
  }

  create(init: Values): object {
    if (typeof init !== 'object' || init === null)
      throw this.#argumentError(
        'init',
        'create() takes an object of properties',
        `write create({ ${this.model.key.names[0]}: ... })`,
      );
    const { scope } = this.model.key;
    const entity = new this.model.entityClass();
    this.#assertKnownProperties(init, entity);
    Object.assign(entity, init);
    if (scope !== undefined) {
      scope.assertInside(entity);
      Object.assign(entity, scope.values());
    }
    this.model.key.encode(entity as Record<string, unknown>);
    return entity;
  }

  toJSON(row: unknown): object {
    return entityJson(this.model).format(row);
  }

  fromJSON(value: unknown): object {
    return entityJson(this.model).parse(value);
  }

  async get(key: Values, options?: PointReadOptions): Promise<object | undefined> {
    this.#checkOptions('get()', options, getOptions);
    return this.#reader.get(this.#key(key), options ?? undefined);
  }

  async getMany(
    keys: Iterable<Values>,
    options?: PointReadOptions,
  ): Promise<(object | undefined)[]> {
    this.#checkOptions('getMany()', options, getOptions);
    if (typeof keys !== 'object' || keys === null || !(Symbol.iterator in keys)) {
      throw this.#argumentError(
        'keys',
        'getMany() takes an array of keys',
        'give an array, or read one row with get()',
      );
    }
    return this.#reader.getMany(
      Array.from(keys, (key) => this.#key(key)),
      options ?? undefined,
    );
  }

  async exists(key: Values, options?: PointOptions): Promise<boolean> {
    this.#checkOptions('exists()', options, ['asOf', 'signal']);
    return this.#reader.exists(this.#key(key), options ?? undefined);
  }

  async history(
    key: Values,
    property: string,
    options?: HistoryOptions,
  ): Promise<Version<unknown>[]> {
    this.#checkOptions('history()', options, historyOptions);
    const { limit, signal } = options ?? {};
    if (limit !== undefined) checkCount(this.model, 'limit', limit);
    return this.#reader.history(this.#key(key), property, limit, signal);
  }

  async entryHistory(
    key: Values,
    property: string,
    entry: unknown,
    options?: HistoryOptions,
  ): Promise<Version<unknown>[]> {
    this.#checkOptions('entryHistory()', options, historyOptions);
    const { limit } = options ?? {};
    if (limit !== undefined) checkCount(this.model, 'limit', limit);
    return this.#reader.entryHistory(this.#key(key), property, entry, options ?? {});
  }

  async save(entity: unknown, options?: WriteCall): Promise<void> {
    this.#checkOptions('save()', options, writeOptions);
    return this.#writer.save(entity, options ?? undefined);
  }

  async insert(entity: unknown, options?: CallOptions): Promise<void> {
    this.#checkOptions('insert()', options, callOptions);
    return this.#writer.insert(entity, options ?? undefined);
  }

  async patch(key: Values, changes: unknown, options?: WriteCall): Promise<void> {
    this.#checkOptions('patch()', options, writeOptions);
    return this.#writer.change(this.#key(key), this.#writer.patchOf(changes), options ?? undefined);
  }

  async delete(key: Values, options?: WriteCall): Promise<void> {
    this.#checkOptions('delete()', options, writeOptions);
    return this.#writer.delete(this.#key(key), options ?? undefined);
  }

  async saveMany(entities: Items<unknown>, options?: BulkOptions): Promise<BulkResult<unknown>> {
    this.#checkOptions('saveMany()', options, bulkOptions);
    return this.#bulk(entities, options, (entity) => this.#writer.rowOf(entity));
  }

  async deleteMany(keys: Items<Values>, options?: BulkOptions): Promise<BulkResult<Values>> {
    this.#checkOptions('deleteMany()', options, bulkOptions);
    return this.#bulk(keys, options, (key) => this.#writer.deletionOf(this.#key(key)));
  }

  async insertMany(
    entities: Items<unknown>,
    options?: InsertManyOptions,
  ): Promise<BulkResult<unknown>> {
    this.#checkOptions('insertMany()', options, insertManyOptions);
    return this.#bulk(entities, options, (entity) =>
      this.#changer.insertionOf(entity, options?.signal),
    );
  }

  async patchMany(
    items: Items<ChangeItem>,
    options?: ChangeManyOptions,
  ): Promise<BulkResult<ChangeItem>> {
    this.#checkOptions('patchMany()', options, changeManyOptions);
    return this.#bulk(items, options, (item) => this.#changer.patchOf(item, options?.signal));
  }

  async mutateMany(
    items: Items<ChangeItem>,
    options?: ChangeManyOptions,
  ): Promise<BulkResult<ChangeItem>> {
    this.#checkOptions('mutateMany()', options, changeManyOptions);
    return this.#bulk(items, options, (item) => this.#changer.mutationOf(item, options?.signal));
  }

  async incrementMany(
    items: Items<ChangeItem>,
    options?: ChangeManyOptions,
  ): Promise<BulkResult<ChangeItem>> {
    this.#checkOptions('incrementMany()', options, changeManyOptions);
    return this.#bulk(items, options, (item) => this.#changer.incrementOf(item, options?.signal));
  }

  async #bulk<T>(
    items: Items<T>,
    options: ChangeManyOptions | undefined,
    writeOf: (item: T) => ItemWrite | Promise<ItemWrite>,
  ): Promise<BulkResult<T>> {
    return new BulkWrite(this.#context.engine, this.model, writeOf, options ?? {}).run(
      this.#items(items),
    );
  }

  async deletePrefix(segments: unknown, options?: CallOptions): Promise<void> {
    this.#checkOptions('deletePrefix()', options, callOptions);
    const { failed } = await this.#root.prefix(segments).delete(options);
    if (failed.length > 0) throw failed[0].error;
  }

  async mutate(key: Values, changes: unknown, options?: WriteCall): Promise<unknown> {
    this.#checkOptions('mutate()', options, writeOptions);
    return this.#changer.mutate(this.#key(key), changes, options ?? undefined);
  }

  async increment(
    key: Values,
    what: unknown,
    amount?: unknown,
    options?: CallOptions,
  ): Promise<unknown> {
    // Two forms: (key, property, amount, options) and (key, amounts, options).
    if (typeof what !== 'object' || what === null) {
      this.#checkOptions('increment()', options, callOptions);
      return this.#changer.increment(
        this.#key(key),
        what as string,
        amount === undefined ? 1n : amount,
        options?.signal,
      );
    }
    this.#checkOptions('increment()', amount, callOptions);
    const call = amount as CallOptions | undefined;
    return this.#changer.incrementAll(this.#key(key), what, call?.signal);
  }

  async incrementEntry(
    key: Values,
    property: string,
    entry: unknown,
    amount: unknown = 1n,
    options?: CallOptions,
  ): Promise<bigint | undefined> {
    this.#checkOptions('incrementEntry()', options, callOptions);
    return this.#entryWriter.increment(
      this.#key(key),
      property,
      { entry, amount },
      options?.signal,
    );
  }

  async append(
    key: Values,
    property: string,
    value: unknown,
    options?: CallOptions,
  ): Promise<unknown> {
    this.#checkOptions('append()', options, callOptions);
    return this.#changer.append(this.#key(key), property, value, options?.signal);
  }

  index(name: unknown): VerifiedQuery {
    let query = this.#indexes.get(name);
    if (query === undefined) {
      const reader = { model: this.model, context: this.#context, unscoped: this.#unscoped };
      query = VerifiedQuery.root(indexTarget(reader, name));
      this.#indexes.set(name, query);
    }
    return query;
  }

  prefix(segments: unknown): EntityQuery {
    return this.#root.prefix(segments);
  }

  prefixes(list: unknown): EntityQuery {
    return this.#root.prefixes(list);
  }

  oneOf(segment: unknown, values: unknown): EntityQuery {
    return this.#root.oneOf(segment, values);
  }

  firstPer(segment: unknown): EntityQuery {
    return this.#root.firstPer(segment);
  }

  distinct(segment: unknown): EntityQuery {
    return this.#root.distinct(segment);
  }

  series(map: unknown, options?: unknown): EntrySeries {
    return this.#root.series(map, options);
  }

  between(segment: unknown, from: unknown, to: unknown): EntityQuery {
    return this.#root.between(segment, from, to);
  }

  since(segment: unknown, from: unknown): EntityQuery {
    return this.#root.since(segment, from);
  }

  until(segment: unknown, to: unknown): EntityQuery {
    return this.#root.until(segment, to);
  }

  startsWith(segment: unknown, text: unknown): EntityQuery {
    return this.#root.startsWith(segment, text);
  }

  subdomains(segment: unknown, domain: unknown): EntityQuery {
    return this.#root.subdomains(segment, domain);
  }

  scanAll(): EntityQuery {
    return this.#root;
  }

  #checkOptions(call: string, options: unknown, known: readonly string[]): void {
    if (options !== undefined) checkOptions(call, options, known, { entity: this.model.name });
  }

  #key(key: unknown): Values {
    const { names, scope } = this.model.key;
    if (typeof key === 'object' && key !== null) {
      if (scope === undefined) return key as Values;
      return wholeKey(this.model, scope, key as Values);
    }
    throw new RowsmithError('INVALID_KEY', {
      entity: this.model.name,
      property: 'key',
      problem: `a key is an object with ${names.join(', ')}, not ${valueText(key)}`,
      fix: `write { ${names.map((name) => `${name}: ...`).join(', ')} }`,
    });
  }

  #items<T>(items: Items<T>): Items<T> {
    if (
      typeof items === 'object' &&
      items !== null &&
      (Symbol.iterator in items || Symbol.asyncIterator in items)
    )
      return items;
    throw this.#argumentError(
      'items',
      'an array, a generator or an async iterable is needed',
      'give an array, or save one entity with save()',
    );
  }

  /** Rejects names that are neither mapped nor declared by the class: most likely misspelt. */
  #assertKnownProperties(init: Values, entity: object): void {
    const known = [...this.model.segments, ...this.model.columns].map(({ property }) => property);
    const unknown = Object.keys(init).find((name) => !known.includes(name) && !(name in entity));
    if (unknown === undefined) return;
    const nearest = nearestName(unknown, known);
    let fix = `use some of ${known.join(', ')}`;
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    throw this.#argumentError(unknown, `${this.model.name} has no property '${unknown}'`, fix);
  }

  #argumentError(property: string, problem: string, fix: string): RowsmithError {
    return invalidArgument(property, problem, fix, { entity: this.model.name });
  }
}
