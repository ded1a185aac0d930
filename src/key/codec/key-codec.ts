/**
 * The contract of row keys: what an entity's key is (KeySpec), and the compiled codec that turns
 * segment values into key bytes, key bytes into segment values, and questions about leading
 * segments into ranges. FORMAT.md gives the bytes.
 */
import type { KeyRange } from '../../bytes/index.js';
import type { SegmentType } from '../kinds/segment-type.js';
import type { KeyFormat } from '../kinds/key-format.js';
/**
 * One part of a key: a constant that names a dataset, or a segment that holds a property of the
 * entity.
 */
export type KeyPart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'segment'; readonly name: string; readonly type: SegmentType };

/**
 * A hash shard put in front of the key: FNV-1a 32 over the encoded `by` segments, modulo `count`.
 */
export interface ShardSpec {
  /** 2 to 1,000; changing it is a data migration. */
  readonly count: number;
  /** Names of the segments that are hashed, in key order; at least one. */
  readonly by: readonly string[];
}

/** A whole key. */
export interface KeySpec {
  readonly format: KeyFormat;
  /** In key order; at least one segment. */
  readonly parts: readonly KeyPart[];
  readonly shards?: ShardSpec;
}

/** A bound on the one segment after the fixed ones. */
export type SegmentBound =
  /**
   * `from <= value < to` in the order of VALUES, whatever the direction of the segment; each end is
   * optional, inclusive or not as stated.
   */
  | {
      readonly kind: 'between';
      readonly segment: string;
      readonly from?: { readonly value: unknown; readonly inclusive: boolean };
      readonly to?: { readonly value: unknown; readonly inclusive: boolean };
    }
  /** String segments (ascending) whose value starts with the text. */
  | { readonly kind: 'startsWith'; readonly segment: string; readonly text: string }
  /** Domain segments: the domain itself and everything below it. */
  | { readonly kind: 'subdomains'; readonly segment: string; readonly domain: string };

/**
 * Fixed values of leading segments, without gaps, and at most one bound on the segment that follows
 * them.
 */
export interface KeyCondition {
  /** Values by segment name; exactly the first n segments of the key, n >= 0. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly bound?: SegmentBound;
}

/** The ranges that answer a KeyCondition. */
export interface KeyRanges {
  /**
   * One list for each shard that can hold answers (one list without shards); inside a list sorted
   * and disjoint. All lists have the same shape.
   */
  readonly perShard: readonly (readonly KeyRange[])[];
}

/**
 * Sets the segments of a key on `target`; false when the key is not one this codec writes. `target`
 * may be half filled then.
 */
export type KeyDecoder = (
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Record<string, unknown>,
) => boolean;

/** The compiled key of one entity. */
export interface KeyCodec {
  readonly spec: KeySpec;
  /** Names of the segments in key order, literals left out. */
  readonly names: readonly string[];
  /** Longest key in bytes that declared limits allow; Infinity when a segment has no limit. */
  readonly maxLength: number;
  /**
   * Shortest key in bytes: literals, delimiters, and the least each segment takes. Above 4,096
   * nothing can be stored.
   */
  readonly minLength: number;
  /**
   * The key of the values. Throws INVALID_KEY naming entity, segment and fix: missing, wrong type,
   * out of range, empty or over 4,096 bytes.
   */
  encode(values: Readonly<Record<string, unknown>>): Uint8Array;
  /** The decoder; made once, keeps small caches, so one for each reader. */
  decoder(): KeyDecoder;
  /** Why `decoder` says false, as a sentence; undefined when it says true. */
  foreignBecause(key: Uint8Array): string | undefined;
  /** The ranges that hold exactly the keys that answer. Throws INVALID_QUERY or INVALID_KEY. */
  ranges(question: KeyCondition): KeyRanges;
  /**
   * First byte of the key after its shard, for an ordered merge of shards; `start` without shards.
   */
  afterShard(bytes: Uint8Array, start: number, end: number): number;
  /**
   * The place `key` would have in the shard that `range` (one of `ranges()`) lies in: its bytes
   * with that shard in front. For going on after a row in every shard of a merged read; the key
   * itself without shards.
   */
  inShardOf(range: KeyRange, key: Uint8Array): Uint8Array;
  /** Keys at which a sharded table should be split from the start; none without shards. */
  splitKeys(): readonly Uint8Array[];
  /** Each part with its encoding, for people. */
  describe(): readonly string[];
}
