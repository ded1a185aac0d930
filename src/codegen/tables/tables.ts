/** Split keys as command lines can carry them. */
import { type EntityModel, tableSchemas } from '../../model/index.js';
import type { TableSchema } from '../../store/index.js';

/**
 * The keys a table should be split at, as text. A key of a shard and a delimiter; where the
 * delimiter is binary or a comma, which separates keys on a command line, it is left out: no key
 * lies between, so the split is the same.
 */
export function splitTexts({ splitKeys = [] }: TableSchema): readonly string[] {
  return splitKeys.map((key) => {
    const text = Buffer.from(key).toString('latin1');
    return /^[!-+\--~]*$/.test(text) ? text : text.replace(/[^0-9].*$/s, '');
  });
}

/** A table with the entities that live in it. */
export interface TableOfEntities {
  readonly schema: TableSchema;
  readonly models: readonly EntityModel[];
}

/**
 * The tables by name, each with its entities by name: what is generated does not depend on the
 * order of a config.
 */
export function tablesOf(models: readonly EntityModel[]): readonly TableOfEntities[] {
  return tableSchemas(models)
    .map((schema) => ({
      schema,
      models: models
        .filter((model) => model.table.name === schema.name)
        .sort(byName((model) => model.name)),
    }))
    .sort(byName(({ schema }) => schema.name));
}

/** Order of names, the same in every locale. */
export function byName<T>(nameOf: (value: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [nameOf(a), nameOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
