/** The families of an entity in its table, which other entities and we share. */
import type { EntityModel } from '../../model/index.js';

/** The families in which a cell makes a row of the entity exist. */
export function familiesOf(model: EntityModel): readonly string[] {
  const families = new Set(model.columns.map(({ family }) => family));
  if (model.marker !== undefined) families.add(model.marker.family);
  return [...model.table.families.keys()].filter((family) => families.has(family));
}
