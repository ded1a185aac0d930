/**
 * What protobuf's compiler refuses though the classes are sound: names that share a scope, reserved
 * numbers in use, imports in a circle.
 */
import type { MessageShape } from '../../cell/index.js';
import { RowsmithError, type Fault } from '../../errors.js';
import {
  allEnums,
  allMessages,
  simpleName,
  type ProtoEnum,
  type ProtoFile,
  type ProtoMessage,
} from '../proto-source/proto-file.js';
import { mapEntryName } from './map-entry-name.js';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Throws INVALID_DECLARATION with every fault. */
export function checkProtoFiles(
  files: readonly ProtoFile[],
  shapes: readonly MessageShape[],
): void {
  const classOf = new Map(
    shapes.map((shape) => [shape.name, shape.messageClass.name || shape.name]),
  );
  const faults: Fault[] = [];
  for (const file of files) {
    for (const message of allMessages(file.messages))
      checkMessage(message, classOf.get(message.name) ?? message.name, faults);
    for (const each of allEnums(file)) checkEnum(each, faults);
    checkScope(
      file.package,
      [
        ...file.messages.map((message) => simpleName(message.name)),
        ...file.enums.flatMap(enumNames),
      ],
      file.package || 'messages without a package',
      faults,
    );
    if (/^google\.protobuf(\.|$)/.test(file.package))
      faults.push({
        entity: file.package,
        problem: "google.protobuf is protobuf's own package",
        fix: 'name the messages in a package of your own',
      });
  }
  checkCircles(files, faults);
  if (faults.length > 0) throw new RowsmithError('INVALID_DECLARATION', { faults });
}

function checkMessage(message: ProtoMessage, entity: string, faults: Fault[]): void {
  const { fields, reserved } = message;
  for (const { name, number } of fields) {
    if (!IDENTIFIER.test(name))
      faults.push({
        entity,
        property: name,
        problem: `${JSON.stringify(name)} is not a name of a protobuf field`,
        fix: 'name the property with letters, digits and _',
      });
    if (reserved.numbers.includes(number))
      faults.push({
        entity,
        property: name,
        problem: `field number ${number} is reserved: it was used before`,
        fix: 'take a number that was never used',
      });
    if (reserved.names.includes(name))
      faults.push({
        entity,
        property: name,
        problem: `the name ${name} is reserved: it was used before with another number`,
        fix: 'take another name',
      });
    // JSON's names leave out underscores, and older versions of protoc compare them without case.
    const twin = twinOf(name, fields);
    if (twin !== undefined) {
      faults.push({
        entity,
        property: name,
        problem: `${name} and ${twin.name} differ only in case and underscores, which protobuf refuses`,
        fix: 'rename one of the properties',
      });
    }
  }
  const oneofs = [...new Set(fields.flatMap((field) => field.oneof ?? []))];
  const entries = fields.flatMap((field) =>
    field.label === 'map' ? [mapEntryName(field.name)] : [],
  );
  const inside = [
    ...fields.map((field) => field.name),
    ...oneofs,
    ...entries,
    ...message.messages.map((inner) => simpleName(inner.name)),
    ...message.enums.flatMap(enumNames),
  ];
  checkScope(message.name, inside, entity, faults);
}

/** The names an enum puts into the scope around it: its own, and those of its members. */
function enumNames({ name, members }: ProtoEnum): readonly string[] {
  return [simpleName(name), ...members.map((member) => member.name)];
}

function checkScope(
  scope: string,
  names: readonly string[],
  entity: string,
  faults: Fault[],
): void {
  for (const name of new Set(names.filter((each, i) => names.indexOf(each) !== i))) {
    const full = scope === '' ? name : `${scope}.${name}`;
    faults.push({
      entity,
      problem: `two things are called ${full} in protobuf, where fields, oneofs, enums, their members, maps' entries and nested messages share one scope`,
      fix: 'rename one of them, or give the enum or message another full name',
    });
  }
}

function checkEnum({ name, members, reserved }: ProtoEnum, faults: Fault[]): void {
  for (const member of members) {
    if (!IDENTIFIER.test(member.name)) {
      faults.push({
        entity: name,
        property: member.name,
        problem: `${JSON.stringify(member.name)} is not a name of a member of a protobuf enum`,
        fix: 'name members with letters, digits and _',
      });
    }
    if (reserved.numbers.includes(member.number)) {
      faults.push({
        entity: name,
        property: member.name,
        problem: `the number ${member.number} is reserved: it was used before`,
        fix: 'take a number that was never used',
      });
    }
    if (reserved.names.includes(member.name))
      faults.push({
        entity: name,
        property: member.name,
        problem: `the name ${member.name} is reserved: it was used before`,
        fix: 'take another name',
      });
    // protoc compares members without case and underscores, because other languages write them so.
    const twin = twinOf(
      member.name,
      members.filter((other) => other.number !== member.number),
    );
    if (twin !== undefined)
      faults.push({
        entity: name,
        property: member.name,
        problem: `${member.name} and ${twin.name} differ only in case and underscores`,
        fix: 'rename one of the members',
      });
  }
}

/** Another name that differs only in case and underscores. */
function twinOf<T extends { readonly name: string }>(
  name: string,
  all: readonly T[],
): T | undefined {
  return all.find((other) => other.name !== name && plain(other.name) === plain(name));
}

function plain(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

function checkCircles(files: readonly ProtoFile[], faults: Fault[]): void {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, 'open' | 'done'>();
  const walk = (file: ProtoFile, trail: readonly string[]): void => {
    if (state.get(file.path) === 'done') return;
    if (state.get(file.path) === 'open') {
      const circle = [...trail.slice(trail.indexOf(file.package)), file.package].join(' -> ');
      faults.push({
        entity: file.package,
        problem: `packages use each other's messages in a circle: ${circle}; protobuf files cannot import so`,
        fix: 'give the messages that need each other one package',
      });
      return;
    }
    state.set(file.path, 'open');
    for (const path of file.imports) {
      const next = byPath.get(path);
      if (next !== undefined) walk(next, [...trail, file.package]);
    }
    state.set(file.path, 'done');
  };
  for (const file of files) walk(file, []);
}
