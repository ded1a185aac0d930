/**
 * Message classes of .proto files: generated modules register theirs here, and every class
 * remembers the file that declares it.
 */
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { join as joinNames } from 'node:path/posix';
import type { Constructor } from '../model/index.js';

/** The .proto file that declares a class. */
export interface ProtoOrigin {
  /** As the program names the file: `telemetry.proto`. */
  readonly file: string;
  /** Absolute; undefined for generated classes: their .proto file was not read. */
  readonly path: string | undefined;
}

/**
 * A registered symbol, so that the command recognises classes of a program that loaded another copy
 * of rowsmith.
 */
const origin = Symbol.for('rowsmith.proto');
/** Generated classes by the .proto file as the program names it, then by full protobuf name. */
const generated = new Map<string, Readonly<Record<string, Constructor>>>();

/**
 * One for the process, because the command and the project may load different copies of rowsmith.
 */
const folderKey = Symbol.for('rowsmith.protoFolder');
const holder = globalThis as { [folderKey]?: string };

/**
 * Sets the folder to which paths of .proto files are relative. The command sets the folder of its
 * config, whatever its working directory.
 */
export function setProtoFolder(home: string): void {
  holder[folderKey] = home;
}

function folder(): string {
  return holder[folderKey] ?? process.cwd();
}

/** The absolute path of a .proto file. */
export function protoPath(file: string): string {
  return resolve(folder(), file);
}

/**
 * Makes `fromProto(file, ...)` return these classes, by full protobuf name. Generated modules call
 * it when they are imported.
 */
export function registerProto(file: string, classes: Readonly<Record<string, Constructor>>): void {
  generated.set(file, classes);
  for (const each of Object.values(classes)) rememberOrigin(each, { file, path: undefined });
}

/** The generated class of a message, by its full name or its name inside the file's package. */
export function generatedClass(file: string, message: string): Constructor | undefined {
  const classes = generatedClasses(file) ?? {};
  const names = Object.keys(classes);
  const name =
    names.find((each) => each === message) ?? names.find((each) => each.endsWith(`.${message}`));
  if (name === undefined) return undefined;
  return classes[name];
}

/** The file may be named differently than by the generated module: `./a.proto` and `a.proto`. */
function generatedClasses(file: string): Readonly<Record<string, Constructor>> | undefined {
  const sameName = generated.get(file);
  if (sameName !== undefined) return sameName;
  const path = protoPath(file);
  for (const [each, classes] of generated) if (protoPath(each) === path) return classes;
  return undefined;
}

/** Records the .proto file of a class. */
export function rememberOrigin(messageClass: Constructor, value: ProtoOrigin): void {
  Object.defineProperty(messageClass, origin, { value, configurable: true });
}

/** The .proto file of a class; undefined for classes that were written by hand. */
export function protoOrigin(messageClass: object): ProtoOrigin | undefined {
  return (messageClass as { readonly [origin]?: ProtoOrigin })[origin];
}

/** The file of a class as the program names it, without absolute paths of this machine. */
export function portableName({ file }: ProtoOrigin): string {
  if (!isAbsolute(file)) return file;
  return relative(folder(), file).replaceAll(sep, '/');
}

/**
 * The name of an imported file, from the name of the importing one: `protos/geo.proto` for an
 * import of `protos/telemetry.proto`. `path` and `imported` are the absolute paths of the two.
 */
export function importedName(file: string, path: string, imported: string): string {
  if (path === imported) return file;
  return joinNames(
    dirname(file).replaceAll(sep, '/'),
    relative(dirname(path), imported).replaceAll(sep, '/'),
  );
}
