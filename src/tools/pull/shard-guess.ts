/** Guesses whether a number at the start of keys is a hash of the segments after it. */
import { toHex } from '../../base/index.js';
import type { KeyFormat, KeyPart, ShardSpec } from '../../data/key/index.js';
import type { Row } from '../../data/store/index.js';
import { probeReader } from './probe.js';
import type { PartGuess } from './part-guess.js';

/** Different keys that are required: with fewer, a hash may fit all of them by accident. */
const minKeys = 8;
/** Segments after the number: every subset of them is tried. */
const maxHashedSegments = 5;
/** The greatest shard number with three digits. */
const maxShard = 999;

/** The sharding that decodes all keys, if `first` is the number and `rest` the parts after it. */
export function guessShards(
  first: PartGuess,
  rest: readonly KeyPart[],
  format: KeyFormat,
  rows: readonly Row[],
): ShardSpec | undefined {
  if (first.kind !== 'segment' || !['uint', 'bool', 'string'].includes(first.type.kind))
    return undefined;
  const names = rest.filter((part) => part.kind === 'segment').map(({ name }) => name);
  if (names.length === 0 || names.length > maxHashedSegments) return undefined;
  if (new Set(rows.map(({ key }) => toHex(key))).size < minKeys) return undefined;
  const numbers = first.values.map(Number);
  const highest = Math.max(...numbers);
  if (!numbers.every(Number.isInteger) || highest < 1 || highest > maxShard) return undefined;
  const digits = format === 'ordered' ? 0 : String(highest).length;
  const maxCount = Math.min(maxShard + 1, 10 ** Math.max(digits, first.type.width ?? digits));
  for (let count = highest + 1; count <= maxCount; count++) {
    for (const by of subsetsOf(names)) {
      const read = probeReader(format, rest, { count, by });
      if (read !== undefined && rows.every(({ key }) => read(key) !== undefined))
        return { count, by };
    }
  }
  return undefined;
}

/** Every subset but the empty one. */
function subsetsOf(names: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: 2 ** names.length - 1 }, (_, i) =>
    names.filter((_name, bit) => ((i + 1) >> bit) & 1),
  );
}
