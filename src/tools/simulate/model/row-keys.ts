/** Row keys of sampled rows, made by the key codec of the entity. */
import type { KeyCodec } from '../../../data/key/index.js';
import type { Numbers } from '../population/population.js';
import type { SegmentLoad } from '../workload/entity-load.js';

/** What distinguishes rows with the same numbers. */
export interface RowInstant {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** Number of the row in a sequence. */
  readonly sequence: number;
  /** From 0 to 1, for the random part of times such as ULIDs. */
  readonly random: number;
}

/** The values of a row's segments, by property. */
export function rowValues(
  segments: readonly SegmentLoad[],
  numbers: Numbers,
  { ms, sequence, random }: RowInstant,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  segments.forEach((segment, i) => {
    const { property } = segment;
    if (segment.kind === 'numbered') values[property] = segment.value(numbers[i]!);
    else if (segment.kind === 'time') values[property] = segment.value(Math.floor(ms), random);
    else values[property] = segment.value(Math.floor(sequence));
  });
  return values;
}

/** The mean length of keys in bytes. */
export function meanLength(keys: readonly Uint8Array[]): number {
  return keys.reduce((sum, key) => sum + key.length, 0) / Math.max(1, keys.length);
}

/** A codec with the segments that it encodes. */
export interface KeyedSegments {
  readonly key: KeyCodec;
  readonly segments: readonly SegmentLoad[];
}
