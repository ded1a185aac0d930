/**
 * Packed messages as JSON: fields by name, lists as arrays, maps as lists of pairs, which keep
 * their order; nothing that was stored is lost.
 */
import { nearestName } from '../../base/index.js';
import {
  CellFault,
  indexed,
  within,
  type FieldShape,
  type FieldType,
  type MessageShape,
  exactTimestamp,
  readTimestampField,
  unknownFields,
  isDate,
  wrongType,
} from '../../cell/index.js';
import { bytes, scalarTextForms, type TextForm } from './text-form.js';

/** Bytes of fields that the class does not declare. */
const UNKNOWN = '@unknown';
/** The bytes of a google.protobuf.Timestamp finer than a millisecond. */
const TIMESTAMP = '@timestamp';

type Properties = Record<PropertyKey, unknown>;

const known = new WeakMap<MessageShape, TextForm>();

/** The spelling of a message class. */
export function messageTextForm(shape: MessageShape): TextForm {
  const made = known.get(shape);
  if (made !== undefined) return made;
  const fields = new Map<string, { readonly field: FieldShape; readonly spelling: TextForm }>();
  const spelling: TextForm = {
    form: 'json',
    write: (value) => writeMessage(fields, value as Properties),
    read: (said) => readMessage(shape, fields, said),
  };
  // Known before its fields are: a message may contain itself.
  known.set(shape, spelling);
  for (const field of shape.fields)
    fields.set(field.name, { field, spelling: fieldSpelling(field) });
  return spelling;
}

type Fields = ReadonlyMap<string, { readonly field: FieldShape; readonly spelling: TextForm }>;

function writeMessage(fields: Fields, value: Properties): Properties {
  const said: Properties = {};
  for (const [name, { spelling }] of fields)
    if (value[name] !== undefined && value[name] !== null) said[name] = spelling.write(value[name]);
  if (value[unknownFields] !== undefined) said[UNKNOWN] = bytes.write(value[unknownFields]);
  return said;
}

function readMessage(shape: MessageShape, fields: Fields, said: unknown): unknown {
  if (typeof said !== 'object' || said === null || Array.isArray(said))
    throw wrongType(`a ${shape.name} as an object`, said, 'write its fields by name');
  const message = shape.create() as Properties;
  for (const { name } of shape.fields) if (message[name] !== undefined) message[name] = undefined;
  for (const [name, inner] of Object.entries(said)) {
    if (inner === null) continue;
    try {
      if (name === UNKNOWN) message[unknownFields] = bytes.read(inner);
      else message[name] = spellingOf(shape, fields, name).read(inner);
    } catch (fault) {
      throw within(fault, name);
    }
  }
  return message;
}

function spellingOf(shape: MessageShape, fields: Fields, name: string): TextForm {
  const found = fields.get(name);
  if (found !== undefined) return found.spelling;
  const near = nearestName(name, [...fields.keys()]);
  throw new CellFault(
    `${shape.name} has no field of this name`,
    near === undefined
      ? `its fields are ${[...fields.keys()].join(', ')}`
      : `did you mean ${near}?`,
  );
}

function fieldSpelling({ label, type, mapKey }: FieldShape): TextForm {
  const element = typeSpelling(type);
  if (label === 'repeated') return listSpelling(element);
  return label === 'map' ? pairsSpelling(scalarTextForms[mapKey ?? 'string'], element) : element;
}

function typeSpelling(type: FieldType): TextForm {
  switch (type.kind) {
    case 'message': {
      const { shape } = type;
      return {
        form: 'json',
        write: (value) => messageTextForm(shape()).write(value),
        read: (said) => messageTextForm(shape()).read(said),
      };
    }
    case 'enum':
      return enumSpelling(type.values);
    case 'scalar':
      return type.scalar === 'timestamp' ? timestampSpelling : scalarTextForms[type.scalar];
  }
}

/** The name of a member; the number where it has none, as open enums may. */
function enumSpelling(values: ReadonlyMap<string, number>): TextForm {
  const names = new Map([...values].reverse().map(([name, number]) => [number, name]));
  return {
    form: 'text',
    write: (value) => names.get(value as number) ?? value,
    read(said) {
      if (typeof said === 'number') return said;
      const number = values.get(said as string);
      if (number !== undefined) return number;
      throw wrongType(
        'a member of the enum',
        said,
        `use one of ${[...values.keys()].join(', ')}, or a number`,
      );
    },
  };
}

const timestampSpelling: TextForm = {
  form: 'json',
  write(value) {
    const exact = isDate(value) ? exactTimestamp(value) : undefined;
    return exact === undefined
      ? scalarTextForms.timestamp.write(value)
      : { [TIMESTAMP]: bytes.write(exact) };
  },
  read(said) {
    const exact =
      typeof said === 'object' && said !== null ? (said as Properties)[TIMESTAMP] : undefined;
    if (exact === undefined) return scalarTextForms.timestamp.read(said);
    const timestamp = bytes.read(exact) as Uint8Array;
    return readTimestampField(timestamp, 0, timestamp.length, 0);
  },
};

function listSpelling(element: TextForm): TextForm {
  return {
    form: 'json',
    write: (value) => (value as readonly unknown[]).map(element.write),
    read(said) {
      if (!Array.isArray(said)) throw wrongType('an array', said, 'write a list in brackets');
      return said.map((each: unknown, i) => readAt(element, each, i));
    },
  };
}

function pairsSpelling(key: TextForm, element: TextForm): TextForm {
  return {
    form: 'json',
    write: (value) =>
      [...(value as ReadonlyMap<unknown, unknown>)].map(([name, each]) => [
        key.write(name),
        element.write(each),
      ]),
    read(said) {
      if (!Array.isArray(said) || !said.every((pair) => Array.isArray(pair) && pair.length === 2))
        throw wrongType('a list of pairs', said, 'write a map as [[key, value], ...]');
      return new Map(
        (said as [unknown, unknown][]).map(([name, each], i) => [
          readAt(key, name, i),
          readAt(element, each, i),
        ]),
      );
    },
  };
}

function readAt(spelling: TextForm, said: unknown, place: unknown): unknown {
  try {
    return spelling.read(said);
  } catch (fault) {
    throw within(fault, indexed(place));
  }
}
