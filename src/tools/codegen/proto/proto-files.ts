/**
 * .proto files of messages, as data: one file for each package. Messages and enums that are named
 * inside a message are nested in it.
 */
import type { FieldShape, FieldType, MessageShape } from '../../../data/cell/index.js';
import { messagesOf, type EntityModel } from '../../../entities/model/index.js';
import { checkProtoFiles } from './check-proto-files.js';
import { enumMemberName } from './enum-member-name.js';
import {
  scopeOf,
  timestampFile,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ParsedMessage,
  type ProtoType,
  type ReservedOf,
} from '../../../entities/proto/index.js';
import { sortedBy } from '../sorted-by.js';

const nothingReserved: ReservedOf = () => ({ numbers: [], names: [] });

/** Every message class in the cells of the entities, each once, by full name. */
export function messagesOfModels(
  models: readonly Pick<EntityModel, 'columns'>[],
): readonly MessageShape[] {
  return sortedByName(new Set(models.flatMap((model) => messagesOf(model))));
}

function sortedByName<T extends { readonly name: string }>(items: Iterable<T>): T[] {
  return sortedBy(items, ({ name }) => name);
}

/** Messages and enums that are not inside a message. */
interface PackageContent {
  readonly messages: ParsedMessage[];
  readonly enums: ProtoEnum[];
}

/**
 * The files of the messages, sorted by path. Throws INVALID_DECLARATION with everything that
 * protobuf's compiler would reject.
 */
export function protoFiles(
  shapes: readonly MessageShape[],
  reserved: ReservedOf = nothingReserved,
): readonly ProtoFile[] {
  const sorted = sortedByName(shapes);
  const enums = enumsOf(shapes, reserved);
  const messageNames = new Set(shapes.map((shape) => shape.name));
  const messageOf = (shape: MessageShape): ParsedMessage => ({
    name: shape.name,
    fields: fieldsOf(shape),
    messages: sorted.filter((inner) => scopeOf(inner.name) === shape.name).map(messageOf),
    enums: enums.filter((inner) => scopeOf(inner.name) === shape.name),
    reserved: reserved(shape.name),
  });
  const packages = new Map<string, PackageContent>();
  const contentOf = (packageName: string): PackageContent => {
    const content = packages.get(packageName) ?? { messages: [], enums: [] };
    packages.set(packageName, content);
    return content;
  };
  const isOutermost = ({ name }: { readonly name: string }): boolean =>
    !messageNames.has(scopeOf(name));
  for (const shape of sorted.filter(isOutermost))
    contentOf(scopeOf(shape.name)).messages.push(messageOf(shape));
  for (const each of enums.filter(isOutermost)) contentOf(scopeOf(each.name)).enums.push(each);
  const packageOf = (name: string): string => {
    const scope = scopeOf(name);
    if (messageNames.has(scope)) return packageOf(scope);
    return scope;
  };
  const files = [...packages].map(([name, content]): ProtoFile => ({
    path: protoPath(name),
    package: name,
    imports: importsOf(content.messages, name, packageOf),
    ...content,
  }));
  const sortedFiles = sortedBy(files, ({ path }) => path);
  checkProtoFiles(sortedFiles, shapes);
  return sortedFiles;
}

/** `acme.telemetry` is in `acme.telemetry.proto`. */
function protoPath(packageName: string): string {
  return `${packageName === '' ? 'messages' : packageName}.proto`;
}

/** The enums of all fields, each once, by full name. */
function enumsOf(shapes: readonly MessageShape[], reserved: ReservedOf): readonly ProtoEnum[] {
  const enums = new Map<string, ProtoEnum>();
  for (const { type } of shapes.flatMap((shape) => shape.fields)) {
    if (type.kind === 'enum' && !enums.has(type.name)) enums.set(type.name, enumOf(type, reserved));
  }
  return sortedByName(enums.values());
}

function enumOf(
  { name, values }: Extract<FieldType, { readonly kind: 'enum' }>,
  reserved: ReservedOf,
): ProtoEnum {
  const members = [...values]
    .map(([member, number]) => ({ name: enumMemberName(name, member), number }))
    .sort(zeroFirst);
  const { numbers, names } = reserved(name);
  // A member that was renamed in case only has the same name in protobuf, so that is not reserved.
  const reservedNames = names
    .map((member) => enumMemberName(name, member))
    .filter((member) => !members.some((other) => other.name === member));
  return { name, members, reserved: { numbers, names: reservedNames } };
}

/** Zero first, as proto3 requires, then by number. Aliases stay as declared. */
function zeroFirst(a: { readonly number: number }, b: { readonly number: number }): number {
  if (a.number === b.number) return 0;
  if (a.number === 0) return -1;
  if (b.number === 0) return 1;
  return a.number - b.number;
}

/** The fields by number, with the fields of a oneof together. */
function fieldsOf({ fields }: MessageShape): readonly ProtoField[] {
  const ordered = new Set<FieldShape>();
  for (const field of fields) {
    ordered.add(field);
    if (field.oneof === undefined) continue;
    for (const other of fields) if (other.oneof === field.oneof) ordered.add(other);
  }
  return [...ordered].map(({ name, number, label, mapKey, oneof, type }) => ({
    name,
    number,
    label,
    type: protoType(type),
    mapKey,
    oneof,
  }));
}

function protoType(type: FieldType): ProtoType {
  switch (type.kind) {
    case 'message':
      return { kind: 'message', name: type.shape().name };
    case 'enum':
      return { kind: 'enum', name: type.name };
    case 'scalar':
      return type;
  }
}

/** Paths of the files that declare the types of the fields, sorted. */
function importsOf(
  messages: readonly ParsedMessage[],
  own: string,
  packageOf: (name: string) => string,
): readonly string[] {
  const paths = new Set<string>();
  const visit = (message: ParsedMessage): void => {
    for (const { type } of message.fields) {
      if (type.kind !== 'scalar') {
        const typePackage = packageOf(type.name);
        if (typePackage !== own) paths.add(protoPath(typePackage));
      } else if (type.scalar === 'timestamp') paths.add(timestampFile);
    }
    message.messages.forEach(visit);
  };
  messages.forEach(visit);
  return [...paths].sort();
}
