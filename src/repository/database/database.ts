/** An open database: repositories over one engine. */
import { RowsmithError } from '../../errors.js';
import {
  buildModel,
  type EntityClass,
  type KeyParts,
  type EntityModel,
} from '../../model/index.js';
import type { Observed } from '../../observe/index.js';
import type { Engine } from '../../store/index.js';
import { DatabaseAdmin } from './database-admin.js';
import { EntityRepository } from '../entity-repository.js';
import type { Repository } from '../types/repository-types.js';
import type { UnreadableRowPolicy } from '../read/entity-pages.js';

/** What a database is made of. */
export interface DatabaseParts {
  readonly url: string;
  readonly engine: Engine;
  /** Set where somebody watches: gives the engine of one repository, or of the database itself. */
  readonly observed?: Observed | undefined;
  readonly models: readonly EntityModel[];
  /** Microseconds for cells, never going back. */
  readonly now: () => number;
  readonly validate: boolean;
  readonly onForeignRow: UnreadableRowPolicy;
  readonly onDamagedCell: UnreadableRowPolicy;
}

/**
 * Repositories of the entities it was opened with. Close it when done: `await using db = await
 * open(...)` does.
 */
export class Database {
  /** The url it was opened with. */
  readonly url: string;
  /** The storage beneath, in Bigtable's own terms: for what repositories do not offer. */
  readonly engine: Engine;
  /** Tables and families as the entities declare them: what is missing, and how to create it. */
  readonly admin: DatabaseAdmin;
  readonly #repositories: ReadonlyMap<unknown, EntityRepository>;

  /** @internal open() makes databases. */
  constructor({
    url,
    engine,
    observed,
    models,
    now,
    validate,
    onForeignRow,
    onDamagedCell,
  }: DatabaseParts) {
    this.url = url;
    this.engine = observed?.(engine) ?? engine;
    this.admin = new DatabaseAdmin(this.engine, models);
    const byTable = new Map<string, EntityModel[]>();
    for (const model of models)
      byTable.set(model.table.name, [...(byTable.get(model.table.name) ?? []), model]);
    const modelsOf = (table: string): readonly EntityModel[] => byTable.get(table) ?? [];
    this.#repositories = new Map(
      models.map((model) => {
        const context = {
          engine: observed?.(engine, model.name) ?? engine,
          onForeignRow,
          onDamagedCell,
          modelsOf,
        };
        return [model.entityClass, new EntityRepository({ context, model, now, validate })];
      }),
    );
  }

  /** The repository of an entity class given to open(). Always the same object for a class. */
  repository<E extends object, K extends KeyParts, P = unknown>(
    entity: EntityClass<E, K, P>,
  ): Repository<E, K, P> {
    const repository = this.#repositories.get(entity);
    if (repository !== undefined) return repository as unknown as Repository<E, K, P>;
    const name = typeof entity === 'function' ? (entity as { name: string }).name : String(entity);
    // Tells faults of the declaration first, where that is the trouble.
    if (typeof entity === 'function') buildModel(entity);
    throw new RowsmithError('INVALID_ARGUMENT', {
      entity: name,
      problem: 'the database was not opened with this entity',
      fix: `open(url, { entities: [${name}, ...] })`,
    });
  }

  /** Waits for what is being written and lets go of the storage. Calling it twice does nothing. */
  close(): Promise<void> {
    return this.engine.close();
  }

  /** close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
