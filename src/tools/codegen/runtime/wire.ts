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
} from '../../../data/cell/index.js';
export type {
  FieldKind,
  FieldShape,
  FieldType,
  FieldValues,
  MapKeyKind,
  MessageShape,
} from '../../../data/cell/index.js';
export { registerCodec } from '../../../data/cell/index.js';
export type { Constructor } from '../../../entities/model/index.js';
export { registerProto } from './registered-proto.js';
