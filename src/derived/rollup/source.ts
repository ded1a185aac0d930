/** The source of rollups: what writes do to its rows, and scans of the rows of buckets. */
import { copyBytes, equalBytes, type KeyRange } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel, RollupModel } from '../../model/index.js';
import type {
  CheckAndMutate,
  Engine,
  Filter,
  Mutation,
  ReadModifyWriteRule,
  RowCursor,
} from '../../store/index.js';
import { familiesOf } from '../index/indexed-row.js';
import { BucketTotals } from './bucket-totals.js';
import { type Reading, ReadingMaker, type Slot, slotsOf, type SourceCells } from './reading.js';

type Segments = Readonly<Record<string, unknown>>;

/** What mutations of a source row do, as far as rollups are concerned. */
export interface RowEffect {
  /** The cells that rollups read, if the row did not exist before. */
  readonly cells: SourceCells;
  /** A column that a rollup reads is written or deleted. */
  readonly touches: string | undefined;
  /** The row is deleted, or only cells are removed, so that the row may cease to exist. */
  readonly removes: boolean;
}

type MutableEffect = { -readonly [P in keyof RowEffect]: RowEffect[P] } & {
  cells: (Uint8Array | undefined)[];
};

/** A source row as it was scanned. */
export interface ScannedRow {
  readonly key: Uint8Array;
  readonly readings: readonly Reading[];
}

/** The rows of an entity, as its rollups read them. */
export class RollupSourceRows {
  readonly model: EntityModel;
  readonly makers: readonly ReadingMaker[];
  readonly #slots: readonly Slot[];
  readonly #decode: ReturnType<EntityModel['key']['decoder']>;
  readonly #filter: Filter;
  /** Reused: an object and an array for each of many rows are slow. */
  readonly #effect: MutableEffect;
  readonly #reused: Reading[] = [];

  constructor(model: EntityModel, rollups: readonly RollupModel[]) {
    this.model = model;
    this.#slots = slotsOf(rollups);
    this.makers = rollups.map((rollup) => new ReadingMaker(model, rollup, this.#slots));
    this.#decode = model.key.decoder();
    const cells = new Array<Uint8Array | undefined>(this.#slots.length).fill(undefined);
    this.#effect = { cells, touches: undefined, removes: false };
    // Cells of indexes outlive a row that was deleted.
    const families: Filter = { kind: 'families', families: familiesOf(model) };
    this.#filter = {
      kind: 'chain',
      filters:
        this.#slots.length === 0
          ? [families, { kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }]
          : [families, { kind: 'cellsPerColumn', count: 1 }],
    };
  }

  /** The segments of a key; undefined if it is not one of the entity. */
  segmentsOf(key: Uint8Array): Segments | undefined {
    const segments = {};
    return this.#decode(key, 0, key.length, segments) ? segments : undefined;
  }

  /** What mutations do to a row, in an object that the next call changes. */
  effectOf(mutations: readonly Mutation[]): RowEffect {
    const { cells } = this.#effect;
    for (let i = 0; i < cells.length; i++) cells[i] = undefined;
    let touches: string | undefined;
    let writes = false;
    let deletes = false;
    for (const mutation of mutations) {
      switch (mutation.kind) {
        case 'setCell': {
          writes = true;
          const slot = this.#slotOf(mutation.family, mutation.qualifier);
          if (slot < 0) break;
          touches ??= this.#slots[slot].property;
          cells[slot] = mutation.value;
          break;
        }
        case 'deleteFromRow':
          deletes = true;
          cells.fill(undefined);
          break;
        case 'deleteFromFamily':
          this.#slots.forEach(({ family, property }, i) => {
            if (family !== mutation.family) return;
            touches ??= property;
            cells[i] = undefined;
          });
          break;
        case 'deleteFromColumn': {
          const slot = this.#slotOf(mutation.family, mutation.qualifier);
          if (slot >= 0) touches ??= this.#slots[slot].property;
          break;
        }
        default:
          writes = true;
      }
    }
    this.#effect.touches = touches;
    this.#effect.removes = deletes || !writes;
    return this.#effect;
  }

  /** The column that a rule changes, if a rollup reads it. */
  ruleTouches(rules: readonly ReadModifyWriteRule[]): string | undefined {
    for (const { family, qualifier } of rules) {
      const slot = this.#slotOf(family, qualifier);
      if (slot >= 0) return this.#slots[slot].property;
    }
    return undefined;
  }

  /** Both branches of a conditional write. */
  branchesOf({ onTrue = [], onFalse = [] }: CheckAndMutate): readonly (readonly Mutation[])[] {
    return [onTrue, onFalse].filter((branch) => branch.length > 0);
  }

  /** The readings of a row, one for each rollup. */
  readingsOf(segments: Segments, cells: SourceCells): readonly Reading[] {
    return this.makers.map((maker) => maker.readingOf(segments, cells));
  }

  /** The same, in objects that the next call changes. */
  reusedReadingsOf(segments: Segments, cells: SourceCells): readonly Reading[] {
    for (let i = 0; i < this.makers.length; i++)
      this.#reused[i] = this.makers[i].reusedReadingOf(segments, cells);
    return this.#reused;
  }

  #slotOf(family: string, qualifier: Uint8Array): number {
    const slots = this.#slots;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i];
      if (slot.family !== family) continue;
      for (let j = 0; j < slot.qualifiers.length; j++) {
        // Rows of one repository have the same qualifiers.
        const each = slot.qualifiers[j];
        if (each === qualifier || equalBytes(each, qualifier)) return i;
      }
    }
    return -1;
  }

  /** The pages of rows in the ranges, in the order of their keys. */
  async *scan(
    engine: Engine,
    ranges: readonly KeyRange[],
    signal?: AbortSignal,
  ): AsyncGenerator<readonly ScannedRow[]> {
    if (ranges.length === 0) return;
    const table = this.model.table.name;
    const stream = engine.readRows(
      { table, ranges, reversed: false, filter: this.#filter },
      { signal },
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        const rows: ScannedRow[] = [];
        while (page.nextRow()) {
          const row = this.#read(page);
          if (row !== undefined) rows.push(row);
        }
        yield rows;
      }
    } finally {
      await stream.close();
    }
  }

  #read(page: RowCursor): ScannedRow | undefined {
    const key = copyBytes(page.keyBytes, page.keyStart, page.keyEnd);
    const segments = this.segmentsOf(key);
    if (segments === undefined) return undefined;
    const cells: (Uint8Array | undefined)[] = this.#slots.map(() => undefined);
    const ranks = this.#slots.map(() => Infinity);
    while (page.nextCell()) {
      for (let i = 0; i < this.#slots.length; i++) {
        const { family, qualifiers } = this.#slots[i];
        if (page.family !== family) continue;
        const name = copyBytes(page.qualifierBytes, page.qualifierStart, page.qualifierEnd);
        const rank = qualifiers.findIndex((each) => equalBytes(each, name));
        if (rank < 0 || rank >= ranks[i]) continue;
        ranks[i] = rank;
        cells[i] = copyBytes(page.valueBytes, page.valueStart, page.valueEnd);
      }
    }
    return { key, readings: this.readingsOf(segments, cells) };
  }

  /** The totals of one bucket, given the segments of its row. */
  async totalsOf(
    engine: Engine,
    maker: ReadingMaker,
    bucketSegments: Segments,
    signal?: AbortSignal,
  ): Promise<BucketTotals> {
    const at = this.makers.indexOf(maker);
    const { rollup } = maker;
    const totals = new BucketTotals(rollup, rollup.rows.key.encode(bucketSegments));
    const wanted = maker.bucketTextOf(bucketSegments);
    for await (const rows of this.scan(
      engine,
      bucketRanges(this.model, rollup, bucketSegments),
      signal,
    ))
      for (const { readings } of rows)
        if (readings[at].bucketText === wanted) totals.add(readings[at]);
    return totals;
  }
}

/** The ranges of the source that hold the rows of a bucket, and maybe others. */
export function bucketRanges(
  model: EntityModel,
  { by, time, width }: RollupModel,
  bucket: Segments,
): readonly KeyRange[] {
  const fixed: Record<string, unknown> = {};
  for (const name of model.key.names) {
    if (name === time) {
      const from = bucket[time] as Date;
      const bound = { segment: time, from: { value: from, inclusive: true } };
      return timeRanges(model, fixed, bound, from.getTime() + width);
    }
    if (!by.includes(name)) break;
    fixed[name] = bucket[name];
  }
  return model.key.ranges({ fixed }).perShard.flat();
}

/**
 * The ranges of rows whose time is before `end`, in milliseconds. A time that no key can have is
 * after all rows: the last bucket ends there.
 */
export function timeRanges(
  { key }: EntityModel,
  fixed: Segments,
  bound: { readonly segment: string; readonly from: Bound | undefined },
  end: number,
): readonly KeyRange[] {
  const ranges = (to: Bound | undefined): readonly KeyRange[] =>
    key.ranges({ fixed, bound: { kind: 'between', ...bound, to } }).perShard.flat();
  if (end > 8.64e15) return ranges(undefined);
  try {
    return ranges({ value: new Date(end), inclusive: false });
  } catch (error) {
    if (!(error instanceof RowsmithError) || error.code !== 'INVALID_KEY') throw error;
    return ranges(undefined);
  }
}

interface Bound {
  readonly value: Date;
  readonly inclusive: boolean;
}
