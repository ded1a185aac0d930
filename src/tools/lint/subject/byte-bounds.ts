/** How large values and rows can become, as far as it is declared. */
import { dayMs, hourMs } from '../../../base/index.js';
import type { ColumnModel, SegmentModel } from '../../../entities/model/index.js';
import { namedBucketMs } from './names/times.js';
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

/** Entries that are written to a map in each second, if nothing else is declared. */
const assumedRate = 1;

/** The maximum number of entries of a column map in a row. */
export interface EntryBound {
  readonly entries: number;
  /** The time bucket that bounds them at one entry a second, in ms; undefined if declared. */
  readonly bucketMs?: number;
}

/** How many entries a column map can have in a row; undefined if it is not known. */
export function maxEntries(
  column: Extract<ColumnModel, { readonly kind: 'columnMap' }>,
  subject: LintSubject,
): EntryBound | undefined {
  const expected = subject.expect(column.property).maxEntries;
  if (expected !== undefined) return { entries: expected };
  const { kind, values, max } = column.qualifiers.type;
  if (kind === 'enum') return { entries: values?.length ?? 0 };
  if (max !== undefined) return { entries: kind === 'int' ? 2 * max + 1 : max + 1 };
  const bucketMs = shortestBucketMs(subject);
  if (bucketMs === undefined) return undefined;
  return { entries: Math.ceil((bucketMs / 1_000) * assumedRate), bucketMs };
}

/** The length of the shortest time bucket in the key, in milliseconds; undefined without one. */
function shortestBucketMs({ model }: LintSubject): number | undefined {
  const lengths = model.segments
    .map(bucketMsOf)
    .filter((length): length is number => length !== undefined);
  return lengths.length === 0 ? undefined : Math.min(...lengths);
}

function bucketMsOf({ property, type }: SegmentModel): number | undefined {
  const { floor, precision, kind } = type;
  if (floor === 'hour') return hourMs;
  if (floor === 'day' || precision === 'day') return dayMs;
  if (typeof floor === 'number') return floor;
  return kind === 'string' || kind === 'uint' ? namedBucketMs(property) : undefined;
}

/** Bytes of a cell besides its value: its qualifier and its timestamp, roughly. */
export const cellOverhead = 24;
