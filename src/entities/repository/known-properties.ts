/** The properties of entities that callers give. */
import { invalidArgument, nearestName, wrongObject } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';

/** Rejects what is no object of properties. */
export function checkInit({ name, key }: EntityModel, init: unknown): void {
  const wrong = wrongObject(init);
  if (wrong === undefined) return;
  throw invalidArgument(
    'init',
    `create() takes an object of properties, not ${wrong.given}`,
    wrong.fix ?? `write create({ ${key.names[0]}: ... })`,
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
  const unknown = Object.keys(init).find((name) => !known.includes(name) && !(name in entity));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  let fix = `use some of ${known.join(', ')}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  throw invalidArgument(unknown, `${entityName} has no property '${unknown}'`, fix, {
    entity: entityName,
  });
}
