/** What a conditional write compares with what was shown. */
import { isMap } from '../../../base/index.js';
import { type ColumnModel, qualifiersOf } from '../../../entities/model/index.js';
import { isComparable } from '../data/schema-info.js';
import type { JsonValue } from '../protocol/json.js';
import { type NamedRow, parsedValue, requestedColumn } from './row-values.js';

/** What the write itself compares, and whether more was shown than it can compare. */
export interface ShownCondition {
  readonly equals: Record<string, unknown> | undefined;
  readonly hasOthers: boolean;
}

/** Bytes of values and names in a condition: Bigtable takes filters of 20 KB. */
const maxBytes = 18_000;

/** The condition that a row is as it was shown. Throws BAD_REQUEST. */
export function conditionOf(
  { model }: NamedRow,
  shown: Readonly<Record<string, JsonValue>>,
): ShownCondition {
  const equals: Record<string, unknown> = {};
  let hasOthers = false;
  let room = maxBytes;
  for (const [property, json] of Object.entries(shown)) {
    // A segment names the row.
    if (model.key.names.includes(property)) continue;
    const column = requestedColumn(model, property, `shown.${property}`);
    const value = parsedValue(column, json, `shown.${property}`);
    const bytes = filterBytes(column, value, json);
    if (bytes <= room) equals[property] = value;
    else hasOthers = true;
    if (bytes <= room) room -= bytes;
  }
  return { equals: Object.keys(equals).length === 0 ? undefined : equals, hasOthers };
}

/** Bytes of one comparison besides its names and its value, at most. */
const perComparison = 80;

/** The bytes of the filter that compares a column, at most; Infinity if no filter can. */
function filterBytes(column: ColumnModel, value: unknown, json: JsonValue): number {
  const { family } = column;
  // A range of values has the value twice, and a pattern up to four bytes for one of a name.
  const compared = (name: number, bytes: number): number =>
    perComparison + 2 * family.length + 4 * name + 2 * bytes;
  const sizeOf = (each: unknown): number => (each === null ? 0 : column.codec.encode(each).length);
  if (column.kind === 'columnMap') {
    if (column.aggregate || !isMap(value) || value.size === 0) return Infinity;
    const names = Buffer.byteLength(Object.keys(json as object).join(''));
    // A number takes up to eight bytes of a qualifier, whatever its digits.
    const values = [...value.values()].map((each) => compared(8, sizeOf(each)));
    return 4 * names + values.reduce((sum, bytes) => sum + bytes, 0);
  }
  if (column.kind === 'versions') {
    const versions = (value ?? []) as readonly { readonly value: unknown }[];
    // Times take twelve bytes each.
    const sizes = versions.map((each) => compared(column.qualifier.length + 6, sizeOf(each.value)));
    return sizes.reduce((sum, bytes) => sum + bytes, 2 * perComparison);
  }
  if (!isComparable(column)) return Infinity;
  // Earlier names of the column, and its default, are compared as well.
  const size = sizeOf(value);
  return qualifiersOf(column).reduce(
    (sum, name) => sum + compared(2 * name.length, size),
    perComparison,
  );
}
