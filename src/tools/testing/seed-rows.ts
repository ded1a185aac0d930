/** Stores rows given by their initial values. */
import { RowsmithError } from '../../base/index.js';
import type { KeyParts } from '../../entities/model/index.js';
import type { CounterKeys, Init, KeyedRepository } from '../../entities/repository/index.js';

/** Creates and saves the rows. Counters are incremented, since saving does not write them. */
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
  const columns = new SeededColumns(repository);
  const saved = entities
    .map((_, index) => index)
    .filter((index) => columns.hasSavedValues(entities[index]));
  const { failures } = await repository.saveMany(saved.map((index) => entities[index]));
  const [first] = failures
    .map(({ index, error }) => ({ index: saved[index], error }))
    .sort((a, b) => a.index - b.index);
  if (first !== undefined) throw atIndex(first.error, first.index);
  // Increments that run at the same time share commits, and their order does not matter.
  await Promise.all(
    entities.flatMap((entity) =>
      columns.countersOf(entity).map(([property, amount]) =>
        // The type of a name is not resolved for an E that is not known.
        repository.increment(entity, property as never, amount as never),
      ),
    ),
  );
  return entities;
}

/** Which properties of an entity are saved, and which are incremented. */
class SeededColumns<E extends object> {
  readonly #counters: readonly string[];
  readonly #others: readonly string[];
  readonly #hasMarker: boolean;

  constructor({ model }: Pick<KeyedRepository<E, KeyParts>, 'model'>) {
    const propertiesOf = (columns: typeof model.columns): readonly string[] =>
      columns.map(({ property }) => property);
    this.#counters = propertiesOf(model.columns.filter(({ kind }) => kind === 'counter'));
    this.#others = propertiesOf(model.columns.filter(({ kind }) => kind !== 'counter'));
    this.#hasMarker = model.marker !== undefined;
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
}

function atIndex(error: unknown, index: number): unknown {
  if (!(error instanceof RowsmithError)) return error;
  return new RowsmithError(error.code, { ...error.details, index }, { cause: error });
}
