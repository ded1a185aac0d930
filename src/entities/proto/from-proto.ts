/** `fromProto('telemetry.proto', 'Status')`: a message class declared by a .proto file. */
import {
  type Constructor,
  type EnumDeclaration,
  defineMessage,
  field,
  mapField,
  repeatedField,
  type FieldDefinition,
  type FieldSource,
} from '../model/index.js';
import { simpleName, type ProtoField, type ProtoType } from './proto-file.js';
import { ProtoSource, type SourceMessage } from './proto-source.js';
import { generatedClass, importedName, protoPath, rememberOrigin } from './registered-proto.js';

declare global {
  /**
   * The messages of .proto files by file and name. Modules that `rowsmith generate` writes extend
   * it; messages of other .proto files have the type `object`.
   */

  interface RowsmithProtos {}
}

/** The names of a file's messages. */
export type ProtoMessageName<F extends string> = F extends keyof RowsmithProtos
  ? Extract<keyof RowsmithProtos[F], string>
  : string;
/** The class of a message. */
export type ProtoMessage<F extends string, M extends string> = F extends keyof RowsmithProtos
  ? M extends keyof RowsmithProtos[F]
    ? Extract<RowsmithProtos[F][M], object>
    : never
  : object;

/** By absolute path and full name, so that a message that two files import is one class. */
const classes = new Map<string, Map<string, Constructor>>();
/** By absolute path. */
const sources = new Map<string, ProtoSource>();

/**
 * The class of a message in a .proto file, for `@Packed` and `@Field`. `file` is relative to the
 * working directory of the program; for the command, to the folder of its config. `message` is the
 * full name, or the name inside the file's package.
 *
 * If the module that `rowsmith generate` writes for the file has been imported, its class is
 * returned. Otherwise protobufjs, a peer dependency, reads the file when the database is opened.
 */
export function fromProto<F extends string, M extends ProtoMessageName<F>>(
  file: F,
  message: M,
): () => Constructor<ProtoMessage<F, M>> {
  return () =>
    (generatedClass(file, message) ?? readClass(file, message)) as Constructor<ProtoMessage<F, M>>;
}

function readClass(file: string, message: string): Constructor {
  const path = protoPath(file);
  const source = sources.get(path) ?? new ProtoSource(path);
  sources.set(path, source);
  const name = source.fullName(message);
  // Throws for any message that cannot be read, before the first class is defined.
  source.reachable(name);
  return classOf(source, name, { file, path });
}

/** A .proto file that was passed to `fromProto`. */
interface NamedFile {
  /** As the program names it. */
  readonly file: string;
  /** Absolute. */
  readonly path: string;
}

function classOf(source: ProtoSource, name: string, root: NamedFile): Constructor {
  const message = source.message(name);
  const classesOfFile = classes.get(message.path) ?? new Map<string, Constructor>();
  classes.set(message.path, classesOfFile);
  const known = classesOfFile.get(name);
  if (known !== undefined) return known;
  const className = simpleName(name);
  const messageClass = { [className]: class {} }[className];
  // Before its fields, which may refer to it.
  classesOfFile.set(name, messageClass);
  rememberOrigin(messageClass, {
    file: importedName(root.file, root.path, message.path),
    path: message.path,
  });
  define(messageClass, message, source, root);
  return messageClass;
}

function define(
  messageClass: Constructor,
  message: SourceMessage,
  source: ProtoSource,
  root: NamedFile,
): void {
  const fields = Object.fromEntries(
    message.fields.map((each) => [
      each.name,
      definitionOf(each, fieldSource(each.type, source, root)),
    ]),
  );
  // The compiler knows no properties of a class that is created at run time.
  defineMessage(messageClass as Constructor<Record<string, never>>, { name: message.name, fields });
}

function definitionOf(
  { number, label, mapKey, oneof }: ProtoField,
  type: FieldSource,
): FieldDefinition<unknown> {
  switch (label) {
    case 'singular':
      return field(number, type, { oneof }) as FieldDefinition<unknown>;
    case 'repeated':
      return repeatedField(number, type) as FieldDefinition<unknown>;
    case 'map':
      return mapField(number, mapKey!, type) as FieldDefinition<unknown>;
  }
}

function fieldSource(type: ProtoType, source: ProtoSource, root: NamedFile): FieldSource {
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'message':
      return () => classOf(source, type.name, root);
    case 'enum':
      return enumOf(source, type.name);
  }
}

function enumOf(source: ProtoSource, name: string): EnumDeclaration {
  return {
    kind: 'enum',
    name,
    values: new Map(source.enumeration(name).members.map((member) => [member.name, member.number])),
  };
}
