/** The error of an argument of a call. */
import { invalidArgument, type RowsmithError, type FaultText } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';

/** INVALID_ARGUMENT of an entity. */
export function argumentError(
  { name }: EntityModel,
  property: string,
  fault: FaultText,
): RowsmithError {
  return invalidArgument(property, fault, { entity: name });
}
