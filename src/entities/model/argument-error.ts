/** The error of an argument of a call. */
import { type FaultText, invalidArgument, type RowsmithError } from '../../base/index.js';
import type { EntityModel } from './model.js';

/** INVALID_ARGUMENT of an entity. */
export function argumentError(
  { name }: Pick<EntityModel, 'name'>,
  property: string,
  fault: FaultText,
): RowsmithError {
  return invalidArgument(property, fault, { entity: name });
}
