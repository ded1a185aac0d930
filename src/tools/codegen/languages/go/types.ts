/** The Go types of values. */
import type { ColumnData, RollupValueData, SegmentData, ValueData } from '../entity-data.js';
import { text } from './layout.js';
import { goMessageName } from './names.js';

const segmentTypes: Readonly<Record<string, string>> = {
  string: 'string',
  enum: 'string',
  int: 'int64',
  uint: 'uint64',
  float: 'float64',
  decimal: 'string',
  bool: 'bool',
  timestamp: 'time.Time',
  micros: 'int64',
  isoDate: 'time.Time',
  uuid: 'string',
  ulid: 'string',
  bytes: '[]byte',
  reversedId: 'uint64',
  domain: 'string',
};

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: '[]byte',
  bool: 'bool',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'int64',
  double: 'float64',
  float: 'float32',
  timestamp: 'time.Time',
  date: 'string',
  json: 'any',
};

/** The type of a segment's values; a pointer if it is nullable. */
export function goSegmentType(segment: SegmentData): string {
  const type = plainType(segment);
  return segment.nullable ? optional(type) : type;
}

function plainType({ kind, width }: SegmentData): string {
  if (kind !== 'bigint') return segmentTypes[kind];
  return width > 0 && width <= 18 ? 'int64' : '*big.Int';
}

/** A type that can be nil. */
export function optional(type: string): string {
  return /^(\*|\[\]|any$)/.test(type) ? type : `*${type}`;
}

/** The type of one value of a column. */
export function goValueType(value: ValueData): string {
  if (value.kind === 'custom') return '[]byte';
  if (value.kind === 'message') return `*${goMessageName(value.message)}`;
  return scalarTypes[value.scalar];
}

/** The type of the keys of a map; a pointer would be no key. */
export function qualifierType(segment: SegmentData): string {
  const type = plainType(segment);
  return type === '*big.Int' ? 'string' : type;
}

/** The type of a column's field. */
export function columnType({ kind, value, qualifiers, required }: ColumnData): string {
  const type = goValueType(value);
  if (kind === 'map') return `map[${qualifierType(qualifiers!)}]${type}`;
  if (kind === 'versions') return `[]Version[${type}]`;
  return required ? type : optional(type);
}

/** The field of a type as an expression over what was read. */
export function typed(type: string, expression: string): string {
  const map = /^map\[(.*?)\](.*)$/.exec(type);
  if (map !== null) return `mapOf[${map[1]}, ${map[2]}](${expression})`;
  const versions = /^\[\]Version\[(.*)\]$/.exec(type);
  if (versions !== null) return `versionsOf[${versions[1]}](${expression})`;
  if (type === 'any') return expression;
  if (type.startsWith('*') && pointers.has(type.slice(1)))
    return `opt[${type.slice(1)}](${expression})`;
  return `as[${type}](${expression})`;
}

/** Types of which columns without a value have a nil pointer. */
const pointers = new Set(
  [...Object.values(segmentTypes), ...Object.values(scalarTypes)].filter(
    (type) => optional(type) !== type,
  ),
);

/** A value of a declaration, which a scalar stores. */
export function goLiteral(value: string | number | bigint | boolean, scalar: string): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return text(value);
  if (typeof value === 'bigint') return integer(value);
  if (Number.isNaN(value)) return 'math.NaN()';
  if (!Number.isFinite(value)) return `math.Inf(${value > 0 ? 1 : -1})`;
  const type = scalarTypes[scalar] ?? 'float64';
  const digits = Object.is(value, -0) ? '0' : String(value);
  return `${type}(${digits})`;
}

function integer(value: bigint): string {
  if (BigInt.asIntN(64, value) === value) return `int64(${value})`;
  return `bigOf("${value}")`;
}

/** The type of a rollup's value. */
export function goRollupType(
  { number, kind }: RollupValueData,
  stored: ColumnData | undefined,
): string {
  if (kind === 'count' || (kind === 'sum' && number === 'whole')) return 'int64';
  const type = {
    whole: 'int64',
    decimal: 'string',
    time: 'time.Time',
    fraction: 'float64',
    single: 'float64',
    stored: stored === undefined ? 'any' : goValueType(stored.value),
  }[number];
  return kind === 'sum' ? type : optional(type);
}
