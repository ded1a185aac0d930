/** What one row of the source adds to a rollup: its bucket, and a value for each cell. */
import {
  type EntityModel,
  invalidValueError,
  type RollupModel,
  type Scaled,
} from '../../../model/index.js';
import { noBytes, RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { inputPlanOf, type PlannedInput } from './input-plan.js';

/** The cells of a source row that rollups read, by slot; undefined where there is none. */
export type SourceCells = readonly (Uint8Array | undefined)[];

/** A column that rollups read. */
export interface ReadingSlot {
  readonly property: string;
  readonly family: string;
  /** The column's own qualifier, then earlier ones. */
  readonly qualifiers: readonly Uint8Array[];
}

/** What a row adds to a cell: an integer, the bytes of the source cell, or nothing. */
export type CellInput = Scaled | Uint8Array | undefined;

/** What one row adds to one bucket of a rollup. */
export interface RowReading {
  /** The key of the rollup row. */
  readonly bucket: Uint8Array;
  /** The key as text, to find buckets by. */
  readonly bucketText: string;
  /** The first millisecond of the bucket. */
  readonly from: number;
  /** The time of the row in milliseconds. */
  readonly time: number;
  /** Values of the row, as `inputPlanOf` orders them. */
  readonly inputs: readonly CellInput[];
}

type MutableReading = { -readonly [P in keyof RowReading]: RowReading[P] } & {
  inputs: CellInput[];
};

/** Buckets with keys that are kept. */
const maxKnownBuckets = 1024;
type Segments = Readonly<Record<string, unknown>>;

type KnownBucket = Pick<RowReading, 'bucket' | 'bucketText' | 'from'>;

/** The known buckets of rows that differ in their times only. */
interface KnownGroup {
  /** The one that was used last. */
  latest: KnownBucket;
  readonly byTime: Map<number, KnownBucket>;
}

/** The last time that `first` can order: the end of the year 9999. */
export const lastMillis = 253_402_300_799_999;

/** Whether the cells of `first` and `last` can have this time, in milliseconds. */
export function isOrderable(time: number): boolean {
  return time >= 0 && time <= lastMillis;
}

/** The columns that the rollups of an entity read, each once. */
export function slotsOf(rollups: readonly RollupModel[]): readonly ReadingSlot[] {
  const slots = new Map<string, ReadingSlot>();
  for (const { cells } of rollups)
    for (const { source } of cells)
      if (source?.cell !== undefined)
        slots.set(source.property, { property: source.property, ...source.cell });
  return [...slots.values()];
}

/** Computes the bucket and the readings of one rollup. */
export class ReadingMaker {
  readonly rollup: RollupModel;
  readonly #model: EntityModel;
  readonly #inputs: readonly PlannedInput[];
  readonly #slots: readonly number[];
  readonly #hasTimes: boolean;
  /** What buckets are grouped by besides the time. */
  readonly #by: readonly string[];
  readonly #groups = new Map<string | number, KnownGroup>();
  #knownBuckets = 0;

  constructor(model: EntityModel, rollup: RollupModel, slots: readonly ReadingSlot[]) {
    this.rollup = rollup;
    this.#model = model;
    this.#inputs = inputPlanOf(rollup).inputs;
    this.#slots = this.#inputs.map(({ source }) =>
      slots.findIndex(({ property }) => source.cell !== undefined && property === source.property),
    );
    this.#hasTimes = rollup.cells.some(({ kind }) => kind === 'first' || kind === 'last');
    this.#by = rollup.by.filter((name) => name !== rollup.time);
  }

  /** The first millisecond of the bucket of a time. */
  floored(time: number): number {
    const { width } = this.rollup;
    return Math.floor(time / width) * width;
  }

  /** The segments of the rollup row for the segments of a source row. */
  bucketSegments(segments: Segments): Segments {
    const { by, time } = this.rollup;
    const values: Record<string, unknown> = {};
    for (const name of by) values[name] = segments[name];
    values[time] = new Date(this.floored((segments[time] as Date).getTime()));
    return values;
  }

  /** The key of the rollup row. Throws INVALID_KEY. */
  bucketOf(segments: Segments): Uint8Array {
    return this.rollup.rows.key.encode(this.bucketSegments(segments));
  }

  /** The same as text. */
  bucketTextOf(segments: Segments): string {
    return textOf(this.bucketOf(segments));
  }

  /** What a row adds. Throws INVALID_KEY and INVALID_VALUE. */
  readingOf(segments: Segments, cells: SourceCells): RowReading {
    return this.#read(segments, cells, this.#newReading());
  }

  #newReading(): MutableReading {
    const inputs = new Array<CellInput>(this.#inputs.length);
    return { bucket: noBytes, bucketText: '', from: 0, time: 0, inputs };
  }

  #read(segments: Segments, cells: SourceCells, reading: MutableReading): RowReading {
    const time = (segments[this.rollup.time] as Date).getTime();
    const { bucket, bucketText, from } = this.#known(segments, time);
    if (this.#hasTimes && !isOrderable(time)) throw this.#timeError();
    reading.bucket = bucket;
    reading.bucketText = bucketText;
    reading.from = from;
    reading.time = time;
    const { inputs } = reading;
    for (let i = 0; i < inputs.length; i++) inputs[i] = this.#inputOf(i, segments, cells);
    return reading;
  }

  #inputOf(i: number, segments: Segments, cells: SourceCells): CellInput {
    const { source, scaled } = this.#inputs[i];
    const slot = this.#slots[i];
    const stored = slot < 0 ? segments[source.property] : cells[slot];
    if (stored === undefined || stored === null) return undefined;
    if (scaled === undefined) return stored as Uint8Array;
    try {
      return scaled(slot < 0 ? stored : source.decode(stored as Uint8Array));
    } catch (error) {
      throw invalidValueError(this.#model, source.property, error);
    }
  }

  /** The bucket, encoded once for many rows. */
  #known(segments: Segments, time: number): KnownBucket {
    const name = this.#groupName(segments);
    const group = name === undefined ? undefined : this.#groups.get(name);
    if (group !== undefined) {
      const { from } = group.latest;
      if (time >= from && time < from + this.rollup.width) return group.latest;
    }
    const from = this.floored(time);
    let known = group?.byTime.get(from);
    if (known === undefined) {
      const bucket = this.bucketOf(segments);
      known = { bucket, bucketText: textOf(bucket), from };
      if (name !== undefined) this.#keep(name, known);
    } else {
      group!.latest = known;
    }
    return known;
  }

  #keep(name: string | number, known: KnownBucket): void {
    if (this.#knownBuckets++ >= maxKnownBuckets) {
      this.#groups.clear();
      this.#knownBuckets = 1;
    }
    const group = this.#groups.get(name);
    if (group === undefined)
      this.#groups.set(name, { latest: known, byTime: new Map([[known.from, known]]) });
    else {
      group.latest = known;
      group.byTime.set(known.from, known);
    }
  }

  /** The segments besides the time, as one value; undefined for kinds that are not compared. */
  #groupName(segments: Segments): string | number | undefined {
    const by = this.#by;
    if (by.length === 1) return comparable(segments[by[0]]);
    let name = '';
    for (let i = 0; i < by.length; i++) {
      const value = comparable(segments[by[i]]);
      if (value === undefined) return undefined;
      name += typeof value === 'string' ? `${value.length}:${value}` : `${value},`;
    }
    return name;
  }

  #timeError(): RowsmithError {
    const { name, time } = this.rollup;
    return new RowsmithError('INVALID_VALUE', {
      entity: this.#model.name,
      property: time,
      ...faults.timeOutOfRange(name),
    });
  }
}

/** Values that are equal exactly if their keys are. Not 0, which is equal to -0. */
function comparable(value: unknown): string | number | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && value !== 0 ? value : undefined;
}

/** A key as text that is equal for equal keys only. */
export function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}

const faults = {
  timeOutOfRange: (name: string) => ({
    problem: `rollup '${name}' orders rows by time, and the time is outside the years 1970 to 9999`,
    fix: 'correct the time, or leave first and last out of the rollup',
  }),
} satisfies FaultTexts;
