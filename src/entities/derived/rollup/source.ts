/** The source of a rollup: scans of the rows of buckets. */
import { copyBytes, equalBytes, type KeyRange, RowsmithError } from '../../../base/index.js';
import { type EntityModel, type RollupModel, rollupTokens } from '../../model/index.js';
import type { Engine, Filter, RowCursor } from '../../../data/store/index.js';
import { familiesOf } from '../row/families.js';
import type { ScannedRows } from '../protocol/step.js';
import { BucketTotals } from './bucket/bucket-totals.js';
import { type Reading, ReadingMaker, type Slot, slotsOf, textOf } from './input/reading.js';
import { decodeToken } from './input/row-token.js';

type Segments = Readonly<Record<string, unknown>>;

/** A source row as it was scanned. */
export interface ScannedRow {
  readonly key: Uint8Array;
  /** What it adds; undefined for a row that is gone. */
  readonly reading: Reading | undefined;
  /** Of the last write that changed what it adds; 0 for none that is known. */
  readonly order: number;
}

/** The rows of a bucket; the scan is no snapshot. */
export interface ScannedBucket extends ScannedRows {
  readonly totals: BucketTotals;
}

/** The rows of an entity, as one of its rollups reads them. */
export class RollupSourceRows {
  readonly model: EntityModel;
  readonly maker: ReadingMaker;
  readonly #slots: readonly Slot[];
  readonly #tokens: Uint8Array;
  readonly #decode: ReturnType<EntityModel['key']['decoder']>;
  readonly #filter: Filter;

  constructor(model: EntityModel, rollup: RollupModel) {
    this.model = model;
    this.#slots = slotsOf([rollup]);
    this.maker = new ReadingMaker(model, rollup, this.#slots);
    this.#tokens = Buffer.from(rollup.id);
    this.#decode = model.key.decoder();
    this.#filter = sourceFilter(model, this.#slots);
  }

  #segmentsOf(key: Uint8Array): Segments | undefined {
    const segments = {};
    return this.#decode(key, 0, key.length, segments) ? segments : undefined;
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
    const segments = this.#segmentsOf(key);
    if (segments === undefined) return undefined;
    const cells: (Uint8Array | undefined)[] = this.#slots.map(() => undefined);
    const ranks = this.#slots.map(() => Infinity);
    let exists = false;
    let order = 0;
    while (page.nextCell()) {
      const name = copyBytes(page.qualifierBytes, page.qualifierStart, page.qualifierEnd);
      if (page.family === rollupTokens) {
        if (equalBytes(name, this.#tokens)) order = decodeToken(valueOf(page))?.order ?? 0;
        continue;
      }
      exists = true;
      for (let i = 0; i < this.#slots.length; i++) {
        const { family, qualifiers } = this.#slots[i];
        if (page.family !== family) continue;
        const rank = qualifiers.findIndex((each) => equalBytes(each, name));
        if (rank < 0 || rank >= ranks[i]) continue;
        ranks[i] = rank;
        cells[i] = valueOf(page);
      }
    }
    return { key, reading: exists ? this.maker.readingOf(segments, cells) : undefined, order };
  }

  /** The rows of one bucket, given the segments of its row. */
  async bucketOf(
    engine: Engine,
    bucketSegments: Segments,
    signal?: AbortSignal,
  ): Promise<ScannedBucket> {
    const { rollup } = this.maker;
    const totals = new BucketTotals(rollup, rollup.rows.key.encode(bucketSegments));
    const wanted = this.maker.bucketTextOf(bucketSegments);
    const orders: Record<string, number> = Object.create(null) as Record<string, number>;
    const ranges = bucketRanges(this.model, rollup, bucketSegments);
    for await (const rows of this.scan(engine, ranges, signal))
      for (const { key, reading, order } of rows) {
        if (order > 0) orders[textOf(key)] = order;
        if (reading?.bucketText === wanted) totals.add(reading);
      }
    return { totals, orders };
  }
}

function sourceFilter(model: EntityModel, slots: readonly Slot[]): Filter {
  const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
  const families = familiesOf(model);
  const exists: Filter = {
    kind: 'chain',
    filters: [
      { kind: 'families', families },
      { kind: 'cellsPerRow', count: 1 },
    ],
  };
  const tokens: Filter = {
    kind: 'chain',
    filters: [{ kind: 'families', families: [rollupTokens] }, newest],
  };
  const columns = slots.map(({ family, qualifiers }) => ({ family, qualifiers }));
  const read: Filter = { kind: 'chain', filters: [{ kind: 'columns', columns }, newest] };
  return {
    kind: 'interleave',
    filters: slots.length === 0 ? [exists, tokens] : [read, exists, tokens],
  };
}

function valueOf(page: RowCursor): Uint8Array {
  return copyBytes(page.valueBytes, page.valueStart, page.valueEnd);
}

/** Ranges that cover all source rows of a bucket; they may contain unrelated rows. */
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
 * The ranges of rows with a time before `end`, in milliseconds. A time that no key can have is
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
