/** An open database: one repository per entity class, over one engine. */
/// <reference lib="esnext.disposable" preserve="true" />
import {
  checkOptions,
  invalidArgument,
  pointRange,
  RowsmithError,
  type FaultTexts,
  type Timers,
} from '../../../base/index.js';
import { clientOf, copiesOf, type DiskCopies } from '../../../engines/index.js';
import {
  type EntityClass,
  type EntityError,
  type EntityModel,
  type CheckScopeValues,
  type KeyParts,
  type ScopeValues,
  storedModels,
} from '../../model/index.js';
import { type CopyMode, IndexStates, type PendingWrites, Propagator } from '../../derived/index.js';
import { type CellClock, collectRows, type Engine } from '../../../data/store/index.js';
import { BareReads } from '../read/rows/bare-reads.js';
import { collectionModel } from '../collection/plan/collection-model.js';
import { UntypedCollection } from '../collection/collection-query.js';
import type { CheckCollection, Collection, Members } from '../collection/plan/collection-types.js';
import { DerivedAdmin } from '../derived/admin/derived-admin.js';
import { RollupAdmin } from '../derived/admin/rollup-admin.js';
import { EntityRepository } from '../entity-repository.js';
import { OpenedEntities } from '../opened-entities.js';
import type { RepositoryParts } from '../repository-parts.js';
import { type PathParts, StoragePaths } from '../storage-path.js';
import { RowCache } from '../read/include/request-cache.js';
import type { RequestCache } from '../types/reference-types.js';
import type { RowsOf, UnreadableRowPolicy } from '../read/rows/entity-pages.js';
import { DatabaseScope, type Scope } from './scope.js';
import type { KeyedRepository } from '../types/repository-types.js';
import { DatabaseAdmin } from './database-admin.js';
import { storedName } from '../view-stages.js';
import { modelsByTable } from './schema-sync.js';

/** Constructor arguments of `Database`. */
export interface DatabaseParts extends PathParts {
  readonly models: readonly EntityModel[];
  readonly cellClock: CellClock;
  readonly validate: boolean;
  readonly onForeignRow: UnreadableRowPolicy;
  readonly onDamagedCell: UnreadableRowPolicy;
  /** Default: `throw`. */
  readonly onIncompleteRow?: UnreadableRowPolicy | undefined;
  /** When copies follow their sources; default `awaited`. */
  readonly copies?: CopyMode | undefined;
  /** The timers of buffered counters; default: the timers of the process. */
  readonly timers?: Timers | undefined;
}

/**
 * An open database with a repository for each entity class passed to `open`. Close it when done:
 * `await using db = await open(...)` does so at the end of the block.
 */
export class Database {
  /** The URL passed to `open`. */
  readonly url: string;
  /**
   * The storage engine, with Bigtable's data model of tables, rows and cells: for operations that
   * repositories do not offer.
   */
  readonly engine: Engine;
  /** Compares the stored tables with the declared ones and creates what is missing. */
  readonly admin: DatabaseAdmin;
  /** Checks, repairs, builds and drops what follows from rows; propagates copies. */
  readonly derived: DerivedAdmin;
  /** Opens Google's own client; undefined for an engine that has none. */
  readonly #client: ReturnType<typeof clientOf>;
  /** Undefined for a database without files. */
  readonly #copies: DiskCopies | undefined;
  readonly #isLive: boolean;
  /** The table that `ping` reads. */
  readonly #table: string;
  readonly #propagator: Propagator;
  readonly #writes: PendingWrites;
  readonly #entities: OpenedEntities;
  /** By the name of the entity. */
  readonly #parts: ReadonlyMap<string, RepositoryParts>;
  /** By class: a class that was compiled twice has a repository for each. */
  readonly #repositories = new WeakMap<object, EntityRepository>();
  readonly #indexStates: IndexStates;
  readonly #rowsOf: RowsOf = (entity) => this.#repositoryOf(entity);

  /** @internal Use open(). */
  constructor(parts: DatabaseParts) {
    const {
      url,
      models,
      cellClock,
      validate,
      onForeignRow,
      onDamagedCell,
      onIncompleteRow,
      timers,
    } = parts;
    const stored = storedModels(models);
    const paths = new StoragePaths(parts, stored);
    this.url = url;
    this.#client = parts.view === undefined ? clientOf(parts.engine) : undefined;
    this.#copies = copiesOf(parts.engine);
    this.#isLive = parts.isLive === true;
    this.engine = paths.forUsers();
    this.#writes = paths.writes;
    this.#entities = new OpenedEntities(models);
    const indexStates = new IndexStates(paths.stored);
    this.admin = new DatabaseAdmin(this.engine, stored, () => indexStates.prepare(models));
    const byTable = modelsByTable(stored);
    // With `view`, the engine names the view itself.
    const isNamed = parts.isLive === true && parts.view === undefined;
    this.#table = storedName(models[0], isNamed);
    const modelsOf = (table: string): readonly EntityModel[] => byTable.get(table) ?? [];
    const hidesExpired = parts.hideExpired && (parts.hidden ?? 'all');
    // Filters that hide expired cells leave out all that other filters would.
    const isBare = parts.isLive === true && hidesExpired !== 'all';
    const bareReads = isBare ? new BareReads(stored) : undefined;
    const rowsOf = this.#rowsOf;
    const reads = {
      rowsOf,
      onForeignRow,
      onDamagedCell,
      onIncompleteRow,
      modelsOf,
      bareReads,
      hidesExpired,
      indexStates,
    };
    const propagator = new Propagator(paths.rows, parts.copies ?? 'awaited');
    this.#propagator = propagator;
    this.#parts = new Map(
      models.map((model) => [
        model.name,
        {
          context: { engine: paths.forEntity(model, propagator, cellClock), ...reads },
          model,
          cellClock,
          validate,
          timers,
          derivedEngine: paths.forDerivedRows(model),
        },
      ]),
    );
    const rollups = new RollupAdmin((entity) => ({
      model: this.#entities.modelOf(entity),
      engine: paths.rows,
      now: () => cellClock.next() / 1000,
    }));
    const administered = { indexStates, rollups, propagator, now: () => cellClock.time() };
    this.derived = new DerivedAdmin(paths.forDerivedRows(), this.#entities, administered);
    this.#indexStates = indexStates;
  }

  /**
   * Returns the repository of an entity class, the same object on every call. A class with the same
   * name and declaration as one that was passed to `open` is the same entity, as bundlers compile a
   * class once for each bundle; the repository returns instances of the class that it was asked
   * for. Throws INVALID_ARGUMENT if the database was not opened with the entity, or
   * INVALID_DECLARATION if its declaration has faults.
   */
  repository<E extends object, K extends KeyParts, C = unknown>(
    entity: EntityClass<E, K> & C,
  ): KeyedRepository<E, K, C> {
    return this.#repositoryOf(entity) as unknown as KeyedRepository<E, K, C>;
  }

  /**
   * Returns repositories that hold these leading segments: `db.scope({ tenant: 'acme' })`. Their
   * keys and prefixes leave them out, and no call reaches a row outside. Throws INVALID_ARGUMENT if
   * no values are given.
   */
  scope<const V extends ScopeValues>(values: V & CheckScopeValues<V>): Scope<V> {
    const parts = {
      database: this,
      partsOf: (entity: unknown) => this.#partsOf(entity),
      repositories: () => this.#stored(),
      propagationOf: (source: EntityModel) => this.#propagator.of(source),
    };
    const scope = new DatabaseScope(parts, values);
    return scope as unknown as Scope<V>;
  }

  /**
   * Returns a cache of rows by key for one request of an application: `include` of several queries
   * shares it, and `load` reads rows of any entity, gathered.
   */
  requestCache(): RequestCache {
    return new RowCache(this.#rowsOf) as RequestCache;
  }

  /**
   * Returns a collection: entities of one table that share the first segments of their keys, read
   * in one scan. `db.collection({ device: Device, readings: Reading })`. Throws INVALID_ARGUMENT
   * for members that cannot share a scan.
   */
  collection<const M extends Members>(members: M & CheckCollection<M>): Collection<M> {
    const model = collectionModel(members, (entity) => this.#partsOf(entity));
    return UntypedCollection.root(model) as unknown as Collection<M>;
  }

  /**
   * Reads a row that does not exist, to see whether the storage answers: for the health check of a
   * service. Rejects with the error of the read.
   */
  async ping(): Promise<void> {
    const ranges = [pointRange(Uint8Array.of(0))];
    await collectRows(this.engine.readRows({ table: this.#table, ranges, reversed: false }));
  }

  /**
   * Google's own client of a live database, for what Rowsmith does not offer, such as SQL and
   * backups: `await db.client<Bigtable>()`, with the type of `@google-cloud/bigtable`. It shares
   * the connections and credentials of the database, and is closed with it. Nothing of Rowsmith
   * applies to its calls: no validation, no indexes, no scopes. Rejects with UNSUPPORTED for
   * embedded databases, and with `readOnly` or `view`.
   */
  async client<C extends object = object>(): Promise<C> {
    if (this.#client !== undefined) return (await this.#client()) as C;
    const { problem, fix } = faults[this.#isLive ? 'guardedClient' : 'embeddedClient'];
    throw new RowsmithError('UNSUPPORTED', { database: this.url, problem, fix });
  }

  /**
   * Copies a database on disk, as it is at the moment of the call, to a directory that is empty or
   * does not exist, and verifies the copy, while reads and writes go on. Rejects with
   * FAILED_PRECONDITION, CORRUPT_DATA, and UNSUPPORTED for other databases.
   */
  async backup(
    directory: string,
    options: { readonly onProgress?: ((fraction: number) => void) | undefined } = {},
  ): Promise<{ readonly tables: number; readonly bytes: number }> {
    checkOptions('backup()', options, ['onProgress']);
    if (typeof directory !== 'string' || directory === '')
      throw invalidArgument('directory', faults.noDirectory);
    const { onProgress = noProgress } = options;
    return this.#diskCopies().backup(directory, onProgress);
  }

  /** Reads and verifies all files of a database on disk. CORRUPT_DATA names a damaged one. */
  async verifyFiles(
    options: { readonly onProgress?: ((fraction: number) => void) | undefined } = {},
  ): Promise<{ readonly tables: number; readonly bytes: number }> {
    checkOptions('verifyFiles()', options, ['onProgress']);
    const { onProgress = noProgress } = options;
    return this.#diskCopies().verify(onProgress);
  }

  #diskCopies(): DiskCopies {
    if (this.#copies !== undefined) return this.#copies;
    throw new RowsmithError('UNSUPPORTED', { database: this.url, ...faults.noFiles });
  }

  /**
   * Waits for pending writes and releases the storage. Later calls reject with DATABASE_CLOSED;
   * closing again has no effect. Propagations of copies that run in the background stop, and their
   * marks stay.
   */
  close(): Promise<void> {
    const propagations = this.#propagator.stop();
    const writes = this.#writes.stop();
    if (propagations === undefined && writes === undefined) return this.engine.close();
    return Promise.all([propagations ?? [], writes ?? []]).then(() => this.engine.close());
  }

  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal The engine has other rows from now on. */
  protected onRowsReplaced(): void {
    this.#indexStates.forgetAll();
  }

  /** Views of entities that are open as well have the same rows. */
  #stored(): readonly RepositoryParts[] {
    return [...this.#parts.values()].filter(
      ({ model: { view } }) => view === undefined || !this.#parts.has(view.of.name),
    );
  }

  #repositoryOf(entity: unknown): EntityRepository {
    let repository = this.#repositories.get(entity as object);
    if (repository === undefined) {
      repository = new EntityRepository(this.#partsOf(entity));
      this.#repositories.set(entity as object, repository);
    }
    return repository;
  }

  #partsOf(entity: unknown): RepositoryParts {
    const model = this.#entities.ofClass(entity);
    const parts = this.#parts.get(model.name)!;
    return parts.model === model ? parts : { ...parts, model };
  }
}

/**
 * The result of `open`: a Database with a type that knows the entities, so that the repository of
 * another one does not compile. Use `Database` for parameters and fields.
 */
export interface OpenDatabase<Opened extends EntityClass> extends Database {
  repository<E extends object, K extends KeyParts, C = unknown>(
    entity: EntityClass<E, K> & C & CheckOpened<EntityClass<E, K>, Opened>,
  ): KeyedRepository<E, K, C>;
}

/** Rejects an entity that the database was not opened with, as far as types show this. */
type CheckOpened<C, Opened> = EntityClass extends Opened ? unknown : IsOpened<C, Opened>;

type IsOpened<C, Opened> = Opened extends C
  ? unknown
  : EntityError<'the database was not opened with this entity: open(url, { entities: [...] })'>;

function noProgress(): void {
  // Nobody asked for it.
}

const faults = {
  noDirectory: { problem: 'must be the path of a directory', fix: "pass a path such as './copy'" },
  noFiles: {
    problem: 'only databases on disk have files to copy and to verify',
    fix: 'open file:./directory; on Bigtable use its backups',
  },
  embeddedClient: {
    problem: 'an embedded database is not reached through a client of Google',
    fix: 'open bigtable://project/instance, or work with rows and cells through db.engine',
  },
  guardedClient: {
    problem: 'the client would bypass readOnly, the view, or the faults of a test',
    fix: 'open the database without them',
  },
} satisfies FaultTexts;
