/** Rows from initial values. */
import { RowsmithError } from '../errors.js';
import type { KeyParts } from '../model/index.js';
import type { CounterKeys, Init, KeyedRepository } from '../repository/index.js';

/** Creates and saves the rows; counters are added to, since saving leaves them alone. */
export async function seedRows<E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  rows: Iterable<Init<E>>,
): Promise<E[]> {
  const entities = Array.from(rows, (row, index) => {
    try {
      return repository.create(row);
    } catch (error) {
      throw atIndex(error, index);
    }
  });
  const { model } = repository;
  const counters = model.columns
    .filter(({ kind }) => kind === 'counter')
    .map(({ property }) => property);
  const others = model.columns
    .filter(({ kind }) => kind !== 'counter')
    .map(({ property }) => property);
  const has = (entity: E, property: string): boolean => entity[property as keyof E] != null;
  // A row of counters alone is nothing that could be saved: the increments make it.
  const isSaved = (entity: E): boolean =>
    !counters.some((property) => has(entity, property)) ||
    model.marker !== undefined ||
    others.some((property) => has(entity, property));
  const saved = entities.map((_, index) => index).filter((index) => isSaved(entities[index]));
  const { failed } = await repository.saveMany(saved.map((index) => entities[index]));
  const [first] = failed
    .map(({ index, error }) => ({ index: saved[index], error }))
    .sort((a, b) => a.index - b.index);
  if (first !== undefined) throw atIndex(first.error, first.index);
  // Started together they share commits; what one row adds to another does not depend on their
  // order.
  await Promise.all(
    entities.flatMap((entity) =>
      counters
        .filter((property) => has(entity, property))
        .map((property) =>
          repository.increment(
            entity,
            property as CounterKeys<E>,
            entity[property as keyof E] as bigint,
          ),
        ),
    ),
  );
  return entities;
}

function atIndex(error: unknown, index: number): unknown {
  return error instanceof RowsmithError
    ? new RowsmithError(error.code, { ...error.details, index }, { cause: error })
    : error;
}
