/** Scopes: repositories of rows with the same values in the first segments of their keys. */
import {
  invalidArgument,
  isBytes,
  isDate,
  RowsmithError,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  type CheckScope,
  type CheckScopeValues,
  type EntityClass,
  type KeyParts,
  type Scoped,
  scopedModel,
  type ScopeValues,
} from '../../model/index.js';
import { collectionModel } from '../collection/plan/collection-model.js';
import { UntypedCollection } from '../collection/collection-query.js';
import type { CheckCollection, Collection, Members } from '../collection/plan/collection-types.js';
import { EntityRepository } from '../entity-repository.js';
import { deleteAll, type DeleteAllParts } from '../delete-all/delete-all.js';
import type { RepositoryParts } from '../repository-parts.js';
import type { DeleteAllOptions, DeleteAllReport } from '../types/delete-all-types.js';
import type { KeyedRepository } from '../types/repository-types.js';
import { RowCache } from '../read/include/request-cache.js';
import type { RequestCache } from '../types/reference-types.js';
import type { RowsOf } from '../read/rows/entity-pages.js';
import { assertCopiesInScope } from '../scope/check-copies.js';
import { ScopeGuard } from '../scope/scope-guard.js';
import { rowsOfScope } from '../scope/scope-rows.js';
import { storagePath } from '../storage-path.js';

/** Finds what the repository of an opened entity is made of; throws for any other. */
export type PartsOf = (entity: unknown) => RepositoryParts;

/**
 * Repositories that hold the values V of leading segments: their keys, prefixes and results leave
 * these out, and no call reaches a row outside. Calls that name another value, which types exclude,
 * throw OUTSIDE_SCOPE. Cheap enough to be made for every request.
 */
export interface Scope<V> {
  /** The values of the scope, in the order in which they were given. */
  readonly values: Readonly<V>;
  /**
   * Returns the repository of an entity in this scope, the same object on every call. The entity's
   * key begins with the segments of the scope and has more. Throws INVALID_ARGUMENT or INVALID_KEY
   * if it does not, or if the database was not opened with it.
   */
  repository<E extends object, K extends KeyParts, C = unknown>(
    entity: EntityClass<E, K> & C & CheckScope<E, K, V>,
  ): KeyedRepository<E, Scoped<K, keyof V>, C>;
  /** A scope within this one, with further segments. */
  scope<const W extends ScopeValues>(values: W & CheckScopeValues<W, V>): Scope<V & W>;
  /** As `db.requestCache`, for rows of this scope. */
  requestCache(): RequestCache<keyof V>;
  /**
   * A collection in this scope; its members may also end with it. As `db.collection`, without the
   * segments of the scope.
   */
  collection<const M extends Members>(
    members: M & CheckCollection<M, keyof V>,
  ): Collection<M, keyof V>;
  /**
   * Deletes the rows of all entities of the database with keys that begin with the segments of the
   * scope, with the entries, rollup rows and marks that follow from them. Ranges that hold nothing
   * else are dropped; the other rows are deleted one by one, as repositories do. Programs must no
   * longer write rows of the scope: a row that is written meanwhile may be lost or stay. Rejects
   * with INVALID_ARGUMENT if no entity has such a key, and with the first error of the storage; a
   * call that was stopped is finished by another one.
   */
  deleteAll(options?: DeleteAllOptions): Promise<DeleteAllReport>;
}

/** What scopes need of their database. */
export interface ScopeParts extends DeleteAllParts {
  readonly partsOf: PartsOf;
  /** Scopes with the same values of one database are the same. */
  readonly database: unknown;
}

/** Implements Scope, without types. */
export class DatabaseScope {
  readonly #values: ScopeValues;
  readonly #parts: ScopeParts;
  readonly #repositories = new Map<unknown, EntityRepository>();
  readonly #rowsOf: RowsOf;

  /** Throws INVALID_ARGUMENT if the values are not an object with at least one of them. */
  constructor(parts: ScopeParts, values: unknown) {
    this.#parts = parts;
    this.#values = checkedValues(values);
    const rowsOf: RowsOf = (entity) => this.repository(entity);
    this.#rowsOf = rowsOfScope(rowsOf, parts.database, this.#values);
  }

  get values(): ScopeValues {
    return checkedValues(this.#values);
  }

  repository(entity: unknown): EntityRepository {
    let repository = this.#repositories.get(entity);
    if (repository === undefined) {
      repository = new EntityRepository(this.partsOf(entity));
      this.#repositories.set(entity, repository);
    }
    return repository;
  }

  requestCache(): RowCache {
    return new RowCache(this.#rowsOf);
  }

  scope(values: unknown): DatabaseScope {
    const given = checkedValues(values);
    const twice = Object.keys(given).find((name) => Object.hasOwn(this.#values, name));
    if (twice === undefined) return new DatabaseScope(this.#parts, { ...this.#values, ...given });
    throw new RowsmithError('OUTSIDE_SCOPE', {
      property: twice,
      ...faults.duplicateSegment(twice),
    });
  }

  collection(members: unknown): UntypedCollection {
    return UntypedCollection.root(collectionModel(members, this.#parts.partsOf, this.#values));
  }

  async deleteAll(options?: DeleteAllOptions): Promise<DeleteAllReport> {
    return deleteAll(this.#parts, this.#values, options);
  }

  /** What the repository of an entity in this scope is made of. */
  partsOf(entity: unknown): RepositoryParts {
    const parts = this.#parts.partsOf(entity);
    const model = scopedModel(parts.model, this.#values);
    assertCopiesInScope(model, model.key.scope!.names);
    const scope = new ScopeGuard(model, model.key.scope!.ranges);
    const engine = storagePath(parts.context.engine, { scope });
    const { unscoped = { model: parts.model, context: parts.context } } = parts;
    return {
      ...parts,
      model,
      context: { ...parts.context, engine, rowsOf: this.#rowsOf },
      unscoped,
    };
  }
}

/** A frozen copy, so that neither getters nor changes of a Date or of bytes move the scope. */
function checkedValues(values: unknown): ScopeValues {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw invalidArgument('values', faults.wrongScope(values));
  const given = Object.entries(values);
  if (given.length === 0) throw invalidArgument('values', faults.emptyScope);
  for (const [name, value] of given) {
    if (value !== undefined && value !== '') continue;
    throw invalidArgument(name, faults.emptyScopeValue(value === '', name));
  }
  return Object.freeze(
    Object.fromEntries(
      given.map(([name, value]: [string, unknown]) => {
        const isMutable = isDate(value) || isBytes(value);
        return [name, isMutable ? structuredClone(value) : value];
      }),
    ),
  ) as ScopeValues;
}

const faults = {
  duplicateSegment: (twice: string) => ({
    problem: `the scope has its '${twice}' already`,
    fix: `leave '${twice}' out, or start from db.scope()`,
  }),
  wrongScope: (values: unknown) => ({
    problem: `scope() takes an object of leading segments, not ${valueText(values)}`,
    fix: "write scope({ tenant: 'acme' })",
  }),
  emptyScope: {
    problem: 'a scope has at least one segment',
    fix: "write scope({ tenant: 'acme' }), or use the repositories of the database",
  },
  emptyScopeValue: (value: boolean, name: string) => ({
    problem: `the scope gives ${value ? 'empty text' : 'no value'} for '${name}'`,
    fix: 'pass a value; undefined never widens a scope, and empty text is most likely one that is missing',
  }),
} satisfies FaultTexts;
