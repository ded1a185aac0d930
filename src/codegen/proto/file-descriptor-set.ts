/**
 * The messages of entities as a serialized FileDescriptorSet with its imports: the bytes of a
 * Bigtable schema bundle. What it says is what protoc makes of the .proto files (a test holds it to
 * that), without protoc.
 */
import type { FieldKind } from '../../cell/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  FileDescriptorSet,
  type EnumDescriptor,
  type FieldDescriptor,
  type FileDescriptor,
  type MessageDescriptor,
} from './descriptor-messages.js';
import { mapEntryName } from './map-entry-name.js';
import { messagesOfModels, protoFiles, typeName } from './proto-files.js';
import {
  jsonName,
  simpleName,
  timestampFile,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ProtoMessage,
  type ProtoType,
  type ReservedOf,
} from '../proto-source/proto-file.js';
import { hasAliases, hasOwnPresence } from './proto-text.js';
import { rangesOf } from './reserved-ranges.js';

/** FieldDescriptorProto.Type; 10 is a group, 11 a message, 14 an enum. */
const scalarTypes: Readonly<Record<Exclude<FieldKind, 'timestamp'>, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};
const messageTypeNumber = 11;
const enumTypeNumber = 14;
/** FieldDescriptorProto.Label. */
const optional = 1;
const repeated = 3;

/** google/protobuf/timestamp.proto as protoc 3.21 to 34 has it. */
const timestampDescriptor: FileDescriptor = {
  name: timestampFile,
  package: 'google.protobuf',
  syntax: 'proto3',
  messageType: [
    {
      name: 'Timestamp',
      field: [
        {
          name: 'seconds',
          number: 1,
          label: optional,
          type: scalarTypes.int64,
          jsonName: 'seconds',
        },
        { name: 'nanos', number: 2, label: optional, type: scalarTypes.int32, jsonName: 'nanos' },
      ],
    },
  ],
  options: {
    javaPackage: 'com.google.protobuf',
    javaOuterClassname: 'TimestampProto',
    javaMultipleFiles: true,
    goPackage: 'google.golang.org/protobuf/types/known/timestamppb',
    ccEnableArenas: true,
    objcClassPrefix: 'GPB',
    csharpNamespace: 'Google.Protobuf.WellKnownTypes',
  },
};

/** The serialized FileDescriptorSet of every message class in the entities. */
export function fileDescriptorSet(
  models: readonly EntityModel[],
  reserved?: ReservedOf,
): Uint8Array {
  return descriptorBytes(protoFiles(messagesOfModels(models), reserved));
}

/** The same of files. */
export function descriptorBytes(files: readonly ProtoFile[]): Uint8Array {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Map<string, FileDescriptor>();
  const add = (path: string): void => {
    if (done.has(path)) return;
    const file = byPath.get(path);
    for (const each of file?.imports ?? []) add(each);
    done.set(path, file === undefined ? timestampDescriptor : fileDescriptor(file));
  };
  for (const { path } of files) add(path);
  return FileDescriptorSet.encode({ file: [...done.values()] });
}

function fileDescriptor(file: ProtoFile): FileDescriptor {
  return {
    name: file.path,
    ...(file.package === '' ? {} : { package: file.package }),
    dependency: [...file.imports],
    messageType: file.messages.map(messageDescriptor),
    enumType: file.enums.map(enumDescriptor),
    syntax: 'proto3',
  };
}

function messageDescriptor(message: ProtoMessage): MessageDescriptor {
  const { fields } = message;
  const oneofs = [...new Set(fields.flatMap((field) => field.oneof ?? []))];
  const synthetic = syntheticOneofs(fields, oneofs);
  const allOneofs = [...oneofs, ...synthetic.values()];
  return {
    name: simpleName(message.name),
    field: fields.map((field) =>
      fieldDescriptor(message.name, field, allOneofs, synthetic.get(field)),
    ),
    nestedType: [
      ...fields.filter((field) => field.label === 'map').map((field) => entryDescriptor(field)),
      ...message.messages.map(messageDescriptor),
    ],
    enumType: message.enums.map(enumDescriptor),
    oneofDecl: allOneofs.map((name) => ({ name })),
    reservedRange: rangesOf(message.reserved.numbers).map(([first, last]) => ({
      start: first,
      end: last + 1,
    })),
    reservedName: [...message.reserved.names].sort(),
  };
}

/**
 * proto3's `optional` is a oneof of one field; protoc names it `_field`, with X before it while
 * that is taken.
 */
function syntheticOneofs(
  fields: readonly ProtoField[],
  oneofs: readonly string[],
): ReadonlyMap<ProtoField, string> {
  const taken = new Set([...fields.map((field) => field.name), ...oneofs]);
  const found = new Map<ProtoField, string>();
  for (const field of fields.filter(hasOwnPresence)) {
    let name = field.name.startsWith('_') ? field.name : `_${field.name}`;
    while (taken.has(name)) name = `X${name}`;
    taken.add(name);
    found.set(field, name);
  }
  return found;
}

function fieldDescriptor(
  message: string,
  field: ProtoField,
  oneofs: readonly string[],
  synthetic: string | undefined,
): FieldDescriptor {
  const oneof = field.oneof ?? synthetic;
  const type =
    field.label === 'map'
      ? { type: messageTypeNumber, typeName: `.${message}.${mapEntryName(field.name)}` }
      : typeDescriptor(field.type);
  return {
    name: field.name,
    number: field.number,
    label: field.label === 'singular' ? optional : repeated,
    ...type,
    jsonName: jsonName(field.name),
    ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) }),
    ...(synthetic === undefined ? {} : { proto3Optional: true }),
  };
}

function typeDescriptor(type: ProtoType): Pick<FieldDescriptor, 'type' | 'typeName'> {
  const name = typeName(type);
  if (name !== undefined)
    return {
      type: type.kind === 'enum' ? enumTypeNumber : messageTypeNumber,
      typeName: `.${name}`,
    };
  return { type: scalarTypes[(type as { scalar: keyof typeof scalarTypes }).scalar] };
}

function entryDescriptor(field: ProtoField): MessageDescriptor {
  const key = {
    name: 'key',
    number: 1,
    label: optional,
    type: scalarTypes[field.mapKey!],
    jsonName: 'key',
  };
  return {
    name: mapEntryName(field.name),
    field: [
      key,
      {
        name: 'value',
        number: 2,
        label: optional,
        ...typeDescriptor(field.type),
        jsonName: 'value',
      },
    ],
    options: { mapEntry: true },
  };
}

function enumDescriptor({ name, members, reserved }: ProtoEnum): EnumDescriptor {
  return {
    name: simpleName(name),
    value: members.map((member) => ({ ...member })),
    ...(hasAliases(members) ? { options: { allowAlias: true } } : {}),
    reservedRange: rangesOf(reserved.numbers).map(([first, last]) => ({ start: first, end: last })),
    reservedName: [...reserved.names].sort(),
  };
}
