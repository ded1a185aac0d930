/**
 * A .proto file as data: the input of the generators of .proto files, descriptors and classes, and
 * the result of reading .proto files.
 */
import type { FieldKind, MapKeyKind } from '../../data/cell/index.js';

/** Numbers and names that a message or enum used before and must not use again. */
export interface ReservedFields {
  /** Field numbers of a message, member numbers of an enum. */
  readonly numbers: readonly number[];
  /** Names as the class declares them: properties, or members of the enum. */
  readonly names: readonly string[];
}

/** What a message or enum must not use again, by its full protobuf name; from the lock file. */
export type ReservedOf = (fullName: string) => ReservedFields;

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
  readonly reserved: ReservedFields;
}

/** A message. */
export interface ParsedMessage {
  /** Full name. */
  readonly name: string;
  /** In the order of the file: by number, the fields of a oneof together. */
  readonly fields: readonly ProtoField[];
  readonly messages: readonly ParsedMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly reserved: ReservedFields;
}

/** A file: one package. */
export interface ProtoFile {
  /** As imports name the file. */
  readonly path: string;
  /** Empty for no package. */
  readonly package: string;
  /** Paths, sorted. */
  readonly imports: readonly string[];
  readonly messages: readonly ParsedMessage[];
  readonly enums: readonly ProtoEnum[];
}

/** The file that declares google.protobuf.Timestamp. */
export const timestampFile = 'google/protobuf/timestamp.proto';
/** The message type of a `timestamp` field. */
export const timestampName = 'google.protobuf.Timestamp';

/** `Status` of `telemetry.Status`. */
export function simpleName(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf('.') + 1);
}

/** `telemetry` of `telemetry.Status`; empty for a name without a scope. */
export function scopeOf(fullName: string): string {
  return fullName.slice(0, Math.max(0, fullName.lastIndexOf('.')));
}

/** `Status` of `telemetry.Status` in the package `telemetry`. */
export function nameInPackage(fullName: string, packageName: string): string {
  if (packageName === '') return fullName;
  return fullName.slice(packageName.length + 1);
}

/** The name of a field in JSON, as protoc derives it. */
export function jsonName(name: string): string {
  return name.replace(/_+([a-zA-Z0-9]?)/g, (_, next: string) => next.toUpperCase());
}

/** Names of the oneofs of a message, in the order of their fields. */
export function oneofsOf({ fields }: ParsedMessage): readonly string[] {
  return [...new Set(fields.flatMap((field) => field.oneof ?? []))];
}

/** The messages and all that are nested in them, outer ones first. */
export function allMessages(messages: readonly ParsedMessage[]): readonly ParsedMessage[] {
  return messages.flatMap((message) => [message, ...allMessages(message.messages)]);
}

/** Every enum of the file. */
export function allEnums(file: Pick<ProtoFile, 'messages' | 'enums'>): readonly ProtoEnum[] {
  return [...file.enums, ...allMessages(file.messages).flatMap((message) => message.enums)];
}
