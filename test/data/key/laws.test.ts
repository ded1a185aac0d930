/**
 * The three guarantees (order, round trip, prefix ranges) for every kind, direction and
 * nullability: for single segments, and for whole keys with literals and shards.
 */
import { buildKeyCodec, checkSegmentCodec, delimited } from '../../../src/data/key/index.js';
import type {
  KeyCodec,
  KeyFormat,
  KeyPart,
  KeyCondition,
  KeySpec,
  SegmentBound,
} from '../../../src/data/key/index.js';
import { compareBytes, rangeContains, toHex } from '../../../src/base/index.js';
import { compareValues, samplesOf, storedValue } from './support/kinds.js';
import type { KindSample } from './support/kinds.js';
import fc from '../../support/fast-check.js';

/** Cases of each property: `RUNS=300 SEED=new npx jest test/data/key/laws` for more, and new ones. */
const runs = process.env.RUNS === undefined ? undefined : Number(process.env.RUNS);
const formats = {
  text: 'text',
  ordered: 'ordered',
  delimited: delimited('|'),
} as const satisfies Record<string, KeyFormat>;

function codecOf(spec: KeySpec): KeyCodec {
  const built = buildKeyCodec(spec, 'Thing');
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  return built.codec;
}

function decoded(codec: KeyCodec, key: Uint8Array): Record<string, unknown> | undefined {
  const target: Record<string, unknown> = {};
  // The key is inside a larger buffer, as in a scan.
  const around = new Uint8Array(key.length + 5).fill(0x23);
  around.set(key, 2);
  return codec.decoder()(around, 2, 2 + key.length, target) ? target : undefined;
}

describe.each(['text', 'ordered', 'delimited'] as const)('%s', (name) => {
  const format = formats[name];
  const samples = samplesOf(name);

  test.each(samples.map((sample) => [JSON.stringify(sample.type), sample] as const))(
    'guarantees of %s',
    (_name, sample) => {
      // A literal first, so that empty values and null form keys by themselves.
      const codec = codecOf({
        format,
        parts: [
          { kind: 'literal', text: 'k' },
          { kind: 'segment', name: 'v', type: sample.type },
        ],
      });
      const segment = {
        encode: (v: unknown) => codec.encode({ v }),
        decode: (bytes: Uint8Array) => decoded(codec, bytes)?.v,
        descending: sample.type.order === 'desc',
      };
      fc.assert(
        fc.property(fc.array(sample.values, { minLength: 2, maxLength: 5 }), (values) => {
          const stored = values.map((value) => storedValue(sample, value));
          if (sample.compare !== undefined)
            checkSegmentCodec(segment, stored, (a, b) => compareValues(sample, a, b));
          for (const [i, value] of values.entries()) {
            const key = segment.encode(value);
            expect(segment.decode(key)).toEqual(stored[i]);
            // Without a decoder, and after another key: results share nothing.
            expect(codec.decode(key)).toEqual({ v: stored[i] });
          }
        }),
        { numRuns: runs ?? 2 },
      );
    },
  );

  test('whole keys: order, round trip, and ranges that contain exactly the matches', () => {
    const spec = fc.record({
      chosen: fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 3 }),
      literals: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      shards: fc.option(fc.constantFrom(2, 11), { nil: undefined }),
    });
    const trial = spec.chain(({ chosen, literals, shards }) =>
      fc.record({
        chosen: fc.constant(chosen),
        literals: fc.constant(literals),
        shards: fc.constant(shards),
        rows: fc.array(fc.tuple(...chosen.map(({ values }) => values)), {
          minLength: 4,
          maxLength: 14,
        }),
        fixed: fc.nat({ max: chosen.length }),
        from: fc.nat({ max: 3 }),
        to: fc.nat({ max: 3 }),
        inclusive: fc.tuple(fc.boolean(), fc.boolean()),
        kind: fc.nat({ max: 5 }),
      }),
    );
    fc.assert(
      fc.property(trial, ({ chosen, literals, shards, rows, fixed, from, to, inclusive, kind }) => {
        const parts: KeyPart[] = [];
        chosen.forEach(({ type }, i) => {
          if (literals[i]) parts.push({ kind: 'literal', text: `l${i}` });
          parts.push({ kind: 'segment', name: `s${i}`, type });
        });
        if (literals[3]) parts.push({ kind: 'literal', text: 'end' });
        const codec = codecOf({
          format,
          parts,
          shards: shards && { count: shards, by: [`s${kind % chosen.length}`] },
        });
        const encoded = rows.flatMap((values) => {
          const row = Object.fromEntries(values.map((value, i) => [`s${i}`, value]));
          try {
            return [
              {
                row,
                stored: values.map((value, i) => storedValue(chosen[i], value)),
                key: codec.encode(row),
              },
            ];
          } catch (error) {
            // Only the empty key, and a value that contains the delimiter, cannot be encoded.
            expect(error).toMatchObject({ code: 'INVALID_KEY' });
            return [];
          }
        });
        for (const { stored, key } of encoded) {
          expect(Object.values(decoded(codec, key) ?? {})).toEqual(stored);
          expect(codec.foreignReason(key)).toBeUndefined();
          expect(key.length).toBeGreaterThanOrEqual(codec.minLength);
          expect(key.length).toBeLessThanOrEqual(codec.maxLength);
        }
        for (const { stored, key } of encoded) checkSkips(codec, stored, key);
        if (
          name !== 'delimited' &&
          shards === undefined &&
          chosen.every(({ compare }) => compare !== undefined)
        )
          checkOrder(chosen, encoded);
        checkRanges(
          codec,
          chosen,
          encoded,
          rows[0],
          fixed,
          boundFrom(
            chosen[fixed],
            `s${fixed}`,
            rows.map((row) => row[fixed]),
            { from, to, inclusive, kind },
          ),
        );
      }),
      { numRuns: runs ?? 5 },
    );
  });
});

/** A row with its key; `stored` are the values as they are decoded from the key. */
type EncodedRow = { row: Record<string, unknown>; stored: unknown[]; key: Uint8Array };

function checkOrder(chosen: readonly KindSample[], rows: readonly EncodedRow[]): void {
  for (const a of rows) {
    for (const b of rows)
      expect(Math.sign(compareBytes(a.key, b.key))).toBe(expectedOrder(chosen, a, b));
  }
}

/** Skips from a key in a larger buffer go where the ranges of its leading segments end. */
function checkSkips(codec: KeyCodec, stored: readonly unknown[], key: Uint8Array): void {
  const around = new Uint8Array(key.length + 5).fill(0x23);
  around.set(key, 2);
  for (const [i, segment] of codec.names.entries()) {
    const fixed = Object.fromEntries(codec.names.slice(0, i + 1).map((n, j) => [n, stored[j]]));
    const ranges = codec
      .ranges({ fixed })
      .perShard.find((each) => each.some((range) => rangeContains(range, key)))!;
    const skip = codec.prefixSkip(segment);
    expect(toHex(skip(around, 2, 2 + key.length, false))).toBe(toHex(ranges.at(-1)!.end!));
    expect(toHex(skip(around, 2, 2 + key.length, true))).toBe(toHex(ranges[0].start));
  }
}

/** The order of the first segment that differs. */
function expectedOrder(chosen: readonly KindSample[], a: EncodedRow, b: EncodedRow): number {
  for (const [i, sample] of chosen.entries()) {
    const order = Math.sign(compareValues(sample, a.stored[i], b.stored[i]));
    if (order !== 0) return sample.type.order === 'desc' ? -order : order;
  }
  return 0;
}

interface BoundChoice {
  readonly from: number;
  readonly to: number;
  readonly inclusive: readonly [boolean, boolean];
  readonly kind: number;
}

function boundFrom(
  sample: KindSample | undefined,
  segment: string,
  values: readonly unknown[],
  { from, to, inclusive, kind }: BoundChoice,
): SegmentBound | undefined {
  if (sample === undefined || kind === 0) return undefined;
  if (sample.type.kind === 'domain') return { kind: 'subdomains', segment, domain: 'google.com' };
  if (sample.type.kind === 'reversedId') return undefined;
  const start = values[from];
  if (
    sample.type.kind === 'string' &&
    sample.type.order !== 'desc' &&
    kind === 1 &&
    typeof start === 'string'
  )
    return { kind: 'startsWith', segment, text: Array.from(start).slice(0, 1).join('') };
  return {
    kind: 'between',
    segment,
    from: kind === 2 ? undefined : { value: start, inclusive: inclusive[0] },
    to: kind === 3 ? undefined : { value: values[to], inclusive: inclusive[1] },
  };
}

function checkRanges(
  codec: KeyCodec,
  chosen: readonly KindSample[],
  rows: readonly EncodedRow[],
  example: readonly unknown[],
  count: number,
  bound: SegmentBound | undefined,
): void {
  const condition: KeyCondition = {
    fixed: Object.fromEntries(example.slice(0, count).map((value, i) => [`s${i}`, value])),
    bound,
  };
  const sample = chosen[count];
  let ranges;
  try {
    ranges = codec.ranges(condition);
  } catch (error) {
    // Delimited values that contain the delimiter or would sort wrongly, and the empty key.
    expect((error as { code?: string }).code).toMatch(/^INVALID_(KEY|QUERY)$/);
    if (codec.spec.format !== 'text' && codec.spec.format !== 'ordered') return;
    expect((error as { details: { problem: string } }).details.problem).toBe('the key has 0 bytes');
    return;
  }
  for (const list of ranges.perShard)
    for (let i = 1; i < list.length; i++)
      expect(compareBytes(list[i - 1].end ?? new Uint8Array(), list[i].start)).toBeLessThan(0);
  for (const { stored, key } of rows) {
    const hasPrefix = example
      .slice(0, count)
      .every((value, i) => toText(storedValue(chosen[i], value)) === toText(stored[i]));
    const wanted = hasPrefix && (bound === undefined || matches(sample, stored[count], bound));
    const got = ranges.perShard.some((list) => list.some((range) => rangeContains(range, key)));
    if (wanted !== got)
      throw new Error(
        `${toHex(key)} is ${wanted ? 'not ' : ''}in the ranges of ${toText(condition)}: ${ranges.perShard
          .flat()
          .map(({ start, end }) => `${toHex(start)}..${end && toHex(end)}`)
          .join(' ')}`,
      );
  }
}

function toText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === 'bigint') return `${inner}n`;
      if (inner === Infinity || inner === -Infinity) return String(inner);
      return inner;
    }) ?? 'undefined'
  );
}

/** Whether a stored value matches the bound; a floored one represents its whole bucket. */
function matches(sample: KindSample, stored: unknown, bound: SegmentBound): boolean {
  if (bound.kind === 'startsWith')
    return typeof stored === 'string' && stored.startsWith(bound.text);
  if (bound.kind === 'subdomains')
    return stored === bound.domain || String(stored).endsWith(`.${bound.domain}`);
  const { from, to } = bound;
  const end = lastOfBucket(sample, stored);
  const above =
    from === undefined || compareValues(sample, end, from.value) >= (from.inclusive ? 0 : 1);
  const below =
    to === undefined || compareValues(sample, stored, to.value) <= (to.inclusive ? 0 : -1);
  return above && below;
}

/**
 * The last value of the bucket that a floored value represents; other values are returned as they
 * are.
 */
function lastOfBucket(sample: KindSample, stored: unknown): unknown {
  if (sample.stored === undefined || !(stored instanceof Date)) return stored;
  return new Date(stored.getTime() + bucketSize(sample) - 1);
}

function bucketSize({ type }: KindSample): number {
  if (type.kind === 'isoDate' || type.floor === 'day') return 86_400_000;
  return type.floor === 'hour' ? 3_600_000 : Number(type.floor);
}

describe('startsWith on a lower-cased segment', () => {
  const codecFor = (format: KeyFormat, options: object, last: boolean): KeyCodec => {
    const parts: KeyPart[] = [{ kind: 'segment', name: 'v', type: { kind: 'string', ...options } }];
    if (!last) parts.push({ kind: 'segment', name: 'n', type: { kind: 'uint' } });
    return codecOf({ format, parts: [{ kind: 'literal', text: 'k' }, ...parts] });
  };
  const startsWith = (codec: KeyCodec, text: string) =>
    codec.ranges({ fixed: {}, bound: { kind: 'startsWith', segment: 'v', text } }).perShard[0];

  test('a capital sigma at the end of the text matches both small ones', () => {
    const codec = codecFor('text', { lower: true }, true);
    const matches = (text: string, value: string) =>
      startsWith(codec, text).some((range) => rangeContains(range, codec.encode({ v: value })));
    expect(matches('ΟΔΟΣ', 'ΟΔΟΣ')).toBe(true);
    expect(matches('ΟΔΟΣ', 'ΟΔΟΣ ΕΡΜΟΥ')).toBe(true);
    expect(matches('ΟΔΟΣ', 'ΟΔΟΣΤΡΩΤΗΡΑΣ')).toBe(true);
    expect(matches('ΟΔΟΣ', 'ΟΔΟΙ')).toBe(false);
    // Small letters are taken as they are.
    expect(matches('οδος', 'ΟΔΟΣΤΡΩΤΗΡΑΣ')).toBe(false);
    expect(matches('οδοσ', 'ΟΔΟΣΤΡΩΤΗΡΑΣ')).toBe(true);
  });

  test.each(['text', 'ordered', 'delimited'] as const)(
    'property: %s, the text that a value starts with finds it',
    (name) => {
      const unit = fc.constantFrom(
        'Σ',
        'Σ',
        'σ',
        'ς',
        'Α',
        'a',
        '.',
        ' ',
        '\u0301',
        '\u00ad',
        '#',
        'İ',
      );
      const trial = fc.record({
        value: fc.string({ unit, minLength: 1, maxLength: 6 }),
        other: fc.string({ unit, minLength: 1, maxLength: 6 }),
        cut: fc.nat(6),
        last: fc.boolean(),
        nullable: fc.boolean(),
      });
      const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
      fc.assert(
        fc.property(trial, ({ value, other, cut, last, nullable }) => {
          const options = { lower: true, nullable: nullable && name !== 'delimited' };
          const codec = codecFor(formats[name], options, last);
          const text = value.slice(0, cut);
          const ranges = startsWith(codec, text);
          const finds = (v: string): boolean =>
            ranges.some((range) => rangeContains(range, codec.encode({ v, n: 1 })));
          expect(finds(value)).toBe(true);
          if (finds(other)) expect(folded(other).startsWith(folded(text))).toBe(true);
        }),
        { numRuns: runs === undefined ? 200 : 1000 },
      );
    },
  );
});
