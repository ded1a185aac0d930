/** Maps the names in a file of key vectors to the fields of src/data/key. Unknown names are errors. */
import { bigIntegerField } from '../src/data/key/kinds/big-integer.js';
import { fromHex } from '../src/base/index.js';
import type { Field } from '../src/data/key/fields/field.js';
import type { FramedPart, Framing } from '../src/data/key/framing/framing.js';
import {
  backwardDigits,
  signedDigits,
  unsignedDigits,
} from '../src/data/key/fields/digit-layouts.js';
import { orderedFloatField } from '../src/data/key/kinds/float-kind.js';
import { bigEndianInt64, orderedInt64 } from '../src/data/key/fields/int64-layouts.js';
import { integerField } from '../src/data/key/fields/integer-field.js';
import { int64Max, int64Min } from '../src/data/key/encoding/int64.js';
import type { KeyLayout } from '../src/data/key/codec/key-layout.js';
import { bigintDomain } from '../src/data/key/kinds/number-kinds.js';
import { orderedFraming } from '../src/data/key/framing/ordered-framing.js';
import {
  bytesField,
  descendingBytes,
  nullableOrdered,
  textField,
} from '../src/data/key/fields/raw-field.js';
import { segmentFaults } from '../src/data/key/codec/segment-faults.js';
import { segmentField } from '../src/data/key/kinds/segment-field.js';
import type { SegmentType } from '../src/data/key/kinds/segment-type.js';
import { textFraming } from '../src/data/key/framing/text-framing.js';
import { epochLayout } from '../src/data/key/kinds/time-kinds.js';

/** A JSON value. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
/** An object of the vector file. */
export type Entry = { readonly [name: string]: Json | undefined };

/** A field, and how its values are written in JSON. */
export interface VectorField {
  readonly field: Field;
  readonly nullable: boolean;
  /** Converts JSON to a value of the field. */
  readonly value: (json: Json) => unknown;
  readonly literal?: boolean;
}

/** Expands `{ repeat, times }` to a long string. */
export function expand(json: Json): Json {
  if (json !== null && typeof json === 'object' && 'repeat' in json)
    return String(json.repeat).repeat(Number(json.times));
  return json;
}

const asIs = (json: Json): unknown => expand(json);
const asNumber = (json: Json): unknown => (typeof json === 'string' ? Number(json) : json);
const asBytes = (json: Json): unknown =>
  typeof json === 'string' ? (fromHex(json) ?? json) : json;

/** Other JSON stays as it is: the codec must reject it. */
function asBigint(json: Json): unknown {
  if (typeof json === 'string' && /^-?[0-9]+$/.test(json)) return BigInt(json);
  // A larger number was rounded when the JSON was parsed.
  if (typeof json === 'number' && Number.isSafeInteger(json)) return BigInt(json);
  return json;
}

/** ISO text or milliseconds, also with the signs of expanded years. */
function asDate(json: Json): unknown {
  if (typeof json === 'number') return new Date(json);
  if (typeof json !== 'string') return json;
  return new Date(/^-?[0-9]+$/.test(json) ? Number(json) : json);
}

const anyInteger = (min: bigint, max: bigint) => bigintDomain(min, max);
const maxInteger = 10n ** 99n;

/** The field of a text segment. Throws a TypeError for an unknown name. */
export function textSegment(type: string, options: Entry): VectorField {
  const nullable = options.nullable === true;
  const kind = (declared: SegmentType, value: (json: Json) => unknown): VectorField => {
    const faults = segmentFaults(type, declared, 'text');
    if (faults.length > 0) throw new TypeError(faults.map(({ problem }) => problem).join('; '));
    return { field: segmentField(declared, 'text'), nullable, value };
  };
  const width = widthOf(options);
  const members = (options.values ?? options.members) as readonly string[] | undefined;
  switch (type) {
    case 'string':
      return kind(
        {
          kind: 'string',
          normalize: options.normalize as 'NFC',
          lower: options.lower as boolean,
          maxLength: options.maxLength as number,
        },
        asIs,
      );
    case 'literal':
      return { field: textField({}), nullable, value: asIs, literal: true };
    case 'uint':
      return {
        field: integerField(
          anyInteger(0n, maxInteger),
          unsignedDigits(width ?? 16, isDescending(options)),
        ),
        nullable,
        value: asBigint,
      };
    case 'int':
      return {
        field: integerField(
          anyInteger(-maxInteger, maxInteger),
          signedDigits(width ?? 16, isDescending(options)),
        ),
        nullable,
        value: asBigint,
      };
    case 'bigint':
      return { field: bigIntegerField(false), nullable, value: asBigint };
    case 'float64':
    case 'float':
      return kind({ kind: 'float' }, asNumber);
    case 'decimal':
      return kind({ kind: 'decimal', width, scale: options.scale as number }, (json) =>
        typeof json === 'number' ? String(json) : json,
      );
    case 'bool':
      return kind({ kind: 'bool' }, asIs);
    case 'enum':
      return kind({ kind: 'enum', values: members, by: options.by as 'name' | undefined }, asIs);
    case 'enumName':
      return kind({ kind: 'enum', values: members }, asIs);
    case 'enumOrdinal':
      return kind({ kind: 'enum', values: members, by: 'ordinal' }, asIs);
    case 'isoDate':
      return kind({ kind: 'isoDate', precision: options.precision as 'day' | undefined }, asDate);
    case 'isoDay':
      return kind({ kind: 'isoDate', precision: 'day' }, asDate);
    case 'epoch':
      return epoch(options, false, nullable);
    case 'epochReversed':
      return epoch(options, true, nullable);
    case 'reversedId':
      return {
        field: integerField(anyInteger(0n, maxInteger), backwardDigits(width ?? 16)),
        nullable,
        value: asBigint,
      };
    case 'domain':
    case 'domainReversed':
      return kind({ kind: 'domain' }, asIs);
    case 'uuid':
      return kind({ kind: 'uuid', dashes: options.dashes as boolean | undefined }, asIs);
    case 'ulid':
      return kind({ kind: 'ulid' }, asIs);
    case 'bytes':
    case 'hexBytes':
      return kind({ kind: 'bytes' }, asBytes);
    case 'bucket':
      return kind({ kind: 'timestamp', floor: bucketFloor(options) }, asDate);
    default:
      throw new TypeError(`unknown type '${type}'`);
  }
}

function epoch(options: Entry, descending: boolean, nullable: boolean): VectorField {
  const unit = options.unit ?? 'ms';
  const max = options.max ?? 'nines';
  if (unit !== 's' && unit !== 'ms' && unit !== 'us' && unit !== 'ns')
    throw new TypeError(`unknown unit ${JSON.stringify(unit)}`);
  if (max !== 'nines' && max !== 'long') throw new TypeError(`unknown max ${JSON.stringify(max)}`);
  const layout = epochLayout(unit, descending, max);
  return { field: integerField(anyInteger(0n, maxInteger), layout), nullable, value: asBigint };
}

/** Digits. Larger widths than any segment has would take very long. */
function widthOf({ width }: Entry): number | undefined {
  if (
    width === undefined ||
    (typeof width === 'number' && Number.isInteger(width) && width >= 1 && width <= 99)
  )
    return width;
  throw new TypeError(`unknown width ${JSON.stringify(width)}`);
}

function isDescending({ order, desc }: Entry): boolean {
  if (order !== undefined && order !== 'asc' && order !== 'desc')
    throw new TypeError(`unknown order ${JSON.stringify(order)}`);
  return order === 'desc' || desc === true;
}

function bucketFloor({ format, sizeMs }: Entry): 'hour' | 'day' | number {
  if (format === 'hour' && sizeMs === 3_600_000) return 'hour';
  if (format === 'day' && sizeMs === 86_400_000) return 'day';
  if (format === 'ms' && typeof sizeMs === 'number') return sizeMs;
  throw new TypeError(`unknown bucket ${String(format)} of ${String(sizeMs)} ms`);
}

/** The field for one of Bigtable's typed fields. */
export function structField(entry: Entry): VectorField {
  const nullable = entry.escapeNulls === true || entry.nullable === true;
  const type = isDescending(entry) ? `${String(entry.type)}_DESC` : String(entry.type);
  const { field, value } = plainStructField(type, isBigEndian(entry.encoding));
  return { field: nullable ? nullableOrdered(field) : field, nullable, value };
}

/**
 * An encoding is a name in the JSON form or the text form of the protobuf, or an object with the
 * name as its only key.
 */
function isBigEndian(encoding: Json | undefined): boolean {
  if (encoding !== null && typeof encoding === 'object') {
    const names = Object.entries(encoding);
    const [name, inner] = names[0] ?? [];
    if (names.length !== 1) throw new TypeError(`unknown encoding ${JSON.stringify(encoding)}`);
    return isBigEndian(name === 'unixMicrosInt64' ? (inner as Entry).encoding : name);
  }
  switch (encoding) {
    case 'bigEndianBytes':
    case 'big_endian_bytes':
      return true;
    case undefined:
    case 'orderedCodeBytes':
    case 'ordered_code_bytes':
    case 'utf8Bytes':
    case 'utf8_bytes':
    case 'utf8Raw':
    case 'raw':
      return false;
    default:
      throw new TypeError(`unknown encoding ${JSON.stringify(encoding)}`);
  }
}

function plainStructField(
  type: string,
  bigEndian: boolean,
): { field: Field; value: (json: Json) => unknown } {
  const int64 = anyInteger(int64Min, int64Max);
  switch (type) {
    case 'STRING':
      return { field: textField({}), value: asIs };
    case 'STRING_DESC':
      return { field: descendingBytes(textField({})), value: asIs };
    case 'BYTES':
      return { field: bytesField(), value: asBytes };
    case 'BYTES_DESC':
      return { field: descendingBytes(bytesField()), value: asBytes };
    case 'INT64':
      return {
        field: integerField(int64, bigEndian ? bigEndianInt64() : orderedInt64(false)),
        value: asBigint,
      };
    case 'INT64_DESC':
    case 'TIMESTAMP_DESC':
      return { field: integerField(int64, orderedInt64(true)), value: asBigint };
    case 'TIMESTAMP':
      return {
        field: integerField(
          { ...int64, sqlType: 'TIMESTAMP' },
          bigEndian ? bigEndianInt64() : orderedInt64(false),
        ),
        value: asBigint,
      };
    case 'FLOAT64':
      return { field: orderedFloatField(false), value: asNumber };
    case 'FLOAT64_DESC':
      return { field: orderedFloatField(true), value: asNumber };
    default:
      throw new TypeError(`unknown type '${type}'`);
  }
}

/** The framing of a text codec with the delimiter of the options. */
export function textFramingOf(options: Entry): Framing {
  const delimiter = options.delimiter ?? '#';
  if (typeof delimiter !== 'string' || delimiter.length !== 1)
    throw new TypeError(`unknown delimiter ${JSON.stringify(delimiter)}`);
  return textFraming(delimiter.charCodeAt(0));
}

/** A layout of fields named by their indexes; `shard.of` are indexes, `shard.n` is the count. */
export function vectorLayout(
  framing: Framing,
  fields: readonly VectorField[],
  shard?: { readonly of: readonly number[]; readonly n: number },
): KeyLayout {
  const parts = fields.map(({ field, nullable }, i): FramedPart => ({
    kind: 'segment',
    name: String(i),
    field,
    nullable,
  }));
  if (
    shard !== undefined &&
    !(Array.isArray(shard.of) && Number.isInteger(shard.n) && shard.n >= 2 && shard.n <= 1000)
  )
    throw new TypeError(`unknown shard ${JSON.stringify(shard)}`);
  const shards = shard && { count: shard.n, by: parts.map((_, i) => shard.of.includes(i)) };
  return {
    entity: 'vectors',
    framing,
    parts,
    hashSeparator: framing === orderedFraming ? 0x23 : framing.separator[0],
    shards,
    ordered: framing === orderedFraming,
  };
}
