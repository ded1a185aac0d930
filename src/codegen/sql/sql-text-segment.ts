/**
 * Segments of a key that is text, for GoogleSQL: an expression that gives the value of the
 * segment's text, and a pattern that only such texts match. src/key/FORMAT.md gives the texts.
 * INT64 ends at 19 digits, so digits are turned round one by one (TRANSLATE) where a difference
 * would overflow.
 */
import { type SegmentType, unitWidth } from '../../key/index.js';
import { sqlText } from './sql-literal.js';

/** A segment in SQL. */
export interface SqlSegment {
  /** The value, from an expression of its text. */
  readonly decode: (text: string) => string;
  /** Pattern of its text in RE2, without the delimiter and unanchored. */
  readonly pattern: string;
  /** What a reader should know, in a sentence. */
  readonly note?: string;
}

/** Digits that INT64 holds whatever they are. */
const exactDigits = 18;
const int = (text: string): string => `SAFE_CAST(${text} AS INT64)`;
const turned = (text: string): string => `TRANSLATE(${text}, '0123456789', '9876543210')`;
/** 10^width - 1 - n of digits. */
const complement = (text: string, width: number): string =>
  width <= exactDigits ? `${'9'.repeat(width)} - ${int(text)}` : int(turned(text));

/**
 * The segment in the text formats; `any` is the pattern of any text without a delimiter, `escapes`
 * says whether `$` stands for escaped bytes.
 */
export function sqlTextSegment(type: SegmentType, any: string, escapes: boolean): SqlSegment {
  const inner = plainSegment(type, any, escapes);
  if (type.nullable !== true) return inner;
  if (type.order === 'desc')
    return {
      ...inner,
      decode: (text) => inner.decode(`NULLIF(${text}, '~')`),
      pattern: `(?:${inner.pattern}|~)`,
    };
  const empty =
    type.kind === 'string'
      ? (text: string): string => `IF(${text} = '$', '', ${inner.decode(`NULLIF(${text}, '')`)})`
      : (text: string): string => inner.decode(`NULLIF(${text}, '')`);
  return { ...inner, decode: empty, pattern: `(?:${inner.pattern})?` };
}

function plainSegment(type: SegmentType, any: string, escapes: boolean): SqlSegment {
  const descending = type.order === 'desc';
  const width = widthOf(type);
  switch (type.kind) {
    case 'int':
      return signed(width, descending);
    case 'uint':
      return {
        decode: (text) => (descending ? complement(text, width) : int(text)),
        pattern: `[0-9]{${width}}`,
      };
    case 'bigint':
      return type.width === undefined ? anySize(descending) : fixedBig(width, descending);
    case 'decimal':
      return decimal(width, type.scale ?? 0, descending);
    case 'float':
      return float(descending);
    case 'bool':
      return {
        decode: (text) => `${text} = '${descending ? 8 : 1}'`,
        pattern: descending ? '[89]' : '[01]',
      };
    case 'enum':
      return type.by === 'ordinal'
        ? ordinal(type.values ?? [], descending)
        : names(type.values ?? [], any, escapes);
    case 'timestamp':
      return timestamp(type, descending);
    case 'micros':
      return epoch('us', descending, type.reverseFrom === 'long');
    case 'isoDate':
      return isoDate(type.precision ?? 'ms');
    case 'uuid':
      return asText(
        type.dashes === false ? '[0-9a-f]{32}' : '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}',
      );
    case 'ulid':
      return asText('[0-7][0-9A-HJKMNP-TV-Z]{25}');
    case 'bytes':
      return { decode: (text) => `FROM_HEX(${text})`, pattern: '(?:[0-9a-f]{2})*' };
    case 'reversedId':
      return { decode: (text) => int(`REVERSE(${text})`), pattern: `[0-9]{${width}}` };
    case 'domain':
      return {
        decode: (text) => `ARRAY_TO_STRING(ARRAY_REVERSE(SPLIT(${text}, '.')), '.')`,
        pattern: '[a-z0-9._-]+',
      };
    default:
      return { decode: (text) => unescaped(text, escapes), pattern: any };
  }
}

function widthOf({ width, max }: SegmentType): number {
  return width ?? (max === undefined ? 16 : String(max).length);
}

function asText(pattern: string): SqlSegment {
  return { decode: (text) => text, pattern };
}

/**
 * Undoes `$` and two hex digits. Lambdas keep it one expression: logical views have no functions of
 * their own.
 */
function unescaped(text: string, escapes: boolean): string {
  if (!escapes) return text;
  const piece =
    "IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)";
  return `ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(${text}, r'[$][0-9A-F]{2}|[^$]+'), p -> ${piece}), '')`;
}

/**
 * Negatives: behind `-` (ascending) the digits of 10^width + n, behind `:` (descending) those of -1
 * - n.
 */
function signed(width: number, descending: boolean): SqlSegment {
  const behind = (text: string): string => `SUBSTR(${text}, 2)`;
  return {
    decode: (text) =>
      descending
        ? `IF(STARTS_WITH(${text}, ':'), -1 - ${int(behind(text))}, ${complement(text, width)})`
        : `IF(STARTS_WITH(${text}, '-'), -1 - ${bracketed(complement(behind(text), width))}, ${int(text)})`,
    pattern: `${descending ? ':' : '-'}?[0-9]{${width}}`,
  };
}

function bracketed(expression: string): string {
  return `(${expression})`;
}

function fixedBig(width: number, descending: boolean): SqlSegment {
  const inner = signed(width, descending);
  return width <= exactDigits ? inner : { ...inner, note: 'values beyond INT64 read as NULL' };
}

/**
 * Two digits of length, then the digits; turned round behind `-`. Of any size, so it stays text.
 */
function anySize(descending: boolean): SqlSegment {
  const plain = (text: string): string => `SUBSTR(${text}, 3)`;
  const behind = (text: string): string => `SUBSTR(${turned(text)}, 4)`;
  return {
    decode: (text) =>
      descending
        ? `IF(STARTS_WITH(${text}, '-'), ${behind(text)}, IF(${plain(text)} = '0', '0', CONCAT('-', ${plain(text)})))`
        : `IF(STARTS_WITH(${text}, '-'), CONCAT('-', ${behind(text)}), ${plain(text)})`,
    pattern: '-?[0-9]{3,101}',
    note: 'an integer of up to 99 digits, as text',
  };
}

function decimal(width: number, scale: number, descending: boolean): SqlSegment {
  const inner = signed(width, descending);
  return {
    ...inner,
    decode: (text) => decimalText(inner.decode(text), scale),
    note: 'decimal text; the key orders it as a number',
  };
}

/** The decimal text of an integer without its point. */
export function decimalText(integer: string, scale: number): string {
  if (scale === 0) return `CAST(${integer} AS STRING)`;
  const unit = `1${'0'.repeat(scale)}`;
  return `CONCAT(IF(${integer} < 0, '-', ''), CAST(DIV(ABS(${integer}), ${unit}) AS STRING), '.', LPAD(CAST(MOD(ABS(${integer}), ${unit}) AS STRING), ${scale}, '0'))`;
}

/**
 * 16 hex digits of the double's bits: sign bit turned where it is not negative, all bits where it
 * is.
 */
function float(descending: boolean): SqlSegment {
  const signBit = "b'\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00'";
  return {
    decode: (text) => {
      const bits = `FROM_HEX(${text})`;
      return descending
        ? `TO_FLOAT64(IF(${text} < '8', ~${bits} ^ ${signBit}, ${bits}))`
        : `TO_FLOAT64(IF(${text} >= '8', ${bits} ^ ${signBit}, ~${bits}))`;
    },
    pattern: '[0-9a-f]{16}',
  };
}

function names(values: readonly string[], any: string, escapes: boolean): SqlSegment {
  const plain = values.every((value) => !/[\u0000-$]/.test(value));
  return { decode: (text) => unescaped(text, escapes && !plain), pattern: any };
}

function ordinal(values: readonly string[], descending: boolean): SqlSegment {
  return {
    decode: (text) =>
      `[${values.map(sqlText).join(', ')}][SAFE_OFFSET(${descending ? complement(text, 2) : int(text)})]`,
    pattern: '[0-9]{2}',
  };
}

const ofUnit = { s: 'TIMESTAMP_SECONDS', ms: 'TIMESTAMP_MILLIS', us: 'TIMESTAMP_MICROS' } as const;

function timestamp(
  { unit = 'ms', floor, reverseFrom }: SegmentType,
  descending: boolean,
): SqlSegment {
  if (floor === undefined) return epoch(unit, descending, reverseFrom === 'long');
  if (typeof floor === 'number') {
    const inner = signed(unitWidth[unit], descending);
    return {
      ...inner,
      decode: (text) => `${ofUnit[unit === 'ns' ? 'us' : unit]}(${inner.decode(text)})`,
      note: `the start of an interval of ${floor} ms`,
    };
  }
  const [width, format] = floor === 'hour' ? [10, '%Y%m%d%H'] : [8, '%Y%m%d'];
  return {
    decode: (text) => `PARSE_TIMESTAMP('${format}', ${descending ? turned(text) : text})`,
    pattern: `[0-9]{${width}}`,
    note: `the start of the ${floor}, in UTC`,
  };
}

/**
 * Nanoseconds of a Date end with six zeros, nines when turned round, so their first 16 digits are
 * the microseconds.
 */
function epoch(unit: 's' | 'ms' | 'us' | 'ns', descending: boolean, fromLong: boolean): SqlSegment {
  const width = descending && fromLong ? 19 : unitWidth[unit];
  const make = ofUnit[unit === 'ns' ? 'us' : unit];
  const number = (text: string): string => {
    if (descending && fromLong) {
      const left = `9223372036854775807 - ${int(text)}`;
      return unit === 'ns' ? `DIV(${left}, 1000)` : left;
    }
    const digits = unit === 'ns' ? `SUBSTR(${text}, 1, 16)` : text;
    return descending ? complement(digits, Math.min(width, 16)) : int(digits);
  };
  return { decode: (text) => `${make}(${number(text)})`, pattern: `[0-9]{${width}}` };
}

function isoDate(precision: 'ms' | 'day'): SqlSegment {
  const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
  if (precision === 'day') return { decode: (text) => `SAFE_CAST(${text} AS DATE)`, pattern: day };
  return {
    decode: (text) => `SAFE_CAST(${text} AS TIMESTAMP)`,
    pattern: `${day}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z`,
  };
}
