/**
 * Entities that were read without all of their stored data. Saving one would delete what was not
 * read, so save() rejects them.
 */

/** The query method that left data out. */
export type PartialRead = 'versions' | 'asOf';

/**
 * One map for all copies of the package in the process: an entity that one of them has read may be
 * saved with another.
 */
const key = Symbol.for('rowsmith.partialReads');
const partialReads = ((globalThis as { [key]?: WeakMap<object, PartialRead> })[key] ??=
  new WeakMap());

/** Remembers that an entity was read by such a query. */
export function markPartial(entity: object, read: PartialRead): void {
  partialReads.set(entity, read);
}

/** The method that left data out; undefined for an entity that was read whole or created. */
export function partialReadOf(entity: object): PartialRead | undefined {
  return partialReads.get(entity);
}
