/**
 * The entry point `rowsmith/wire`, which generated modules import. Programs do not use it directly.
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
