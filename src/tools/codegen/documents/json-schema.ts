/**
 * JSON Schema (2020-12) of an entity as `rowsmith export` writes it: one JSON object for each row.
 */
import type { FieldShape, FieldType, MessageShape } from '../../../data/cell/index.js';
import type { QualifierType, SegmentType } from '../../../data/key/index.js';
import {
  messagesOf,
  type ColumnModel,
  type EntityModel,
  type ValueRules,
} from '../../../entities/model/index.js';
import { digitsOf } from '../segment-digits.js';

/** A schema, as JSON; keywords that are undefined are left out. */
type Schema = boolean | { readonly [keyword: string]: unknown };

/**
 * The schema of the entity's rows. Names that begin with `@` hold what is not a value: timestamps,
 * and unknown fields of messages.
 */
export function jsonSchema(model: EntityModel): string {
  const segments = model.segments.map((segment) => [segment.property, segmentSchema(segment)]);
  const columns = model.columns.map((column) => [column.property, columnSchema(column)]);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: model.name,
    description: `A row of table ${model.table.name}.`,
    type: 'object',
    properties: Object.fromEntries([...segments, ...columns]) as object,
    patternProperties: { '^@': true },
    required: [...model.segments, ...model.columns.filter(isRequired)].map(
      ({ property }) => property,
    ),
    additionalProperties: false,
    $defs: messageSchemas(messagesOf(model)),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Readers of JSON round integers beyond 2^53, so these are text. */
const bigInteger: Schema = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$' };
const dateTime: Schema = { type: 'string', format: 'date-time' };
/** A Date before the year 0 or after 9999, which ISO 8601 writes with six digits and a sign. */
const anyDateTime: Schema = {
  anyOf: [
    dateTime,
    {
      type: 'string',
      pattern:
        '^[+-][0-9]{6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$',
    },
  ],
};
const base64 = {
  type: 'string',
  contentEncoding: 'base64',
  pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
} as const;
const float: Schema = {
  anyOf: [{ type: 'number' }, { enum: ['NaN', 'Infinity', '-Infinity', '-0'] }],
};
const integer = (minimum: number, maximum: number): Schema => ({
  type: 'integer',
  minimum,
  maximum,
});

function isRequired(column: ColumnModel): boolean {
  return 'required' in column && column.required === true;
}

function segmentSchema({ type, rules }: EntityModel['segments'][number]): Schema {
  const schema = withRules(valueSchema(type), rules);
  if (type.nullable === true) return { anyOf: [schema, { type: 'null' }] };
  return schema;
}

/** The schema of a segment without null. */
function valueSchema(type: SegmentType): Schema {
  const limit = type.max ?? Math.min(10 ** digitsOf(type) - 1, Number.MAX_SAFE_INTEGER);
  switch (type.kind) {
    // JSON Schema counts code points. There are never more of them than of our UTF-16 units.
    case 'string':
      return { type: 'string', maxLength: type.maxLength };
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
      return { type: 'string', pattern: decimalPattern(type.scale ?? 0) };
    case 'bool':
      return { type: 'boolean' };
    case 'enum':
      return { enum: [...(type.values ?? [])] };
    case 'timestamp':
    case 'isoDate':
      return dateTime;
    case 'uuid':
      if (type.dashes === false) return { type: 'string', pattern: '^[0-9a-fA-F]{32}$' };
      return { type: 'string', format: 'uuid' };
    case 'ulid':
      return { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' };
    case 'bytes':
      return base64;
    case 'domain':
      return { type: 'string', maxLength: 253 };
  }
}

function decimalPattern(scale: number): string {
  if (scale === 0) return '^-?[0-9]+$';
  return `^-?[0-9]+([.][0-9]{1,${scale}})?$`;
}

/** A schema with what is declared of the values, as far as JSON Schema can say it. */
function withRules(schema: Schema, rules: ValueRules | undefined, examples?: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const { oneOf, minLength, maxLength, pattern, min, max } = rules ?? {};
  if (oneOf !== undefined) return { enum: oneOf.map(jsonValue) };
  const isText = schema.type === 'string' && schema.contentEncoding === undefined;
  const limits = isText
    ? {
        // JSON Schema counts code points: text has at least half as many as UTF-16 units.
        minLength: minLength === undefined ? schema.minLength : Math.ceil(minLength / 2),
        maxLength: maxLength ?? schema.maxLength,
        pattern: pattern !== undefined && pattern.flags === '' ? pattern.source : schema.pattern,
      }
    : { minimum: numberOf(min) ?? schema.minimum, maximum: numberOf(max) ?? schema.maximum };
  return { ...schema, ...limits, examples };
}

/** Bigints are text. */
function jsonValue(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function numberOf(limit: number | bigint | undefined): number | undefined {
  return typeof limit === 'number' ? limit : undefined;
}

function columnSchema(column: ColumnModel): Schema {
  const suggestions = 'suggestions' in column ? column.suggestions : undefined;
  const examples = suggestions?.map(jsonValue) as Schema | undefined;
  const value = withRules(cellSchema(column), column.rules, examples);
  switch (column.kind) {
    case 'columnMap':
      return mapSchema(column.qualifiers.type, value);
    case 'versions':
      return {
        type: 'array',
        items: {
          type: 'object',
          properties: { at: anyDateTime, value },
          required: ['at', 'value'],
          additionalProperties: false,
        },
      };
    default:
      return value;
  }
}

/** An object of entries: typed keys are property names in the text form of import and export. */
function mapSchema({ kind, values }: QualifierType, value: Schema): Schema {
  const entries = { type: 'object', additionalProperties: value };
  switch (kind) {
    case 'string':
      return entries;
    case 'uint':
      return { ...entries, propertyNames: { pattern: '^[0-9]+$' } };
    case 'int':
    case 'bigint':
      return { ...entries, propertyNames: { pattern: '^-?[0-9]+$' } };
    case 'timestamp':
      return { ...entries, propertyNames: dateTime };
    case 'enum':
      return { ...entries, propertyNames: { enum: [...(values ?? [])] } };
  }
}

function cellSchema({ codec, message }: ColumnModel): Schema {
  if (message !== undefined) return reference(message);
  return scalarSchema(codec.kind) ?? { ...base64, description: `Bytes of ${codec.kind}.` };
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
      return anyDateTime;
    case 'date':
      return { type: 'string', format: 'date' };
    case 'json':
      return true;
    default:
      return undefined;
  }
}

function reference({ name }: MessageShape): Schema {
  return { $ref: `#/$defs/${name}` };
}

/** Schemas by name; undefined when there are none. */
function messageSchemas(shapes: readonly MessageShape[]): object | undefined {
  if (shapes.length === 0) return undefined;
  return Object.fromEntries(shapes.map((shape) => [shape.name, messageSchema(shape)]));
}

function messageSchema(shape: MessageShape): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(shape.fields.map((field) => [field.name, fieldSchema(field)])),
    patternProperties: { '^@': true },
    additionalProperties: false,
    allOf: oneofSchemas(shape),
  };
}

/** No two fields of a oneof are set together; undefined when the message has no oneof. */
function oneofSchemas({ fields }: MessageShape): readonly Schema[] | undefined {
  const oneofs = new Set(fields.flatMap(({ oneof }) => oneof ?? []));
  const exclusions = [...oneofs].flatMap((oneof) => {
    const names = fields.filter((field) => field.oneof === oneof).map(({ name }) => name);
    return pairsOf(names).map((required) => ({ not: { required } }));
  });
  if (exclusions.length === 0) return undefined;
  return exclusions;
}

function pairsOf(names: readonly string[]): (readonly [string, string])[] {
  return names.flatMap((name, i) => names.slice(i + 1).map((other) => [name, other] as const));
}

function fieldSchema({ type, label, mapKey }: FieldShape): Schema {
  const element = typeSchema(type);
  switch (label) {
    case 'singular':
      return element;
    case 'repeated':
      return { type: 'array', items: element };
    // Pairs, because they keep their order, and keys are not always text.
    case 'map':
      return {
        type: 'array',
        items: {
          type: 'array',
          prefixItems: [scalarSchema(mapKey ?? 'string'), element],
          minItems: 2,
          maxItems: 2,
        },
      };
  }
}

function typeSchema(type: FieldType): Schema {
  if (type.kind === 'message') return reference(type.shape());
  // Enums are open: a number without a name stays a number.
  if (type.kind === 'enum')
    return { anyOf: [{ enum: [...type.values.keys()] }, { type: 'integer' }] };
  // A google.protobuf.Timestamp finer than a millisecond keeps its bytes.
  if (type.scalar === 'timestamp')
    return {
      anyOf: [
        dateTime,
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
