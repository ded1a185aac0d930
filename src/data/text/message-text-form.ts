/**
 * The text form of packed messages: an object of fields by name, lists as arrays, and maps as lists
 * of pairs, which keep their order. Nothing that was stored is lost.
 */
import { isDate, nearestName, type FaultTexts } from '../../base/index.js';
import {
  CodecError,
  exactTimestamp,
  type FieldShape,
  type FieldType,
  indexPath,
  type MessageShape,
  readTimestampField,
  unknownFields,
  within,
  wrongTypeError,
} from '../cell/index.js';
import { asInFiles, type FormOf } from './exact-text-form.js';
import { bytes, scalarTextForms, type TextForm } from './text-form.js';

/** Holds the bytes of fields that the class does not declare. */
const unknownName = '@unknown';
/** Holds the bytes of a google.protobuf.Timestamp that is finer than a millisecond. */
const timestampName = '@timestamp';

type Properties = Record<PropertyKey, unknown>;
/** The text forms of a message's fields, by name. */
type FieldForms = ReadonlyMap<string, TextForm>;

const caches = new Map<FormOf, WeakMap<MessageShape, TextForm>>();

/** The text form of a message class; `formOf` changes the form of its single values. */
export function messageTextForm(shape: MessageShape, formOf: FormOf = asInFiles): TextForm {
  const cache = caches.get(formOf) ?? new WeakMap<MessageShape, TextForm>();
  caches.set(formOf, cache);
  const cached = cache.get(shape);
  if (cached !== undefined) return cached;
  const fields = new Map<string, TextForm>();
  const form: TextForm = {
    kind: 'json',
    format: (value) => formatMessage(fields, value as Properties),
    parse: (input) => parseMessage(shape, fields, input),
  };
  // Before its fields, because a message may contain itself.
  cache.set(shape, form);
  for (const field of shape.fields) fields.set(field.name, fieldTextForm(field, formOf));
  return form;
}

function formatMessage(fields: FieldForms, value: Properties): Properties {
  const output: Properties = {};
  for (const [name, form] of fields)
    if (value[name] !== undefined && value[name] !== null) output[name] = form.format(value[name]);
  if (value[unknownFields] !== undefined) output[unknownName] = bytes.format(value[unknownFields]);
  return output;
}

function parseMessage(shape: MessageShape, fields: FieldForms, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw wrongTypeError(`a ${shape.name} as an object`, input, 'write its fields by name');
  const message = shape.create() as Properties;
  for (const { name } of shape.fields) if (message[name] !== undefined) message[name] = undefined;
  for (const [name, value] of Object.entries(input)) {
    if (value === null) continue;
    try {
      if (name === unknownName) message[unknownFields] = bytes.parse(value);
      else message[name] = fieldForm(shape, fields, name).parse(value);
    } catch (fault) {
      throw within(fault, name);
    }
  }
  return message;
}

function fieldForm(shape: MessageShape, fields: FieldForms, name: string): TextForm {
  const form = fields.get(name);
  if (form !== undefined) return form;
  const names = [...fields.keys()];
  const nearest = nearestName(name, names);
  let fix = `its fields are ${names.join(', ')}`;
  if (nearest !== undefined) fix = `did you mean ${nearest}?`;
  throw new CodecError(faults.unknownField(shape.name, fix));
}

function fieldTextForm({ label, type, mapKey }: FieldShape, formOf: FormOf): TextForm {
  const element = typeTextForm(type, formOf);
  if (label === 'repeated') return listTextForm(element);
  if (label === 'map') return mapTextForm(formOf(scalarTextForms[mapKey ?? 'string']), element);
  return element;
}

function typeTextForm(type: FieldType, formOf: FormOf): TextForm {
  switch (type.kind) {
    case 'message': {
      const { shape } = type;
      return {
        kind: 'json',
        format: (value) => messageTextForm(shape(), formOf).format(value),
        parse: (input) => messageTextForm(shape(), formOf).parse(input),
      };
    }
    case 'enum':
      return enumTextForm(type.values);
    case 'scalar':
      if (type.scalar === 'timestamp') return timestampTextForm;
      return formOf(scalarTextForms[type.scalar]);
  }
}

/** The name of a member, or a number without a name, which open enums allow. */
function enumTextForm(values: ReadonlyMap<string, number>): TextForm {
  // Reversed, so that the first declared of several names for one number is used.
  const names = new Map([...values].reverse().map(([name, number]) => [number, name]));
  return {
    kind: 'text',
    format: (value) => names.get(value as number) ?? value,
    parse(input) {
      if (typeof input === 'number') return input;
      const number = values.get(input as string);
      if (number !== undefined) return number;
      throw wrongTypeError(
        'a member of the enum',
        input,
        `use one of ${[...values.keys()].join(', ')}, or a number`,
      );
    },
  };
}

const timestampTextForm: TextForm = {
  kind: 'json',
  format(value) {
    if (isDate(value)) {
      const exact = exactTimestamp(value);
      if (exact !== undefined) return { [timestampName]: bytes.format(exact) };
    }
    return scalarTextForms.timestamp.format(value);
  },
  parse(input) {
    if (typeof input === 'object' && input !== null) {
      const exact = (input as Properties)[timestampName];
      if (exact !== undefined) {
        const field = bytes.parse(exact) as Uint8Array;
        return readTimestampField(field, 0, field.length, 0);
      }
    }
    return scalarTextForms.timestamp.parse(input);
  },
};

function listTextForm(element: TextForm): TextForm {
  return {
    kind: 'json',
    format: (value) => (value as readonly unknown[]).map(element.format),
    parse(input) {
      if (!Array.isArray(input))
        throw wrongTypeError('an array', input, 'write a list in brackets');
      return input.map((each: unknown, i) => parseElement(element, each, i));
    },
  };
}

function mapTextForm(key: TextForm, element: TextForm): TextForm {
  return {
    kind: 'json',
    format: (value) =>
      [...(value as ReadonlyMap<unknown, unknown>)].map(([name, each]) => [
        key.format(name),
        element.format(each),
      ]),
    parse(input) {
      if (!Array.isArray(input) || !input.every((pair) => Array.isArray(pair) && pair.length === 2))
        throw wrongTypeError('a list of pairs', input, 'write a map as [[key, value], ...]');
      return new Map(
        (input as [unknown, unknown][]).map(([name, each], i) => [
          parseElement(key, name, i),
          parseElement(element, each, i),
        ]),
      );
    },
  };
}

function parseElement(form: TextForm, input: unknown, index: number): unknown {
  try {
    return form.parse(input);
  } catch (fault) {
    throw within(fault, indexPath(index));
  }
}

const faults = {
  unknownField: (name: string, fix: string) => ({
    problem: `${name} has no field of this name`,
    fix,
  }),
} satisfies FaultTexts;
