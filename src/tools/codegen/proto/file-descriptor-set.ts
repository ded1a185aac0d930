/**
 * The messages of entities as a serialized FileDescriptorSet with its imports: the bytes of a
 * Bigtable schema bundle. Tests compare it with what protoc compiles from the .proto files; protoc
 * itself is not needed.
 */
import {
  descriptorTypes,
  enumDescriptorType,
  mapEntryName,
  messageDescriptorType,
  optionalLabel,
  repeatedLabel,
} from '../../../engines/protocol/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import {
  FileDescriptorSet,
  type EnumDescriptor,
  type FieldDescriptor,
  type FileDescriptor,
  type MessageDescriptor,
} from './descriptor-messages.js';
import { messagesOfModels, protoFiles } from './proto-files.js';
import {
  jsonName,
  oneofsOf,
  simpleName,
  timestampFile,
  timestampName,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ParsedMessage,
  type ProtoType,
  type ReservedOf,
} from '../../../entities/proto/index.js';
import { hasAliases, hasOwnPresence } from './proto-text.js';
import { reservedRanges } from './reserved-ranges.js';

/** google/protobuf/timestamp.proto, identical in protoc 3.21 to 34. */
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
          label: optionalLabel,
          type: descriptorTypes.int64,
          jsonName: 'seconds',
        },
        {
          name: 'nanos',
          number: 2,
          label: optionalLabel,
          type: descriptorTypes.int32,
          jsonName: 'nanos',
        },
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

/** The serialized FileDescriptorSet of files; each file comes after its imports. */
export function descriptorBytes(files: readonly ProtoFile[]): Uint8Array {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const descriptors = new Map<string, FileDescriptor>();
  const add = (path: string): void => {
    if (descriptors.has(path)) return;
    const file = byPath.get(path);
    for (const each of file?.imports ?? []) add(each);
    // Every import is one of the files, except Timestamp.
    descriptors.set(path, file === undefined ? timestampDescriptor : fileDescriptor(file));
  };
  for (const { path } of files) add(path);
  return FileDescriptorSet.encode({ file: [...descriptors.values()] });
}

function fileDescriptor(file: ProtoFile): FileDescriptor {
  const descriptor: FileDescriptor = {
    name: file.path,
    dependency: [...file.imports],
    messageType: file.messages.map(messageDescriptor),
    enumType: file.enums.map(enumDescriptor),
    syntax: 'proto3',
  };
  // protoc writes no empty package.
  if (file.package !== '') descriptor.package = file.package;
  return descriptor;
}

function messageDescriptor(message: ParsedMessage): MessageDescriptor {
  const { fields } = message;
  const synthetic = syntheticOneofs(message);
  const oneofs = [...oneofsOf(message), ...synthetic.values()];
  const entries = fields.filter((field) => field.label === 'map').map(entryDescriptor);
  return {
    name: simpleName(message.name),
    field: fields.map((field) =>
      fieldDescriptor(message.name, field, oneofs, synthetic.get(field)),
    ),
    nestedType: [...entries, ...message.messages.map(messageDescriptor)],
    enumType: message.enums.map(enumDescriptor),
    oneofDecl: oneofs.map((name) => ({ name })),
    // The end is exclusive here, and inclusive in enums.
    reservedRange: reservedRanges(message.reserved.numbers).map(([first, last]) => ({
      start: first,
      end: last + 1,
    })),
    reservedName: [...message.reserved.names].sort(),
  };
}

/**
 * A proto3 `optional` field is a separate oneof. protoc calls it `_field`, and prepends X while
 * that name is taken.
 */
function syntheticOneofs(message: ParsedMessage): ReadonlyMap<ProtoField, string> {
  const { fields } = message;
  const taken = new Set([...fields.map((field) => field.name), ...oneofsOf(message)]);
  const oneofs = new Map<ProtoField, string>();
  for (const field of fields.filter(hasOwnPresence)) {
    let name = field.name.startsWith('_') ? field.name : `_${field.name}`;
    while (taken.has(name)) name = `X${name}`;
    taken.add(name);
    oneofs.set(field, name);
  }
  return oneofs;
}

function fieldDescriptor(
  message: string,
  field: ProtoField,
  oneofs: readonly string[],
  synthetic: string | undefined,
): FieldDescriptor {
  const descriptor: FieldDescriptor = {
    name: field.name,
    number: field.number,
    label: field.label === 'singular' ? optionalLabel : repeatedLabel,
    ...fieldType(message, field),
    jsonName: jsonName(field.name),
  };
  const oneof = field.oneof ?? synthetic;
  if (oneof !== undefined) descriptor.oneofIndex = oneofs.indexOf(oneof);
  if (synthetic !== undefined) descriptor.proto3Optional = true;
  return descriptor;
}

type TypeDescriptor = Pick<FieldDescriptor, 'type' | 'typeName'>;

/** A map is a repeated field of its entries. */
function fieldType(message: string, field: ProtoField): TypeDescriptor {
  if (field.label !== 'map') return typeDescriptor(field.type);
  return { type: messageDescriptorType, typeName: `.${message}.${mapEntryName(field.name)}` };
}

function typeDescriptor(type: ProtoType): TypeDescriptor {
  switch (type.kind) {
    case 'message':
      return { type: messageDescriptorType, typeName: `.${type.name}` };
    case 'enum':
      return { type: enumDescriptorType, typeName: `.${type.name}` };
    case 'scalar':
      if (type.scalar !== 'timestamp') return { type: descriptorTypes[type.scalar] };
      return { type: messageDescriptorType, typeName: `.${timestampName}` };
  }
}

function entryDescriptor(field: ProtoField): MessageDescriptor {
  return {
    name: mapEntryName(field.name),
    field: [
      {
        name: 'key',
        number: 1,
        label: optionalLabel,
        type: descriptorTypes[field.mapKey!],
        jsonName: 'key',
      },
      {
        name: 'value',
        number: 2,
        label: optionalLabel,
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
    options: hasAliases(members) ? { allowAlias: true } : undefined,
    reservedRange: reservedRanges(reserved.numbers).map(([first, last]) => ({
      start: first,
      end: last,
    })),
    reservedName: [...reserved.names].sort(),
  };
}
