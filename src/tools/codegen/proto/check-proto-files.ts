/**
 * What protobuf's compiler rejects although the classes are valid: names that share a scope,
 * reserved numbers in use, files that import each other.
 */
import type { MessageShape } from '../../../data/cell/index.js';
import { type Fault, RowsmithError } from '../../../base/index.js';
import {
  allEnums,
  allMessages,
  oneofsOf,
  simpleName,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ParsedMessage,
} from '../../../entities/proto/index.js';
import { mapEntryName } from './map-entry-name.js';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Throws INVALID_DECLARATION with every fault. */
export function checkProtoFiles(
  files: readonly ProtoFile[],
  shapes: readonly MessageShape[],
): void {
  const classNames = new Map(
    shapes.map((shape) => [shape.name, shape.messageClass.name || shape.name]),
  );
  const found = [...files.flatMap((file) => fileFaults(file, classNames)), ...cycleFaults(files)];
  if (found.length > 0) throw new RowsmithError('INVALID_DECLARATION', { faults: found });
}

/** `classNames` are by full name of the message. */
function fileFaults(file: ProtoFile, classNames: ReadonlyMap<string, string>): Fault[] {
  const found: Fault[] = [];
  for (const message of allMessages(file.messages))
    found.push(...messageFaults(message, classNames.get(message.name) ?? message.name));
  for (const each of allEnums(file)) found.push(...enumFaults(each));
  const names = [
    ...file.messages.map((message) => simpleName(message.name)),
    ...file.enums.flatMap(namesInScope),
  ];
  found.push(...scopeFaults(file.package, names, file.package || 'messages without a package'));
  if (/^google\.protobuf(\.|$)/.test(file.package))
    found.push({
      entity: file.package,
      problem: "google.protobuf is protobuf's own package",
      fix: 'name the messages in a package of your own',
    });
  return found;
}

function messageFaults(message: ParsedMessage, entity: string): Fault[] {
  const { fields } = message;
  const maps = fields.filter((field) => field.label === 'map');
  const names = [
    ...fields.map((field) => field.name),
    ...oneofsOf(message),
    ...maps.map((field) => mapEntryName(field.name)),
    ...message.messages.map((inner) => simpleName(inner.name)),
    ...message.enums.flatMap(namesInScope),
  ];
  return [
    ...fields.flatMap((field) => fieldFaults(field, message, entity)),
    ...scopeFaults(message.name, names, entity),
  ];
}

function fieldFaults(
  { name, number }: ProtoField,
  { fields, reserved }: ParsedMessage,
  entity: string,
): Fault[] {
  const found: Fault[] = [];
  const report = (problem: string, fix: string): void => {
    found.push({ entity, property: name, problem, fix });
  };
  if (!identifier.test(name))
    report(
      `${JSON.stringify(name)} is not a valid name of a protobuf field`,
      'name the property with letters, digits and _',
    );
  if (reserved.numbers.includes(number))
    report(
      `field number ${number} is reserved: it was used before`,
      'take a number that was never used',
    );
  if (reserved.names.includes(name))
    report(
      `the name ${name} is reserved: it was used before with another number`,
      'take another name',
    );
  // JSON names have no underscores, and older versions of protoc compare them without case.
  const similar = similarName(name, fields);
  if (similar !== undefined)
    report(
      `${name} and ${similar.name} differ only in case and underscores, which protobuf rejects`,
      'rename one of the properties',
    );
  return found;
}

/** The names an enum puts into the scope around it: its own, and the names of its members. */
function namesInScope({ name, members }: ProtoEnum): readonly string[] {
  return [simpleName(name), ...members.map((member) => member.name)];
}

/** A fault for each name that occurs twice. `scope` is a full name, empty for no package. */
function scopeFaults(scope: string, names: readonly string[], entity: string): Fault[] {
  const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  const prefix = scope === '' ? '' : `${scope}.`;
  return [...duplicates].map((name) => ({
    entity,
    problem:
      `two declarations are called ${prefix}${name} in protobuf, where fields, oneofs, enums, ` +
      'enum members, map entries and nested messages share one scope',
    fix: 'rename one of them, or give the enum or message another full name',
  }));
}

function enumFaults(declared: ProtoEnum): Fault[] {
  return declared.members.flatMap((member) => memberFaults(member, declared));
}

function memberFaults(
  { name, number }: ProtoEnum['members'][number],
  { name: entity, members, reserved }: ProtoEnum,
): Fault[] {
  const found: Fault[] = [];
  const report = (problem: string, fix: string): void => {
    found.push({ entity, property: name, problem, fix });
  };
  if (!identifier.test(name))
    report(
      `${JSON.stringify(name)} is not a valid name of a member of a protobuf enum`,
      'name members with letters, digits and _',
    );
  if (reserved.numbers.includes(number))
    report(
      `the number ${number} is reserved: it was used before`,
      'take a number that was never used',
    );
  if (reserved.names.includes(name))
    report(`the name ${name} is reserved: it was used before`, 'take another name');
  // protoc compares members without case and underscores, because code in other languages renames
  // them.
  const others = members.filter((other) => other.number !== number);
  const similar = similarName(name, others);
  if (similar !== undefined)
    report(
      `${name} and ${similar.name} differ only in case and underscores`,
      'rename one of the members',
    );
  return found;
}

/** Another name that differs only in case and underscores. */
function similarName<T extends { readonly name: string }>(
  name: string,
  all: readonly T[],
): T | undefined {
  return all.find((other) => other.name !== name && plain(other.name) === plain(name));
}

function plain(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

/** Files that import each other; each file is visited once. */
function cycleFaults(files: readonly ProtoFile[]): Fault[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, 'open' | 'done'>();
  const found: Fault[] = [];
  const visit = (file: ProtoFile, trail: readonly string[]): void => {
    if (state.get(file.path) === 'done') return;
    if (state.get(file.path) === 'open') {
      const cycle = [...trail.slice(trail.indexOf(file.package)), file.package].join(' -> ');
      found.push({
        entity: file.package,
        problem: `packages use each other's messages in a cycle: ${cycle}; protobuf files cannot import each other`,
        fix: 'put messages that need each other into one package',
      });
      return;
    }
    state.set(file.path, 'open');
    for (const path of file.imports) {
      const next = byPath.get(path);
      if (next !== undefined) visit(next, [...trail, file.package]);
    }
    state.set(file.path, 'done');
  };
  for (const file of files) visit(file, []);
  return found;
}
