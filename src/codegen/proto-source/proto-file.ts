/**
 * A .proto file as data: what the printer, the descriptors and the printer of classes read, and
 * what the reader of .proto files gives.
 */
import type { FieldKind, MapKeyKind } from '../../cell/index.js';

/** Numbers and names that a message or enum once used and must not use again. */
export interface Reserved {
  /** Field numbers of a message, member numbers of an enum. */
  readonly numbers: readonly number[];
  /** Names as the class declares them: properties, or members of the enum. */
  readonly names: readonly string[];
}

/** What a message or enum once used, by its full protobuf name: the lock file knows it. */
export type ReservedOf = (fullName: string) => Reserved;

/** The type of a field's value. */
export type ProtoType =
  | { readonly kind: 'scalar'; readonly scalar: FieldKind }
  /** A message or an enum, by its full name. */
  | { readonly kind: 'message' | 'enum'; readonly name: string };

/** A field. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  readonly label: 'singular' | 'repeated' | 'map';
  readonly type: ProtoType;
  readonly mapKey?: MapKeyKind;
  readonly oneof?: string;
}

/** An enum: at least one member, the first is zero. */
export interface ProtoEnum {
  /** Full name. */
  readonly name: string;
  readonly members: readonly { readonly name: string; readonly number: number }[];
  readonly reserved: Reserved;
}

/** A message. */
export interface ProtoMessage {
  /** Full name. */
  readonly name: string;
  /** In the order of the file: by number, the fields of a oneof together. */
  readonly fields: readonly ProtoField[];
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly reserved: Reserved;
}

/** A file: one package. */
export interface ProtoFile {
  /** As imports name it. */
  readonly path: string;
  /** Empty for none. */
  readonly package: string;
  /** Paths, sorted. */
  readonly imports: readonly string[];
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
}

/** The file that declares google.protobuf.Timestamp. */
export const timestampFile = 'google/protobuf/timestamp.proto';
/** What a `timestamp` field holds. */
export const timestampName = 'google.protobuf.Timestamp';

/** `Status` of `telemetry.Status`. */
export function simpleName(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf('.') + 1);
}

/** `telemetry` of `telemetry.Status`; empty for none. */
export function scopeOf(fullName: string): string {
  return fullName.slice(0, Math.max(0, fullName.lastIndexOf('.')));
}

/** The name of a field in JSON, as protoc derives it. */
export function jsonName(name: string): string {
  return name.replace(/_+([a-zA-Z0-9]?)/g, (_, next: string) => next.toUpperCase());
}

/** Every message of the file, outer ones first. */
export function allMessages(messages: readonly ProtoMessage[]): readonly ProtoMessage[] {
  return messages.flatMap((message) => [message, ...allMessages(message.messages)]);
}

/** Every enum of the file. */
export function allEnums(file: Pick<ProtoFile, 'messages' | 'enums'>): readonly ProtoEnum[] {
  return [...file.enums, ...allMessages(file.messages).flatMap((message) => message.enums)];
}
