/**
 * Message shapes -> .proto files as data: one file for each package, what is nested in a message
 * inside it.
 */
import type { FieldShape, MessageShape } from '../../cell/index.js';
import { messagesOf, type EntityModel } from '../../model/index.js';
import { checkProtoFiles } from './check-proto-files.js';
import { enumMemberName } from './enum-member-name.js';
import {
  scopeOf,
  timestampFile,
  timestampName,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ProtoMessage,
  type ProtoType,
  type ReservedOf,
} from '../proto-source/proto-file.js';

const nothing: ReservedOf = () => ({ numbers: [], names: [] });

/** Every message class in the cells of the entities, each once, by full name. */
export function messagesOfModels(
  models: readonly Pick<EntityModel, 'columns'>[],
): readonly MessageShape[] {
  const shapes = new Set(models.flatMap((model) => messagesOf(model)));
  return [...shapes].sort(byName);
}

/**
 * The files of the messages, sorted by path. Throws INVALID_DECLARATION with everything that
 * protobuf does not take.
 */
export function protoFiles(
  shapes: readonly MessageShape[],
  reserved: ReservedOf = nothing,
): readonly ProtoFile[] {
  const enums = enumsOf(shapes, reserved);
  const names = new Set(shapes.map((shape) => shape.name));
  const messageOf = (shape: MessageShape): ProtoMessage => ({
    name: shape.name,
    fields: fieldsOf(shape),
    messages: shapes
      .filter((inner) => scopeOf(inner.name) === shape.name)
      .sort(byName)
      .map(messageOf),
    enums: enums.filter((inner) => scopeOf(inner.name) === shape.name),
    reserved: reserved(shape.name),
  });
  const packages = new Map<string, { messages: ProtoMessage[]; enums: ProtoEnum[] }>();
  const inPackage = (name: string): { messages: ProtoMessage[]; enums: ProtoEnum[] } => {
    const found = packages.get(name) ?? { messages: [], enums: [] };
    packages.set(name, found);
    return found;
  };
  for (const shape of [...shapes].sort(byName))
    if (!names.has(scopeOf(shape.name)))
      inPackage(scopeOf(shape.name)).messages.push(messageOf(shape));
  for (const each of enums)
    if (!names.has(scopeOf(each.name))) inPackage(scopeOf(each.name)).enums.push(each);
  const packageOf = (name: string): string =>
    names.has(scopeOf(name)) ? packageOf(scopeOf(name)) : scopeOf(name);
  const files = [...packages].map(([name, content]): ProtoFile => ({
    path: protoPath(name),
    package: name,
    imports: importsOf(content.messages, name, packageOf),
    ...content,
  }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  checkProtoFiles(files, shapes);
  return files;
}

/** `acme.telemetry` is in `acme.telemetry.proto`. */
function protoPath(packageName: string): string {
  return `${packageName === '' ? 'messages' : packageName}.proto`;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function enumsOf(shapes: readonly MessageShape[], reserved: ReservedOf): readonly ProtoEnum[] {
  const found = new Map<string, ProtoEnum>();
  for (const { type } of shapes.flatMap((shape) => shape.fields)) {
    if (type.kind !== 'enum' || found.has(type.name)) continue;
    const members = [...type.values].map(([member, number]) => ({
      name: enumMemberName(type.name, member),
      number,
    }));
    // Zero is first, as proto3 demands; the others by number, aliases as declared.
    members.sort((a, b) => Number(b.number === 0) - Number(a.number === 0) || a.number - b.number);
    const { numbers, names } = reserved(type.name);
    // A member that was renamed in case only has the same name here.
    const gone = names
      .map((name) => enumMemberName(type.name, name))
      .filter((name) => !members.some((member) => member.name === name));
    found.set(type.name, { name: type.name, members, reserved: { numbers, names: gone } });
  }
  return [...found.values()].sort(byName);
}

function fieldsOf(shape: MessageShape): readonly ProtoField[] {
  const inOrder = shape.fields
    .filter(
      (field, i) =>
        field.oneof === undefined ||
        shape.fields.findIndex((other) => other.oneof === field.oneof) === i,
    )
    .flatMap((field) =>
      field.oneof === undefined
        ? [field]
        : shape.fields.filter((other) => other.oneof === field.oneof),
    );
  return inOrder.map(fieldOf);
}

function fieldOf({ name, number, label, mapKey, oneof, type }: FieldShape): ProtoField {
  const protoType: ProtoType =
    type.kind === 'message'
      ? { kind: 'message', name: type.shape().name }
      : type.kind === 'enum'
        ? { kind: 'enum', name: type.name }
        : type;
  return {
    name,
    number,
    label,
    type: protoType,
    ...(mapKey === undefined ? {} : { mapKey }),
    ...(oneof === undefined ? {} : { oneof }),
  };
}

function importsOf(
  messages: readonly ProtoMessage[],
  own: string,
  packageOf: (name: string) => string,
): readonly string[] {
  const found = new Set<string>();
  const visit = (message: ProtoMessage): void => {
    for (const { type } of message.fields) {
      if (type.kind === 'scalar') {
        if (type.scalar === 'timestamp') found.add(timestampFile);
      } else if (packageOf(type.name) !== own) found.add(protoPath(packageOf(type.name)));
    }
    message.messages.forEach(visit);
  };
  messages.forEach(visit);
  return [...found].sort();
}

/** The name of a type as descriptors have it, without the leading dot. */
export function typeName(type: ProtoType): string | undefined {
  if (type.kind !== 'scalar') return type.name;
  return type.scalar === 'timestamp' ? timestampName : undefined;
}
