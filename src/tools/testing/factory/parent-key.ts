/** The properties that make a row belong to another one. */
import { valueText, type FaultTexts, type Values } from '../../../base/index.js';
import {
  argumentError,
  buildModel,
  declarationOf,
  type EntityModel,
  isReference,
} from '../../../entities/model/index.js';

/** The properties of an entity with the key of `parent`. Throws INVALID_ARGUMENT if none has it. */
export function keyOfParent(model: EntityModel, parent: unknown): Values {
  const values = parent as Values;
  const parentClass = classOf(parent);
  if (parentClass === undefined)
    throw argumentError(model, 'parent', faults.notAnEntity(valueText(parent)));
  const references = Object.entries(model.entityClass).filter(
    ([, value]) => isReference(value) && value.entity() === parentClass,
  );
  if (references.length > 1)
    throw argumentError(
      model,
      'parent',
      faults.severalReferences(parentClass.name, references.map(([name]) => name).join(', ')),
    );
  const [[, reference] = []] = references;
  if (isReference(reference))
    return Object.fromEntries(
      Object.entries(reference.by).map(([segment, property]) => [property, values[segment]]),
    );
  const known = [...model.segments, ...model.columns].map(({ property }) => property);
  const shared = buildModel(parentClass)
    .segments.map(({ property }) => property)
    .filter((property) => known.includes(property));
  if (shared.length > 0)
    return Object.fromEntries(shared.map((property) => [property, values[property]]));
  throw argumentError(model, 'parent', faults.notAParent(parentClass.name, model.name));
}

/** The class of an entity; undefined for anything else. */
function classOf(value: unknown): EntityModel['entityClass'] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { constructor } = value as { readonly constructor?: EntityModel['entityClass'] };
  if (typeof constructor !== 'function') return undefined;
  return declarationOf(constructor).entity === undefined ? undefined : constructor;
}

const faults = {
  notAnEntity: (given: string) => ({
    problem: `the parent is ${given}, not an entity`,
    fix: 'give a row that a repository or a factory returned',
  }),
  severalReferences: (parent: string, names: string) => ({
    problem: `the entity has several references to ${parent}: ${names}`,
    fix: 'give the properties of one of them instead of the parent',
  }),
  notAParent: (parent: string, name: string) => ({
    problem: `${name} has neither a reference to ${parent} nor properties named as its key`,
    fix: 'give the properties instead of the parent',
  }),
} satisfies FaultTexts;
