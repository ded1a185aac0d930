/** Runs a file of key vectors: every entry of every section passes or fails, none is skipped. */
import { compareBytes, fromHex, toHex } from '../src/bytes/bytes.js';
import { nextPrefix, rangeContains } from '../src/bytes/key-range.js';
import type { KeyRange } from '../src/bytes/key-range.js';
import { SegmentValueError } from '../src/key/encoding/segment-value-error.js';
import { RowsmithError } from '../src/errors.js';
import { keyEncoder, keyReader, writeValue } from '../src/key/codec/key-layout.js';
import type { KeyLayout } from '../src/key/codec/key-layout.js';
import { KeyWriter } from '../src/key/encoding/key-writer.js';
import { keyRanges } from '../src/key/codec/key-ranges.js';
import type { KeyCondition } from '../src/key/codec/key-codec.js';
import { orderedFraming } from '../src/key/framing/ordered-framing.js';
import { delimitedBytes, singleton } from '../src/key/framing/struct-codecs.js';
import { expand, structField, textFramingOf, textSegment, vectorLayout } from './vector-schema.js';
import type { Entry, Json, VectorField } from './vector-schema.js';

/** One entry that did not give what the file says. */
export interface VectorFailure {
  readonly id: string;
  readonly expected: string;
  readonly got: string;
}

/** What came of one section of the file. */
export interface SectionResult {
  readonly section: string;
  readonly passed: number;
  readonly failures: readonly VectorFailure[];
}

class Mismatch extends Error {
  constructor(
    readonly expected: string,
    readonly got: string,
  ) {
    super(`expected ${expected}, got ${got}`);
  }
}

const sections: Readonly<Record<string, (entry: Entry) => void>> = {
  vectors: checkVector,
  order_lists: checkOrder,
  prefix_ranges: checkPrefix,
  next_prefix: checkNextPrefix,
  must_refuse: checkRefusal,
  counter_examples: checkCounterExample,
};

/** Runs the parsed file. Throws a TypeError when it does not have the form of a vector file. */
export function runVectors(file: unknown): SectionResult[] {
  if (file === null || typeof file !== 'object' || Array.isArray(file))
    throw new TypeError('the file is not an object of sections');
  const results = Object.entries(file)
    .filter(([section]) => section !== 'meta')
    .map(([section, entries]) => {
      if (!Array.isArray(entries))
        return {
          section,
          passed: 0,
          failures: [{ id: section, expected: 'a list of entries', got: typeof entries }],
        };
      return runSection(section, entries as Entry[]);
    });
  if (results.length === 0) throw new TypeError('the file has no section of vectors');
  return results;
}

function runSection(section: string, entries: readonly Entry[]): SectionResult {
  const failures: VectorFailure[] = [];
  entries.forEach((entry, i) => {
    const named: unknown = entry?.id ?? entry?.name;
    const id = typeof named === 'string' ? named : `${section}[${i}]`;
    try {
      if (entry === null || typeof entry !== 'object')
        throw new Mismatch('an entry', String(entry));
      const check = sections[section];
      if (check === undefined) throw new Mismatch('a known section', section);
      check(entry);
    } catch (error) {
      failures.push(
        error instanceof Mismatch
          ? { id, expected: error.expected, got: error.got }
          : {
              id,
              expected: 'no error',
              got:
                error instanceof RowsmithError
                  ? error.explain().replace(/\n */g, '; ')
                  : String(error),
            },
      );
    }
  });
  return { section, passed: entries.length - failures.length, failures };
}

function same(expected: string, got: string): void {
  if (expected !== got) throw new Mismatch(expected, got);
}

/** Encode, and read back values that encode to the same bytes again. */
interface Codec {
  encode(value: Json): Uint8Array;
  again(bytes: Uint8Array): Uint8Array | undefined;
}

function list(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('a list is missing');
  return value as Json[];
}

function keyCodec(layout: KeyLayout, fields: readonly VectorField[]): Codec {
  const encode = keyEncoder(layout);
  const read = keyReader(layout);
  return {
    encode: (value) =>
      encode(Object.fromEntries(list(value).map((json, i) => [String(i), fields[i]?.value(json)]))),
    again(bytes) {
      const target: Record<string, unknown> = {};
      return read(bytes, 0, bytes.length, target) === -1 ? encode(target) : undefined;
    },
  };
}

function segmentCodec(layout: KeyLayout, field: VectorField): Codec {
  const read = layout.framing.reader(layout.parts[0], true);
  const write = (value: unknown): Uint8Array => {
    const out = new KeyWriter();
    writeValue(
      layout,
      out,
      layout.parts[0] as KeyLayout['parts'][number] & { kind: 'segment' },
      value,
    );
    return out.copy();
  };
  return {
    encode: (value) => write(field.value(value)),
    again(bytes) {
      const target: Record<string, unknown> = {};
      return read(bytes, 0, bytes.length, target) === bytes.length + 1
        ? write(target['0'])
        : undefined;
    },
  };
}

/** The codec an entry names. */
function codecOf(entry: Entry): Codec {
  const options = (entry.options ?? {}) as Entry;
  const form = (name: string): readonly Entry[] =>
    list(entry[name] ?? options[name]) as unknown as Entry[];
  switch (String(entry.codec)) {
    case 'text':
    case 'text-key': {
      const framing = textFramingOf(options);
      if (
        entry.codec === 'text' &&
        entry.kind !== 'key' &&
        entry.schema === undefined &&
        options.schema === undefined
      ) {
        const field = textSegment(String(entry.type), options);
        return segmentCodec(vectorLayout(framing, [field]), field);
      }
      const fields = form('schema').map((segment) =>
        textSegment(String(segment.type), {
          ...segment,
          ...(segment.options as Entry | undefined),
        }),
      );
      return keyCodec(
        vectorLayout(
          framing,
          fields,
          options.shard as unknown as { of: number[]; n: number } | undefined,
        ),
        fields,
      );
    }
    case 'ordered':
    case 'ordered-key': {
      const single =
        entry.fields === undefined && options.fields === undefined && entry.schema === undefined;
      const fields = (
        single
          ? [{ ...options, type: entry.type }]
          : form(entry.schema === undefined ? 'fields' : 'schema')
      ).map(structField);
      const codec = keyCodec(vectorLayout(orderedFraming, fields), fields);
      return single
        ? { ...codec, encode: (value) => codec.encode(Array.isArray(value) ? value : [value]) }
        : codec;
    }
    case 'delimited_bytes':
    case 'delimited_bytes-key':
    case 'singleton':
    case 'singleton-key': {
      const single =
        entry.fields === undefined && options.fields === undefined && entry.codec === 'singleton';
      return structCodec(
        entry,
        (single ? [{ ...options, type: entry.type }] : form('fields')).map(structField),
      );
    }
    default:
      throw new TypeError(`unknown codec '${String(entry.codec)}'`);
  }
}

function structCodec(entry: Entry, fields: readonly VectorField[]): Codec {
  const delimiter = Buffer.from(
    String(entry.delimiter ?? (entry.options as Entry | undefined)?.delimiter ?? '#'),
  );
  const alone = entry.codec !== 'delimited_bytes' && entry.codec !== 'delimited_bytes-key';
  if (alone && fields.length !== 1) throw new TypeError('a singleton has one field');
  if (delimiter.length < 1 || delimiter.length > 50)
    throw new TypeError('a delimiter has 1 to 50 bytes');
  const codec = alone
    ? singleton(fields[0].field)
    : delimitedBytes(
        delimiter,
        fields.map(({ field }) => field),
      );
  return {
    encode: (value) =>
      codec.encode(
        list(alone && !Array.isArray(value) ? [value] : value).map((json, i) =>
          fields[i]?.value(json),
        ),
      ),
    again(bytes) {
      const values = codec.decode(bytes);
      return values && codec.encode(values);
    },
  };
}

function checkVector(entry: Entry): void {
  const codec = codecOf(entry);
  const bytes = codec.encode(entry.value ?? null);
  const hex = String(expand(entry.hex ?? null));
  same(hex, toHex(bytes));
  if (typeof entry.text === 'string') same(entry.text, Buffer.from(bytes).toString('utf8'));
  const again = codec.again(bytes);
  same(hex, again === undefined ? 'not decoded' : toHex(again));
}

function checkOrder(entry: Entry): void {
  const keys = list(entry.keys) as unknown as { value: Json; hex: string }[];
  const bytes = keys.map(({ hex }) => hexBytes(hex));
  for (let i = 1; i < bytes.length; i++)
    if (compareBytes(bytes[i - 1], bytes[i]) >= 0)
      throw new Mismatch(`${keys[i - 1].hex} < ${keys[i].hex}`, 'the opposite');
  const codec = codecFor(entry, keys);
  keys.forEach(({ value, hex }) => same(hex, toHex(codec.encode(value))));
}

/** Order lists name no schema: it follows from the codec, the name of the list, and the values. */
function codecFor(entry: Entry, keys: readonly { value: Json; hex: string }[]): Codec {
  if (entry.schema !== undefined || entry.fields !== undefined || entry.type !== undefined)
    return codecOf({ ...entry, kind: entry.type === undefined ? 'key' : 'segment' });
  const tried = candidates(entry, keys);
  const fitting = tried.find((codec) =>
    keys.every(
      ({ value, hex }) =>
        tolerantly(() => {
          const bytes = codec.encode(value);
          return toHex(bytes) === hex && toHex(codec.again(bytes) ?? new Uint8Array()) === hex;
        }) === true,
    ),
  );
  if (fitting === undefined)
    throw new Mismatch(
      'a schema whose keys are those of the list',
      `none of ${tried.length} schemas gives them`,
    );
  return fitting;
}

/** Every schema the values of an order list can have. */
function candidates(entry: Entry, keys: readonly { value: Json; hex: string }[]): Codec[] {
  const codec = String(entry.codec);
  const options = (entry.options ?? {}) as Entry;
  if (keys.length === 0) throw new TypeError('the list has no keys');
  const first = keys[0].value;
  const whole = Array.isArray(first);
  const rows = keys.map(({ value }) => (Array.isArray(value) ? (value as Json[]) : [value]));
  const forms = rows[0].map((_, i) => {
    const column = rows.map((row) => row[i]);
    return (codec === 'ordered' ? structForms(column) : textForms(column)).filter((form) =>
      partsFit(codec, { ...options, ...form }, column, keys),
    );
  });
  return product(forms).map((entries) =>
    whole
      ? codecOf({
          codec,
          kind: 'key',
          options: options as Json,
          [codec === 'ordered' ? 'fields' : 'schema']: entries as unknown as Json,
        })
      : codecOf({
          codec,
          kind: 'segment',
          type: entries[0].type,
          options: { ...options, ...entries[0] } as Json,
        }),
  );
}

/**
 * Whether each value of a column, written alone in the form, stands somewhere in its key: keeps the
 * product of all columns small.
 */
function partsFit(
  codec: string,
  form: Entry,
  column: readonly Json[],
  keys: readonly { hex: string }[],
): boolean {
  const alone = tolerantly(() =>
    codec === 'ordered'
      ? codecOf({ codec, fields: [form] as unknown as Json })
      : codecOf({ codec, type: form.type, options: form as Json }),
  );
  return (
    alone !== undefined &&
    column.every(
      (value, i) =>
        tolerantly(() => {
          const hex = toHex(alone.encode(codec === 'ordered' ? [value] : value));
          return keys[i].hex.includes(hex) || hex === '0000';
        }) === true,
    )
  );
}

/** What comes of trying a form that may not take the values; undefined when it does not. */
function tolerantly<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
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

function checkPrefix(entry: Entry): void {
  const ordered = entry.codec === 'ordered';
  if (!ordered && entry.codec !== 'text')
    throw new TypeError(`unknown codec '${String(entry.codec)}'`);
  const schema = list(entry.schema ?? entry.fields) as unknown as Entry[];
  const fields = schema.map((segment) =>
    ordered
      ? structField(segment)
      : textSegment(String(segment.type), {
          ...segment,
          ...(segment.options as Entry | undefined),
        }),
  );
  const options = (entry.options ?? {}) as Entry;
  const expected = list(entry.ranges) as unknown as { start_hex: string; end_hex: string | null }[];
  const shard = options.shard as unknown as { of: number[]; n: number } | undefined;
  const layout = vectorLayout(
    ordered ? orderedFraming : textFramingOf(options),
    fields,
    shard ?? impliedShard(entry, fields.length, expected.length),
  );
  const got = keyRanges(layout)(questionOf(list(entry.prefix), fields)).perShard.flat();
  same(
    expected.map(({ start_hex, end_hex }) => `${start_hex}..${String(end_hex)}`).join(' '),
    got.map(rangeText).join(' '),
  );
  for (const hex of list(entry.includes ?? []))
    if (!got.some((range) => rangeContains(range, hexBytes(hex))))
      throw new Mismatch(`${String(hex)} in a range`, 'outside');
  for (const hex of list(entry.excludes ?? []))
    if (got.some((range) => rangeContains(range, hexBytes(hex))))
      throw new Mismatch(`${String(hex)} outside`, 'in a range');
}

/**
 * "fan-out over N shards" says in words what `options.shard` would: N from the ranges, over every
 * segment.
 */
function impliedShard(
  entry: Entry,
  count: number,
  n: number,
): { of: number[]; n: number } | undefined {
  return /fan-out|shard/.test(String(entry.name))
    ? { of: Array.from({ length: count }, (_, i) => i), n }
    : undefined;
}

function rangeText({ start, end }: KeyRange): string {
  return `${toHex(start)}..${end === undefined ? 'null' : toHex(end)}`;
}

function questionOf(prefix: readonly Json[], fields: readonly VectorField[]): KeyCondition {
  const fixed: Record<string, unknown> = {};
  let bound: KeyCondition['bound'];
  prefix.forEach((json, i) => {
    if (json === null || typeof json !== 'object') fixed[String(i)] = fields[i]?.value(json);
    else bound = boundOf(json as Entry, String(i), fields[i].value);
  });
  return { fixed, bound };
}

function boundOf(
  json: Entry,
  segment: string,
  value: (json: Json) => unknown,
): KeyCondition['bound'] {
  const known = [
    'startsWith',
    'domainAndSubdomains',
    'subdomains',
    'gte',
    'gt',
    'lt',
    'lte',
    'from',
    'to',
    '>=',
    '>',
    '<',
    '<=',
  ];
  const unknown = Object.keys(json).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`unknown bound '${unknown}'`);
  if (json.startsWith !== undefined)
    return { kind: 'startsWith', segment, text: String(json.startsWith) };
  const domain = json.domainAndSubdomains ?? json.subdomains;
  if (domain !== undefined) return { kind: 'subdomains', segment, domain: String(domain) };
  const end = (inclusive: Json | undefined, exclusive: Json | undefined) =>
    inclusive !== undefined
      ? { value: value(inclusive), inclusive: true }
      : exclusive !== undefined
        ? { value: value(exclusive), inclusive: false }
        : undefined;
  return {
    kind: 'between',
    segment,
    from: end(json.gte ?? json['>='] ?? json.from, json.gt ?? json['>']),
    to: end(json.lte ?? json['<='], json.lt ?? json['<'] ?? json.to),
  };
}

function checkNextPrefix(entry: Entry): void {
  const end = nextPrefix(hexBytes(entry.prefix_hex));
  same(String(entry.end_hex), end === undefined ? 'null' : toHex(end));
}

function checkRefusal(entry: Entry): void {
  const codec = codecOf(entry);
  if (entry.value === undefined && entry.hex !== undefined)
    return same(
      'not decoded',
      codec.again(hexBytes(entry.hex)) === undefined ? 'not decoded' : 'decoded',
    );
  try {
    const bytes = codec.encode(entry.value ?? null);
    throw new Mismatch(`a refusal: ${String(entry.reason)}`, toHex(bytes));
  } catch (error) {
    if (!(error instanceof RowsmithError) && !(error instanceof SegmentValueError)) throw error;
  }
}

/** The broken encoding must sort otherwise than wanted, in the order that breaks it. */
function checkCounterExample(entry: Entry): void {
  const keys = list(entry.wanted_order).map((item) => String((item as Entry).key));
  if (entry.broken_by !== 'bytes' && entry.broken_by !== 'js-sort')
    throw new TypeError(`unknown order '${String(entry.broken_by)}'`);
  const sorted = [...keys].sort(
    entry.broken_by === 'bytes'
      ? (a, b) => compareBytes(Buffer.from(a), Buffer.from(b))
      : undefined,
  );
  const broken = sorted.some((key, i) => key !== keys[i]);
  same(String(entry.broken ?? true), String(broken));
}

function hexBytes(hex: Json | undefined): Uint8Array {
  const bytes = typeof hex === 'string' ? fromHex(hex) : undefined;
  if (bytes === undefined) throw new TypeError(`${JSON.stringify(hex)} is not hexadecimal`);
  return bytes;
}
