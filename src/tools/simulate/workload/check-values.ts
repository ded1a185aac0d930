/** Checks of single values of a workload. */
import {
  RowsmithError,
  suggestionText,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';

/** A fault of a workload. */
export function workloadError(
  { name }: Pick<EntityModel, 'name'>,
  property: string,
  fault: FaultText,
): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', {
    entity: name,
    property,
    problem: fault.problem,
    fix: fault.fix,
  });
}

interface Limits {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
  /** The option, if it is one of the property. */
  readonly of?: string;
}

/** Throws unless the value is a number within the limits, inclusive. */
export function numberIn(
  model: EntityModel,
  property: string,
  value: unknown,
  { min, max, whole = false, of = property }: Limits,
): void {
  const isNumber = typeof value === 'number' && value >= min && value <= max;
  if (isNumber && (!whole || Number.isInteger(value))) return;
  const kind = whole ? 'a whole number' : 'a number';
  const shown = typeof value === 'number' ? String(value) : valueText(value);
  throw workloadError(
    model,
    property,
    faults.outOfRange(of, shown, kind, min, max.toLocaleString('en-US')),
  );
}

/** Throws unless the value is an object, which has no other options. */
export function checkNames(
  model: EntityModel,
  property: string,
  value: unknown,
  names?: readonly string[],
): void {
  if (typeof value !== 'object' || value === null)
    throw workloadError(model, property, faults.notAnObject(property, value, names));
  if (names === undefined) return;
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw workloadError(model, property, faults.unknownOption(unknown, names));
}

const faults = {
  outOfRange: (ofText: string, shown: string, kind: string, min: number, shownText: string) => ({
    problem: `${ofText} is ${shown}`,
    fix: `give ${kind} from ${min} to ${shownText}`,
  }),
  notAnObject: (property: string, value: unknown, names: readonly string[] = []) => ({
    problem: `${property} is ${valueText(value)}`,
    fix: names.length === 0 ? 'give an object' : `give an object with ${names.join(', ')}`,
  }),
  unknownOption: (unknown: string, names: readonly string[]) => ({
    problem: `there is no option '${unknown}'`,
    fix: suggestionText(unknown, names, 'the options are'),
  }),
} satisfies FaultTexts;
