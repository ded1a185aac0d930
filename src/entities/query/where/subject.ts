/** What conditions can be tested on: a column, a segment, or a field of a packed message. */
import { isBytes, isDate, RowsmithError, valueText, type FaultTexts } from '../../../base/index.js';
import {
  CodecError,
  type FieldShape,
  type FieldType,
  type JsType,
  jsTypes,
  type MessageShape,
  type ScalarKind,
  scalarCodec,
} from '../../../data/cell/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import { segmentTest } from './segment-test.js';
import type { Subject } from './test-subject.js';

/** The kind of a column of scalars; undefined for messages and custom codecs. */
export function scalarKindOf({ kind, codec }: ColumnModel): ScalarKind | undefined {
  if (kind !== 'column' && kind !== 'counter') return undefined;
  const scalar = codec.kind as ScalarKind;
  // A custom codec may have the name of a kind, but not its bytes.
  return scalarCodec(scalar) === codec ? scalar : undefined;
}

/** The subject of a property. Throws INVALID_QUERY for columns without a single value. */
export function subjectOf(model: EntityModel, property: string): Subject | undefined {
  if (model.key.names.includes(property)) {
    const segment = segmentTest(model, property);
    return { path: property, ...segment.allows, segment, operand: segment.operand };
  }
  const column = model.columns.find((each) => each.property === property);
  if (column === undefined) return undefined;
  if (column.kind === 'columnMap' || column.kind === 'versions') throw severalValues(model, column);
  if (column.message !== undefined) return messageSubject(property, column.message);
  const scalar = scalarKindOf(column);
  if (scalar === undefined || scalar === 'json') return anySubject(property);
  const { codec } = column;
  return {
    path: property,
    equality: true,
    order: scalar !== 'bool',
    text: textOf(scalar),
    operand(value) {
      const bytes = codec.encode(value);
      return codec.decode(bytes, 0, bytes.length);
    },
  };
}

function textOf(kind: ScalarKind): Subject['text'] {
  if (kind === 'string' || kind === 'date') return 'string';
  return kind === 'bytes' ? 'bytes' : undefined;
}

/** The subject of a field; undefined if the message has none of this name. */
export function fieldSubject(
  { path, fields }: Subject,
  name: string,
): Subject | 'repeated' | undefined {
  const own = `${path}.${name}`;
  if (fields === 'any') return anySubject(own);
  const field = fields!.fields.find((each) => each.name === name);
  if (field === undefined) return undefined;
  return shapeSubject(own, field);
}

function shapeSubject(path: string, { label, type }: FieldShape): Subject | 'repeated' {
  if (label !== 'singular') return 'repeated';
  if (type.kind === 'message') return messageSubject(path, type.shape());
  const name = type.kind === 'enum' ? 'number' : jsTypes[type.scalar];
  return {
    path,
    equality: true,
    order: name !== 'boolean',
    text: textByName[name],
    operand: (value) => fieldOperand(type, name, value),
  };
}

function messageSubject(path: string, fields: MessageShape): Subject {
  return { path, equality: false, order: false, text: undefined, fields, operand: copyOfValue };
}

/** JSON and values of custom codecs: what their type is shows only when a row is read. */
function anySubject(path: string): Subject {
  return { path, equality: true, order: true, text: 'any', fields: 'any', operand: anyOperand };
}

const textByName: Readonly<Partial<Record<JsType, 'string' | 'bytes'>>> = {
  string: 'string',
  Uint8Array: 'bytes',
};

function fieldOperand(type: FieldType, expected: JsType, value: unknown): unknown {
  if (typeNameOf(value) !== expected) {
    const article = expected === 'Uint8Array' ? 'an' : 'a';
    throw new CodecError(faults.wrongType(article, expected, value));
  }
  if (type.kind === 'scalar' && type.scalar === 'float') return Math.fround(value as number);
  return copyOfValue(value);
}

function anyOperand(value: unknown): unknown {
  if (typeNameOf(value) !== undefined) return copyOfValue(value);
  throw new CodecError(faults.incomparableValue(value));
}

function typeNameOf(value: unknown): JsType | undefined {
  if (isDate(value)) return Number.isNaN(value.getTime()) ? undefined : 'Date';
  if (isBytes(value)) return 'Uint8Array';
  const type = typeof value;
  if (type === 'number' || type === 'bigint' || type === 'boolean' || type === 'string')
    return type;
  return undefined;
}

/** The value, or a copy of what the caller could change. */
export function copyOfValue(value: unknown): unknown {
  if (isDate(value)) return new Date(value);
  if (isBytes(value)) return new Uint8Array(value);
  return value;
}

function severalValues(model: EntityModel, { kind, property }: ColumnModel): RowsmithError {
  let problem = 'a column map has many values';
  let fix = 'test the entries after reading';
  if (kind === 'versions') {
    problem = 'a @Versions property has many values';
    fix = 'test the versions after reading, or declare the newest one as a @Column, too';
  }
  return new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property,
    ...faults.untestableProperty(property, problem, fix),
  });
}

const faults = {
  wrongType: (article: string, expected: string, value: unknown) => ({
    problem: `expected ${article} ${expected}, got ${valueText(value)}`,
    fix: `give ${article} ${expected}`,
  }),
  incomparableValue: (value: unknown) => ({
    problem: `${valueText(value)} cannot be compared`,
    fix: 'compare with text, a number, a bigint, a boolean, a Date or a Uint8Array',
  }),
  untestableProperty: (property: string, problem: string, fix: string) => ({
    problem: `where() cannot test '${property}': ${problem}`,
    fix,
    shell: { problem: `--where cannot test '${property}': ${problem}` },
  }),
} satisfies FaultTexts;
