/** Checks message classes and builds the shapes that message codecs are compiled from. */
import { literalText, quotedList, type FaultTexts } from '../../../base/index.js';
import type { FieldShape, FieldType, MessageShape } from '../../../data/cell/index.js';
import { duplicates, reporter, type BuildContext, type Report } from './shared/build-context.js';
import { reportOptions } from './shared/check-options.js';
import { declarationOf } from '../declaration/class-record.js';
import type {
  ClassDeclaration,
  Constructor,
  EnumDeclaration,
  FieldDeclaration,
} from '../declaration/declaration.js';
import {
  contradiction,
  fieldDesignTypes,
  impliedScalars,
  inferKind,
} from '../declaration/design-type.js';
import {
  assignedNumber,
  firstReservedNumber,
  lastReservedNumber,
  messageName,
} from '../declaration/messages/field-numbers.js';
import { checkMessageName } from './check-names.js';
import { frozenMap } from './shared/freeze.js';
import { resolveMessage } from '../declaration/messages/message-class.js';

const maxFieldNumber = 2 ** 29 - 1;
const fullNamePattern = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;
const mapKeyKinds = [
  'int32',
  'uint32',
  'sint32',
  'fixed32',
  'sfixed32',
  'int64',
  'uint64',
  'sint64',
  'fixed64',
  'sfixed64',
  'bool',
  'string',
];
/** Shapes of earlier builds without faults. */
const checkedShapes = new WeakMap<Constructor, MessageShape>();

/** The shape of a message class; its faults are reported once per build. */
export function buildMessage(messageClass: Constructor, context: BuildContext): MessageShape {
  const known = context.shapes.get(messageClass) ?? checkedShapes.get(messageClass);
  if (known !== undefined) {
    addShape(known, context);
    return known;
  }
  const declaration = declarationOf(messageClass);
  const name = messageName(messageClass, declaration);
  const numbered = declaration.fields.map((field) => ({
    ...field,
    number: field.number ?? assignedNumber(name, field.property),
  }));
  const fields: FieldShape[] = [];
  const shape: MessageShape = { name, fields, create: () => new messageClass(), messageClass };
  // Set before the fields are built: a message may contain itself.
  context.shapes.set(messageClass, shape);
  const report = reporter(context, messageClass.name || name);
  checkMessageName(messageClass, declaration.message, report);
  checkClass({ ...declaration, fields: numbered }, name, report);
  for (const field of numbered) {
    const type = fieldType(field, name, context, report);
    if (type === undefined || field.number === undefined) continue;
    fields.push(
      Object.freeze({
        name: field.property,
        number: field.number,
        type: Object.freeze(type),
        label: field.label,
        mapKey: field.mapKey,
        oneof: field.oneof,
      }),
    );
  }
  fields.sort((a, b) => a.number - b.number);
  Object.freeze(fields);
  Object.freeze(shape);
  return shape;
}

/**
 * Keeps the shapes of a build without faults, so that later builds use the same shape of a class.
 */
export function keepShapes(context: BuildContext): void {
  for (const [messageClass, shape] of context.shapes) checkedShapes.set(messageClass, shape);
}

/**
 * Adds the shape of an earlier build, with all messages inside it, to this build, so that clashing
 * names are found.
 */
function addShape(shape: MessageShape, context: BuildContext): void {
  const messageClass = shape.messageClass as Constructor;
  if (context.shapes.has(messageClass)) return;
  context.shapes.set(messageClass, shape);
  for (const { type } of shape.fields) if (type.kind === 'message') addShape(type.shape(), context);
}

function checkClass(declaration: ClassDeclaration, name: string, report: Report): void {
  if (!fullNamePattern.test(name)) report(undefined, faults.notAMessageName(name));
  for (const { property, problem, fix } of declaration.malformed)
    report(property, { problem, fix });
  for (const { property, decorator, on } of declaration.misplaced)
    report(property, faults.decoratorElsewhere(decorator, on));
  for (const { property } of [...declaration.segments, ...declaration.columns]) {
    report(property, faults.segmentInMessage);
  }
  if (declaration.fields.length === 0) {
    report(undefined, faults.noFields(declaration.message));
  }
  for (const number of duplicates(declaration.fields.flatMap((field) => field.number ?? []))) {
    const names = declaration.fields
      .filter((field) => field.number === number)
      .map((field) => field.property);
    report(names.at(-1), faults.duplicateNumber(number, names));
  }
  for (const property of duplicates(declaration.fields.map((field) => field.property)))
    report(property, faults.fieldTwice);
}

function fieldType(
  field: FieldDeclaration,
  message: string,
  context: BuildContext,
  report: Report,
): FieldType | undefined {
  const { property, label } = field;
  checkNumber(field, report);
  if (label === 'map' && !mapKeyKinds.includes(field.mapKey as string)) {
    report(property, faults.wrongMapKey(field.mapKey));
  }
  checkOneof(field, report);
  const type = elementType(field, message, context, report);
  if (type === undefined) return undefined;
  const declared = label === 'singular' ? typeText(type) : `a ${label} field`;
  const finding = contradiction(field.designType, designsOf(type, label), declared);
  if (finding !== undefined) report(property, { problem: finding.problem, fix: finding.fix });
  return type;
}

function checkNumber({ property, number }: FieldDeclaration, report: Report): void {
  if (number === undefined) {
    report(property, faults.noNumber);
    return;
  }
  const reserved = number >= firstReservedNumber && number <= lastReservedNumber;
  if (Number.isInteger(number) && number >= 1 && number <= maxFieldNumber && !reserved) return;
  report(property, faults.numberOutOfRange(number));
}

function checkOneof(field: FieldDeclaration, report: Report): void {
  const { property, label, oneof, options } = field;
  reportOptions('@Field', options, ['oneof'], property, report);
  if (oneof === undefined) return;
  if (label !== 'singular') report(property, faults.listInOneof(label, oneof));
  if (!/^[A-Za-z_]\w*$/.test(oneof)) report(property, faults.wrongOneofName(oneof));
}

function elementType(
  field: FieldDeclaration,
  message: string,
  context: BuildContext,
  report: Report,
): FieldType | undefined {
  const { property, type, label } = field;
  const number = field.number === undefined ? '' : `${field.number}, `;
  if (type === undefined && label === 'singular') {
    const kind = inferKind(
      field.designType,
      impliedScalars,
      (kind) => `@Field(${number}'${kind}')`,
      'double',
    );
    if (typeof kind === 'string') return { kind: 'scalar', scalar: kind };
    let { fix } = kind;
    // A class that is not initialised yet because of an import cycle is undefined, too.
    if (field.designType() === undefined)
      fix += `; or, if the type is a message of an imported file, pass a function: @Field(${number}() => Position)`;
    report(property, { problem: kind.problem, fix });
    return undefined;
  }
  if (typeof type === 'function' || type === undefined) {
    const messageClass = resolveMessage(type, `@Field(${number}() => Position)`, (fault) =>
      report(property, fault),
    );
    if (messageClass === undefined) return undefined;
    if (typeof messageClass !== 'function') {
      report(property, faults.customCodecField);
      return undefined;
    }
    const shape = buildMessage(messageClass, context);
    return { kind: 'message', shape: () => shape };
  }
  if (typeof type === 'object' && type !== null) return enumType(type, property, message, report);
  if (typeof type === 'string' && Object.hasOwn(fieldDesignTypes, type))
    return { kind: 'scalar', scalar: type };
  report(property, faults.unknownKind(type));
  return undefined;
}

function enumType(
  type: EnumDeclaration,
  property: string,
  message: string,
  report: Report,
): FieldType | undefined {
  if (type.kind !== 'enum') {
    report(property, faults.notAnEnum);
    return undefined;
  }
  for (const [member, value] of type.values) {
    if (!Number.isInteger(value) || value < -(2 ** 31) || value > 2 ** 31 - 1) {
      report(property, faults.memberOutOfRange(member, value));
    }
  }
  if (![...type.values.values()].includes(0)) {
    report(property, faults.noZeroMember);
  }
  const name = type.name ?? `${message}.${property.charAt(0).toUpperCase()}${property.slice(1)}`;
  if (typeof name !== 'string' || !fullNamePattern.test(name)) {
    report(property, faults.notAnEnumName(name));
    return undefined;
  }
  return { kind: 'enum', name, values: frozenMap(type.values) };
}

/** The types that compilers may emit for the field; an empty list allows any. */
function designsOf(type: FieldType, label: FieldDeclaration['label']): readonly unknown[] {
  if (label === 'repeated') return [Array];
  if (label === 'map') return [Map];
  switch (type.kind) {
    case 'scalar':
      return fieldDesignTypes[type.scalar];
    case 'enum':
      return [Number];
    case 'message':
      return [type.shape().messageClass];
  }
}

function typeText(type: FieldType): string {
  switch (type.kind) {
    case 'scalar':
      return `'${type.scalar}'`;
    case 'enum':
      return `enum ${type.name}`;
    case 'message':
      return `message ${type.shape().name}`;
  }
}

/** Reports full names that different messages or enums of the build share. */
export function checkMessageNames(context: BuildContext): void {
  const owners = new Map<string, unknown>();
  const claim = (name: string, owner: unknown, by: string, property?: string): void => {
    const other = owners.get(name);
    if (other === undefined) owners.set(name, owner);
    if (other === undefined || other === owner) return;
    const example =
      property === undefined ? `@Message('package.${by}')` : "enumOf(Mode, 'package.Mode')";
    reporter(context, by)(property, faults.duplicateFullName(name, example));
  };
  for (const [messageClass, shape] of context.shapes)
    claim(shape.name, messageClass, messageClass.name);
  for (const [messageClass, shape] of context.shapes) {
    for (const { name, type } of shape.fields) {
      // Several fields may use one enum. Enums with the same members are the same enum.
      if (type.kind === 'enum')
        claim(type.name, JSON.stringify([...type.values]), messageClass.name, name);
    }
  }
}

const faults = {
  notAMessageName: (name: string) => ({
    problem: `${literalText(name)} is not a protobuf message name`,
    fix: "name it with letters, digits, _ and dots: @Message('telemetry.Status')",
  }),
  decoratorElsewhere: (decorator: string, on: string) => ({
    problem: `${decorator} is on ${on}`,
    fix: 'put it on a public instance property',
  }),
  segmentInMessage: {
    problem: 'a message class has a segment or column',
    fix: 'use @Field in messages; segments and columns belong to the entity',
  },
  noFields: (message: undefined | string | boolean) => ({
    problem: 'the message has no fields',
    fix:
      message === undefined
        ? "declare the class: @Message() and @Field(1, 'string')"
        : "give it fields: @Field(1, 'string')",
  }),
  duplicateNumber: (number: number, names: readonly string[]) => ({
    problem: `field number ${number} is used by ${quotedList(names)}`,
    fix: 'give each field its own number, and never reuse a number that was stored',
  }),
  fieldTwice: { problem: 'the field is declared twice', fix: 'keep one @Field on it' },
  wrongMapKey: (mapKey: undefined | string) => ({
    problem: `${literalText(mapKey)} cannot be the key of a map field`,
    fix: `use one of ${quotedList(mapKeyKinds)}`,
  }),
  noNumber: {
    problem: 'the field has no number',
    fix:
      'run rowsmith check --update, which assigns one and writes rowsmith.numbers.ts, ' +
      "and import './rowsmith.numbers.js' beside the entities; " +
      "or declare the number: @Field(1, 'string')",
  },
  numberOutOfRange: (number: number) => ({
    problem: `${number} is not a field number`,
    fix: `use a whole number from 1 to ${maxFieldNumber}, except ${firstReservedNumber} to ${lastReservedNumber}`,
  }),
  listInOneof: (label: string, oneof: string) => ({
    problem: `a ${label} field is in oneof '${oneof}'`,
    fix: 'a oneof contains only singular fields: wrap the list in a message',
  }),
  wrongOneofName: (oneof: string) => ({
    problem: `${literalText(oneof)} is not a oneof name`,
    fix: 'use letters, digits and _, and do not start with a digit',
  }),
  customCodecField: {
    problem: 'a field cannot hold a value of a custom codec',
    fix: 'declare the inner message with @Message, or store the value in its own column with @Packed',
  },
  unknownKind: (type: string) => ({
    problem: `${literalText(type)} is not a field kind`,
    fix: `use one of ${quotedList(Object.keys(fieldDesignTypes))}, enumOf(...) or () => Message`,
  }),
  notAnEnum: { problem: 'the type of the field is not an enum', fix: 'use enumOf(Mode)' },
  memberOutOfRange: (member: string, value: number) => ({
    problem: `enum member ${member} is ${literalText(value)}`,
    fix: 'give each member a 32-bit whole number',
  }),
  noZeroMember: {
    problem: 'the enum has no member 0',
    fix: 'add one, for example UNSPECIFIED = 0: proto3 reads an unset enum field as 0',
  },
  notAnEnumName: (name: string) => ({
    problem: `${literalText(name)} is not a protobuf enum name`,
    fix: "name it with letters, digits, _ and dots: enumOf(Mode, 'telemetry.Mode')",
  }),
  duplicateFullName: (name: string, example: string) => ({
    problem: `the protobuf name ${name} is used twice`,
    fix: `give each its own full name: ${example}`,
  }),
} satisfies FaultTexts;
