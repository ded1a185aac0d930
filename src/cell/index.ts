/** Values of one column <-> bytes. */
export type { CellCodec } from './cell-codec.js';
export { CellFault } from './cell-codec.js';
export type { ForeignCodecLike } from './foreign-codec.js';
export { foreignCodec } from './foreign-codec.js';
export { messageCodec } from './message-codec.js';
export type { FieldShape, FieldType, MessageShape } from './message-shape.js';
export { scalarCodec } from './scalar-codec.js';
export type {
  FieldKind,
  FieldValues,
  MapKeyKind,
  ScalarKind,
  ScalarValues,
} from './scalar-type.js';
export { unknownFields } from './unknown-fields.js';
export { decoderSource, quoted } from './decoder-source.js';
export { encoderSource } from './encoder-source.js';
export type { CodecScope, ScopeMessage } from './codec-scope.js';
export type { MessageDecoder, Properties } from './compiled-message.js';
export type { EntryReader } from './map-entry.js';
export { codecFormat, fieldLines, registerCodec, type StaticCodec } from './static-codec.js';
export type { TextCache } from './utf8.js';
export type { WireKind, WireType } from './wire-kind.js';
export type { WireWriter } from './wire-writer.js';
