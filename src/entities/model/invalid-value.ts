/** Values that a column cannot store. */
import { CodecError, joinPath } from '../../data/cell/index.js';
import { type FaultTexts, RowsmithError } from '../../base/index.js';
import type { EntityModel } from './model.js';
import { issuesText } from './rules/declared-rules.js';

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
      shell: error.shell,
    },
    { cause: error },
  );
}

/** Whether an error is of `invalidValueError`: other values may be wrong, too. */
export function isInvalidValue(error: unknown): error is RowsmithError {
  return (
    error instanceof RowsmithError &&
    error.code === 'INVALID_VALUE' &&
    error.cause instanceof CodecError
  );
}

/** One error of the errors of several values, which names the first of them. */
export function invalidValuesError(
  { name }: EntityModel,
  errors: readonly [RowsmithError, ...RowsmithError[]],
): RowsmithError {
  const [first, ...others] = errors;
  if (others.length === 0) return first;
  const issues = errors.map(({ details }) => ({
    path: details.property ?? '',
    rule: 'type',
    message: details.problem ?? '',
  }));
  return new RowsmithError(
    'INVALID_VALUE',
    {
      entity: name,
      property: first.details.property,
      ...faults.wrongValues(issuesText(issues)),
      issues,
    },
    { cause: first.cause },
  );
}

const faults = {
  wrongValues: (problem: string) => ({ problem, fix: 'correct the values' }),
} satisfies FaultTexts;
