/** Checks a whole number from 1 to `max`, both inclusive. Throws INVALID_ARGUMENT. */
import type { EntityModel } from '../model/index.js';
import {
  invalidArgument,
  RowsmithError,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../base/index.js';

export function checkCount(
  model: Pick<EntityModel, 'name'>,
  argument: string,
  value: unknown,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= max)
    return value;
  const range = max === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${max}`;
  throw invalidArgument(argument, faults.countOutOfRange(argument, value, range), {
    entity: model.name,
  });
}

/** INVALID_QUERY for an argument of a query. */
export function queryError(
  model: Pick<EntityModel, 'name'>,
  property: string | undefined,
  fault: FaultText,
): RowsmithError {
  return new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property,
    problem: fault.problem,
    fix: fault.fix,
    shell: fault.shell,
  });
}

const faults = {
  countOutOfRange: (argument: string, value: unknown, range: string) => ({
    problem: `${argument} is ${valueText(value)}`,
    fix: `pass a whole number ${range}`,
  }),
} satisfies FaultTexts;
