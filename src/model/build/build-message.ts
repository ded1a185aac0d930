/** Checks message classes and turns them into the shapes the message compiler reads. */
import { quotedList } from '../../base/index.js';
/** Checks message classes and turns them into the shapes the message compiler reads. */
import type { FieldShape, FieldType, MessageShape } from '../../cell/index.js';
import { repeated, reporter, type BuildContext, type Report } from './build-context.js';
import { declarationOf } from '../declaration/class-record.js';
import type {
  ClassDeclaration,
  Constructor,
  EnumDeclaration,
  FieldDeclaration,
} from '../declaration/declaration.js';
import {
  contradiction,
  fieldDesigns,
  impliedScalars,
  inferKind,
} from '../declaration/design-type.js';
import { assignedNumber, messageName } from '../declaration/field-numbers.js';
import { frozenMap } from './freeze.js';
import { resolveMessage } from '../declaration/message-class.js';

const FIELD_NUMBER_MAX = 2 ** 29 - 1;
const FULL_NAME = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;
const MAP_KEYS = [
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
const checked = new WeakMap<Constructor, MessageShape>();

/** The shape of a message class; its faults are reported once a build. */
export function buildMessage(messageClass: Constructor, context: BuildContext): MessageShape {
  const known = context.shapes.get(messageClass) ?? checked.get(messageClass);
  if (known !== undefined) {
    remember(known, context);
    return known;
  }
  const said = declarationOf(messageClass);
  const name = messageName(messageClass, said);
  const declared = said.fields.map((field) => ({
    ...field,
    number: field.number ?? assignedNumber(name, field.property),
  }));
  const fields: FieldShape[] = [];
  const shape: MessageShape = { name, fields, create: () => new messageClass(), messageClass };
  // Known before its fields are: a message may contain itself.
  context.shapes.set(messageClass, shape);
  checkClass({ ...said, fields: declared }, name, reporter(context, messageClass.name));
  for (const field of declared) {
    const type = fieldType(field, name, context, reporter(context, messageClass.name));
    if (type === undefined || field.number === undefined) continue;
    fields.push(
      Object.freeze({
        name: field.property,
        number: field.number,
        type: Object.freeze(type),
        label: field.label,
        ...(field.mapKey === undefined ? {} : { mapKey: field.mapKey }),
        ...(field.oneof === undefined ? {} : { oneof: field.oneof }),
      }),
    );
  }
  fields.sort((a, b) => a.number - b.number);
  Object.freeze(fields);
  Object.freeze(shape);
  return shape;
}

/**
 * Keeps the shapes of a build without faults, so that a message class has one shape whichever
 * entity is built first.
 */
export function keepShapes(context: BuildContext): void {
  for (const [messageClass, shape] of context.shapes) checked.set(messageClass, shape);
}

/**
 * Puts a message checked before, and those inside it, among the messages of this build: their names
 * must not clash with others.
 */
function remember(shape: MessageShape, context: BuildContext): void {
  const messageClass = shape.messageClass as Constructor;
  if (context.shapes.has(messageClass)) return;
  context.shapes.set(messageClass, shape);
  for (const { type } of shape.fields) if (type.kind === 'message') remember(type.shape(), context);
}

function checkClass(said: ClassDeclaration, name: string, report: Report): void {
  if (!FULL_NAME.test(name))
    report(
      undefined,
      `${JSON.stringify(name)} is not a protobuf message name`,
      "name it with letters, digits, _ and dots: @Message('telemetry.Status')",
    );
  for (const { property, decorator, on } of said.misplaced)
    report(property, `${decorator} is on ${on}`, 'put it on a public instance property');
  for (const { property } of [...said.segments, ...said.columns]) {
    report(
      property,
      'a message class has a segment or column',
      'use @Field in messages; segments and columns belong to the entity',
    );
  }
  if (said.fields.length === 0) {
    report(
      undefined,
      'the message has no fields',
      said.message === undefined
        ? "declare the class: @Message() and @Field(1, 'string')"
        : "give it fields: @Field(1, 'string')",
    );
  }
  for (const number of repeated(said.fields.flatMap((field) => field.number ?? []))) {
    const names = said.fields
      .filter((field) => field.number === number)
      .map((field) => field.property);
    report(
      names.at(-1),
      `field number ${number} is used by ${quotedList(names)}`,
      'give each field a number of its own, and never reuse one that was stored',
    );
  }
  for (const property of repeated(said.fields.map((field) => field.property)))
    report(property, 'the field is declared twice', 'keep one @Field on it');
}

function fieldType(
  field: FieldDeclaration,
  message: string,
  context: BuildContext,
  report: Report,
): FieldType | undefined {
  const { property, number, label } = field;
  if (number === undefined) {
    report(
      property,
      'the field has no number',
      "run rowsmith check --update, which assigns one and writes rowsmith.numbers.ts, and import './rowsmith.numbers.js' beside the entities; or give the number: @Field(1, 'string')",
    );
  } else if (
    !Number.isInteger(number) ||
    number < 1 ||
    number > FIELD_NUMBER_MAX ||
    (number >= 19_000 && number <= 19_999)
  ) {
    report(
      property,
      `${number} is not a field number`,
      `use a whole number from 1 to ${FIELD_NUMBER_MAX}, without 19000 to 19999`,
    );
  }
  if (label === 'map' && !MAP_KEYS.includes(field.mapKey as string)) {
    report(
      property,
      `${JSON.stringify(field.mapKey)} cannot be the key of a map field`,
      `use one of ${quotedList(MAP_KEYS)}`,
    );
  }
  if (field.oneof !== undefined && label !== 'singular')
    report(
      property,
      `a ${label} field is in oneof '${field.oneof}'`,
      'oneof takes singular fields only: put the list into a message of its own',
    );
  if (field.oneof !== undefined && !/^[A-Za-z_]\w*$/.test(field.oneof))
    report(
      property,
      `${JSON.stringify(field.oneof)} is not a name of a oneof`,
      'use letters, digits and _',
    );
  const type = elementType(field, message, context, report);
  const container = label === 'repeated' ? Array : label === 'map' ? Map : undefined;
  if (type !== undefined) {
    const finding = contradiction(
      field.designType,
      container === undefined ? designsOf(type) : [container],
      container === undefined ? typeText(type) : `a ${label} field`,
    );
    if (finding !== undefined) report(property, finding.problem, finding.fix);
  }
  return type;
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
    // A class that a circle of imports has not made yet arrives as undefined too.
    const circle =
      field.designType() === undefined
        ? `; or, if it is a message of an imported file, give it as a function: @Field(${number}() => Position)`
        : '';
    report(property, kind.problem, kind.fix + circle);
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
        'a field cannot hold a foreign codec',
        'declare the inner message with @Message, or store the codec in a column of its own with @Packed',
      );
      return undefined;
    }
    const shape = buildMessage(messageClass, context);
    return { kind: 'message', shape: () => shape };
  }
  if (typeof type === 'object') return enumType(type, property, message, report);
  if (type in fieldDesigns) return { kind: 'scalar', scalar: type };
  report(
    property,
    `${JSON.stringify(type)} is not a kind of field`,
    `use one of ${quotedList(Object.keys(fieldDesigns))}, enumOf(...) or () => Message`,
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
        `enum member ${member} is ${JSON.stringify(value)}`,
        'give each member a whole number of 32 bits',
      );
    }
  }
  if (![...type.values.values()].includes(0)) {
    report(
      property,
      'the enum has no member 0',
      'add one, for example UNSPECIFIED = 0: proto3 reads an unset enum as 0',
    );
  }
  const name = type.name ?? `${message}.${property.charAt(0).toUpperCase()}${property.slice(1)}`;
  if (!FULL_NAME.test(name))
    report(
      property,
      `${JSON.stringify(name)} is not a protobuf enum name`,
      "name it with letters, digits, _ and dots: enumOf(Mode, 'telemetry.Mode')",
    );
  return { kind: 'enum', name, values: frozenMap(type.values) };
}

function designsOf(type: FieldType): readonly unknown[] {
  if (type.kind === 'scalar') return fieldDesigns[type.scalar];
  return type.kind === 'enum' ? [Number] : [type.shape().messageClass];
}

function typeText(type: FieldType): string {
  if (type.kind === 'scalar') return `'${type.scalar}'`;
  return type.kind === 'enum' ? `enum ${type.name}` : `message ${type.shape().name}`;
}

/** Reports full names that two different messages or enums of the build share. */
export function checkMessageNames(context: BuildContext): void {
  const owners = new Map<string, unknown>();
  const claim = (name: string, owner: unknown, by: string, property?: string): void => {
    const other = owners.get(name);
    if (other === undefined) owners.set(name, owner);
    else if (other !== owner) {
      const example =
        property === undefined ? `@Message('package.${by}')` : "enumOf(Mode, 'package.Mode')";
      reporter(context, by)(
        property,
        `the protobuf name ${name} is used twice`,
        `give each its own full name: ${example}`,
      );
    }
  };
  for (const [messageClass, shape] of context.shapes)
    claim(shape.name, messageClass, messageClass.name);
  for (const [messageClass, shape] of context.shapes) {
    for (const { name, type } of shape.fields) {
      // One enum may serve many fields: it is the same when its members are.
      if (type.kind === 'enum')
        claim(type.name, JSON.stringify([...type.values]), messageClass.name, name);
    }
  }
}
