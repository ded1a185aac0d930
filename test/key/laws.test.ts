/**
 * The three laws over every kind, direction and nullability: alone, and in whole keys with literals
 * and shards.
 */
import { buildKeyCodec, checkSegmentCodec, delimited } from '../../src/key/index.js';
import type {
  KeyCodec,
  KeyFormat,
  KeyPart,
  KeyCondition,
  KeySpec,
  SegmentBound,
} from '../../src/key/index.js';
import { compareBytes, rangeHolds, toHex } from '../../src/bytes/index.js';
import { compareValues, keptValue, samplesOf } from './support/kinds.js';
import type { KindSample } from './support/kinds.js';
import fc from '../support/fast-check.js';

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
  // The key stands inside a larger buffer, as in a scan.
  const around = new Uint8Array(key.length + 5).fill(0x23);
  around.set(key, 2);
  return codec.decoder()(around, 2, 2 + key.length, target) ? target : undefined;
}

describe.each(['text', 'ordered', 'delimited'] as const)('%s', (name) => {
  const format = formats[name];
  const samples = samplesOf(name);

  test.each(samples.map((sample) => [JSON.stringify(sample.type), sample] as const))(
    'laws of %s',
    (_name, sample) => {
      // A literal in front, so that empty values and null alone are keys.
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
          const kept = values.map((value) => keptValue(sample, value));
          const compare =
            sample.compare === undefined
              ? undefined
              : (a: unknown, b: unknown) => compareValues(sample, a, b);
          if (compare !== undefined) checkSegmentCodec(segment, kept, compare);
          for (const [i, value] of values.entries())
            expect(segment.decode(segment.encode(value))).toEqual(kept[i]);
        }),
        { numRuns: 25 },
      );
    },
  );

  test('whole keys: order, return, and ranges hold exactly what answers', () => {
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
        const parts = chosen.flatMap(({ type }, i): KeyPart[] => [
          ...(literals[i] ? [{ kind: 'literal', text: `l${i}` } as const] : []),
          { kind: 'segment', name: `s${i}`, type },
        ]);
        if (literals[3]) parts.push({ kind: 'literal', text: 'end' });
        const codec = codecOf({
          format,
          parts,
          shards:
            shards === undefined ? undefined : { count: shards, by: [`s${kind % chosen.length}`] },
        });
        const stored = rows.flatMap((values) => {
          const row = Object.fromEntries(values.map((value, i) => [`s${i}`, value]));
          try {
            return [
              {
                row,
                kept: values.map((value, i) => keptValue(chosen[i], value)),
                key: codec.encode(row),
              },
            ];
          } catch (error) {
            // Only the empty key, and a value that holds the delimiter, have no place.
            expect(error).toMatchObject({ code: 'INVALID_KEY' });
            return [];
          }
        });
        for (const { kept, key } of stored) {
          expect(Object.values(decoded(codec, key) ?? {})).toEqual(kept);
          expect(codec.foreignBecause(key)).toBeUndefined();
          expect(key.length).toBeGreaterThanOrEqual(codec.minLength);
          expect(key.length).toBeLessThanOrEqual(codec.maxLength);
        }
        if (
          name !== 'delimited' &&
          shards === undefined &&
          chosen.every(({ compare }) => compare !== undefined)
        )
          checkOrder(chosen, stored);
        checkRanges(
          codec,
          chosen,
          stored,
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
      { numRuns: 300 },
    );
  });
});

type Stored = { row: Record<string, unknown>; kept: unknown[]; key: Uint8Array };

function checkOrder(chosen: readonly KindSample[], stored: readonly Stored[]): void {
  for (const a of stored) {
    for (const b of stored) {
      const place = chosen.findIndex(
        (sample, i) => compareValues(sample, a.kept[i], b.kept[i]) !== 0,
      );
      const expected =
        place < 0
          ? 0
          : compareValues(chosen[place], a.kept[place], b.kept[place]) *
            (chosen[place].type.order === 'desc' ? -1 : 1);
      expect(Math.sign(compareBytes(a.key, b.key))).toBe(Math.sign(expected));
    }
  }
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
  stored: readonly Stored[],
  example: readonly unknown[],
  count: number,
  bound: SegmentBound | undefined,
): void {
  const question: KeyCondition = {
    fixed: Object.fromEntries(example.slice(0, count).map((value, i) => [`s${i}`, value])),
    bound,
  };
  const sample = chosen[count];
  let answer;
  try {
    answer = codec.ranges(question);
  } catch (error) {
    // Delimited values that hold the delimiter or would sort wrongly, and the key without bytes.
    expect((error as { code?: string }).code).toMatch(/^INVALID_(KEY|QUERY)$/);
    if (codec.spec.format !== 'text' && codec.spec.format !== 'ordered') return;
    expect((error as { details: { problem: string } }).details.problem).toBe('the key has 0 bytes');
    return;
  }
  for (const list of answer.perShard)
    for (let i = 1; i < list.length; i++)
      expect(compareBytes(list[i - 1].end ?? new Uint8Array(), list[i].start)).toBeLessThan(0);
  for (const { row, kept, key } of stored) {
    const leading = example
      .slice(0, count)
      .every((value, i) => toText(keptValue(chosen[i], value)) === toText(kept[i]));
    const wanted =
      leading && (bound === undefined || answers(sample, row[`s${count}`], kept[count], bound));
    const got = answer.perShard.some((list) => list.some((range) => rangeHolds(range, key)));
    if (wanted !== got)
      throw new Error(
        `${toHex(key)} is ${wanted ? 'not ' : ''}in the ranges of ${toText(question)}: ${answer.perShard
          .flat()
          .map(({ start, end }) => `${toHex(start)}..${end && toHex(end)}`)
          .join(' ')}`,
      );
  }
}

function toText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint'
        ? `${inner}n`
        : inner === Infinity || inner === -Infinity
          ? String(inner)
          : inner,
    ) ?? 'undefined'
  );
}

/** Whether a written value answers; a floored one stands for its whole bucket. */
function answers(sample: KindSample, _value: unknown, kept: unknown, bound: SegmentBound): boolean {
  if (bound.kind === 'startsWith') return typeof kept === 'string' && kept.startsWith(bound.text);
  if (bound.kind === 'subdomains')
    return kept === bound.domain || String(kept).endsWith(`.${bound.domain}`);
  const { from, to } = bound;
  const size = sample.kept === undefined || kept === null ? 0 : bucketSize(sample);
  const lastMoment = size === 0 ? kept : new Date((kept as Date).getTime() + size - 1);
  const above =
    from === undefined || compareValues(sample, lastMoment, from.value) >= (from.inclusive ? 0 : 1);
  const below =
    to === undefined || compareValues(sample, kept, to.value) <= (to.inclusive ? 0 : -1);
  return above && below;
}

function bucketSize({ type }: KindSample): number {
  if (type.kind === 'isoDate' || type.floor === 'day') return 86_400_000;
  return type.floor === 'hour' ? 3_600_000 : Number(type.floor);
}
