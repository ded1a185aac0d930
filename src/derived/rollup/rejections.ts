/** Errors of writes that would make rollups inexact. Nothing was written. */
import { printable } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';

/** An increment or append of a column that a rollup reads. */
export function incrementError(
  { name }: EntityModel,
  property: string,
  key: Uint8Array,
): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', {
    entity: name,
    property,
    problem: `'${property}' is incremented or appended to, and a rollup reads it`,
    fix: 'set its value, or leave it out of the rollup',
    key: printable(key),
  });
}
