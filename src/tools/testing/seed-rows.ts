/** Stores rows given by their initial values, for tests and for factories. */
import { RowsmithError, type Values } from '../../base/index.js';
import type { EntityModel, KeyParts } from '../../entities/model/index.js';
import type { CounterKeys, Init, KeyedRepository } from '../../entities/repository/index.js';

/** Creates and saves the rows. Counters are incremented, since saving does not write them. */
export async function seedRows<E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  rows: Iterable<Init<E>>,
): Promise<E[]> {
  const entities = created(repository, rows);
  const columns = new SeededColumns(repository);
  await saveRows(repository, entities, columns);
  await incrementCounters(repository, entities, (entity) => columns.countersOf(entity));
  return entities;
}

/**
 * Creates and saves the rows, so that doing it again changes nothing: rows with a revision replace
 * the stored ones, and counters are incremented by what they lack.
 */
export async function saveAgain<E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  rows: Iterable<Init<E>>,
): Promise<E[]> {
  const entities = created(repository, rows);
  const columns = new SeededColumns(repository);
  const { managed } = repository.model;
  const isRead = (entity: E): boolean =>
    managed?.revision !== undefined || columns.countersOf(entity).length > 0;
  const known = entities.filter(isRead);
  const found = await repository.getMany(known);
  const stored = new Map(known.map((entity, i) => [entity, found[i] as Values | undefined]));
  for (const [entity, row] of stored)
    for (const property of [managed?.revision, managed?.createdAt])
      if (property !== undefined && row !== undefined)
        (entity as Record<string, unknown>)[property] = row[property];
  await saveRows(repository, entities, columns);
  await incrementCounters(repository, entities, (entity) =>
    columns.missingOf(entity, stored.get(entity)),
  );
  return entities;
}

function created<E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  rows: Iterable<Init<E>>,
): E[] {
  return Array.from(rows, (row, index) => {
    try {
      return repository.create(row);
    } catch (error) {
      throw atIndex(error, index);
    }
  });
}

/** Rejects with the error of the first row that cannot be stored. */
async function saveRows<E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  entities: readonly E[],
  columns: SeededColumns<E>,
): Promise<void> {
  const saved = entities
    .map((_, index) => index)
    .filter((index) => columns.hasSavedValues(entities[index]));
  const { failures } = await repository.saveMany(saved.map((index) => entities[index]));
  const [first] = failures
    .map(({ index, error }) => ({ index: saved[index], error }))
    .sort((a, b) => a.index - b.index);
  if (first !== undefined) throw atIndex(first.error, first.index);
}

async function incrementCounters<E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  entities: readonly E[],
  amountsOf: (entity: E) => readonly [CounterKeys<E>, bigint][],
): Promise<void> {
  // Increments that run at the same time share commits, and their order does not matter.
  await Promise.all(
    entities.flatMap((entity) =>
      amountsOf(entity).map(([property, amount]) =>
        // The type of a name is not resolved for an E that is not known.
        repository.increment(entity, property as never, amount as never),
      ),
    ),
  );
}

/** Which properties of an entity are saved, and which are incremented. */
class SeededColumns<E extends object> {
  readonly #counters: readonly string[];
  readonly #others: readonly string[];
  readonly #hasMarker: boolean;
  /** Counters that are not sums: an addition is the value itself. */
  readonly #extremes: ReadonlySet<string>;

  constructor({ model }: Pick<KeyedRepository<E, KeyParts>, 'model'>) {
    const propertiesOf = (columns: typeof model.columns): readonly string[] =>
      columns.map(({ property }) => property);
    this.#counters = propertiesOf(model.columns.filter(({ kind }) => kind === 'counter'));
    this.#others = propertiesOf(model.columns.filter(({ kind }) => kind !== 'counter'));
    this.#hasMarker = model.marker !== undefined;
    this.#extremes = new Set(
      model.columns.filter((column) => isExtreme(model, column)).map(({ property }) => property),
    );
  }

  /** False for a row that consists of counters only: there is nothing to save. */
  hasSavedValues(entity: E): boolean {
    if (this.#hasMarker || this.countersOf(entity).length === 0) return true;
    return this.#others.some((property) => entity[property as keyof E] != null);
  }

  /** The counters that have a value, and the value. */
  countersOf(entity: E): [CounterKeys<E>, bigint][] {
    return this.#counters
      .filter((property) => entity[property as keyof E] != null)
      .map((property) => [property as CounterKeys<E>, entity[property as keyof E] as bigint]);
  }

  /** What the counters of the stored row lack. */
  missingOf(entity: E, stored: Values | undefined): [CounterKeys<E>, bigint][] {
    return this.countersOf(entity).flatMap(([property, value]): [CounterKeys<E>, bigint][] => {
      const present = this.#extremes.has(property) ? undefined : stored?.[property];
      const amount = value - ((present ?? 0n) as bigint);
      return amount === 0n ? [] : [[property, amount]];
    });
  }
}

function isExtreme(
  { table }: Pick<EntityModel, 'table'>,
  { family }: EntityModel['columns'][number],
): boolean {
  const { aggregate = 'sum' } = table.families.get(family) ?? {};
  return aggregate !== 'sum';
}

function atIndex(error: unknown, index: number): unknown {
  if (!(error instanceof RowsmithError)) return error;
  return new RowsmithError(error.code, { ...error.details, index }, { cause: error });
}
