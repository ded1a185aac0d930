/** Keys of a scope, which leave its segments out. */
import type { EntityModel } from '../../model/index.js';

type Values = Readonly<Record<string, unknown>>;

/** A key with the segments that the scope gives. Reads each property once. */
export function wholeKey(
  { key: { names }, cellTimestamp }: EntityModel,
  scope: NonNullable<EntityModel['key']['scope']>,
  key: Values,
): Values {
  scope.assertInside(key);
  const whole = scope.values();
  for (const name of names) whole[name] = key[name];
  // A patch may take it from an entity that is passed as its key.
  if (cellTimestamp !== undefined) whole[cellTimestamp] ??= key[cellTimestamp];
  return whole;
}
