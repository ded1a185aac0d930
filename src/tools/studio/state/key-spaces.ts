/** The keys of tables by size: where ranges lie, and how much they hold. */
import { compareBytes, type KeyRange, printable } from '../../../base/index.js';
import type { Engine, SampledKey } from '../../../data/store/index.js';
import type { KeySpace } from '../protocol/query.js';

/** Milliseconds for which samples are kept: embedded engines read all keys for them. */
const keptMs = 30_000;
/** Sections that a picture can show. */
const maxSections = 200;

/** The samples of a table. */
export interface TableSpace {
  readonly bytes: number;
  readonly samples: readonly SampledKey[];
}

/** Samples of tables, kept for a while. */
export class KeySpaces {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly at: number; readonly space: Promise<TableSpace> }>();

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
  }

  /** Rejects with the error of the back end. */
  of(table: string): Promise<TableSpace> {
    const kept = this.#kept.get(table);
    if (kept !== undefined && this.#now() - kept.at < keptMs) return kept.space;
    const space = this.#read(table);
    this.#kept.set(table, { at: this.#now(), space });
    space.catch(() => this.#kept.delete(table));
    return space;
  }

  /** Something was written: sizes may have changed. */
  forget(): void {
    this.#kept.clear();
  }

  async #read(table: string): Promise<TableSpace> {
    const samples = await this.#engine.sampleRowKeys(table);
    return { bytes: samples.at(-1)?.offsetBytes ?? 0, samples };
  }
}

/** Where a key lies among the samples, as a share of the bytes: the middle of its section. */
function positionOf({ bytes, samples }: TableSpace, key: Uint8Array | undefined): number {
  if (key === undefined) return 1;
  if (key.length === 0 || bytes === 0) return 0;
  let before = 0;
  for (const { key: end, offsetBytes } of samples) {
    const order = end.length === 0 ? -1 : compareBytes(key, end);
    if (order === 0) return offsetBytes / bytes;
    if (order < 0) return (before + offsetBytes) / 2 / bytes;
    before = offsetBytes;
  }
  return 1;
}

/** A part of the axis. */
export interface PlacedRange {
  readonly from: number;
  readonly to: number;
}

/** Where a range lies. A range inside one section has no width: nothing more is known. */
export function placeOfRange(space: TableSpace, { start, end }: KeyRange): PlacedRange {
  return { from: positionOf(space, start), to: positionOf(space, end) };
}

/** The axis of a picture with these ranges. */
export function keySpace(space: TableSpace, ranges: readonly PlacedRange[]): KeySpace {
  const { bytes, samples } = space;
  const step = Math.max(1, Math.ceil(samples.length / maxSections));
  const chosen = samples.filter((_, i) => (i + 1) % step === 0 || i === samples.length - 1);
  const share = ranges.reduce((sum, { from, to }) => sum + (to - from), 0);
  return {
    bytes,
    sections: chosen.map(({ key, offsetBytes }) => ({
      end: printable(key),
      at: bytes === 0 ? 1 : offsetBytes / bytes,
    })),
    inRanges: Math.round(Math.min(1, share) * bytes),
  };
}
