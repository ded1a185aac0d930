/** Messages of .proto files: their classes, and the files as data. */
export { fromProto } from './from-proto.js';
export {
  allEnums,
  allMessages,
  jsonName,
  nameInPackage,
  oneofsOf,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ParsedMessage,
  type ProtoType,
  type ReservedFields,
  type ReservedOf,
  scopeOf,
  simpleName,
  timestampFile,
  timestampName,
} from './proto-file.js';
export { ProtoSource, type SourceEnum, type SourceMessage } from './proto-source.js';
export {
  importedName,
  portableName,
  protoOrigin,
  protoPath,
  registerProto,
  setProtoFolder,
} from './registered-proto.js';
