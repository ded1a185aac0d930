/**
 * What a .proto file declares, in our own terms: messages and enums by full name, each with the
 * file it stands in.
 */
import { nearestName } from '../../base/index.js';
import { type FieldKind, type MapKeyKind } from '../../cell/index.js';
import type Protobuf from 'protobufjs';
import { RowsmithError } from '../../errors.js';
import {
  scopeOf,
  timestampName,
  type ProtoEnum,
  type ProtoField,
  type ProtoType,
} from './proto-file.js';
import { fileFault, readProto, type ParsedProto } from './read-proto.js';

/** A message as a file declares it. */
export interface SourceMessage {
  /** Full name. */
  readonly name: string;
  /** The file, absolute. */
  readonly path: string;
  /** By number. */
  readonly fields: readonly ProtoField[];
}

/** An enum as a file declares it. */
export interface SourceEnum extends Pick<ProtoEnum, 'name' | 'members'> {
  /** The file, absolute. */
  readonly path: string;
}

/** The messages and enums of a file and of those it imports. */
export class ProtoSource {
  readonly #parsed: ParsedProto;

  constructor(path: string) {
    this.#parsed = readProto(path);
  }

  /**
   * The full name of a message of this file, given in full or inside the package. Throws
   * INVALID_ARGUMENT when there is none.
   */
  fullName(message: string): string {
    const { root, path, packages, protobuf } = this.#parsed;
    const home = packages.get(path) ?? '';
    for (const name of home === '' ? [message] : [`${home}.${message}`, message]) {
      const found = root.lookup(name.split('.'));
      if (found instanceof protobuf.Type) return name;
      if (found instanceof protobuf.Service || found instanceof protobuf.Enum) {
        throw new RowsmithError('INVALID_ARGUMENT', {
          property: 'message',
          file: path,
          problem: `${name} is ${found instanceof protobuf.Service ? 'a service' : 'an enum'}, not a message`,
          fix: 'name a message: a column stores one',
        });
      }
    }
    const names = this.#messageNames(path).map((name) =>
      home === '' ? name : name.slice(home.length + 1),
    );
    const near = nearestName(message, names);
    throw new RowsmithError('INVALID_ARGUMENT', {
      property: 'message',
      file: path,
      problem: `the file declares no message ${message}`,
      fix:
        near === undefined
          ? `its messages are ${names.join(', ') || 'none'}`
          : `did you mean ${near}?`,
    });
  }

  /** The package of one of the files; empty for none. */
  packageOf(path: string): string {
    return this.#parsed.packages.get(path) ?? '';
  }

  /** A message. Throws FILE_FAILED for what our messages cannot be. */
  message(name: string): SourceMessage {
    const type = this.#parsed.root.lookupType(name);
    const path = type.filename ?? this.#parsed.path;
    const fields = type.fieldsArray.map((field) => this.#fieldOf(field, name, path));
    return { name, path, fields: fields.sort((a, b) => a.number - b.number) };
  }

  /** An enum. */
  enumeration(name: string): SourceEnum {
    const found = this.#parsed.root.lookupEnum(name);
    return {
      name,
      path: found.filename ?? this.#parsed.path,
      members: Object.entries(found.values).map(([member, number]) => ({ name: member, number })),
    };
  }

  /** Messages and enums that a message needs, itself first. */
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
    const namesIn = (space: Protobuf.NamespaceBase): readonly string[] =>
      space.nestedArray.flatMap((each) => [
        ...(each instanceof protobuf.Type && each.filename === path
          ? [each.fullName.slice(1)]
          : []),
        ...(each instanceof protobuf.Namespace ? namesIn(each) : []),
      ]);
    return namesIn(root).toSorted();
  }

  #fieldOf(field: Protobuf.Field, message: string, path: string): ProtoField {
    const fault = (problem: string, fix: string): RowsmithError =>
      fileFault(path, `${message}.${field.name}: ${problem}`, fix);
    if (field.extend !== undefined)
      throw fault('it is an extension', 'make it a field of the message');
    const label = field.map ? 'map' : field.repeated ? 'repeated' : 'singular';
    const { protobuf } = this.#parsed;
    const oneof =
      field.partOf !== null && field.partOf.isProto3Optional !== true
        ? field.partOf.name
        : undefined;
    return {
      name: field.name,
      number: field.id,
      label,
      type: this.#typeOf(field, fault),
      ...(field instanceof protobuf.MapField ? { mapKey: field.keyType as MapKeyKind } : {}),
      ...(oneof === undefined ? {} : { oneof }),
    };
  }

  #typeOf(
    field: Protobuf.Field,
    fault: (problem: string, fix: string) => RowsmithError,
  ): ProtoType {
    const { resolvedType } = field;
    if (resolvedType === null) return { kind: 'scalar', scalar: field.type as FieldKind };
    const name = resolvedType.fullName.slice(1);
    if (name === timestampName) return { kind: 'scalar', scalar: 'timestamp' };
    if (scopeOf(name) === 'google.protobuf')
      throw fault(
        `${name} is not read from .proto files, except Timestamp`,
        'declare a message of your own with its fields, which has the same bytes',
      );
    if (resolvedType instanceof this.#parsed.protobuf.Enum) return { kind: 'enum', name };
    return { kind: 'message', name };
  }
}
