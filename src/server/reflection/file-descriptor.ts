/**
 * Parsed .proto files -> google.protobuf.FileDescriptorProto (descriptor.proto). Options are left
 * out, except options that change the meaning of a file; so are imports that only they need.
 */
import type Protobuf from 'protobufjs';
import {
  bool,
  bytes,
  descriptorTypes,
  enumDescriptorType,
  int32,
  list,
  many,
  mapEntryName,
  messageDescriptorType,
  messageType,
  one,
  optionalLabel,
  repeatedLabel,
  text,
  type ContentOf,
} from '../../engines/protocol/index.js';

const name = (message: string): string => `google.protobuf.${message}`;

const FieldDescriptor = messageType(name('FieldDescriptorProto'), {
  name: text(1),
  number: int32(3),
  label: int32(4),
  type: int32(5),
  typeName: text(6),
  // In a oneof, so that the index 0 is written: the file is proto2.
  oneofIndex: int32(9, 'presence'),
  jsonName: text(10),
  proto3Optional: bool(17),
});
const OneofDescriptor = messageType(name('OneofDescriptorProto'), { name: text(1) });
const EnumValue = messageType(name('EnumValueDescriptorProto'), {
  name: text(1),
  number: int32(2, 'presence'),
});
const EnumDescriptor = messageType(name('EnumDescriptorProto'), {
  name: text(1),
  values: many(2, EnumValue),
  options: one(3, messageType(name('EnumOptions'), { allowAlias: bool(2) })),
});
const MessageDescriptor = messageType(name('DescriptorProto'), {
  name: text(1),
  fields: many(2, FieldDescriptor),
  // Encoded: messages contain messages.
  nested: list(bytes(3)),
  enums: many(4, EnumDescriptor),
  options: one(7, messageType(name('MessageOptions'), { mapEntry: bool(7) })),
  oneofs: many(8, OneofDescriptor),
});
const MethodDescriptor = messageType(name('MethodDescriptorProto'), {
  name: text(1),
  inputType: text(2),
  outputType: text(3),
  clientStreaming: bool(5),
  serverStreaming: bool(6),
});
const ServiceDescriptor = messageType(name('ServiceDescriptorProto'), {
  name: text(1),
  methods: many(2, MethodDescriptor),
});
const FileDescriptor = messageType(name('FileDescriptorProto'), {
  name: text(1),
  package: text(2),
  imports: list(text(3)),
  messages: list(bytes(4)),
  enums: many(5, EnumDescriptor),
  services: many(6, ServiceDescriptor),
  syntax: text(12),
});

const scalarTypes: Readonly<Record<string, number>> = descriptorTypes;

/** A declaration of a file: a message, an enum or a service. */
export type Declaration = Protobuf.Type | Protobuf.Enum | Protobuf.Service;

/** A .proto file with all declarations at its top level. */
export interface ServedFile {
  readonly name: string;
  readonly package: string;
  readonly declarations: readonly Declaration[];
}

/** A file as clients get it. */
export interface DescribedFile {
  readonly bytes: Uint8Array;
  readonly imports: readonly string[];
  /** Full names of its messages, enums, services, methods, fields, oneofs and enum values. */
  readonly symbols: readonly string[];
}

/** Describes a file of a root with all types. `fileOf` returns the name of the file with a type. */
export function describeFile(
  file: ServedFile,
  fileOf: (type: Protobuf.ReflectionObject) => string,
): DescribedFile {
  const described = new FileDescription(fileOf);
  const messages: Uint8Array[] = [];
  const enums: ContentOf<typeof EnumDescriptor>[] = [];
  const services: ContentOf<typeof ServiceDescriptor>[] = [];
  for (const each of file.declarations)
    if ('methods' in each) services.push(described.service(each));
    else if ('fields' in each) messages.push(described.message(each));
    else enums.push(described.enum(each));
  const imports = [...described.imports].filter((each) => each !== file.name).sort();
  const bytes = FileDescriptor.encode({
    ...{ name: file.name, package: file.package, syntax: 'proto3' },
    ...{ imports, messages, enums, services },
  });
  return { bytes, imports, symbols: described.symbols };
}

class FileDescription {
  readonly imports = new Set<string>();
  readonly symbols: string[] = [];
  readonly #fileOf: (type: Protobuf.ReflectionObject) => string;

  constructor(fileOf: (type: Protobuf.ReflectionObject) => string) {
    this.#fileOf = fileOf;
  }

  message(type: Protobuf.Type): Uint8Array {
    this.#add(type);
    const oneofs = sortedOneofs(type);
    const nested: Uint8Array[] = [];
    const enums: ContentOf<typeof EnumDescriptor>[] = [];
    const fields = type.fieldsArray.map((declared) => {
      const field = declared.resolve();
      this.#add(field);
      if (isMap(field)) nested.push(this.#mapEntry(field));
      return this.#field(field, oneofs);
    });
    for (const each of type.nestedArray)
      if ('fields' in each) nested.push(this.message(each as Protobuf.Type));
      else if ('values' in each) enums.push(this.enum(each as Protobuf.Enum));
    for (const oneof of oneofs) this.#add(oneof);
    const names = oneofs.map((oneof) => ({ name: oneof.name }));
    return MessageDescriptor.encode({ name: type.name, fields, nested, enums, oneofs: names });
  }

  enum(type: Protobuf.Enum): ContentOf<typeof EnumDescriptor> {
    this.#add(type);
    const numbers = Object.values(type.values);
    const allowAlias = new Set(numbers).size < numbers.length;
    return {
      name: type.name,
      values: Object.entries(type.values).map(([value, number]) => {
        // Values belong to the scope around their enum.
        this.symbols.push(`${fullName(type.parent!)}.${value}`);
        return { name: value, number };
      }),
      options: allowAlias ? { allowAlias } : undefined,
    };
  }

  service(service: Protobuf.Service): ContentOf<typeof ServiceDescriptor> {
    this.#add(service);
    const methods = service.methodsArray.map((declared) => {
      const method = declared.resolve() as Protobuf.Method;
      this.#add(method);
      return {
        name: method.name,
        inputType: this.#reference(method.resolvedRequestType!),
        outputType: this.#reference(method.resolvedResponseType!),
        clientStreaming: method.requestStream === true,
        serverStreaming: method.responseStream === true,
      };
    });
    return { name: service.name, methods };
  }

  #field(
    field: Protobuf.Field,
    oneofs: readonly Protobuf.OneOf[],
  ): ContentOf<typeof FieldDescriptor> {
    const { name: fieldName, id: number } = field;
    const jsonName = jsonNameOf(fieldName);
    const label = field.repeated || isMap(field) ? repeatedLabel : optionalLabel;
    if (isMap(field)) {
      const typeName = `.${fullName(field.parent!)}.${mapEntryName(field.name)}`;
      return { name: fieldName, jsonName, number, label, type: messageDescriptorType, typeName };
    }
    const { partOf } = field;
    const oneofIndex = partOf === null ? undefined : oneofs.indexOf(partOf);
    const proto3Optional = isSynthetic(partOf) ? true : undefined;
    const common = { name: fieldName, jsonName, number, label, ...this.#type(field) };
    return { ...common, oneofIndex, proto3Optional };
  }

  #type(field: Protobuf.FieldBase): { readonly type: number; readonly typeName?: string } {
    const { resolvedType } = field;
    if (resolvedType === null) return { type: scalarTypes[field.type] };
    const type = 'fields' in resolvedType ? messageDescriptorType : enumDescriptorType;
    return { type, typeName: this.#reference(resolvedType) };
  }

  /** A map is a list of messages with a key and a value. */
  #mapEntry(field: Protobuf.MapField): Uint8Array {
    const key = { name: 'key', number: 1, label: optionalLabel, type: scalarTypes[field.keyType] };
    const value = { name: 'value', number: 2, label: optionalLabel, ...this.#type(field) };
    const options = { mapEntry: true };
    return MessageDescriptor.encode({
      name: mapEntryName(field.name),
      fields: [key, value],
      options,
    });
  }

  #reference(type: Protobuf.ReflectionObject): string {
    this.imports.add(this.#fileOf(type));
    return `.${fullName(type)}`;
  }

  #add(declared: Protobuf.ReflectionObject): void {
    this.symbols.push(fullName(declared));
  }
}

/** Without the dot that protobufjs begins it with. */
function fullName(declared: Protobuf.ReflectionObject): string {
  return declared.fullName.slice(1);
}

function isMap(field: Protobuf.FieldBase): field is Protobuf.MapField {
  return field.map;
}

/** `row_labels` -> `rowLabels`, as protoc writes it: tools print fields by it. */
function jsonNameOf(field: string): string {
  return field.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}

/** An `optional` field is the only one of a oneof, which protobufjs makes. */
function isSynthetic(oneof: Protobuf.OneOf | null): boolean {
  return oneof?.fieldsArray[0]?.options?.proto3_optional === true;
}

/** Descriptors have the oneofs of optional fields last. */
function sortedOneofs({ oneofsArray }: Protobuf.Type): readonly Protobuf.OneOf[] {
  return oneofsArray.toSorted((a, b) => Number(isSynthetic(a)) - Number(isSynthetic(b)));
}
