/** Values that a column cannot store. */
import { CodecError, joinPath } from '../../data/cell/index.js';
import { RowsmithError } from '../../base/index.js';
import type { EntityModel } from './model.js';

/**
 * INVALID_VALUE for a value that its column cannot store. Errors other than CodecError are returned
 * unchanged.
 */
export function invalidValueError(model: EntityModel, property: string, error: unknown): unknown {
  if (!(error instanceof CodecError)) return error;
  return new RowsmithError(
    'INVALID_VALUE',
    {
      entity: model.name,
      property: joinPath(property, error.path),
      problem: error.problem,
      fix: error.fix,
    },
    { cause: error },
  );
}
