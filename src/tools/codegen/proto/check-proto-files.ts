/**
 * What protobuf's compiler rejects although the classes are valid: names that share a scope,
 * reserved numbers in use, files that import each other.
 */
import type { MessageShape } from '../../../data/cell/index.js';
import { mapEntryName } from '../../../engines/protocol/index.js';
import { type Fault, RowsmithError, type FaultText, type FaultTexts } from '../../../base/index.js';
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
      ...faults.reservedPackage,
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
  const report = (fault: FaultText): void => {
    found.push({ entity, property: name, problem: fault.problem, fix: fault.fix });
  };
  if (!identifier.test(name)) report(faults.notAFieldName(JSON.stringify(name)));
  if (reserved.numbers.includes(number)) report(faults.reservedFieldNumber(number));
  if (reserved.names.includes(name)) report(faults.reservedFieldName(name));
  // JSON names have no underscores, and older versions of protoc compare them without case.
  const similar = similarName(name, fields);
  if (similar !== undefined) report(faults.similarFields(name, similar.name));
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
    ...faults.duplicateName(prefix, name),
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
  const report = (fault: FaultText): void => {
    found.push({ entity, property: name, problem: fault.problem, fix: fault.fix });
  };
  if (!identifier.test(name)) report(faults.notAMemberName(JSON.stringify(name)));
  if (reserved.numbers.includes(number)) report(faults.reservedMemberNumber(number));
  if (reserved.names.includes(name)) report(faults.reservedMemberName(name));
  // protoc compares members without case and underscores, because code in other languages renames
  // them.
  const others = members.filter((other) => other.number !== number);
  const similar = similarName(name, others);
  if (similar !== undefined) report(faults.similarMembers(name, similar.name));
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
        ...faults.packageCycle(cycle),
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

const faults = {
  reservedPackage: {
    problem: "google.protobuf is protobuf's own package",
    fix: 'name the messages in a package of your own',
  },
  notAFieldName: (json: string) => ({
    problem: `${json} is not a valid name of a protobuf field`,
    fix: 'name the property with letters, digits and _',
  }),
  reservedFieldNumber: (number: number) => ({
    problem: `field number ${number} is reserved: it was used before`,
    fix: 'take a number that was never used',
  }),
  reservedFieldName: (name: string) => ({
    problem: `the name ${name} is reserved: it was used before with another number`,
    fix: 'take another name',
  }),
  similarFields: (name: string, similarName: string) => ({
    problem: `${name} and ${similarName} differ only in case and underscores, which protobuf rejects`,
    fix: 'rename one of the properties',
  }),
  duplicateName: (prefix: string, name: string) => ({
    problem:
      `two declarations are called ${prefix}${name} in protobuf, where fields, oneofs, enums, ` +
      'enum members, map entries and nested messages share one scope',
    fix: 'rename one of them, or give the enum or message another full name',
  }),
  notAMemberName: (json: string) => ({
    problem: `${json} is not a valid name of a member of a protobuf enum`,
    fix: 'name members with letters, digits and _',
  }),
  reservedMemberNumber: (number: number) => ({
    problem: `the number ${number} is reserved: it was used before`,
    fix: 'take a number that was never used',
  }),
  reservedMemberName: (name: string) => ({
    problem: `the name ${name} is reserved: it was used before`,
    fix: 'take another name',
  }),
  similarMembers: (name: string, similarName: string) => ({
    problem: `${name} and ${similarName} differ only in case and underscores`,
    fix: 'rename one of the members',
  }),
  packageCycle: (cycle: string) => ({
    problem: `packages use each other's messages in a cycle: ${cycle}; protobuf files cannot import each other`,
    fix: 'put messages that need each other into one package',
  }),
} satisfies FaultTexts;
