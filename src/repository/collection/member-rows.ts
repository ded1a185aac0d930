/** Recognizes the rows of a collection by their keys, and reads them as entities. */
import type { Hydrator } from '../../mapping/index.js';
import type { RowCursor } from '../../store/index.js';
import { hydratorOf } from '../read/entity-pages.js';
import type { CollectionPlan, PlannedMember } from './collection-plan.js';

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
      if (entity === noCells) return undefined;
      return { member, entity };
    }
    return undefined;
  }
}

/** A row of the member without a cell in its families, which a query of the member leaves out. */
const noCells = Object.freeze({});

function readerOf({ model, selection }: PlannedMember, families: readonly string[]): Hydrator {
  const hydrate = hydratorOf(model, selection);
  if (selection.families.length === families.length) return hydrate;
  const cells = new FamilyCells(new Set(selection.families));
  return (cursor) => {
    cells.begin(cursor);
    const entity = hydrate(cells);
    if (entity === undefined || cells.found || cells.nextCell()) return entity;
    return noCells;
  };
}

/** A cursor that passes over cells in other families, which the members of a scan may have. */
class FamilyCells implements RowCursor {
  /** Whether a cell was seen in the current row. */
  found = false;
  readonly #families: ReadonlySet<string>;
  #cursor!: RowCursor;

  constructor(families: ReadonlySet<string>) {
    this.#families = families;
  }

  begin(cursor: RowCursor): void {
    this.#cursor = cursor;
    this.found = false;
  }

  nextRow(): boolean {
    return this.#cursor.nextRow();
  }

  nextCell(): boolean {
    while (this.#cursor.nextCell()) {
      if (!this.#families.has(this.#cursor.family)) continue;
      this.found = true;
      return true;
    }
    return false;
  }

  timestamp(): bigint {
    return this.#cursor.timestamp();
  }

  get keyBytes(): Uint8Array {
    return this.#cursor.keyBytes;
  }

  get keyStart(): number {
    return this.#cursor.keyStart;
  }

  get keyEnd(): number {
    return this.#cursor.keyEnd;
  }

  get family(): string {
    return this.#cursor.family;
  }

  get qualifierBytes(): Uint8Array {
    return this.#cursor.qualifierBytes;
  }

  get qualifierStart(): number {
    return this.#cursor.qualifierStart;
  }

  get qualifierEnd(): number {
    return this.#cursor.qualifierEnd;
  }

  get valueBytes(): Uint8Array {
    return this.#cursor.valueBytes;
  }

  get valueStart(): number {
    return this.#cursor.valueStart;
  }

  get valueEnd(): number {
    return this.#cursor.valueEnd;
  }

  get labels(): readonly string[] {
    return this.#cursor.labels;
  }
}
