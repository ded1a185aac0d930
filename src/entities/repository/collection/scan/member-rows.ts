/** Recognizes the rows of a collection by their keys, and reads them as entities. */
import { absentRow, compileHydrator, type Hydrator } from '../../../mapping/index.js';
import type { ColumnSelection } from '../../../query/index.js';
import type { RowCursor } from '../../../../data/store/index.js';
import { rowReaderOf, withAfterRead } from '../../read/rows/row-reader.js';
import type { CollectionPlan, PlannedMember } from '../plan/collection-plan.js';

/** A row as the entity of a member. */
export interface MemberRow {
  readonly member: PlannedMember;
  readonly entity: object;
}

/** Reads the rows of one stream. Keys of the members differ, so that the order does not matter. */
export class MemberReader {
  readonly #readers: { readonly member: PlannedMember; readonly read: Hydrator }[];

  constructor({ members, families }: CollectionPlan) {
    this.#readers = members.map((member) => ({ member, read: readerOf(member, families) }));
  }

  /** Returns undefined if the row belongs to no member. Throws DAMAGED_CELL. */
  read(cursor: RowCursor): MemberRow | undefined {
    const readers = this.#readers;
    for (let i = 0; i < readers.length; i++) {
      const { member, read } = readers[i];
      const entity = read(cursor);
      if (entity === undefined) continue;
      // The next row is most likely of the same member.
      if (i > 0) readers.unshift(...readers.splice(i, 1));
      if (entity === absentRow) return undefined;
      return { member, entity };
    }
    return undefined;
  }
}

/** Readers of members with rows that may have cells in families of other members. */
const readers = new WeakMap<ColumnSelection, Hydrator>();

function readerOf({ model, selection }: PlannedMember, families: readonly string[]): Hydrator {
  if (selection.families.length === families.length) return rowReaderOf(model, selection);
  let read = readers.get(selection);
  if (read === undefined) {
    // A query of the member leaves out rows without a cell in its families.
    const existsIn = new Set(selection.families);
    read = withAfterRead(model, selection, compileHydrator(model, { ...selection, existsIn }));
    readers.set(selection, read);
  }
  return read;
}
