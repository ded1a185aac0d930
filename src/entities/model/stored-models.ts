/** All rows that entities store: their own rows, and derived ones. */
import type { EntityModel } from './model.js';

/**
 * The models, each followed by the models of its index entries, their states, the marks of its
 * copied rows, and its rollups.
 */
export function storedModels(models: readonly EntityModel[]): readonly EntityModel[] {
  const tables = new Set<string>();
  return models.flatMap((model) => [
    model,
    ...model.indexes.map(({ entry }) => entry),
    ...model.indexes.flatMap(({ states }) => {
      // A table has one kind of states, whoever's indexes it holds.
      if (tables.has(states.table.name)) return [];
      tables.add(states.table.name);
      return [states];
    }),
    ...(model.copiedBy === undefined ? [] : [model.copiedBy.mark]),
    ...model.rollups.map(({ rows }) => rows),
  ]);
}
