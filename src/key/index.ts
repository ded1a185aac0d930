/** Row keys: typed segments to and from bytes that sort, and questions about them as ranges. */
export type {
  KeyCodec,
  KeyDecoder,
  KeyFormat,
  KeyPart,
  KeyQuestion,
  KeyRanges,
  KeySpec,
  SegmentBound,
  ShardSpec,
} from './key-codec.js';
export type {
  SegmentKind,
  SegmentOptions,
  SegmentOrder,
  SegmentType,
  SegmentValues,
} from './segment-type.js';
export type { KeyFault } from './segment-faults.js';
export { buildKeyCodec, delimited } from './build-key-codec.js';
export { patternsCollide } from './disjoint.js';
export { checkSegmentCodec } from './check-segment-codec.js';
export type { SegmentCodec } from './check-segment-codec.js';
