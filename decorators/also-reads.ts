/** `@AlsoReads`: earlier names of a column. */
import { propertyDecorator } from './property-decorator.js';

/**
 * Earlier qualifiers of a `@Column` or `@Packed` property, newest first, in the same family. They
 * are read while the column's own qualifier is absent, and deleted by the save or patch that writes
 * the new one.
 */
export function AlsoReads(
  ...qualifiers: readonly [string | Uint8Array, ...(string | Uint8Array)[]]
): ReturnType<typeof propertyDecorator> {
  return propertyDecorator('@AlsoReads', (record, property) =>
    record.alsoReads.push({ property, qualifiers }),
  );
}
