/** Qualifiers of column maps: the examples of FORMAT.md, and the guarantees for every kind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareBytes } from '../../../src/base/index.js';
import {
  buildQualifierCodec,
  type QualifierCodec,
  QualifierError,
  type QualifierType,
} from '../../../src/data/key/index.js';
import fc, { anyCharacter } from '../../support/fast-check.js';

const runs = Number(process.env.RUNS ?? 15);
const document = readFileSync(join(__dirname, '../../../src/data/key/FORMAT.md'), 'utf8');
const section = document.split(/^## /m).find((text) => text.startsWith('Qualifiers')) ?? '';

function codecOf(type: QualifierType): QualifierCodec {
  const built = buildQualifierCodec(type);
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  return built.codec;
}

function valueOf({ kind }: QualifierType, json: unknown): unknown {
  if (kind === 'bigint') return BigInt(json as string);
  return kind === 'timestamp' ? new Date(json as number) : json;
}

const examples = [...section.matchAll(/^\| `(\{.*\})` \| `(.*)` \| `(.*)` \|$/gm)].map(
  ([, type, value, written]) =>
    [`${type} ${value}`, JSON.parse(type) as QualifierType, JSON.parse(value), written] as const,
);

test('the table of FORMAT.md contains every kind', () => {
  expect(new Set(examples.map(([, { kind }]) => kind)).size).toBe(6);
  expect(examples.length).toBeGreaterThan(16);
});

test.each(examples)('%s', (_name, type, json, written) => {
  const codec = codecOf(type);
  const value = valueOf(type, json);
  const bytes = codec.encode(value);
  expect(Buffer.from(bytes).toString()).toBe(written);
  expect(codec.reader()(bytes, 0, bytes.length)).toEqual(value);
});

const text = fc.string({ unit: anyCharacter, maxLength: 4 }).filter((each) => each.isWellFormed());
const whole = fc.integer({ min: 0, max: 9999 });
const time = fc.date({
  min: new Date(0),
  max: new Date('2286-11-20T17:46:39.999Z'),
  noInvalidDate: true,
});
const members = ['b', 'a b', 'c#', 'A'];

/** The types, their values, and the order of the values. */
const kinds: readonly [
  QualifierType,
  fc.Arbitrary<unknown>,
  (value: unknown) => number | bigint | Uint8Array,
][] = [
  [{ kind: 'string' }, text, (value) => Buffer.from(value as string)],
  [{ kind: 'uint', max: 9999 }, whole, Number],
  [{ kind: 'int' }, fc.maxSafeInteger().filter((n) => Math.abs(n) < 9e15), Number],
  [{ kind: 'int', width: 4 }, fc.integer({ min: -9999, max: 9999 }), Number],
  [
    { kind: 'bigint' },
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    (value) => value as bigint,
  ],
  [
    { kind: 'bigint', width: 20 },
    fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }),
    (value) => value as bigint,
  ],
  [{ kind: 'timestamp' }, time, Number],
  [{ kind: 'timestamp', unit: 'us' }, time, Number],
  [{ kind: 'timestamp', unit: 'ns' }, time, Number],
  [
    { kind: 'enum', values: members },
    fc.constantFrom(...members),
    (value) => Buffer.from(value as string),
  ],
  [
    { kind: 'enum', values: members, by: 'ordinal' },
    fc.constantFrom(...members),
    (value) => members.indexOf(value as string),
  ],
];

const directed = kinds.flatMap(([type, values, rank]) => {
  const isText = type.kind === 'string' || (type.kind === 'enum' && type.by === undefined);
  const orders = isText ? (['asc'] as const) : (['asc', 'desc'] as const);
  return orders.map(
    (order) =>
      [
        JSON.stringify({ ...type, order }),
        isText ? type : { ...type, order },
        values,
        rank,
      ] as const,
  );
});

function compare(a: number | bigint | Uint8Array, b: number | bigint | Uint8Array): number {
  if (typeof a === 'object') return compareBytes(a, b as Uint8Array);
  const [x, y] = [a, b as number | bigint];
  return Number(x > y) - Number(x < y);
}

describe.each(directed)('%s', (_name, type, values, rank) => {
  const codec = codecOf(type);
  const read = codec.reader();

  test('sorts like the values, and returns them', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [x, y] = [codec.encode(a), codec.encode(b)];
        const order = compare(rank(a), rank(b));
        expect(Math.sign(compareBytes(x, y))).toBe(
          Math.sign(codec.descending ? -order : order) + 0,
        );
        expect(read(x, 0, x.length)).toEqual(a);
      }),
      { numRuns: runs },
    );
  });

  test('a range contains exactly the values between', () => {
    fc.assert(
      fc.property(
        values,
        fc.option(values, { nil: undefined }),
        fc.option(values, { nil: undefined }),
        (value, from, to) => {
          const range = codec.range({ from, to });
          const expected =
            (from === undefined || compare(rank(value), rank(from)) >= 0) &&
            (to === undefined || compare(rank(value), rank(to)) < 0);
          expect(contains(range, codec.encode(value))).toBe(expected);
        },
      ),
      { numRuns: runs },
    );
  });

  test('bytes that it does not write are not a value', () => {
    fc.assert(
      fc.property(
        values,
        fc.nat(30),
        fc.constantFrom(0, 0x24, 0x30, 0x3a, 0xff),
        (value, at, byte) => {
          const bytes = codec.encode(value);
          const changed = Uint8Array.from(bytes);
          if (bytes.length > 0) changed[at % bytes.length] = byte;
          for (const other of [changed, bytes.slice(0, -1), Uint8Array.of(...bytes, byte)]) {
            const decoded = read(other, 0, other.length);
            if (decoded !== undefined) expect(codec.encode(decoded)).toEqual(other);
          }
        },
      ),
      { numRuns: runs },
    );
  });
});

function contains(range: ReturnType<QualifierCodec['range']>, bytes: Uint8Array): boolean {
  if (range === undefined) return false;
  const { start, end } = range;
  if (start !== undefined) {
    const order = compareBytes(bytes, start.qualifier);
    if (order < 0 || (order === 0 && !start.inclusive)) return false;
  }
  if (end === undefined) return true;
  const order = compareBytes(bytes, end.qualifier);
  return order < 0 || (order === 0 && end.inclusive);
}

test('text that starts with another is one range', () => {
  const codec = codecOf({ kind: 'string' });
  fc.assert(
    fc.property(text, text, (value, prefix) => {
      const range = codec.range({ startsWith: prefix });
      expect(contains(range, codec.encode(value))).toBe(value.startsWith(prefix));
    }),
  );
});

test('bounds between two seconds', () => {
  const codec = codecOf({ kind: 'timestamp', unit: 's' });
  const range = codec.range({ from: new Date(1500), to: new Date(3500) });
  expect([1000, 2000, 3000, 4000].map((ms) => contains(range, codec.encode(new Date(ms))))).toEqual(
    [false, true, true, false],
  );
});

const bad: readonly [QualifierType, unknown, string][] = [
  [{ kind: 'string' }, 5, 'must be a string'],
  [{ kind: 'string' }, '\ud800', 'lone surrogate'],
  [{ kind: 'string' }, 'x'.repeat(17_000), '17000 bytes'],
  [{ kind: 'uint' }, -1, 'outside'],
  [{ kind: 'uint' }, NaN, 'safe integer'],
  [{ kind: 'uint' }, 1.5, 'safe integer'],
  [{ kind: 'uint' }, '5', 'safe integer'],
  [{ kind: 'uint', max: 9 }, 10, 'outside'],
  [{ kind: 'int' }, 2 ** 53, 'safe integer'],
  [{ kind: 'bigint' }, 5, 'not a bigint'],
  [{ kind: 'bigint', width: 2 }, 100n, 'outside'],
  [{ kind: 'timestamp' }, new Date(NaN), 'invalid'],
  [{ kind: 'timestamp' }, new Date(-1), 'outside'],
  [{ kind: 'timestamp' }, 5, 'not a Date'],
  [{ kind: 'timestamp', unit: 's' }, new Date(5), 'milliseconds'],
  [{ kind: 'enum', values: ['A'] }, 'B', 'member'],
  [{ kind: 'enum', values: ['A'] }, undefined, 'member'],
  [{ kind: 'uint' }, null, 'safe integer'],
];
test.each(bad)('%p rejects %p', (type, value, problem) => {
  const attempt = (): unknown => codecOf(type).encode(value);
  expect(attempt).toThrow(QualifierError);
  expect(attempt).toThrow(problem);
});

const faulty: readonly [unknown, string][] = [
  [{ kind: 'float' }, 'no kind of qualifiers'],
  [{ kind: undefined }, 'no kind of qualifiers'],
  [{ kind: 'string', order: 'desc' }, "no option 'order'"],
  [{ kind: 'timestamp', floor: 'hour' }, "no option 'floor'"],
  [{ kind: 'timestamp', unit: 'h' }, "option 'unit'"],
  [{ kind: 'uint', width: 0 }, 'width 0'],
  [{ kind: 'enum' }, 'needs values'],
  [{ kind: 'enum', values: ['A'], order: 'desc' }, 'cannot be descending'],
];
test.each(faulty)('the declaration %p is a fault', (type, problem) => {
  const built = buildQualifierCodec(type as QualifierType);
  expect('faults' in built && built.faults.map((fault) => fault.problem).join()).toContain(problem);
  expect('faults' in built && built.faults.map(({ fix }) => fix).join()).not.toContain('segment');
});
