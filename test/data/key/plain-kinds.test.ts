/** The optimised readers and writers of every kind agree with simple ones, and the calendar with Date. */
import { buildKeyCodec } from '../../../src/data/key/index.js';
import type { SegmentType } from '../../../src/data/key/index.js';
import { civilFromDays, daysFromCivil } from '../../../src/data/key/encoding/calendar.js';
import fc from '../../support/fast-check.js';

test('the calendar agrees with Date for the years 0000 to 9999', () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (days) => {
      const [year, month, day] = new Date(days * 86_400_000)
        .toISOString()
        .slice(0, 10)
        .split('-')
        .map(Number);
      expect(civilFromDays(days)).toBe(year * 10_000 + month * 100 + day);
      expect(daysFromCivil(year * 10_000 + month * 100 + day)).toBe(days);
    }),
    { numRuns: 500 },
  );
  for (const civil of [0, 20260001, 20260100, 20261301, 20260230, 19000229, 20260431])
    expect(daysFromCivil(civil)).toBeNaN();
});

test('the calendar agrees with Date on every day of 400 years', () => {
  const wrong: number[] = [];
  for (let days = 0; days < 146_097; days++) {
    const date = new Date(days * 86_400_000);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
    const civil = year * 10_000 + month * 100 + date.getUTCDate();
    if (civilFromDays(days) !== civil || daysFromCivil(civil) !== days) wrong.push(civil);
  }
  expect(wrong).toEqual([]);
});

/** A kind, and the text of its values in a key, computed in a simple way. */
interface Plain {
  readonly type: SegmentType;
  readonly values: fc.Arbitrary<unknown>;
  readonly text: (value: never) => string;
}

const times = fc.integer({ min: 0, max: 9_223_372_036_854 }).map((ms) => new Date(ms));
const long = (value: bigint): string => (2n ** 63n - 1n - value).toString().padStart(19, '0');
const timestamps = (['ms', 'us', 'ns'] as const).flatMap((unit): Plain[] => {
  const scale = { ms: 1n, us: 1000n, ns: 1_000_000n }[unit];
  const width = { ms: 13, us: 16, ns: 19 }[unit];
  const integer = (date: Date): bigint => BigInt(date.getTime()) * scale;
  return [
    {
      type: { kind: 'timestamp', unit },
      values: times,
      text: (date: Date) => integer(date).toString().padStart(width, '0'),
    },
    {
      type: { kind: 'timestamp', unit, order: 'desc' },
      values: times,
      text: (date: Date) =>
        (10n ** BigInt(width) - 1n - integer(date)).toString().padStart(width, '0'),
    },
    {
      type: { kind: 'timestamp', unit, order: 'desc', reverseFrom: 'long' },
      values: times,
      text: (date: Date) => long(integer(date)),
    },
  ];
});

const plain: readonly Plain[] = [
  ...timestamps,
  {
    type: { kind: 'micros', order: 'desc', reverseFrom: 'long' },
    values: fc.bigInt(0n, 2n ** 63n - 1n),
    text: long,
  },
  {
    type: { kind: 'isoDate' },
    values: fc
      .integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
      .map((ms) => new Date(ms)),
    text: (date: Date) => date.toISOString(),
  },
  {
    type: { kind: 'uuid' },
    values: fc.oneof(
      fc.uuid(),
      fc.uuid().map((text) => text.toUpperCase()),
      fc.uuid().map((text) => text.replaceAll('-', '')),
    ),
    text: (value: string) =>
      value
        .toLowerCase()
        .replaceAll('-', '')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  },
  {
    type: { kind: 'uuid', dashes: false },
    values: fc.uuid(),
    text: (value: string) => value.replaceAll('-', ''),
  },
  {
    type: { kind: 'ulid' },
    values: fc.oneof(
      fc.ulid(),
      fc.ulid().map((text) => text.toLowerCase()),
    ),
    text: (value: string) => value.toUpperCase(),
  },
  {
    type: { kind: 'bytes' },
    values: fc.uint8Array({ maxLength: 40 }),
    text: (value: Uint8Array) => Buffer.from(value).toString('hex'),
  },
  {
    type: { kind: 'reversedId' },
    values: fc.maxSafeNat(),
    text: (value: number) => Array.from(String(value).padStart(16, '0')).reverse().join(''),
  },
  {
    type: { kind: 'decimal', width: 16, scale: 3 },
    values: fc.bigInt(-(10n ** 16n) + 1n, 10n ** 16n - 1n).map(
      (n) =>
        `${n < 0n ? '-' : ''}${String(n < 0n ? -n : n)
          .padStart(4, '0')
          .replace(/(.{3})$/, '.$1')}`,
    ),
    text: (value: string) => {
      const n = BigInt(value.replace('.', ''));
      return n < 0n
        ? `-${(10n ** 16n + n).toString().padStart(16, '0')}`
        : n.toString().padStart(16, '0');
    },
  },
];

test.each(plain.map((sample) => [JSON.stringify(sample.type), sample] as const))(
  '%s',
  (_name, { type, values, text }) => {
    const built = buildKeyCodec(
      {
        format: 'text',
        parts: [
          { kind: 'literal', text: 'k' },
          { kind: 'segment', name: 'v', type },
        ],
      },
      'Thing',
    );
    if ('faults' in built) throw new Error(JSON.stringify(built.faults));
    const { codec } = built;
    const read = (key: Uint8Array): unknown => {
      const target: Record<string, unknown> = {};
      return codec.decoder()(key, 0, key.length, target) ? target.v : undefined;
    };
    fc.assert(
      fc.property(values, fc.nat(40), fc.nat(255), (value, at, byte) => {
        const key = Buffer.from(codec.encode({ v: value }));
        expect(key.toString()).toBe(`k#${text(value as never)}`);
        expect(text(read(key) as never)).toBe(key.toString().slice(2));
        key[2 + (at % Math.max(1, key.length - 2))] = byte;
        const other = read(key);
        if (other !== undefined) expect(`k#${text(other as never)}`).toBe(key.toString('latin1'));
      }),
      { numRuns: 150 },
    );
  },
);

test('UUIDs and ULIDs as bytes', () => {
  const ordered = (type: SegmentType) => {
    const built = buildKeyCodec(
      { format: 'ordered', parts: [{ kind: 'segment', name: 'v', type }] },
      'Thing',
    );
    if ('faults' in built) throw new Error(JSON.stringify(built.faults));
    return (v: unknown): [string, unknown] => {
      const key = built.codec.encode({ v });
      const target: Record<string, unknown> = {};
      expect(built.codec.decoder()(key, 0, key.length, target)).toBe(true);
      return [Buffer.from(key).toString('hex'), target.v];
    };
  };
  const escaped = (hex: string): string =>
    hex.replace(/../g, (byte) => (byte === '00' ? '00ff' : byte));
  const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  fc.assert(
    fc.property(fc.uuid(), fc.ulid(), (uuid, ulid) => {
      expect(ordered({ kind: 'uuid' })(uuid)).toEqual([escaped(uuid.replaceAll('-', '')), uuid]);
      const bits = Array.from(ulid).reduce(
        (sum, character) => sum * 32n + BigInt(crockford.indexOf(character)),
        0n,
      );
      expect(ordered({ kind: 'ulid' })(ulid)).toEqual([
        escaped(bits.toString(16).padStart(32, '0')),
        ulid,
      ]);
    }),
    { numRuns: 200 },
  );
});
