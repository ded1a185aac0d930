/** The timestamps of rows that name the time at which they expire. */
import { isDate, RowsmithError, valueText, type FaultTexts } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';

/**
 * The timestamp in microseconds of cells that garbage collection deletes after this Date. Throws
 * INVALID_VALUE for anything but a Date that such a timestamp exists for. The entity declares
 * `expiresAt`.
 */
export function expiringTime({ name, expiresAt }: EntityModel, value: unknown): bigint {
  const { property, age } = expiresAt!;
  const ms = isDate(value) ? value.getTime() : NaN;
  const timestamp = Number.isNaN(ms) ? -1n : BigInt(ms) * 1000n - BigInt(age);
  if (timestamp >= 0n) return timestamp;
  const first = new Date(age / 1000).toISOString();
  throw new RowsmithError('INVALID_VALUE', {
    entity: name,
    property,
    ...faults.wrongExpiry(value, first),
  });
}

function timeText(value: unknown): string {
  return isDate(value) && !Number.isNaN(value.getTime()) ? value.toISOString() : valueText(value);
}

const faults = {
  wrongExpiry: (value: unknown, first: string) => ({
    problem: `it is the time at which the row expires (expiresAt), and it is ${timeText(value)}`,
    fix: `give each row a Date from ${first} on`,
  }),
} satisfies FaultTexts;
