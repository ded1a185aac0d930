/**
 * Row keys: typed segments encoded as bytes that sort, and conditions on them as ranges of keys.
 */
export type {
  KeyCodec,
  KeyDecoder,
  KeyPart,
  KeyCondition,
  KeyRanges,
  KeyScope,
  KeySpec,
  PrefixSkip,
  SegmentBound,
  ShardSpec,
} from './codec/key-codec.js';
export type { KeyFormat } from './kinds/key-format.js';
export type {
  SegmentKind,
  SegmentOptions,
  SegmentOrder,
  SegmentRules,
  SegmentType,
  SegmentValues,
} from './kinds/segment-type.js';
export type { SegmentFault } from './codec/segment-faults.js';
export { buildKeyCodec, delimited } from './codec/build-key-codec.js';
export { scopedKey } from './codec/scoped-key.js';
export { canStartWith, patternsCollide } from './codec/disjoint.js';
export { checkSegmentCodec } from './codec/check-segment-codec.js';
export type { SegmentCodec } from './codec/check-segment-codec.js';
export { propertySetter } from './framing/property-setter.js';
export { segmentField } from './kinds/segment-field.js';
export { unitWidth } from './kinds/time-kinds.js';
export {
  buildQualifierCodec,
  type QualifierCodec,
  type QualifierCondition,
  QualifierError,
  type QualifierRange,
  type QualifierReader,
} from './codec/qualifier-codec.js';
export type { QualifierKind, QualifierType, QualifierValues } from './kinds/qualifier-type.js';
