/** Finds the properties in which two entities would be stored differently. */
import { equalBytes } from '../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import { differences } from './difference.js';

type Values = Readonly<Record<string, unknown>>;

/** One line for each mapped property that differs. Properties that are not mapped are ignored. */
export function entityDifferences(
  model: EntityModel,
  expected: object,
  received: object,
): string[] {
  const [a, b] = [expected as Values, received as Values];
  const lines = model.columns.flatMap((column) =>
    columnDifferences(column, a[column.property], b[column.property]),
  );
  return [...keyDifferences(model, a, b), ...lines];
}

function keyDifferences({ key }: EntityModel, expected: Values, received: Values): string[] {
  const isSameKey = encodeAlike(
    () => key.encode(expected),
    () => key.encode(received),
  );
  if (isSameKey) return [];
  return key.names.flatMap((name) => differences(expected[name], received[name], name));
}

/**
 * Like `differences`, but values that are stored as the same bytes are equal (such as 0.1 in a
 * float column), and so are undefined and an empty collection.
 */
export function columnDifferences(
  { kind, property, codec }: ColumnModel,
  expected: unknown,
  received: unknown,
): string[] {
  if (kind === 'columnMap' || kind === 'versions')
    return differences(unlessEmpty(expected), unlessEmpty(received), property);
  const lines = differences(expected, received, property);
  if (lines.length === 0 || expected == null || received == null) return lines;
  const isSameCell = encodeAlike(
    () => codec.encode(expected),
    () => codec.encode(received),
  );
  if (isSameCell) return [];
  return lines;
}

function unlessEmpty(value: unknown): unknown {
  if (value instanceof Map && value.size === 0) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return value;
}

/** False if one of the values cannot be encoded. */
function encodeAlike(a: () => Uint8Array, b: () => Uint8Array): boolean {
  try {
    return equalBytes(a(), b());
  } catch {
    return false;
  }
}
