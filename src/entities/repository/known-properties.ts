/** The properties of entities that callers give. */
import { invalidArgument, nearestName, wrongObject, type FaultTexts } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';

/** Rejects what is no object of properties. */
export function checkInit({ name, key }: EntityModel, init: unknown): void {
  const wrong = wrongObject(init);
  if (wrong === undefined) return;
  throw invalidArgument(
    'init',
    faults.wrongProperties(wrong.given, wrong.fix ?? `write create({ ${key.names[0]}: ... })`),
    { entity: name },
  );
}

/** Rejects names that are neither mapped nor declared by the class: most likely misspelt. */
export function assertKnownProperties(
  { name: entityName, segments, columns }: EntityModel,
  init: Readonly<Record<string, unknown>>,
  entity: object,
): void {
  const known = [...segments, ...columns].map(({ property }) => property);
  const unknown = Object.keys(init).find(
    (name) => !known.includes(name) && !isOfClass(entity, name),
  );
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  let fix = `use some of ${known.join(', ')}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  throw invalidArgument(unknown, faults.unknownProperty(entityName, unknown, fix), {
    entity: entityName,
  });
}

/** Fields and accessors of the class, without what every object inherits. */
function isOfClass(entity: object, name: string): boolean {
  return Object.hasOwn(entity, name) || (name in entity && !(name in Object.prototype));
}

const faults = {
  wrongProperties: (given: string, fix: string) => ({
    problem: `create() takes an object of properties, not ${given}`,
    fix,
  }),
  unknownProperty: (entityName: string, unknown: string, fix: string) => ({
    problem: `${entityName} has no property '${unknown}'`,
    fix,
  }),
} satisfies FaultTexts;
