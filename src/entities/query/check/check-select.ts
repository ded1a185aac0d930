/** Run-time checks of `select`. */
import { type RowsmithError, valueText, type FaultTexts } from '../../../base/index.js';
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
  if (properties.length === 0) throw queryError(model, undefined, faults.emptySelect);
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
  return queryError(model, property, faults.duplicateProperty(property));
}

function checkSelected(model: EntityModel, property: unknown, known: readonly string[]): string {
  if (typeof property === 'string') {
    if (known.includes(property)) return property;
    let problem = `select() takes names of mapped properties, and '${property}' is not one`;
    if (model.key.scope?.names.includes(property) === true)
      problem = `the results of a scope leave out '${property}', which the scope gives`;
    throw queryError(model, property, faults.unknownProperty(problem, known.join(', ')));
  }
  throw queryError(model, 'select', faults.wrongProperty(property, known.join(', ')));
}

const faults = {
  emptySelect: {
    problem: 'select() needs at least one property',
    fix: 'name the properties to read, or call keysOnly()',
  },
  duplicateProperty: (property: string) => ({
    problem: `select() names '${property}' twice, and a result has one value for it`,
    fix: 'name it once, and run another query for other entries',
  }),
  unknownProperty: (problem: string, list: string) => ({ problem, fix: `use some of ${list}` }),
  wrongProperty: (property: unknown, list: string) => ({
    problem: `select() takes names of mapped properties, not ${valueText(property)}`,
    fix: `use some of ${list}`,
  }),
} satisfies FaultTexts;
