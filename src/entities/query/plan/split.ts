/** Splits the ranges of a query into parts of similar size, by keys that storage samples. */
import {
  intersectRanges,
  type KeyRange,
  noBytes,
  rangeFrom,
  unionRanges,
} from '../../../base/index.js';
import type { KeyRanges } from '../../../data/key/index.js';
import type { SampledKey } from '../../../data/store/index.js';

/** What a query reads of the rows between two sampled keys. */
interface Section {
  readonly ranges: KeyRanges;
  /** Size of all rows between the keys in storage, at least 1. */
  readonly bytes: number;
}

/** Up to `parts` disjoint parts of the ranges, in key order, that together are the ranges. */
export function splitRanges(
  ranges: KeyRanges,
  samples: readonly SampledKey[],
  parts: number,
): readonly KeyRanges[] {
  const sections = sectionsOf(ranges, samples);
  const total = sections.reduce((sum, { bytes }) => sum + bytes, 0);
  const split: Section[][] = [];
  let before = 0;
  let last = -1;
  for (const section of sections) {
    // The part in which the middle of the section lies.
    const part = Math.floor(((before + section.bytes / 2) / total) * parts);
    if (part === last) split.at(-1)!.push(section);
    else split.push([section]);
    last = part;
    before += section.bytes;
  }
  return split.map(joined);
}

function sectionsOf({ perShard }: KeyRanges, samples: readonly SampledKey[]): readonly Section[] {
  const sections: Section[] = [];
  let start = noBytes;
  let offset = 0;
  // Whatever storage samples, the last section is up to the last key.
  const end: SampledKey = { key: noBytes, offsetBytes: samples.at(-1)?.offsetBytes ?? 0 };
  for (const { key, offsetBytes } of [...samples.filter((each) => each.key.length > 0), end]) {
    const section: KeyRange = rangeFrom(start, key.length === 0 ? undefined : key);
    const inside = perShard.map((list) =>
      list.flatMap((range) => intersectRanges(range, section) ?? []),
    );
    if (inside.some((list) => list.length > 0))
      sections.push({ ranges: { perShard: inside }, bytes: Math.max(1, offsetBytes - offset) });
    start = key;
    offset = offsetBytes;
  }
  return sections;
}

/** The ranges of adjacent sections, in which a range that they share is one again. */
function joined(sections: readonly Section[]): KeyRanges {
  const [{ ranges: first }] = sections;
  const perShard = first.perShard
    .map((_, shard) => unionRanges(sections.flatMap(({ ranges }) => ranges.perShard[shard])))
    .filter((list) => list.length > 0);
  return { perShard };
}
