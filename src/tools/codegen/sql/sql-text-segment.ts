/**
 * Segments of a text key for GoogleSQL: an expression that gives the value of a segment from its
 * text, and a pattern that only such texts match. src/data/key/FORMAT.md defines the texts. INT64
 * holds any number of 18 digits, but not of 19, so longer descending digits are complemented one by
 * one (TRANSLATE) instead of by subtraction, which could overflow.
 */
import { type SegmentType, unitWidth } from '../../../data/key/index.js';
import { digitsOf } from '../segment-digits.js';
import { hexByte, sqlText } from './sql-literal.js';

/** An expression of a value, from an expression of its text. */
type Decode = (text: string) => string;

/** A segment in SQL. */
export interface SqlSegment {
  /** The value, from an expression of the segment's text. */
  readonly decode: Decode;
  /** Pattern of its text in RE2, without the delimiter and unanchored. */
  readonly pattern: string;
  /** A sentence for the reader of the view. */
  readonly note?: string;
}

/** INT64 holds every number of so many digits. */
const maxExactDigits = 18;

function int(text: string): string {
  return `SAFE_CAST(${text} AS INT64)`;
}

/** Each digit subtracted from 9. */
function ninesComplement(text: string): string {
  return `TRANSLATE(${text}, '0123456789', '9876543210')`;
}

/** 10^width - 1 - n, from the digits of n. */
function complement(text: string, width: number): string {
  if (width <= maxExactDigits) return `${'9'.repeat(width)} - ${int(text)}`;
  return int(ninesComplement(text));
}

/** Reads `width` digits as an INT64; descending numbers are stored as their complement. */
function digitReader(width: number, descending: boolean): Decode {
  if (descending) return (text) => complement(text, width);
  return int;
}

/**
 * The segment in the text formats. `any` is the pattern of text without the delimiter; `escaped`
 * says whether `$` and two hex digits stand for a byte.
 */
export function sqlTextSegment(type: SegmentType, any: string, escaped: boolean): SqlSegment {
  return orNullSegment(type, valueSegment(type, any, escaped));
}

/**
 * The segment for the query of a continuous materialized view, which may not contain arrays nor
 * dates. Undefined if it cannot be read without them.
 */
export function viewTextSegment(type: SegmentType, escaped: boolean): SqlSegment | undefined {
  const value = viewValueSegment(type, escaped);
  return value && orNullSegment(type, value);
}

function viewValueSegment(type: SegmentType, escaped: boolean): SqlSegment | undefined {
  const descending = type.order === 'desc';
  switch (type.kind) {
    case 'domain':
      return undefined;
    case 'string':
      return asDecoded((text) => (escaped ? replaced(text) : text));
    case 'enum': {
      if (type.by !== 'ordinal')
        return asDecoded((text) => (hasEscapes(type.values, escaped) ? replaced(text) : text));
      const index = digitReader(2, descending);
      return asDecoded((text) => caseOf(index(text), type.values ?? []));
    }
    case 'isoDate':
      if (type.precision === 'day') return asDecoded((text) => text);
      return valueSegment(type, '', escaped);
    default:
      return valueSegment(type, '', escaped);
  }
}

function asDecoded(decode: Decode): SqlSegment {
  return { decode, pattern: '' };
}

/** One of several texts, by a number from 0. */
export function caseOf(index: string, names: readonly string[]): string {
  const branches = names.map((name, i) => `WHEN ${i} THEN ${sqlText(name)}`);
  return `CASE ${index} ${branches.join(' ')} END`;
}

/** As `unescaped`, by one REPLACE for each byte that is escaped; `$` itself comes last. */
function replaced(text: string): string {
  const codes = Array.from({ length: 0x25 }, (_, code) => code);
  return codes.reduce(
    (inner, code) =>
      `REPLACE(${inner}, '$${hexByte(code).toUpperCase()}', ${sqlText(String.fromCharCode(code))})`,
    text,
  );
}

/** Adds null, if the segment may be null, to its value. */
function orNullSegment(type: SegmentType, value: SqlSegment): SqlSegment {
  if (type.nullable !== true) return value;
  if (type.order === 'desc')
    return {
      ...value,
      decode: (text) => value.decode(`NULLIF(${text}, '~')`),
      pattern: `(?:${value.pattern}|~)`,
    };
  const orNull: Decode = (text) => value.decode(`NULLIF(${text}, '')`);
  // Null is the empty text, and the empty string is `$`.
  const orEmpty: Decode = (text) => `IF(${text} = '$', '', ${orNull(text)})`;
  return {
    ...value,
    decode: type.kind === 'string' ? orEmpty : orNull,
    pattern: `(?:${value.pattern})?`,
  };
}

/** The segment without null. */
function valueSegment(type: SegmentType, any: string, escaped: boolean): SqlSegment {
  const descending = type.order === 'desc';
  const width = digitsOf(type);
  switch (type.kind) {
    case 'int':
      return signed(width, descending);
    case 'uint':
      return { decode: digitReader(width, descending), pattern: `[0-9]{${width}}` };
    case 'bigint':
      if (type.width === undefined) return bigInteger(descending);
      return wideInteger(width, descending);
    case 'decimal':
      return decimal(width, type.scale ?? 0, descending);
    case 'float':
      return float(descending);
    case 'bool':
      return bool(descending);
    case 'enum':
      if (type.by === 'ordinal') return ordinal(type.values ?? [], descending);
      return enumName(type.values ?? [], any, escaped);
    case 'timestamp':
      return timestamp(type, descending);
    case 'micros':
      return epoch('us', descending, type.reverseFrom === 'long');
    case 'isoDate':
      return isoDate(type.precision ?? 'ms');
    case 'uuid':
      return asText(uuidPattern(type.dashes !== false));
    case 'ulid':
      return asText('[0-7][0-9A-HJKMNP-TV-Z]{25}');
    case 'bytes':
      return { decode: (text) => `FROM_HEX(${text})`, pattern: '(?:[0-9a-f]{2})*' };
    case 'reversedId':
      return { decode: (text) => int(`REVERSE(${text})`), pattern: `[0-9]{${width}}` };
    case 'domain':
      return { decode: hostName, pattern: '[a-z0-9._-]+' };
    default:
      return { decode: (text) => unescaped(text, escaped), pattern: any };
  }
}

function asText(pattern: string): SqlSegment {
  return { decode: (text) => text, pattern };
}

function uuidPattern(dashes: boolean): string {
  if (dashes) return '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
  return '[0-9a-f]{32}';
}

/** `maps.example.com`, from `com.example.maps`. */
export function hostName(text: string): string {
  return `ARRAY_TO_STRING(ARRAY_REVERSE(SPLIT(${text}, '.')), '.')`;
}

/**
 * Replaces `$` and two hex digits by the byte. A lambda keeps it one expression: logical views
 * cannot declare functions.
 */
function unescaped(text: string, escaped: boolean): string {
  if (!escaped) return text;
  const piece =
    "IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)";
  return `ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(${text}, r'[$][0-9A-F]{2}|[^$]+'), p -> ${piece}), '')`;
}

/**
 * A negative n has the digits of 10^width + n after `-` when ascending, and the digits of -1 - n
 * after `:` when descending.
 */
function signed(width: number, descending: boolean): SqlSegment {
  const digits: Decode = (text) => `SUBSTR(${text}, 2)`;
  if (descending)
    return {
      decode: (text) =>
        `IF(STARTS_WITH(${text}, ':'), -1 - ${int(digits(text))}, ${complement(text, width)})`,
      pattern: `:?[0-9]{${width}}`,
    };
  return {
    decode: (text) =>
      `IF(STARTS_WITH(${text}, '-'), -1 - (${complement(digits(text), width)}), ${int(text)})`,
    pattern: `-?[0-9]{${width}}`,
  };
}

/** A bigint of a declared width. */
function wideInteger(width: number, descending: boolean): SqlSegment {
  const segment = signed(width, descending);
  if (width <= maxExactDigits) return segment;
  return { ...segment, note: 'values beyond INT64 read as NULL' };
}

/**
 * A bigint of any size: two digits of its length, then its digits; complemented after `-`. It stays
 * text in SQL.
 */
function bigInteger(descending: boolean): SqlSegment {
  const digits: Decode = (text) => `SUBSTR(${text}, 3)`;
  const complemented: Decode = (text) => `SUBSTR(${ninesComplement(text)}, 4)`;
  const ascendingValue: Decode = (text) =>
    `IF(STARTS_WITH(${text}, '-'), CONCAT('-', ${complemented(text)}), ${digits(text)})`;
  const negated: Decode = (text) => `IF(${digits(text)} = '0', '0', CONCAT('-', ${digits(text)}))`;
  const descendingValue: Decode = (text) =>
    `IF(STARTS_WITH(${text}, '-'), ${complemented(text)}, ${negated(text)})`;
  return {
    decode: descending ? descendingValue : ascendingValue,
    pattern: '-?[0-9]{3,101}',
    note: 'an integer of up to 99 digits, as text',
  };
}

function decimal(width: number, scale: number, descending: boolean): SqlSegment {
  const unscaled = signed(width, descending);
  return {
    ...unscaled,
    decode: (text) => decimalText(unscaled.decode(text), scale),
    note: 'decimal text; the key orders it as a number',
  };
}

/** The text of a decimal, from its unscaled integer: -150 of scale 2 is `-1.50`. */
export function decimalText(integer: string, scale: number): string {
  if (scale === 0) return `CAST(${integer} AS STRING)`;
  const unit = `1${'0'.repeat(scale)}`;
  const sign = `IF(${integer} < 0, '-', '')`;
  const whole = `CAST(DIV(ABS(${integer}), ${unit}) AS STRING)`;
  const fraction = `CAST(MOD(ABS(${integer}), ${unit}) AS STRING)`;
  return `CONCAT(${sign}, ${whole}, '.', LPAD(${fraction}, ${scale}, '0'))`;
}

/**
 * 16 hex digits of the double's bits. For ascending order the sign bit of positive numbers and all
 * bits of negative ones are inverted; for descending order it is the inverse of that.
 */
function float(descending: boolean): SqlSegment {
  const signBit = "b'\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00'";
  const bits: Decode = (text) => `FROM_HEX(${text})`;
  const ascendingValue: Decode = (text) =>
    `TO_FLOAT64(IF(${text} >= '8', ${bits(text)} ^ ${signBit}, ~${bits(text)}))`;
  const descendingValue: Decode = (text) =>
    `TO_FLOAT64(IF(${text} < '8', ~${bits(text)} ^ ${signBit}, ${bits(text)}))`;
  return { decode: descending ? descendingValue : ascendingValue, pattern: '[0-9a-f]{16}' };
}

function bool(descending: boolean): SqlSegment {
  if (descending) return { decode: (text) => `${text} = '8'`, pattern: '[89]' };
  return { decode: (text) => `${text} = '1'`, pattern: '[01]' };
}

function enumName(names: readonly string[], any: string, escaped: boolean): SqlSegment {
  return { decode: (text) => unescaped(text, hasEscapes(names, escaped)), pattern: any };
}

function hasEscapes(names: readonly string[] = [], escaped: boolean): boolean {
  return escaped && names.some((name) => /[\u0000-$]/.test(name));
}

function ordinal(names: readonly string[], descending: boolean): SqlSegment {
  const list = names.map(sqlText).join(', ');
  const index = digitReader(2, descending);
  return { decode: (text) => `[${list}][SAFE_OFFSET(${index(text)})]`, pattern: '[0-9]{2}' };
}

type TimeUnit = NonNullable<SegmentType['unit']>;

/** SQL's timestamps have microseconds, so nanoseconds are divided by 1000 first. */
const fromUnit: Readonly<Record<TimeUnit, string>> = {
  s: 'TIMESTAMP_SECONDS',
  ms: 'TIMESTAMP_MILLIS',
  us: 'TIMESTAMP_MICROS',
  ns: 'TIMESTAMP_MICROS',
};

const calendarFormats = {
  hour: { digits: 10, format: '%Y%m%d%H' },
  day: { digits: 8, format: '%Y%m%d' },
} as const;

function timestamp(
  { unit = 'ms', floor, reverseFrom }: SegmentType,
  descending: boolean,
): SqlSegment {
  if (floor === undefined) return epoch(unit, descending, reverseFrom === 'long');
  if (typeof floor === 'number') return interval(unit, floor, descending);
  const { digits, format } = calendarFormats[floor];
  const calendarDigits: Decode = descending ? ninesComplement : (text) => text;
  return {
    decode: (text) => `PARSE_TIMESTAMP('${format}', ${calendarDigits(text)})`,
    pattern: `[0-9]{${digits}}`,
    note: `the start of the ${floor}, in UTC`,
  };
}

function interval(unit: TimeUnit, milliseconds: number, descending: boolean): SqlSegment {
  const start = signed(unitWidth[unit], descending);
  return {
    ...start,
    decode: (text) => `${fromUnit[unit]}(${start.decode(text)})`,
    note: `the start of an interval of ${milliseconds} ms`,
  };
}

/** Time since the epoch in a unit; `fromLong` is meant for descending segments only. */
function epoch(unit: TimeUnit, descending: boolean, fromLong: boolean): SqlSegment {
  if (descending && fromLong) return subtractedFromLong(unit);
  const width = unitWidth[unit];
  const pattern = `[0-9]{${width}}`;
  const number = digitReader(Math.min(width, unitWidth.us), descending);
  // Nanoseconds of a Date end in six zeros, or nines when complemented: the first 16 digits are the
  // microseconds.
  if (unit === 'ns')
    return { decode: (text) => `${fromUnit.ns}(${number(`SUBSTR(${text}, 1, 16)`)})`, pattern };
  return { decode: (text) => `${fromUnit[unit]}(${number(text)})`, pattern };
}

/** Long.MAX_VALUE - n. */
function subtractedFromLong(unit: TimeUnit): SqlSegment {
  const number: Decode = (text) => `9223372036854775807 - ${int(text)}`;
  const pattern = '[0-9]{19}';
  if (unit === 'ns')
    return { decode: (text) => `${fromUnit.ns}(DIV(${number(text)}, 1000))`, pattern };
  return { decode: (text) => `${fromUnit[unit]}(${number(text)})`, pattern };
}

function isoDate(precision: 'ms' | 'day'): SqlSegment {
  const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
  if (precision === 'day') return { decode: (text) => `SAFE_CAST(${text} AS DATE)`, pattern: day };
  return {
    decode: (text) => `SAFE_CAST(${text} AS TIMESTAMP)`,
    pattern: `${day}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z`,
  };
}
