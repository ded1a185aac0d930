/**
 * The messages of google/protobuf/descriptor.proto that describe .proto files, with the fields that
 * our files need.
 */
import {
  bool,
  enumeration,
  int32,
  list,
  many,
  messageType,
  one,
  text,
  type ContentOf,
  type MessageType,
} from '../../../data/cell/index.js';

const OneofDescriptor = messageType('google.protobuf.OneofDescriptorProto', { name: text(1) });

const FieldDescriptor = messageType('google.protobuf.FieldDescriptorProto', {
  name: text(1),
  number: int32(3),
  label: enumeration(4),
  type: enumeration(5),
  typeName: text(6),
  oneofIndex: int32(9),
  jsonName: text(10),
  proto3Optional: bool(17),
});
/** One field. */
export type FieldDescriptor = ContentOf<typeof FieldDescriptor>;

const EnumValueDescriptor = messageType('google.protobuf.EnumValueDescriptorProto', {
  name: text(1),
  number: int32(2),
});
const EnumOptions = messageType('google.protobuf.EnumOptions', { allowAlias: bool(2) });
/** The end is inclusive, unlike the end of a message's reserved range. */
const EnumReservedRange = messageType('google.protobuf.EnumDescriptorProto.EnumReservedRange', {
  start: int32(1),
  end: int32(2),
});
const EnumDescriptor = messageType('google.protobuf.EnumDescriptorProto', {
  name: text(1),
  value: many(2, EnumValueDescriptor),
  options: one(3, EnumOptions),
  reservedRange: many(4, EnumReservedRange),
  reservedName: list(text(5)),
});
/** One enum. */
export type EnumDescriptor = ContentOf<typeof EnumDescriptor>;

const MessageOptions = messageType('google.protobuf.MessageOptions', { mapEntry: bool(7) });
const ReservedRange = messageType('google.protobuf.DescriptorProto.ReservedRange', {
  start: int32(1),
  end: int32(2),
});

/** One message. An interface, because the type is recursive. */
export interface MessageDescriptor {
  name?: string;
  field?: FieldDescriptor[];
  nestedType?: MessageDescriptor[];
  enumType?: EnumDescriptor[];
  options?: ContentOf<typeof MessageOptions>;
  oneofDecl?: ContentOf<typeof OneofDescriptor>[];
  reservedRange?: ContentOf<typeof ReservedRange>[];
  reservedName?: string[];
}

const MessageDescriptor: MessageType<MessageDescriptor> = messageType(
  'google.protobuf.DescriptorProto',
  {
    name: text(1),
    field: many(2, FieldDescriptor),
    nestedType: many(3, () => MessageDescriptor),
    enumType: many(4, EnumDescriptor),
    options: one(7, MessageOptions),
    oneofDecl: many(8, OneofDescriptor),
    reservedRange: many(9, ReservedRange),
    reservedName: list(text(10)),
  },
);

const FileOptions = messageType('google.protobuf.FileOptions', {
  javaPackage: text(1),
  javaOuterClassname: text(8),
  javaMultipleFiles: bool(10),
  goPackage: text(11),
  ccEnableArenas: bool(31),
  objcClassPrefix: text(36),
  csharpNamespace: text(37),
});

const FileDescriptor = messageType('google.protobuf.FileDescriptorProto', {
  name: text(1),
  package: text(2),
  dependency: list(text(3)),
  messageType: many(4, MessageDescriptor),
  enumType: many(5, EnumDescriptor),
  options: one(8, FileOptions),
  syntax: text(12),
});
/** One file. */
export type FileDescriptor = ContentOf<typeof FileDescriptor>;

/** Files, each after the files that it imports. */
export const FileDescriptorSet = messageType('google.protobuf.FileDescriptorSet', {
  file: many(1, FileDescriptor),
});
