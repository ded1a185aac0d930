/** Checks message classes and builds the shapes that message codecs are compiled from. */
import { literalText, quotedList } from '../../../base/index.js';
import type { FieldShape, FieldType, MessageShape } from '../../../data/cell/index.js';
import { duplicates, reporter, type BuildContext, type Report } from './shared/build-context.js';
import { checkOptions } from './shared/check-options.js';
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
  if (!fullNamePattern.test(name))
    report(
      undefined,
      `${literalText(name)} is not a protobuf message name`,
      "name it with letters, digits, _ and dots: @Message('telemetry.Status')",
    );
  for (const { property, problem, fix } of declaration.malformed) report(property, problem, fix);
  for (const { property, decorator, on } of declaration.misplaced)
    report(property, `${decorator} is on ${on}`, 'put it on a public instance property');
  for (const { property } of [...declaration.segments, ...declaration.columns]) {
    report(
      property,
      'a message class has a segment or column',
      'use @Field in messages; segments and columns belong to the entity',
    );
  }
  if (declaration.fields.length === 0) {
    report(
      undefined,
      'the message has no fields',
      declaration.message === undefined
        ? "declare the class: @Message() and @Field(1, 'string')"
        : "give it fields: @Field(1, 'string')",
    );
  }
  for (const number of duplicates(declaration.fields.flatMap((field) => field.number ?? []))) {
    const names = declaration.fields
      .filter((field) => field.number === number)
      .map((field) => field.property);
    report(
      names.at(-1),
      `field number ${number} is used by ${quotedList(names)}`,
      'give each field its own number, and never reuse a number that was stored',
    );
  }
  for (const property of duplicates(declaration.fields.map((field) => field.property)))
    report(property, 'the field is declared twice', 'keep one @Field on it');
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
    report(
      property,
      `${literalText(field.mapKey)} cannot be the key of a map field`,
      `use one of ${quotedList(mapKeyKinds)}`,
    );
  }
  checkOneof(field, report);
  const type = elementType(field, message, context, report);
  if (type === undefined) return undefined;
  const declared = label === 'singular' ? typeText(type) : `a ${label} field`;
  const finding = contradiction(field.designType, designsOf(type, label), declared);
  if (finding !== undefined) report(property, finding.problem, finding.fix);
  return type;
}

function checkNumber({ property, number }: FieldDeclaration, report: Report): void {
  if (number === undefined) {
    report(
      property,
      'the field has no number',
      'run rowsmith check --update, which assigns one and writes rowsmith.numbers.ts, ' +
        "and import './rowsmith.numbers.js' beside the entities; " +
        "or declare the number: @Field(1, 'string')",
    );
    return;
  }
  const reserved = number >= firstReservedNumber && number <= lastReservedNumber;
  if (Number.isInteger(number) && number >= 1 && number <= maxFieldNumber && !reserved) return;
  report(
    property,
    `${number} is not a field number`,
    `use a whole number from 1 to ${maxFieldNumber}, except ${firstReservedNumber} to ${lastReservedNumber}`,
  );
}

function checkOneof(field: FieldDeclaration, report: Report): void {
  const { property, label, oneof, options } = field;
  checkOptions('@Field', options, ['oneof'], property, report);
  if (oneof === undefined) return;
  if (label !== 'singular')
    report(
      property,
      `a ${label} field is in oneof '${oneof}'`,
      'a oneof contains only singular fields: wrap the list in a message',
    );
  if (!/^[A-Za-z_]\w*$/.test(oneof))
    report(
      property,
      `${literalText(oneof)} is not a oneof name`,
      'use letters, digits and _, and do not start with a digit',
    );
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
    report(property, kind.problem, fix);
    return undefined;
  }
  if (typeof type === 'function' || type === undefined) {
    const messageClass = resolveMessage(type, `@Field(${number}() => Position)`, (problem, fix) =>
      report(property, problem, fix),
    );
    if (messageClass === undefined) return undefined;
    if (typeof messageClass !== 'function') {
      report(
        property,
        'a field cannot hold a value of a custom codec',
        'declare the inner message with @Message, or store the value in its own column with @Packed',
      );
      return undefined;
    }
    const shape = buildMessage(messageClass, context);
    return { kind: 'message', shape: () => shape };
  }
  if (typeof type === 'object' && type !== null) return enumType(type, property, message, report);
  if (typeof type === 'string' && Object.hasOwn(fieldDesignTypes, type))
    return { kind: 'scalar', scalar: type };
  report(
    property,
    `${literalText(type)} is not a field kind`,
    `use one of ${quotedList(Object.keys(fieldDesignTypes))}, enumOf(...) or () => Message`,
  );
  return undefined;
}

function enumType(
  type: EnumDeclaration,
  property: string,
  message: string,
  report: Report,
): FieldType | undefined {
  if (type.kind !== 'enum') {
    report(property, 'the type of the field is not an enum', 'use enumOf(Mode)');
    return undefined;
  }
  for (const [member, value] of type.values) {
    if (!Number.isInteger(value) || value < -(2 ** 31) || value > 2 ** 31 - 1) {
      report(
        property,
        `enum member ${member} is ${literalText(value)}`,
        'give each member a 32-bit whole number',
      );
    }
  }
  if (![...type.values.values()].includes(0)) {
    report(
      property,
      'the enum has no member 0',
      'add one, for example UNSPECIFIED = 0: proto3 reads an unset enum field as 0',
    );
  }
  const name = type.name ?? `${message}.${property.charAt(0).toUpperCase()}${property.slice(1)}`;
  if (typeof name !== 'string' || !fullNamePattern.test(name)) {
    report(
      property,
      `${literalText(name)} is not a protobuf enum name`,
      "name it with letters, digits, _ and dots: enumOf(Mode, 'telemetry.Mode')",
    );
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
    reporter(context, by)(
      property,
      `the protobuf name ${name} is used twice`,
      `give each its own full name: ${example}`,
    );
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
