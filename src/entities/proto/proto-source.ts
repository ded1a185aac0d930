/** The declarations of a .proto file and its imports: messages and enums by full name. */
import {
  invalidArgument,
  nearestName,
  type RowsmithError,
  type FaultText,
  type FaultTexts,
} from '../../base/index.js';
import { type FieldKind, type MapKeyKind } from '../../data/cell/index.js';
import type Protobuf from 'protobufjs';
import {
  nameInPackage,
  scopeOf,
  timestampName,
  type ProtoEnum,
  type ProtoField,
  type ProtoType,
} from './proto-file.js';
import { protoFileError, readProto, type ParsedProto } from './read-proto.js';

/** A message as a file declares it. */
export interface SourceMessage {
  /** Full name. */
  readonly name: string;
  /** The file that declares it, absolute. */
  readonly path: string;
  /** By number. */
  readonly fields: readonly ProtoField[];
}

/** An enum as a file declares it. */
export interface SourceEnum extends Pick<ProtoEnum, 'name' | 'members'> {
  /** The file that declares it, absolute. */
  readonly path: string;
}

/** The messages and enums of a file and of its imports. */
export class ProtoSource {
  readonly #parsed: ParsedProto;

  constructor(path: string) {
    this.#parsed = readProto(path);
  }

  /**
   * The full name of a message of this file, from its full name or its name inside the package.
   * Throws INVALID_ARGUMENT when the file has no such message.
   */
  fullName(message: string): string {
    const { root, path, protobuf } = this.#parsed;
    const home = this.packageOf(path);
    const candidates = [message];
    if (home !== '') candidates.unshift(`${home}.${message}`);
    for (const name of candidates) {
      const found = root.lookup(name.split('.'));
      if (found instanceof protobuf.Type) return name;
      if (found instanceof protobuf.Service) throw this.#notAMessage(name, 'a service');
      if (found instanceof protobuf.Enum) throw this.#notAMessage(name, 'an enum');
    }
    throw this.#unknownMessage(message);
  }

  #notAMessage(name: string, kind: string): RowsmithError {
    return invalidArgument('message', faults.notAMessage(name, kind), { file: this.#parsed.path });
  }

  #unknownMessage(message: string): RowsmithError {
    const { path } = this.#parsed;
    const home = this.packageOf(path);
    const names = this.#messageNames(path).map((name) => nameInPackage(name, home));
    const near = nearestName(message, names);
    const problem = `the file declares no message ${message}`;
    if (near !== undefined)
      return invalidArgument('message', faults.unknownSimilar(problem, near), { file: path });
    const list = names.join(', ') || 'none';
    return invalidArgument('message', faults.unknownMessage(problem, list), { file: path });
  }

  /** The package of one of the files; empty for none. */
  packageOf(path: string): string {
    return this.#parsed.packages.get(path) ?? '';
  }

  /** A message by full name. Throws FILE_FAILED for fields that our messages cannot have. */
  message(name: string): SourceMessage {
    const type = this.#parsed.root.lookupType(name);
    const path = type.filename ?? this.#parsed.path;
    const fields = type.fieldsArray.map((field) => this.#fieldOf(field, name, path));
    return { name, path, fields: fields.sort((a, b) => a.number - b.number) };
  }

  /** An enum by full name. */
  enumeration(name: string): SourceEnum {
    const declared = this.#parsed.root.lookupEnum(name);
    return {
      name,
      path: declared.filename ?? this.#parsed.path,
      members: Object.entries(declared.values).map(([member, number]) => ({
        name: member,
        number,
      })),
    };
  }

  /** The message and every message and enum that its fields refer to, itself first. */
  reachable(name: string): {
    readonly messages: readonly SourceMessage[];
    readonly enums: readonly SourceEnum[];
  } {
    const messages = new Map<string, SourceMessage>();
    const enums = new Map<string, SourceEnum>();
    const visit = (each: string): void => {
      if (messages.has(each)) return;
      const message = this.message(each);
      messages.set(each, message);
      for (const { type } of message.fields) {
        if (type.kind === 'enum') enums.set(type.name, this.enumeration(type.name));
        if (type.kind === 'message') visit(type.name);
      }
    };
    visit(name);
    return { messages: [...messages.values()], enums: [...enums.values()] };
  }

  #messageNames(path: string): readonly string[] {
    const { root, protobuf } = this.#parsed;
    const names: string[] = [];
    const visit = (namespace: Protobuf.NamespaceBase): void => {
      for (const each of namespace.nestedArray) {
        if (each instanceof protobuf.Type && each.filename === path)
          names.push(each.fullName.slice(1));
        if (each instanceof protobuf.Namespace) visit(each);
      }
    };
    visit(root);
    return names.sort();
  }

  #fieldOf(field: Protobuf.Field, message: string, path: string): ProtoField {
    const fieldError: FieldError = ({ problem, fix }) =>
      protoFileError(path, faults.unsupportedField(message, field.name, problem, fix));
    if (field.extend !== undefined) throw fieldError(faults.extension);
    const base = {
      name: field.name,
      number: field.id,
      type: this.#typeOf(field, fieldError),
    };
    if (field instanceof this.#parsed.protobuf.MapField)
      return { ...base, label: 'map', mapKey: field.keyType as MapKeyKind };
    if (field.repeated) return { ...base, label: 'repeated' };
    return { ...base, label: 'singular', oneof: oneofOf(field) };
  }

  #typeOf(field: Protobuf.Field, fieldError: FieldError): ProtoType {
    const { resolvedType } = field;
    if (resolvedType === null) return { kind: 'scalar', scalar: field.type as FieldKind };
    const name = resolvedType.fullName.slice(1);
    if (name === timestampName) return { kind: 'scalar', scalar: 'timestamp' };
    if (scopeOf(name) === 'google.protobuf') throw fieldError(faults.unreadType(name));
    if (resolvedType instanceof this.#parsed.protobuf.Enum) return { kind: 'enum', name };
    return { kind: 'message', name };
  }
}

/** An error about one field. */
type FieldError = (fault: FaultText) => RowsmithError;

/** The oneof of a field, without the synthetic one of a proto3 `optional` field. */
function oneofOf({ partOf }: Protobuf.Field): string | undefined {
  if (partOf === null || partOf.isProto3Optional === true) return undefined;
  return partOf.name;
}

const faults = {
  notAMessage: (name: string, kind: string) => ({
    problem: `${name} is ${kind}, not a message`,
    fix: 'name a message: a column stores one',
  }),
  unknownSimilar: (problem: string, near: string) => ({ problem, fix: `did you mean ${near}?` }),
  unknownMessage: (problem: string, list: string) => ({ problem, fix: `its messages are ${list}` }),
  unsupportedField: (message: string, name: string, problem: string, fix: string) => ({
    problem: `${message}.${name}: ${problem}`,
    fix,
  }),
  extension: { problem: 'it is an extension', fix: 'make it a field of the message' },
  unreadType: (name: string) => ({
    problem: `${name} is not read from .proto files, except Timestamp`,
    fix: 'declare a message of your own with its fields, which has the same bytes',
  }),
} satisfies FaultTexts;
