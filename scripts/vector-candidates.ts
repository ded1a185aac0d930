/** Finds the schema of order lists, which do not name one. */
import { noBytes, RowsmithError, toHex } from '../src/base/index.js';
import { SegmentValueError } from '../src/data/key/encoding/segment-value-error.js';
import { codecOf, type Codec } from './vector-codec.js';
import type { Entry, Json } from './vector-schema.js';

/** A key of an order list. */
export interface OrderedKey {
  readonly value: Json;
  readonly hex: string;
}

/**
 * The codec of an order list. If the list names no schema, the first one that encodes its values to
 * its keys. Undefined if there is none.
 */
export function codecForList(entry: Entry, keys: readonly OrderedKey[]): Codec | undefined {
  if (entry.schema !== undefined || entry.fields !== undefined || entry.type !== undefined)
    return codecOf({ ...entry, kind: entry.type === undefined ? 'key' : 'segment' });
  return candidates(entry, keys).find((codec) =>
    keys.every(({ value, hex }) => roundTrips(codec, value, hex)),
  );
}

function roundTrips(codec: Codec, value: Json, hex: string): boolean {
  const result = attempt(() => {
    const bytes = codec.encode(value);
    return toHex(bytes) === hex && toHex(codec.reencode(bytes) ?? noBytes) === hex;
  });
  return result === true;
}

/** A codec for each schema that the values of an order list may have. */
function candidates(entry: Entry, keys: readonly OrderedKey[]): Codec[] {
  const codec = String(entry.codec);
  const options = (entry.options ?? {}) as Entry;
  if (keys.length === 0) throw new TypeError('the list has no keys');
  const areKeys = Array.isArray(keys[0].value);
  const rows = keys.map(({ value }) => (Array.isArray(value) ? (value as Json[]) : [value]));
  const formsOf = codec === 'ordered' ? structForms : textForms;
  const forms = rows[0].map((_, i) => {
    const column = rows.map((row) => row[i]);
    return formsOf(column).filter((form) => fits(codec, { ...options, ...form }, column, keys));
  });
  return product(forms).map((entries) => {
    if (!areKeys) {
      const { type } = entries[0];
      return codecOf({
        codec,
        kind: 'segment',
        type,
        options: { ...options, ...entries[0] } as Json,
      });
    }
    const schemaName = codec === 'ordered' ? 'fields' : 'schema';
    return codecOf({ codec, kind: 'key', options: options as Json, [schemaName]: entries as Json });
  });
}

/**
 * Whether the encoding of each value of a column occurs somewhere in its key. This keeps the product
 * of all columns small.
 */
function fits(
  codec: string,
  form: Entry,
  column: readonly Json[],
  keys: readonly OrderedKey[],
): boolean {
  const encode = attempt(() => valueEncoder(codec, form));
  if (encode === undefined) return false;
  return column.every((value, i) => {
    const hex = attempt(() => toHex(encode(value)));
    return hex !== undefined && (keys[i].hex.includes(hex) || hex === '0000');
  });
}

function valueEncoder(codec: string, form: Entry): (value: Json) => Uint8Array {
  if (codec !== 'ordered') return codecOf({ codec, type: form.type, options: form as Json }).encode;
  const { encode } = codecOf({ codec, fields: [form as Json] });
  return (value) => encode([value]);
}

/** The result, or undefined if a value or schema is not valid. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (
      error instanceof RowsmithError ||
      error instanceof SegmentValueError ||
      error instanceof TypeError
    )
      return undefined;
    throw error;
  }
}

/** Every combination of one form for each column. */
function product(forms: readonly (readonly Entry[])[]): Entry[][] {
  return forms.reduce<Entry[][]>(
    (lists, choices) => lists.flatMap((before) => choices.map((choice) => [...before, choice])),
    [[]],
  );
}

function structForms(values: readonly Json[]): Entry[] {
  const escapeNulls = values.some((value) => value === null);
  const types = [
    'STRING',
    'INT64',
    'INT64_DESC',
    'STRING_DESC',
    'BYTES',
    'BYTES_DESC',
    'FLOAT64',
    'FLOAT64_DESC',
  ];
  return [
    ...types.map((type) => ({ type, escapeNulls })),
    { type: 'INT64', encoding: 'bigEndianBytes', escapeNulls },
  ];
}

function textForms(values: readonly Json[]): Entry[] {
  const nullable = values.some((value) => value === null);
  const widths = Array.from({ length: 20 }, (_, i) => i + 1).flatMap((width) => [
    { type: 'int', width },
    { type: 'uint', width },
    { type: 'reversedId', width },
  ]);
  const epochs = (['s', 'ms', 'us', 'ns'] as const).flatMap((unit) => [
    { type: 'epoch', unit },
    { type: 'epochReversed', unit, max: 'nines' },
    { type: 'epochReversed', unit, max: 'long' },
  ]);
  const scales = [0, 1, 2, 3, 4].flatMap((scale) =>
    [6, 8, 9, 10, 12, 15, 16, 18, 19].map((width) => ({ type: 'decimal', width, scale })),
  );
  const plain = [
    'string',
    'bigint',
    'float64',
    'bool',
    'isoDate',
    'isoDay',
    'domainReversed',
    'uuid',
    'ulid',
    'hexBytes',
  ].map((type) => ({ type }));
  const members = [...new Set(values.filter((value) => typeof value === 'string'))];
  const buckets = [
    { format: 'hour', sizeMs: 3_600_000 },
    { format: 'day', sizeMs: 86_400_000 },
    ...[1000, 60_000, 300_000, 600_000, 900_000, 3_600_000, 86_400_000].map((sizeMs) => ({
      format: 'ms',
      sizeMs,
    })),
  ].map((bucket) => ({ type: 'bucket', ...bucket }));
  return [
    ...plain,
    ...widths,
    ...epochs,
    ...scales,
    ...buckets,
    { type: 'uuid', dashes: false },
    { type: 'string', lower: true },
    { type: 'string', normalize: 'NFC' },
    { type: 'enumOrdinal', values: members },
  ].map((form) => ({ ...form, nullable }));
}
