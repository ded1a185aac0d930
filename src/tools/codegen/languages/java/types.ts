/** The Java types of values. */
import type { ColumnData, RollupValueData, SegmentData, ValueData } from '../entity-data.js';
import { type JavaSource, javaCall, text } from './layout.js';
import type { MessageClasses } from './messages.js';

const segmentTypes: Readonly<Record<string, string>> = {
  string: 'String',
  int: 'long',
  uint: 'long',
  bigint: 'BigInteger',
  float: 'double',
  decimal: 'BigDecimal',
  bool: 'boolean',
  enum: 'String',
  timestamp: 'Instant',
  micros: 'long',
  isoDate: 'Instant',
  uuid: 'UUID',
  ulid: 'String',
  bytes: 'ByteString',
  reversedId: 'long',
  domain: 'String',
};

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'String',
  bytes: 'ByteString',
  bool: 'Boolean',
  int32: 'Integer',
  uint32: 'Long',
  int64: 'Long',
  double: 'Double',
  float: 'Float',
  timestamp: 'Instant',
  date: 'LocalDate',
  json: 'String',
};

const boxes: Readonly<Record<string, string>> = {
  long: 'Long',
  double: 'Double',
  boolean: 'Boolean',
};

/** The type of a segment's values; a class if they may be null. */
export function javaSegmentType(segment: SegmentData): string {
  return segment.nullable ? boxedType(segment) : segmentTypes[segment.kind];
}

/** The class of a segment's values. */
export function boxedType({ kind }: SegmentData): string {
  const type = segmentTypes[kind];
  return boxes[type] ?? type;
}

/** The type of one value of a column. */
export function javaType(value: ValueData, messages: MessageClasses): string {
  if (value.kind === 'custom') return 'ByteString';
  if (value.kind === 'message') return messages(value).source ?? 'Message';
  return scalarTypes[value.scalar];
}

/** The type of a column. */
export function javaColumnType(column: ColumnData, messages: MessageClasses): string {
  const type = javaType(column.value, messages);
  if (column.kind === 'map') return `Map<${boxedType(column.qualifiers!)}, ${type}>`;
  return column.kind === 'versions' ? `List<Rows.Version<${type}>>` : type;
}

/** The declared default of a column, in its type. */
export function javaConstant({
  default: value,
  value: stored,
}: ColumnData): JavaSource | undefined {
  if (value === undefined || stored.kind !== 'scalar') return undefined;
  switch (stored.scalar) {
    case 'uint32':
    case 'int64':
      return `${value}L`;
    case 'double':
      return fraction(Number(value));
    case 'float':
      return `(float) ${fraction(Number(value))}`;
    case 'date':
      return javaCall('LocalDate.parse', [text(String(value))]);
    case 'json':
      return text(JSON.stringify(value));
    default:
      return typeof value === 'string' ? text(value) : String(value);
  }
}

function fraction(value: number): string {
  if (Number.isNaN(value)) return 'Double.NaN';
  if (!Number.isFinite(value)) return `Double.${value > 0 ? 'POSITIVE' : 'NEGATIVE'}_INFINITY`;
  if (Object.is(value, -0)) return '-0.0';
  const digits = String(value);
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

/** A value that a rule names. */
export function ruleLiteral(value: string | number | bigint): JavaSource {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number' && !Number.isSafeInteger(value + 0)) return fraction(value);
  const digits = String(value);
  const magnitude = BigInt(digits) < 0n ? -BigInt(digits) : BigInt(digits);
  if (magnitude < 2n ** 31n) return digits;
  return magnitude < 2n ** 63n ? `${digits}L` : javaCall('new BigInteger', [text(digits)]);
}

/** The type of a rollup's value. */
export function javaRollupType(
  { number, kind }: RollupValueData,
  stored: ColumnData | undefined,
  messages: MessageClasses,
): string {
  if (kind === 'count' || (kind === 'sum' && number === 'whole')) return 'long';
  return {
    whole: 'Long',
    decimal: 'BigDecimal',
    time: 'Instant',
    fraction: 'Double',
    single: 'Double',
    stored: stored === undefined ? 'Object' : javaType(stored.value, messages),
  }[number];
}
