/** Where two entities would make different rows. */
import { equalBytes } from '../../bytes/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import { differences } from './difference.js';

type Values = Readonly<Record<string, unknown>>;

/** A line for each mapped property that differs; what the class does not map is not looked at. */
export function entityDifferences(
  model: EntityModel,
  expected: object,
  received: object,
): string[] {
  const [a, b] = [expected as Values, received as Values];
  return [
    ...(sameBytes(
      () => model.key.encode(a),
      () => model.key.encode(b),
    )
      ? []
      : model.key.names.flatMap((name) => differences(a[name], b[name], name))),
    ...model.columns.flatMap((column) =>
      columnDifferences(column, a[column.property], b[column.property]),
    ),
  ];
}

/**
 * As `differences`, but values that are stored as the same bytes are alike (0.1 in a float column),
 * and so are none and an empty collection.
 */
export function columnDifferences(
  { kind, property, codec }: ColumnModel,
  expected: unknown,
  received: unknown,
): string[] {
  const collection = kind === 'columnMap' || kind === 'versions';
  const lines = differences(
    collection ? unlessEmpty(expected) : expected,
    collection ? unlessEmpty(received) : received,
    property,
  );
  if (lines.length === 0 || collection || expected == null || received == null) return lines;
  return sameBytes(
    () => codec.encode(expected),
    () => codec.encode(received),
  )
    ? []
    : lines;
}

function unlessEmpty(value: unknown): unknown {
  return (value instanceof Map && value.size === 0) || (Array.isArray(value) && value.length === 0)
    ? undefined
    : value;
}

/** False when one of them cannot be stored at all. */
function sameBytes(a: () => Uint8Array, b: () => Uint8Array): boolean {
  try {
    return equalBytes(a(), b());
  } catch {
    return false;
  }
}
