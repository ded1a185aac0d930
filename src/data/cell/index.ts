/** Codecs between the values of a column and the bytes of its cells. */
export { DateMap } from './date-map.js';
export type { CellCodec } from './cell-codec.js';
export { CodecError } from './cell-codec.js';
export type { CustomCodecLike } from './custom-codec.js';
export { customCodec } from './custom-codec.js';
export { messageCodec } from './message/message-codec.js';
export type { FieldShape, FieldType, MessageShape } from './wire/message-shape.js';
export { scalarCodec } from './scalar/scalar-codec.js';
export type {
  FieldKind,
  FieldValues,
  MapKeyKind,
  ScalarKind,
  ScalarValues,
} from './scalar/scalar-type.js';
export { jsTypes, type JsType } from './scalar/js-type.js';
export { unknownFields } from './message/unknown-fields.js';
export { decoderSource, quoted } from './message/decoder-source.js';
export { encoderSource } from './message/encoder-source.js';
export type { CodecScope, ScopeMessage } from './message/codec-scope.js';
export type { MessageDecoder, Properties } from './message/compiled-message.js';
export type { EntryReader } from './message/map-entry.js';
export {
  codecFormat,
  fieldLines,
  registerCodec,
  type StaticCodec,
  hasStaticCodec,
} from './message/static-codec.js';
export type { TextCache } from './utf8.js';
export type { WireKind, WireType } from './wire/wire-kind.js';
export { varintBytes, WireWriter } from './wire/wire-writer.js';
export { indexPath, joinPath, within } from './fault-path.js';
export { wrongTypeError } from './value-kind.js';
export { versionedCodec, currentVersion } from './message/versioned-codec.js';
export {
  cursor,
  malformedError,
  readBool,
  readEnd,
  readInt64,
  maxDepth,
  readTag,
  readUint32,
  skip,
  readDouble,
  readFixed64,
  readFloat,
  readUint64,
} from './wire/wire-reader.js';
export { exactTimestamp, readTimestampField } from './wire/timestamp-field.js';
export {
  bool,
  bytes,
  double,
  encoded,
  enumeration,
  int32,
  int64,
  list,
  many,
  mapOf,
  messageType,
  one,
  text,
  timestamp,
  type Content,
  type ContentOf,
  type Field,
  type MessageType,
} from './message/message-type.js';
