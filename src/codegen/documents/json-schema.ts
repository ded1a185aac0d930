/**
 * JSON Schema (2020-12) of an entity as `rowsmith export` writes it: one JSON object for each row.
 */
import type { FieldShape, FieldType, MessageShape } from '../../cell/index.js';
import type { SegmentType } from '../../key/index.js';
import { messagesOf, type ColumnModel, type EntityModel } from '../../model/index.js';
/** A schema, as JSON. */
type Schema = boolean | { readonly [keyword: string]: unknown };

/**
 * The schema of the entity's rows. Names that begin with `@` hold what is not a value: timestamps,
 * and fields nobody declares.
 */
export function jsonSchema(model: EntityModel): string {
  const messages = messagesOf(model);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: model.name,
    description: `A row of table ${model.table.name}.`,
    type: 'object',
    properties: {
      ...Object.fromEntries(
        model.segments.map(({ property, type }) => [
          property,
          nullable(segmentSchema(type), type.nullable === true),
        ]),
      ),
      ...Object.fromEntries(model.columns.map((column) => [column.property, columnSchema(column)])),
    },
    patternProperties: { '^@': true },
    required: model.segments.map(({ property }) => property),
    additionalProperties: false,
    ...(messages.length === 0
      ? {}
      : { $defs: Object.fromEntries(messages.map((shape) => [shape.name, messageSchema(shape)])) }),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Whole numbers past 2^53 are text: readers of JSON round them. */
const bigInteger: Schema = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$' };
const moment: Schema = { type: 'string', format: 'date-time' };
const base64: Schema = {
  type: 'string',
  contentEncoding: 'base64',
  pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
};
const float: Schema = {
  anyOf: [{ type: 'number' }, { enum: ['NaN', 'Infinity', '-Infinity', '-0'] }],
};
const integer = (minimum: number, maximum: number): Schema => ({
  type: 'integer',
  minimum,
  maximum,
});

function nullable(schema: Schema, allowed: boolean): Schema {
  return allowed ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function segmentSchema(type: SegmentType): Schema {
  const digits = type.width ?? (type.max === undefined ? 16 : String(type.max).length);
  const limit = type.max ?? Math.min(10 ** digits - 1, Number.MAX_SAFE_INTEGER);
  switch (type.kind) {
    // JSON Schema counts characters, we UTF-16 units, which are as many or more.
    case 'string':
      return {
        type: 'string',
        ...(type.maxLength === undefined ? {} : { maxLength: type.maxLength }),
      };
    case 'int':
      return integer(-limit, limit);
    case 'uint':
    case 'reversedId':
      return integer(0, limit);
    case 'bigint':
    case 'micros':
      return bigInteger;
    case 'float':
      return { anyOf: [{ type: 'number' }, { enum: ['Infinity', '-Infinity'] }] };
    case 'decimal':
      return {
        type: 'string',
        pattern: (type.scale ?? 0) === 0 ? '^-?[0-9]+$' : `^-?[0-9]+([.][0-9]{1,${type.scale}})?$`,
      };
    case 'bool':
      return { type: 'boolean' };
    case 'enum':
      return { enum: [...(type.values ?? [])] };
    case 'timestamp':
    case 'isoDate':
      return moment;
    case 'uuid':
      return type.dashes === false
        ? { type: 'string', pattern: '^[0-9a-fA-F]{32}$' }
        : { type: 'string', format: 'uuid' };
    case 'ulid':
      return { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' };
    case 'bytes':
      return base64;
    case 'domain':
      return { type: 'string', maxLength: 253 };
  }
}

function columnSchema(column: ColumnModel): Schema {
  const value = cellSchema(column);
  if (column.kind === 'columnMap') return { type: 'object', additionalProperties: value };
  if (column.kind !== 'versions') return value;
  return {
    type: 'array',
    items: {
      type: 'object',
      properties: { at: moment, value },
      required: ['at', 'value'],
      additionalProperties: false,
    },
  };
}

function cellSchema({ codec, message }: ColumnModel): Schema {
  return message === undefined
    ? (scalarSchema(codec.kind) ?? {
        ...(base64 as object),
        description: `Bytes of ${codec.kind}.`,
      })
    : { $ref: `#/$defs/${message.name}` };
}

function scalarSchema(kind: string): Schema | undefined {
  switch (kind) {
    case 'string':
      return { type: 'string' };
    case 'bytes':
      return base64;
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'sint32':
    case 'sfixed32':
      return integer(-0x8000_0000, 0x7fff_ffff);
    case 'uint32':
    case 'fixed32':
      return integer(0, 0xffff_ffff);
    case 'int64':
    case 'uint64':
    case 'sint64':
    case 'fixed64':
    case 'sfixed64':
      return bigInteger;
    case 'double':
    case 'float':
      return float;
    case 'timestamp':
      return moment;
    case 'date':
      return { type: 'string', format: 'date' };
    case 'json':
      return true;
    default:
      return undefined;
  }
}

function messageSchema(shape: MessageShape): Schema {
  const oneofs = [...new Set(shape.fields.flatMap(({ oneof }) => oneof ?? []))];
  const exclusions = oneofs.flatMap((oneof) =>
    pairsOf(shape.fields.filter((field) => field.oneof === oneof).map(({ name }) => name)).map(
      (required) => ({ not: { required } }),
    ),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(shape.fields.map((field) => [field.name, fieldSchema(field)])),
    patternProperties: { '^@': true },
    additionalProperties: false,
    ...(exclusions.length === 0 ? {} : { allOf: exclusions }),
  };
}

function pairsOf(names: readonly string[]): (readonly [string, string])[] {
  return names.flatMap((name, i) => names.slice(i + 1).map((other) => [name, other] as const));
}

function fieldSchema({ type, label, mapKey }: FieldShape): Schema {
  const element = typeSchema(type);
  if (label === 'repeated') return { type: 'array', items: element };
  // Pairs keep the order, and keys that are no text.
  if (label === 'map')
    return {
      type: 'array',
      items: {
        type: 'array',
        prefixItems: [scalarSchema(mapKey ?? 'string'), element],
        minItems: 2,
        maxItems: 2,
      },
    };
  return element;
}

function typeSchema(type: FieldType): Schema {
  if (type.kind === 'message') return { $ref: `#/$defs/${type.shape().name}` };
  // Enums are open: a number without a name stays a number.
  if (type.kind === 'enum')
    return { anyOf: [{ enum: [...type.values.keys()] }, { type: 'integer' }] };
  // A google.protobuf.Timestamp finer than a millisecond keeps its bytes.
  if (type.scalar === 'timestamp')
    return {
      anyOf: [
        moment,
        {
          type: 'object',
          properties: { '@timestamp': base64 },
          required: ['@timestamp'],
          additionalProperties: false,
        },
      ],
    };
  return scalarSchema(type.scalar) ?? true;
}
