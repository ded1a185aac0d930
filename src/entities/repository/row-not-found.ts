/** The error of `getOrThrow`. */
import { printable, RowsmithError, type Values, type FaultTexts } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';

/** ROW_NOT_FOUND for a row key, or for values of an index or a rollup. */
export function rowNotFound(
  { name, key }: Pick<EntityModel, 'name' | 'key'>,
  given: Values,
  by?: string,
): RowsmithError {
  return new RowsmithError('ROW_NOT_FOUND', {
    entity: name,
    ...faults.missingRow(by),
    key: by === undefined ? printable(key.encode(given)) : undefined,
    values: by === undefined ? undefined : given,
  });
}

const faults = {
  missingRow: (by: undefined | string) => ({
    problem: by === undefined ? 'no row has this key' : `no row has these values of ${by}`,
    fix: 'answer that there is none, or call get(), which returns undefined',
  }),
} satisfies FaultTexts;
