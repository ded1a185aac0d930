/** All rows that entities store: their own, and those that follow from them. */
import type { EntityModel } from './model.js';

/** The models, each followed by those of the entries of its indexes and of its marks. */
export function storedModels(models: readonly EntityModel[]): readonly EntityModel[] {
  return models.flatMap((model) => [
    model,
    ...model.indexes.map(({ entry }) => entry),
    ...(model.copiedBy === undefined ? [] : [model.copiedBy.mark]),
  ]);
}
