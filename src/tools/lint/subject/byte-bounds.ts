/** How large values and rows can become, as far as it is declared. */
import { dayMs, hourMs } from './durations.js';
import type { ColumnModel } from '../../../entities/model/index.js';
import { type LintSubject, validatedNumber } from './subject.js';

/** Bytes of scalars of fixed size. */
const fixedBytes: Readonly<Record<string, number>> = {
  bool: 1,
  int32: 8,
  uint32: 8,
  int64: 8,
  double: 8,
  float: 4,
  timestamp: 8,
  date: 10,
};

/** Bytes of a UTF-16 unit of text in UTF-8, at most. */
const bytesPerUnit = 3;

/** The maximum size of a value in bytes; undefined if it is not known. */
export function maxValueBytes(column: ColumnModel, subject: LintSubject): number | undefined {
  const { property, codec } = column;
  const { maxBytes } = subject.expect(property);
  if (maxBytes !== undefined) return maxBytes;
  if (Object.hasOwn(fixedBytes, codec.kind)) return fixedBytes[codec.kind];
  if (codec.kind !== 'string') return undefined;
  const byteLength = validatedNumber(subject, property, 'isByteLength', 1);
  if (byteLength !== undefined) return byteLength;
  const units =
    validatedNumber(subject, property, 'maxLength') ??
    validatedNumber(subject, property, 'isLength', 1);
  return units === undefined ? undefined : units * bytesPerUnit;
}

const unitsPerMs: Readonly<Record<string, number>> = { s: 1e-3, ms: 1, us: 1e3, ns: 1e6 };

/** The maximum number of entries of a column map in a row; undefined if it is not known. */
export function maxEntries(
  column: Extract<ColumnModel, { readonly kind: 'columnMap' }>,
  subject: LintSubject,
): number | undefined {
  const expected = subject.expect(column.property).maxEntries;
  if (expected !== undefined) return expected;
  const { kind, values, max, unit = 'ms' } = column.qualifiers.type;
  if (kind === 'enum') return values?.length;
  if (max !== undefined) return kind === 'int' ? 2 * max + 1 : max + 1;
  const bucket = bucketMs(subject);
  if (kind !== 'timestamp' || bucket === undefined) return undefined;
  return bucket * unitsPerMs[unit];
}

/** The length of the time bucket of a row, in milliseconds; undefined without one. */
function bucketMs({ model }: LintSubject): number | undefined {
  for (const { type } of model.segments) {
    if (type.floor === 'hour') return hourMs;
    if (type.floor === 'day' || type.precision === 'day') return dayMs;
    if (typeof type.floor === 'number') return type.floor;
  }
  return undefined;
}

/** Bytes of a cell besides its value: its qualifier and its timestamp, roughly. */
export const cellOverhead = 24;
