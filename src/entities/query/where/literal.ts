/** Values as they would be written in a condition. */
import { isBytes, isDate, toHex } from '../../../base/index.js';

/** Maximum number of alternative values in the text of a condition. */
const maxShownValues = 5;

/** The text of a value. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (isDate(value)) return value.toISOString();
  if (isBytes(value)) return `0x${toHex(value)}`;
  return String(value);
}

/** `'a', 'b', ... (7 values)`: the first values, and how many there are if not all are shown. */
export function shownValues(values: readonly string[], max = maxShownValues): string {
  const shown = values.slice(0, max).join(', ');
  if (values.length <= max) return shown;
  return `${shown}, ... (${values.length} values)`;
}
