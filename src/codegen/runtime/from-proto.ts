/** `fromProto('telemetry.proto', 'Status')`: a .proto file as the source of a message class. */
import {
  type Constructor,
  type EnumDeclaration,
  defineMessage,
  field,
  mapField,
  repeatedField,
  type FieldDefinition,
  type FieldSource,
} from '../../model/index.js';
import { simpleName, type ProtoField } from '../proto-source/proto-file.js';
import { ProtoSource, type SourceMessage } from '../proto-source/proto-source.js';
import { generatedClass, importedName, protoPath, rememberOrigin } from './registered-proto.js';

declare global {
  /**
   * The messages of .proto files by file and name. `rowsmith generate` fills it; without that,
   * messages from .proto files are of type `object`.
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

/** By absolute path, so that a message that two files import is one class. */
const classes = new Map<string, Map<string, Constructor>>();
const sources = new Map<string, ProtoSource>();

/**
 * The class of a message in a .proto file, for `@Packed` and `@Field`. `file` is seen from the
 * folder the program runs in, by the command from the folder of its config; `message` is its full
 * name or the name inside the file's package.
 *
 * Where the module that `rowsmith generate` made of the file has been imported, its class is given.
 * Otherwise the file is read by protobufjs, a peer dependency, when the database is opened.
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
  // All of them, before the first is made: what cannot be read leaves nothing behind.
  source.reachable(name);
  return classOf(source, name, { file, path });
}

interface Asked {
  readonly file: string;
  readonly path: string;
}

function classOf(source: ProtoSource, name: string, asked: Asked): Constructor {
  const message = source.message(name);
  const known = classes.get(message.path) ?? new Map<string, Constructor>();
  classes.set(message.path, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const simple = simpleName(name);
  const made = { [simple]: class {} }[simple];
  known.set(name, made);
  rememberOrigin(made, {
    file: importedName(asked.file, asked.path, message.path),
    path: message.path,
  });
  define(made, message, source, asked);
  return made;
}

function define(
  made: Constructor,
  message: SourceMessage,
  source: ProtoSource,
  asked: Asked,
): void {
  const fields = Object.fromEntries(
    message.fields.map((each) => [each.name, definitionOf(each, source, asked)]),
  );
  // The compiler knows no properties of a class that is made here.
  defineMessage(made as Constructor<Record<string, never>>, { name: message.name, fields: fields });
}

function definitionOf(
  { number, label, type, mapKey, oneof }: ProtoField,
  source: ProtoSource,
  asked: Asked,
): FieldDefinition<unknown> {
  const held: FieldSource =
    type.kind === 'scalar'
      ? type.scalar
      : type.kind === 'message'
        ? () => classOf(source, type.name, asked)
        : enumOf(source, type.name);
  if (label === 'map') return mapField(number, mapKey!, held) as FieldDefinition<unknown>;
  return (
    label === 'repeated'
      ? repeatedField(number, held)
      : field(number, held, oneof === undefined ? {} : { oneof })
  ) as FieldDefinition<unknown>;
}

function enumOf(source: ProtoSource, name: string): EnumDeclaration {
  return {
    kind: 'enum',
    name,
    values: new Map(source.enumeration(name).members.map((member) => [member.name, member.number])),
  };
}
