/**
 * The door `rowsmith/wire`: what generated modules stand on. Code written by people has no use for
 * it.
 */
export type {
  CodecScope,
  EntryReader,
  MessageDecoder,
  Properties,
  ScopeMessage,
  StaticCodec,
  TextCache,
  WireKind,
  WireType,
  WireWriter,
} from '../../cell/index.js';
export type {
  FieldKind,
  FieldShape,
  FieldType,
  FieldValues,
  MapKeyKind,
  MessageShape,
} from '../../cell/index.js';
export { registerCodec } from '../../cell/index.js';
export type { Constructor } from '../../model/index.js';
export { registerProto } from './registered-proto.js';
