/**
 * The contract of row keys: the declaration of an entity's key (KeySpec), and the compiled codec,
 * which converts between segment values and key bytes, and turns conditions on leading segments
 * into ranges. FORMAT.md specifies the bytes.
 */
import type { KeyRange } from '../../../base/index.js';
import type { SegmentType } from '../kinds/segment-type.js';
import type { KeyFormat } from '../kinds/key-format.js';

/**
 * One part of a key: a constant that names a dataset, or a segment with a property of the entity.
 */
export type KeyPart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'segment'; readonly name: string; readonly type: SegmentType };

/** A hash prefix of the key: FNV-1a 32 of the encoded `by` segments, modulo `count`. */
export interface ShardSpec {
  /** 2 to 1,000, inclusive. Changing it requires a data migration. */
  readonly count: number;
  /** Names of the hashed segments, in key order; at least one. */
  readonly by: readonly string[];
}

/** A whole key. */
export interface KeySpec {
  readonly format: KeyFormat;
  /** In key order; at least one segment. */
  readonly parts: readonly KeyPart[];
  readonly shards?: ShardSpec;
}

/** A bound on the first segment that is not fixed. */
export type SegmentBound =
  /**
   * Values between `from` and `to`, in the order of values even if the segment is descending.
   * Either end may be absent.
   */
  | {
      readonly kind: 'between';
      readonly segment: string;
      readonly from?: { readonly value: unknown; readonly inclusive: boolean };
      readonly to?: { readonly value: unknown; readonly inclusive: boolean };
    }
  /** Ascending string segments: values that start with the text. */
  | { readonly kind: 'startsWith'; readonly segment: string; readonly text: string }
  /** Domain segments: the domain and its subdomains. */
  | { readonly kind: 'subdomains'; readonly segment: string; readonly domain: string };

/** Fixed values of the leading segments, without gaps, and optionally a bound on the next one. */
export interface KeyCondition {
  /** Values by segment name: exactly the first n segments of the key, n >= 0. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly bound?: SegmentBound;
}

/** The ranges of keys that satisfy a KeyCondition, or one of several. */
export interface KeyRanges {
  /**
   * One list for each shard that can contain matching keys, in the order of shards. Without shards
   * one list, or none if there is no condition. Ranges in a list are sorted and disjoint.
   */
  readonly perShard: readonly (readonly KeyRange[])[];
}

/**
 * Sets the segments of a key on `target`. Returns false if the codec never writes such a key;
 * `target` may be partially filled then.
 */
export type KeyDecoder = (
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Record<string, unknown>,
) => boolean;

/**
 * Returns where a scan that has read the key in `[start, end)` continues after all keys with the
 * same leading segments (and shard): the end of these keys or, if `reversed`, the first of them.
 * The key must be one that the decoder accepts.
 */
export type PrefixSkip = (
  bytes: Uint8Array,
  start: number,
  end: number,
  reversed: boolean,
) => Uint8Array;

/** Leading segments with fixed values in all keys that a codec makes. */
export interface KeyScope {
  /** Their names, in key order; at least one, and not all of the key. */
  readonly names: readonly string[];
  /** The keys inside the scope: sorted and disjoint. */
  readonly ranges: readonly KeyRange[];
  /** Their values, as a copy. */
  values(): Record<string, unknown>;
  /** A decoder of whole keys, with the segments of the scope. */
  decoder(): KeyDecoder;
  /**
   * Throws OUTSIDE_SCOPE if the object has other values for these segments; undefined is no value.
   */
  assertInside(values: object): void;
}

/** The compiled key of one entity. */
export interface KeyCodec {
  readonly spec: KeySpec;
  /** Names of the segments in key order, without literals and without the segments of the scope. */
  readonly names: readonly string[];
  /** Set if the first segments are fixed: then no method makes a key or a range outside. */
  readonly scope?: KeyScope;
  /** Maximum length of a key in bytes; Infinity if a segment has no limit. */
  readonly maxLength: number;
  /**
   * Minimum length of a key in bytes: literals, delimiters, and the minimum of each segment. Above
   * 4,096 nothing can be stored.
   */
  readonly minLength: number;
  /**
   * The key of the values. Throws INVALID_KEY if a value is missing, of the wrong type or out of
   * range, or if the key would be empty or longer than 4,096 bytes.
   */
  encode(values: Readonly<Record<string, unknown>>): Uint8Array;
  /** Creates a decoder. It owns small caches, so every reader needs its own. */
  decoder(): KeyDecoder;
  /** The segments of one key; undefined if the codec never writes it. */
  decode(key: Uint8Array): Record<string, unknown> | undefined;
  /** Why the decoder returns false for the key, as a sentence; undefined if it returns true. */
  foreignReason(key: Uint8Array): string | undefined;
  /** Ranges that contain exactly the keys that match. Throws INVALID_QUERY or INVALID_KEY. */
  ranges(condition: KeyCondition): KeyRanges;
  /** Ranges that contain exactly the keys that match at least one of the conditions. */
  rangesOfAny(conditions: readonly KeyCondition[]): KeyRanges;
  /** Skips the keys that are equal up to a segment, one of `names`. */
  prefixSkip(segment: string): PrefixSkip;
  /** Throws INVALID_QUERY or INVALID_KEY for a bound that `ranges` would reject. */
  checkBound(bound: SegmentBound): void;
  /** Index of the first byte after the key's shard, `start` without shards; for merging shards. */
  shardEnd(bytes: Uint8Array, start: number, end: number): number;
  /** The digits of the shard at the start of a key or range, as text; empty without shards. */
  shardOf(start: Uint8Array): string;
  /**
   * `key` with its shard replaced by the shard of `range` (one of `ranges()`), so that a merged
   * read can resume after a row in every shard. Without shards, the key itself.
   */
  withShardOf(range: KeyRange, key: Uint8Array): Uint8Array;
  /** Keys at which a sharded table should be split when it is created; none without shards. */
  splitKeys(): readonly Uint8Array[];
  /** A human-readable description of each part and its encoding. */
  describe(): readonly string[];
}
