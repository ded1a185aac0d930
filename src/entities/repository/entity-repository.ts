/**
 * The implementation of the Repository interface: checks what types cannot, and delegates to
 * readers and writers.
 */
import {
  checkOptions,
  invalidArgument,
  type RowsmithError,
  type Values,
  type FaultText,
  type FaultTexts,
} from '../../base/index.js';
import { declarationOf, entityJson, type EntityModel, type Version } from '../model/index.js';
import { checkCount } from '../query/index.js';
import { VerifiedQuery } from './derived/query/index-query.js';
import { indexTarget } from './derived/query/index-target.js';
import { rollupQuery, type RollupQuery } from './derived/query/rollup-query.js';
import { createEntity } from './create-entity.js';
import { keyArgument } from './key-argument.js';
import { EntityQuery } from './read/query/entity-query.js';
import { patternMethods } from './read/query/pattern-methods.js';
import { IncludedRows } from './read/include/included-rows.js';
import { PointReader, type PointReadOptions } from './read/rows/point-reader.js';
import type { BulkOptions, BulkResult, InsertManyOptions } from './types/bulk-types.js';
import type { CallOptions, PointOptions } from './types/entity-types.js';
import type { RepositoryParts } from './repository-parts.js';
import { rowNotFound } from './row-not-found.js';
import type { HistoryOptions } from './types/repository-types.js';
import type {
  Change,
  ChangeBuilder,
  ChangeItem,
  IncrementCall,
  PatchCall,
  WriteCall,
} from './write/change.js';
import type { UpdateCall } from './write/update.js';
import { WritePath } from './write/write-path.js';

type Items<T> = Iterable<T> | AsyncIterable<T>;

/** The names of the options of each kind of call. */
const callOptions = ['signal'];
const getOptions = ['select', 'versions', 'asOf', 'include', 'cache', 'signal'];
const writeOptions = ['if', 'signal'];
const patchOptions = ['add', 'remove', 'mustExist', ...writeOptions];
const countOptions = ['mustExist', 'signal'];
const incrementOptions = ['append', ...countOptions];
const insertManyOptions = ['inFlight', 'onFailure', 'onProgress', 'signal'];
const bulkOptions = ['batchRows', ...insertManyOptions];
const updateOptions = ['attempts', 'signal'];
const historyOptions = ['limit', 'signal'];

/** The methods of the query without conditions that start a query. */
const starts = [
  'prefix',
  'prefixes',
  'oneOf',
  'between',
  'since',
  'until',
  'startsWith',
  'subdomains',
  'firstPer',
  'distinct',
  'series',
  'scanAll',
] as const;

/** The methods of a repository that start a query. */
export type QueryStarts = Pick<EntityQuery, (typeof starts)[number]>;

/** Names the parts of a repository in all copies of the package. */
const partsKey = Symbol.for('rowsmith.repositoryParts');

/** Untyped; Database returns it as `Repository<E, K>`. */
export class EntityRepository {
  readonly model: EntityModel;
  /** Access patterns by name. */
  readonly patterns: ReturnType<typeof patternMethods>;
  readonly #parts: RepositoryParts;
  /** The query of a rollup, by its name. */
  readonly rollup: (name: unknown) => RollupQuery;
  readonly #reader: PointReader;
  readonly #writes: WritePath;
  readonly #changes: ChangeBuilder;
  readonly #root: EntityQuery;
  readonly #unscoped: Pick<RepositoryParts, 'model' | 'context'>;
  readonly #indexes = new Map<unknown, VerifiedQuery>();

  constructor(parts: RepositoryParts) {
    const { context, model, cellClock, validate, derivedEngine, unscoped } = parts;
    this.model = model;
    this.#parts = parts;
    this.#unscoped = unscoped ?? { model, context };
    this.#reader = new PointReader(context, model);
    this.#writes = new WritePath({ engine: context.engine, model, clock: cellClock, validate });
    this.#changes = this.#writes.changes;
    this.#root = EntityQuery.root(context, model);
    const now = (): number => cellClock.next() / 1000;
    const rollups = new Map<unknown, RollupQuery>();
    this.rollup = (name) => {
      let query = rollups.get(name);
      if (query === undefined) {
        query = rollupQuery({ context, model, engine: derivedEngine, now }, name);
        rollups.set(name, query);
      }
      return query;
    };
    this.patterns = patternMethods(model, this.#root);
  }

  /**
   * The parts of a repository of any copy of this version; undefined for anything else. Throws
   * VERSION_MISMATCH for one of another version.
   */
  static partsOf(repository: unknown): RepositoryParts | undefined {
    if (typeof repository !== 'object' || repository === null) return undefined;
    const parts = (repository as { readonly [partsKey]?: RepositoryParts })[partsKey];
    if (parts !== undefined) declarationOf(parts.model.entityClass);
    return parts;
  }

  get [partsKey](): RepositoryParts {
    return this.#parts;
  }

  create(init: Values): object {
    return createEntity(this.model, init, this.#parts.validate);
  }

  toJSON(row: unknown): object {
    return entityJson(this.model).format(row);
  }

  fromJSON(value: unknown): object {
    return entityJson(this.model).parse(value, this.#parts.validate);
  }

  async get(key: Values, options?: PointReadOptions): Promise<object | undefined> {
    this.#checkOptions('get()', options, getOptions);
    const included = this.#included(options);
    const row = await this.#reader.get(this.#key(key), options ?? undefined);
    if (row !== undefined) await included?.addTo([row], options!);
    return row;
  }

  async getOrThrow(key: Values, options?: PointReadOptions): Promise<object> {
    this.#checkOptions('getOrThrow()', options, getOptions);
    const found = await this.get(key, options);
    if (found === undefined) throw rowNotFound(this.model, this.#key(key));
    return found;
  }

  async getMany(
    keys: Iterable<Values>,
    options?: PointReadOptions,
  ): Promise<(object | undefined)[]> {
    this.#checkOptions('getMany()', options, getOptions);
    if (typeof keys !== 'object' || keys === null || !(Symbol.iterator in keys)) {
      throw this.#argumentError('keys', faults.notAnArray);
    }
    const included = this.#included(options);
    const rows = await this.#reader.getMany(
      Array.from(keys, (key) => this.#key(key)),
      options ?? undefined,
    );
    await included?.addTo(
      rows.filter((row) => row !== undefined),
      options!,
    );
    return rows;
  }

  /** The references of a read by key; undefined if it has none. */
  #included(options: PointReadOptions | null | undefined): IncludedRows | undefined {
    const { include, select, cache, asOf } = options ?? {};
    if (include === undefined) return undefined;
    const { model } = this;
    if (asOf !== undefined) throw this.#argumentError('include', faults.includeAsOf);
    const names = Array.isArray(select) ? (select as unknown[]) : undefined;
    return new IncludedRows(
      { model, rowsOf: this.#parts.context.rowsOf, select: names },
      include,
      cache,
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
    await this.#writes.write(this.#changes.save(entity, options), options?.signal);
  }

  async insert(entity: unknown, options?: CallOptions): Promise<void> {
    this.#checkOptions('insert()', options, callOptions);
    await this.#writes.write(this.#changes.insert(entity), options?.signal);
  }

  async patch(key: Values, changes: unknown, options?: PatchCall): Promise<void> {
    this.#checkOptions('patch()', options, patchOptions);
    await this.#writes.write(this.#changes.patch(key, changes, options), options?.signal);
  }

  async delete(key: Values, options?: WriteCall): Promise<void> {
    this.#checkOptions('delete()', options, writeOptions);
    await this.#writes.write(this.#changes.delete(key, options), options?.signal);
  }

  async update(key: Values, change: unknown, options?: UpdateCall): Promise<object | undefined> {
    this.#checkOptions('update()', options, updateOptions);
    const read = (rowKey: Values, signal: AbortSignal | undefined) =>
      this.#reader.get(rowKey, { signal });
    return this.#writes.update(read, this.#key(key), change, options ?? {});
  }

  async saveMany(entities: Items<unknown>, options?: BulkOptions): Promise<BulkResult<unknown>> {
    this.#checkOptions('saveMany()', options, bulkOptions);
    return this.#writeMany(entities, options, (entity) => this.#changes.save(entity));
  }

  async deleteMany(keys: Items<Values>, options?: BulkOptions): Promise<BulkResult<Values>> {
    this.#checkOptions('deleteMany()', options, bulkOptions);
    return this.#writeMany(keys, options, (key) => this.#changes.delete(key));
  }

  async insertMany(
    entities: Items<unknown>,
    options?: InsertManyOptions,
  ): Promise<BulkResult<unknown>> {
    this.#checkOptions('insertMany()', options, insertManyOptions);
    return this.#writeMany(entities, options, (entity) => this.#changes.insert(entity));
  }

  async patchMany(
    items: Items<ChangeItem>,
    options?: BulkOptions,
  ): Promise<BulkResult<ChangeItem>> {
    this.#checkOptions('patchMany()', options, bulkOptions);
    return this.#writeMany(items, options, (item) => this.#changes.patchItem(item));
  }

  async incrementMany(
    items: Items<ChangeItem>,
    options?: BulkOptions,
  ): Promise<BulkResult<ChangeItem>> {
    this.#checkOptions('incrementMany()', options, bulkOptions);
    return this.#writeMany(items, options, (item) => this.#changes.incrementItem(item));
  }

  #writeMany<T>(
    items: Items<T>,
    options: BulkOptions<T> | undefined,
    changeOf: (item: T) => Change,
  ): Promise<BulkResult<T>> {
    return this.#writes.writeMany(this.#items(items), changeOf, options ?? {});
  }

  async increment(
    key: Values,
    what: unknown,
    amount?: unknown,
    options?: IncrementCall,
  ): Promise<unknown> {
    // Two forms: (key, property, amount, options) and (key, amounts, options).
    if (typeof what === 'object' && what !== null) {
      this.#checkOptions('increment()', amount, incrementOptions);
      const call = (amount ?? {}) as IncrementCall;
      return this.#writes.write(this.#changes.incrementAll(key, what, call), call.signal);
    }
    this.#checkOptions('increment()', options, countOptions);
    const property = what as string;
    const given = amount === undefined ? 1n : amount;
    const change = this.#changes.increment(key, property, given, options);
    const values = await this.#writes.write(change, options?.signal);
    return values?.[property];
  }

  async append(key: Values, values: unknown, options?: IncrementCall): Promise<unknown> {
    this.#checkOptions('append()', options, countOptions);
    return this.#writes.write(this.#changes.append(key, values, options), options?.signal);
  }

  async incrementEntry(
    key: Values,
    property: string,
    entry: unknown,
    amount: unknown = 1n,
    options?: IncrementCall,
  ): Promise<bigint | undefined> {
    this.#checkOptions('incrementEntry()', options, countOptions);
    const change = this.#changes.incrementEntry(key, property, entry, amount, options);
    const values = await this.#writes.write(change, options?.signal);
    return (values?.[property] as ReadonlyMap<unknown, bigint> | undefined)?.get(entry);
  }

  index(name: unknown): VerifiedQuery {
    let query = this.#indexes.get(name);
    if (query === undefined) {
      const reader = { model: this.model, context: this.#parts.context, unscoped: this.#unscoped };
      query = VerifiedQuery.root(indexTarget(reader, name));
      this.#indexes.set(name, query);
    }
    return query;
  }

  static {
    for (const start of starts)
      Object.defineProperty(EntityRepository.prototype, start, {
        value(this: EntityRepository, a: never, b: never, c: never): unknown {
          return this.#root[start](a, b, c);
        },
      });
  }

  #checkOptions(call: string, options: unknown, known: readonly string[]): void {
    if (options !== undefined) checkOptions(call, options, known, { entity: this.model.name });
  }

  #key(key: unknown): Values {
    return keyArgument(this.model, key);
  }

  #items<T>(items: Items<T>): Items<T> {
    if (
      typeof items === 'object' &&
      items !== null &&
      (Symbol.iterator in items || Symbol.asyncIterator in items)
    )
      return items;
    throw this.#argumentError('items', faults.notIterable);
  }

  #argumentError(property: string, fault: FaultText): RowsmithError {
    return invalidArgument(property, fault, { entity: this.model.name });
  }
}

const faults = {
  notAnArray: {
    problem: 'getMany() takes an array of keys',
    fix: 'give an array, or read one row with get()',
  },
  includeAsOf: {
    problem: 'references are read as they are now, and not as of another time',
    fix: 'leave asOf out, or read their rows with getMany(keys, { asOf })',
  },
  notIterable: {
    problem: 'an array, a generator or an async iterable is needed',
    fix: 'give an array, or save one entity with save()',
  },
} satisfies FaultTexts;
