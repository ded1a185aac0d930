/** What one row of the source adds to a rollup: its bucket, and a value for each cell. */
import {
  type EntityModel,
  invalidValueError,
  type RollupModel,
  type Scaled,
} from '../../model/index.js';
import { RowsmithError } from '../../errors.js';
import { inputPlanOf, type PlannedInput } from './input-plan.js';

/** The cells of a source row that rollups read, by slot; undefined where there is none. */
export type SourceCells = readonly (Uint8Array | undefined)[];

/** A column that rollups read. */
export interface Slot {
  readonly property: string;
  readonly family: string;
  /** The column's own qualifier, then earlier ones. */
  readonly qualifiers: readonly Uint8Array[];
}

/** What a row adds to a cell: an integer, the bytes of the source cell, or nothing. */
export type CellInput = Scaled | Uint8Array | undefined;

/** What one row adds to one bucket of a rollup. */
export interface Reading {
  /** The key of the rollup row. */
  readonly bucket: Uint8Array;
  /** The key as text, to find buckets by. */
  readonly bucketText: string;
  /** The time of the row in milliseconds. */
  readonly time: number;
  /** Values of the row, as `inputPlanOf` orders them. */
  readonly inputs: readonly CellInput[];
}

/** Buckets whose keys are kept. */
const maxKnownBuckets = 1024;
type KnownBucket = Pick<Reading, 'bucket' | 'bucketText'>;
type Segments = Readonly<Record<string, unknown>>;

/** The last time whose cells `first` can order: the end of the year 9999. */
export const lastMillis = 253_402_300_799_999;

/** The columns that the rollups of an entity read, each once. */
export function slotsOf(rollups: readonly RollupModel[]): readonly Slot[] {
  const slots = new Map<string, Slot>();
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
  readonly #buckets = new Map<string, KnownBucket>();

  constructor(model: EntityModel, rollup: RollupModel, slots: readonly Slot[]) {
    this.rollup = rollup;
    this.#model = model;
    this.#inputs = inputPlanOf(rollup).inputs;
    this.#slots = this.#inputs.map(({ source }) =>
      slots.findIndex(({ property }) => source.cell !== undefined && property === source.property),
    );
    this.#hasTimes = rollup.cells.some(({ kind }) => kind === 'first' || kind === 'last');
  }

  /** The first millisecond of the bucket of a time. */
  floored(time: number): number {
    const { width } = this.rollup;
    return Math.floor(time / width) * width;
  }

  /** The segments of the rollup row for those of a source row. */
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
  readingOf(segments: Segments, cells: SourceCells): Reading {
    const { bucket, bucketText } = this.#known(segments);
    const time = (segments[this.rollup.time] as Date).getTime();
    if (this.#hasTimes && (time < 0 || time > lastMillis)) throw this.#timeError();
    const inputs = new Array<CellInput>(this.#inputs.length);
    for (let i = 0; i < inputs.length; i++) inputs[i] = this.#inputOf(i, segments, cells);
    return { bucket, bucketText, time, inputs };
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

  /** The bucket, encoded once for rows that follow each other. */
  #known(segments: Segments): KnownBucket {
    const { by, time } = this.rollup;
    let name = '';
    for (const each of by) {
      const value = segments[each];
      if (each === time) name += this.floored((value as Date).getTime());
      else if (typeof value === 'string') name += `${value.length}:${value}`;
      else return this.#newBucket(segments);
    }
    let known = this.#buckets.get(name);
    if (known === undefined) {
      known = this.#newBucket(segments);
      if (this.#buckets.size >= maxKnownBuckets) this.#buckets.clear();
      this.#buckets.set(name, known);
    }
    return known;
  }

  #newBucket(segments: Segments): KnownBucket {
    const bucket = this.bucketOf(segments);
    return { bucket, bucketText: textOf(bucket) };
  }

  #timeError(): RowsmithError {
    const { name, time } = this.rollup;
    return new RowsmithError('INVALID_VALUE', {
      entity: this.#model.name,
      property: time,
      problem: `rollup '${name}' orders rows by time, from 1970 to 9999`,
      fix: 'correct the time, or leave first and last out of the rollup',
    });
  }
}

/** A key as text that is equal for equal keys only. */
export function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
