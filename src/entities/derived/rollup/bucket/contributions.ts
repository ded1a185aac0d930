/** What a row adds to the rollups of its entity, before and after a write. */
import { latin1Text, RowsmithError } from '../../../../base/index.js';
import type { EntityModel } from '../../../model/index.js';
import { type CellValues, columnId } from '../../row/row-after.js';
import type { RollupToken } from '../../protocol/step.js';
import { type BucketChange, cellChanges } from './bucket-change.js';
import {
  type Reading,
  ReadingMaker,
  type Slot,
  slotsOf,
  type SourceCells,
} from '../input/reading.js';

type Segments = Readonly<Record<string, unknown>>;

/** A row, as far as rollups are concerned. */
export interface RolledRow {
  readonly exists: boolean;
  readonly cells: CellValues;
}

/** The bucket in which a write changes what its row adds, with the change. */
export interface RolledChange {
  readonly rollup: number;
  readonly bucket: string;
  readonly order: number;
  readonly change: BucketChange;
}

/** The rollups of one entity. */
export class Contributions {
  readonly slots: readonly Slot[];
  readonly makers: readonly ReadingMaker[];
  readonly #decode: ReturnType<EntityModel['key']['decoder']>;
  readonly #ids: readonly (readonly string[])[];

  constructor(model: EntityModel) {
    this.slots = slotsOf(model.rollups);
    this.makers = model.rollups.map((rollup) => new ReadingMaker(model, rollup, this.slots));
    this.#decode = model.key.decoder();
    this.#ids = this.slots.map(({ family, qualifiers }) =>
      qualifiers.map((qualifier) => columnId(family, qualifier)),
    );
  }

  /**
   * The buckets that a write changes. Throws INVALID_VALUE for values that a rollup cannot keep
   * exactly. `rolled` are the last writes that did.
   */
  changes(
    key: Uint8Array,
    before: RolledRow,
    after: RolledRow,
    rolled: readonly (RollupToken | undefined)[],
  ): readonly RolledChange[] {
    const segments: Segments = {};
    if (this.makers.length === 0 || !this.#decode(key, 0, key.length, segments)) return [];
    const row = latin1Text(key);
    const [was, is] = [this.#cellsOf(before), this.#cellsOf(after)];
    return this.makers.flatMap((maker, rollup) => {
      const from = was && knownReading(maker, segments, was);
      const to = is && maker.readingOf(segments, is);
      const cells = cellChanges(maker.rollup, from, to);
      if (cells.length === 0) return [];
      const { bucketText: bucket, time } = (to ?? from)!;
      const order = Math.max((rolled[rollup]?.order ?? 0) + 1, Date.now());
      return [{ rollup, bucket, order, change: { row, order, time, cells } }];
    });
  }

  #cellsOf({ exists, cells }: RolledRow): SourceCells | undefined {
    if (!exists) return undefined;
    return this.#ids.map((ids) => {
      for (const id of ids) {
        const value = cells.get(id);
        if (value !== undefined) return value;
      }
      return undefined;
    });
  }
}

/** What a stored row adds: nothing if it could not have been counted. */
function knownReading(
  maker: ReadingMaker,
  segments: Segments,
  cells: SourceCells,
): Reading | undefined {
  try {
    return maker.readingOf(segments, cells);
  } catch (error) {
    if (error instanceof RowsmithError) return undefined;
    throw error;
  }
}
