/**
 * Evaluates checks on values as entities have them. Text is ordered by code points, as it is in row
 * keys and cells. NaN equals NaN, and is neither above nor below any number.
 */
import { compareBytes, equalBytes, isBytes, isDate } from '../../../base/index.js';
import type { Check, OrderOperator } from './condition.js';

/** True if a value passes; undefined and null are absent. */
export type ValueMatcher = (value: unknown) => boolean;

/** Compiles checks. All of them must hold. */
export function compileChecks(checks: readonly Check[]): ValueMatcher {
  const matchers = checks.map(compileCheck);
  if (matchers.length === 1) return matchers[0];
  return (value) => matchers.every((matches) => matches(value));
}

function compileCheck(check: Check): ValueMatcher {
  switch (check.kind) {
    case 'absent':
      return isAbsent;
    case 'present':
      return (value) => !isAbsent(value);
    case 'oneOf': {
      const isOneOf = compileSet(check.values);
      return (value) => (isAbsent(value) ? check.orAbsent : isOneOf(value));
    }
    case 'noneOf': {
      const isOneOf = compileSet(check.values);
      return (value) => !isAbsent(value) && !isOneOf(value);
    }
    case 'order':
      return compileOrder(check.operator, check.value);
    case 'startsWith':
      return compileStartsWith(check.value, check.negated);
    case 'field': {
      const { name } = check;
      const matches = compileChecks(check.checks);
      return (value) =>
        typeof value === 'object' && value !== null && matches(fieldOf(value, name));
    }
  }
}

/** The field of an object; not what every object inherits, such as `toString`. */
function fieldOf(value: object, name: string): unknown {
  if (name in Object.prototype && !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Whether a property shows no value. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function compileSet(values: readonly unknown[]): ValueMatcher {
  // A Set treats NaN as equal to itself, and 0 as equal to -0.
  const set = new Set(values.map(comparable));
  return (value) => set.has(comparable(value));
}

/** A primitive that is equal for equal values, and differs between types. */
function comparable(value: unknown): unknown {
  if (isDate(value)) return `date ${value.getTime()}`;
  if (isBytes(value)) return `bytes ${Buffer.from(value).toString('latin1')}`;
  if (typeof value === 'string') return `text ${value}`;
  return value;
}

function compileOrder(operator: OrderOperator, operand: unknown): ValueMatcher {
  const compare = comparison(operand);
  switch (operator) {
    case 'above':
      return (value) => compare(value) > 0;
    case 'atLeast':
      return (value) => compare(value) >= 0;
    case 'below':
      return (value) => compare(value) < 0;
    case 'atMost':
      return (value) => compare(value) <= 0;
  }
}

/** Compares a value with the operand; NaN if they have no order. */
function comparison(operand: unknown): (value: unknown) => number {
  if (isDate(operand)) {
    const time = operand.getTime();
    return (value) => (isDate(value) ? value.getTime() - time : NaN);
  }
  if (isBytes(operand)) return (value) => (isBytes(value) ? compareBytes(value, operand) : NaN);
  if (typeof operand === 'string') {
    const bytes = Buffer.from(operand);
    return (value) => (typeof value === 'string' ? Buffer.from(value).compare(bytes) : NaN);
  }
  return (value) => (typeof value === typeof operand ? compareNumbers(value, operand) : NaN);
}

function compareNumbers(a: unknown, b: unknown): number {
  if ((a as number) < (b as number)) return -1;
  if ((a as number) > (b as number)) return 1;
  return a === b ? 0 : NaN;
}

function compileStartsWith(prefix: unknown, negated: boolean): ValueMatcher {
  if (typeof prefix === 'string')
    return (value) => typeof value === 'string' && value.startsWith(prefix) !== negated;
  const bytes = prefix as Uint8Array;
  return (value) =>
    isBytes(value) && equalBytes(value.subarray(0, bytes.length), bytes) !== negated;
}
