/**
 * Message classes that came from .proto files: the generated ones register here, and every class
 * remembers its file.
 */
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { join as joinNames } from 'node:path/posix';
import type { Constructor } from '../../model/index.js';

/** Where a class came from. */
export interface ProtoOrigin {
  /** The .proto file as the program names it: `telemetry.proto`. */
  readonly file: string;
  /**
   * Where it was found, absolute; undefined where the class was generated, because then nobody
   * looked.
   */
  readonly path: string | undefined;
}

/**
 * A registered symbol, so that the command knows the classes of a program that loaded another copy
 * of rowsmith.
 */
const origin = Symbol.for('rowsmith.proto');
const generated = new Map<string, Readonly<Record<string, Constructor>>>();

/** One for a process: the command and the project may have a copy of rowsmith each. */
const FOLDER = Symbol.for('rowsmith.protoFolder');
const holder = globalThis as { [FOLDER]?: string };

/**
 * Has .proto files seen from a folder: the command's entities are those of its config, wherever it
 * is called.
 */
export function seeProtosFrom(home: string): void {
  holder[FOLDER] = home;
}

/** Where relative paths begin. */
function folder(): string {
  return holder[FOLDER] ?? process.cwd();
}

/** A .proto file, absolute. */
export function protoPath(file: string): string {
  return resolve(folder(), file);
}

/**
 * Has `fromProto(file, ...)` give these classes, by full protobuf name. Generated modules call it
 * when they are imported.
 */
export function registerProto(file: string, classes: Readonly<Record<string, Constructor>>): void {
  generated.set(file, classes);
  for (const each of Object.values(classes)) rememberOrigin(each, { file, path: undefined });
}

/** The class that was generated for a message, named in full or inside the file's package. */
export function generatedClass(file: string, message: string): Constructor | undefined {
  const classes =
    generated.get(file) ??
    [...generated].find(([each]) => protoPath(each) === protoPath(file))?.[1];
  if (classes === undefined) return undefined;
  const name =
    Object.keys(classes).find((each) => each === message) ??
    Object.keys(classes).find((each) => each.endsWith(`.${message}`));
  return name === undefined ? undefined : classes[name];
}

/** Says where a class came from. */
export function rememberOrigin(messageClass: Constructor, said: ProtoOrigin): void {
  Object.defineProperty(messageClass, origin, { value: said, configurable: true });
}

/** Where a class came from; undefined for classes that people wrote. */
export function protoOrigin(messageClass: object): ProtoOrigin | undefined {
  return (messageClass as { readonly [origin]?: ProtoOrigin })[origin];
}

/** What the program calls the file of a class, without the paths of this machine. */
export function saidName({ file }: ProtoOrigin): string {
  return isAbsolute(file) ? relative(folder(), file).replaceAll(sep, '/') : file;
}

/**
 * What the program would call a file, from how it calls another: `protos/geo.proto` beside
 * `protos/telemetry.proto`. Paths are absolute.
 */
export function importedName(file: string, path: string, imported: string): string {
  return path === imported
    ? file
    : joinNames(
        dirname(file).replaceAll(sep, '/'),
        relative(dirname(path), imported).replaceAll(sep, '/'),
      );
}
