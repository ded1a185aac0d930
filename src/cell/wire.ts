/** The door `rowsmith/wire`: what generated codecs stand on. Code written by people has no use for it. */
export type { CellFault } from './cell-codec.js';
export type { CodecScope, ScopeMessage } from './codec-scope.js';
export type { MessageDecoder, Properties } from './compiled-message.js';
export type { EntryReader } from './map-entry.js';
export type { FieldShape, FieldType, MessageShape } from './message-shape.js';
export type { FieldKind, FieldValues, MapKeyKind } from './scalar-type.js';
export { registerCodec, type StaticCodec } from './static-codec.js';
export type { TextCache } from './utf8.js';
export type { WireKind, WireType } from './wire-kind.js';
export type { WireWriter } from './wire-writer.js';
