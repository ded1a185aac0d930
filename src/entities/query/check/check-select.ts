/** Run-time checks of `select`. */
import { type RowsmithError, valueText } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { checkEntries, isEntries } from '../entries.js';
import type { QuerySpec, EntrySlice } from '../query-spec.js';
import { queryError } from '../query-error.js';

/** Checks the properties of `select`, and the parts of column maps. Throws INVALID_QUERY. */
export function checkSelect(
  model: EntityModel,
  properties: readonly unknown[],
): Pick<QuerySpec, 'select' | 'entries'> {
  const known = [...model.key.names, ...model.columns.map((column) => column.property)];
  if (properties.length === 0)
    throw queryError(
      model,
      undefined,
      'select() needs at least one property',
      'name the properties to read, or call keysOnly()',
    );
  const slices = new Map<string, EntrySlice>();
  const names = properties.map((property) => {
    if (!isEntries(property)) return checkSelected(model, property, known);
    const slice = checkEntries(model, property);
    if (slices.has(slice.property)) throw selectedTwice(model, slice.property);
    slices.set(slice.property, slice);
    return slice.property;
  });
  for (const name of slices.keys())
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw selectedTwice(model, name);
  const select = Object.freeze(names);
  if (slices.size === 0) return { select, entries: undefined };
  return { select, entries: Object.freeze([...slices.values()]) };
}

function selectedTwice(model: EntityModel, property: string): RowsmithError {
  return queryError(
    model,
    property,
    `select() names '${property}' twice, and a result has one value for it`,
    'name it once, and run another query for other entries',
  );
}

function checkSelected(model: EntityModel, property: unknown, known: readonly string[]): string {
  if (typeof property === 'string') {
    if (known.includes(property)) return property;
    let problem = `select() takes names of mapped properties, and '${property}' is not one`;
    if (model.key.scope?.names.includes(property) === true)
      problem = `the results of a scope leave out '${property}', which the scope gives`;
    throw queryError(model, property, problem, `use some of ${known.join(', ')}`);
  }
  throw queryError(
    model,
    'select',
    `select() takes names of mapped properties, not ${valueText(property)}`,
    `use some of ${known.join(', ')}`,
  );
}
