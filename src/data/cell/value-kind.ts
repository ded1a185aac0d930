/** Errors for values of a wrong type. */
import { valueText, type FaultTexts } from '../../base/index.js';
import { CodecError } from './cell-codec.js';

/** The error for a value of the wrong JavaScript type. */
export function wrongTypeError(
  expected: string,
  value: unknown,
  fix: string,
  shellFix?: string,
): CodecError {
  const shell = shellFix === undefined ? undefined : { fix: shellFix };
  return new CodecError({ ...faults.wrongType(expected, value, fix), shell });
}

/** The fix for a value of the wrong type where a whole number is expected in a column or field. */
export function integerFix(value: unknown, target: 'column' | 'field'): string {
  if (typeof value === 'bigint') return `give Number(value), or declare the ${target} as int64`;
  return 'give a whole number';
}

/** The fix for a value of the wrong type where a bigint is expected. */
export function bigintFix(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return `write ${value}n, or BigInt(value)`;
  return 'give a bigint';
}

const faults = {
  wrongType: (expected: string, value: unknown, fix: string) => ({
    problem: `expected ${expected}, got ${valueText(value)}`,
    fix,
  }),
} satisfies FaultTexts;
