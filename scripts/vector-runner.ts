/** Runs a file of key vectors. Every entry of every section passes or fails; none is skipped. */
import {
  compareBytes,
  fromHex,
  type KeyRange,
  nextPrefix,
  rangeContains,
  RowsmithError,
  toHex,
} from '../src/base/index.js';
import type { KeyCondition } from '../src/data/key/codec/key-codec.js';
import { keyRanges } from '../src/data/key/codec/key-ranges.js';
import { SegmentValueError } from '../src/data/key/encoding/segment-value-error.js';
import { orderedFraming } from '../src/data/key/framing/ordered-framing.js';
import { codecForList, type OrderedKey } from './vector-candidates.js';
import { codecOf, type Codec, list, shardOf, textField } from './vector-codec.js';
import { expand, structField, textFramingOf, vectorLayout } from './vector-schema.js';
import type { Entry, Json, VectorField } from './vector-schema.js';

/** An entry whose result differs from the file. */
export interface VectorFailure {
  readonly id: string;
  readonly expected: string;
  readonly got: string;
}

/** The result of one section of the file. */
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
  must_refuse: checkRejected,
  counter_examples: checkCounterExample,
};

/** Runs the parsed file. Throws a TypeError if it is not a vector file. */
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
      failures.push({ id, ...failureOf(error) });
    }
  });
  return { section, passed: entries.length - failures.length, failures };
}

function failureOf(error: unknown): Omit<VectorFailure, 'id'> {
  if (error instanceof Mismatch) return { expected: error.expected, got: error.got };
  const isOurs = error instanceof RowsmithError;
  const got = isOurs ? error.explain().replace(/\n */g, '; ') : String(error);
  return { expected: 'no error', got };
}

function expectSame(expected: string, got: string): void {
  if (expected !== got) throw new Mismatch(expected, got);
}

function checkVector(entry: Entry): void {
  const codec = codecOf(entry);
  const bytes = codec.encode(entry.value ?? null);
  const hex = String(expand(entry.hex ?? null));
  expectSame(hex, toHex(bytes));
  if (typeof entry.text === 'string') expectSame(entry.text, Buffer.from(bytes).toString('utf8'));
  expectSame(hex, reencoded(codec, bytes));
}

/** The bytes decoded and encoded again, as hex. */
function reencoded(codec: Codec, bytes: Uint8Array): string {
  const again = codec.reencode(bytes);
  if (again === undefined) return notDecoded;
  return toHex(again);
}

const notDecoded = 'not decoded';

function checkOrder(entry: Entry): void {
  const keys = list(entry.keys) as unknown as OrderedKey[];
  const bytes = keys.map(({ hex }) => hexBytes(hex));
  for (let i = 1; i < bytes.length; i++)
    if (compareBytes(bytes[i - 1], bytes[i]) >= 0)
      throw new Mismatch(`${keys[i - 1].hex} < ${keys[i].hex}`, 'the opposite');
  const codec = codecForList(entry, keys);
  if (codec === undefined)
    throw new Mismatch('a schema that encodes the values to the keys', 'none found');
  keys.forEach(({ value, hex }) => expectSame(hex, toHex(codec.encode(value))));
}

function checkPrefix(entry: Entry): void {
  const expected = list(entry.ranges) as unknown as { start_hex: string; end_hex: string | null }[];
  const fieldOf = fieldReader(String(entry.codec));
  const fields = (list(entry.schema ?? entry.fields) as unknown as Entry[]).map(fieldOf);
  const options = (entry.options ?? {}) as Entry;
  const framing = entry.codec === 'ordered' ? orderedFraming : textFramingOf(options);
  const shard = shardOf(options) ?? impliedShard(entry, fields.length, expected.length);
  const layout = vectorLayout(framing, fields, shard);
  const got = keyRanges(layout)
    .ranges(conditionOf(list(entry.prefix), fields))
    .perShard.flat();
  expectSame(
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

function fieldReader(codec: string): (entry: Entry) => VectorField {
  if (codec === 'ordered') return structField;
  if (codec === 'text') return textField;
  throw new TypeError(`unknown codec '${codec}'`);
}

/**
 * A name such as "fan-out over N shards" stands for `options.shard`: over every segment, with N
 * ranges.
 */
function impliedShard(
  entry: Entry,
  count: number,
  n: number,
): { of: number[]; n: number } | undefined {
  if (!/fan-out|shard/.test(String(entry.name))) return undefined;
  return { of: Array.from({ length: count }, (_, i) => i), n };
}

function rangeText({ start, end }: KeyRange): string {
  return `${toHex(start)}..${end === undefined ? 'null' : toHex(end)}`;
}

function conditionOf(prefix: readonly Json[], fields: readonly VectorField[]): KeyCondition {
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
  const end = (inclusive: Json | undefined, exclusive: Json | undefined) => {
    if (inclusive !== undefined) return { value: value(inclusive), inclusive: true };
    if (exclusive !== undefined) return { value: value(exclusive), inclusive: false };
    return undefined;
  };
  return {
    kind: 'between',
    segment,
    from: end(json.gte ?? json['>='] ?? json.from, json.gt ?? json['>']),
    to: end(json.lte ?? json['<='], json.lt ?? json['<'] ?? json.to),
  };
}

function checkNextPrefix(entry: Entry): void {
  const end = nextPrefix(hexBytes(entry.prefix_hex));
  expectSame(String(entry.end_hex), end === undefined ? 'null' : toHex(end));
}

function checkRejected(entry: Entry): void {
  const codec = codecOf(entry);
  if (entry.value === undefined && entry.hex !== undefined)
    return expectSame(notDecoded, reencoded(codec, hexBytes(entry.hex)));
  try {
    const bytes = codec.encode(entry.value ?? null);
    throw new Mismatch(`an error: ${String(entry.reason)}`, toHex(bytes));
  } catch (error) {
    if (!(error instanceof RowsmithError) && !(error instanceof SegmentValueError)) throw error;
  }
}

/** Sorted by `broken_by`, the keys must not be in the wanted order. */
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
  expectSame(String(entry.broken ?? true), String(broken));
}

function hexBytes(hex: Json | undefined): Uint8Array {
  const bytes = typeof hex === 'string' ? fromHex(hex) : undefined;
  if (bytes === undefined) throw new TypeError(`${JSON.stringify(hex)} is not hexadecimal`);
  return bytes;
}
