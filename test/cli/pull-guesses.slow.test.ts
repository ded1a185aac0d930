/**
 * For any rows of a table the generated module can be parsed, and its keys decode the rows that it
 * claims to.
 */
import ts from 'typescript';
import { entityModule } from '../../src/tools/pull/entity-module.js';
import { guessEntity } from '../../src/tools/pull/entity-guess.js';
import { guessKeys, keyPart } from '../../src/tools/pull/key-guess.js';
import { probeReader } from '../../src/tools/pull/probe.js';
import { guessSegment } from '../../src/tools/pull/segment-guess.js';
import { guessValue } from '../../src/tools/pull/value-guess.js';
import { scalarCodec, type ScalarKind } from '../../src/data/cell/index.js';
import { buildKeyCodec, type SegmentType } from '../../src/data/key/index.js';
import type { Row, TableSchema } from '../../src/data/store/index.js';
import fc from '../support/fast-check.js';

const runs = Number(process.env.RUNS ?? 30);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Text that could end a literal or a comment. */
const hostile = fc.constantFrom(
  '*/',
  "'",
  '"',
  '`',
  '\\',
  '\n',
  '\u2028',
  '${x}',
  '//',
  'class',
  '#',
  '|',
  '\0',
  '\u0001',
  '',
  'ä',
  '0',
  'constructor',
  '__proto__',
  'prototype',
);
const text = fc
  .array(fc.oneof(hostile, fc.string({ maxLength: 6 })), { maxLength: 5 })
  .map((parts) => parts.join(''));
const bytes = fc.oneof(text.map(utf8), fc.uint8Array({ maxLength: 12 }));
const cell = fc.record({
  family: fc.constantFrom('f', 'a-b.c', 'x'),
  qualifier: bytes,
  timestamp: fc.constant(1000n),
  value: bytes,
});
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    key: bytes.filter((key) => key.length > 0),
    cells: fc.array(cell, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const table: TableSchema = {
  name: "o'table",
  families: new Map([
    ['f', {}],
    ['a-b.c', { gc: { kind: 'maxAge', micros: 1_500 } }],
    ['x', { aggregate: 'max' }],
  ]),
};

/** The errors of the parser. */
function syntaxErrors(source: string): readonly string[] {
  return (
    ts.transpileModule(source, {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2022, experimentalDecorators: true },
    }).diagnostics ?? []
  ).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('any rows', () => {
  fc.assert(
    fc.property(rows, (sample) => {
      const { guesses, unread } = guessKeys(sample);
      expect(guesses.reduce((sum, guess) => sum + guess.rows.length, unread.length)).toBe(
        sample.length,
      );
      for (const { format, parts, shards, rows: claimed } of guesses) {
        const read = probeReader(format, parts.map(keyPart), shards);
        expect(claimed.filter(({ key }) => read?.(key) === undefined)).toEqual([]);
      }
      const { source, entities } = entityModule(
        { table, rows: sample, whole: true },
        guesses.map((guess) => guessEntity(guess, table)),
        unread,
      );
      expect(syntaxErrors(source)).toEqual([]);
      expect(new Set(entities).size).toBe(guesses.length);
    }),
    { numRuns: runs },
  );
});

const timestamp = fc.date({
  min: new Date('2001-01-01'),
  max: new Date('2090-01-01'),
  noInvalidDate: true,
});
/** Types that are recognized by their bytes, with typical values. */
const kinds: readonly (readonly [type: SegmentType, values: fc.Arbitrary<unknown>])[] = [
  [{ kind: 'uuid' }, fc.uuid()],
  [{ kind: 'ulid' }, fc.constantFrom('01HZZZZZZZZZZZZZZZZZZZZZ00', '01JABCDEFGHJKMNPQRSTVWXYZ0')],
  [{ kind: 'isoDate' }, timestamp],
  [{ kind: 'isoDate', precision: 'day' }, timestamp],
  [{ kind: 'timestamp' }, timestamp],
  [{ kind: 'timestamp', order: 'desc' }, timestamp],
  [{ kind: 'timestamp', order: 'desc', reverseFrom: 'long' }, timestamp],
  [
    { kind: 'timestamp', unit: 's' },
    timestamp.map((date) => new Date(Math.floor(+date / 1000) * 1000)),
  ],
  [{ kind: 'timestamp', unit: 'us' }, timestamp],
  [{ kind: 'timestamp', unit: 'ns' }, timestamp],
  [{ kind: 'timestamp', floor: 'day' }, timestamp],
  [{ kind: 'timestamp', floor: 'hour' }, timestamp],
  [{ kind: 'int', width: 6 }, fc.constantFrom(-5, 12, 99_999, -123_456)],
  [{ kind: 'uint', width: 9 }, fc.integer({ min: 1, max: 99_999 })],
  [{ kind: 'domain' }, fc.constantFrom('a.example.com', 'www.example.org')],
];

/**
 * Types with only a few values, which may repeat. The values of other types are different, because
 * one odd value repeated may look like another type.
 */
const fewValues = new Set(['ulid', 'domain', 'int']);
test.each(kinds)('%j is recognized by its bytes', (type, values) => {
  const built = buildKeyCodec(
    { format: 'text', parts: [{ kind: 'segment', name: 'v', type }] },
    'test',
  );
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  fc.assert(
    fc.property(
      fc
        .oneof(fc.constant(6), fc.constant(15))
        .chain((length) =>
          fewValues.has(type.kind)
            ? fc.array(values, { minLength: length, maxLength: length })
            : fc.uniqueArray(values, { minLength: length, maxLength: 20, selector: String }),
        ),
      (list) => {
        // Signed numbers are recognized by a sign.
        const sample = type.kind === 'int' ? [...list, -1] : list;
        expect(
          guessSegment(
            'text',
            sample.map((v) => built.codec.encode({ v })),
          )?.type,
        ).toEqual(type);
      },
    ),
    { numRuns: runs },
  );
});

const scalars: readonly (readonly [kind: ScalarKind, values: fc.Arbitrary<unknown>])[] = [
  ['bool', fc.boolean()],
  ['date', timestamp.map((date) => date.toISOString().slice(0, 10))],
  ['timestamp', timestamp],
  ['int64', fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n })],
  ['json', fc.record({ a: fc.integer(), b: fc.string() })],
  ['double', fc.double({ min: 0.001, max: 1e9, noNaN: true })],
  ['float', fc.float({ min: 1, max: 1e6, noNaN: true })],
  ['string', fc.constantFrom('1234', '0.12', '@bcd', '20260101', '@@@@@@@@')],
  ['string', fc.string({ minLength: 9, maxLength: 20 }).map((each) => `x${each}`)],
];

function isText(cell: Uint8Array): boolean {
  try {
    return !/\p{Cc}/u.test(new TextDecoder('utf-8', { fatal: true }).decode(cell));
  } catch {
    return false;
  }
}

test.each(scalars)('values of %s are recognized by their bytes', (kind, values) => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 3, maxLength: 20 }), (list) => {
      const cells = list.map((value) => scalarCodec(kind).encode(value as never));
      // The bytes of some floats are valid UTF-8: nothing tells them from texts.
      fc.pre(kind !== 'float' || !cells.every(isText));
      const guess = guessValue(cells);
      expect(guess.kind === 'scalar' ? guess.scalar : guess.kind).toBe(kind);
    }),
    { numRuns: runs },
  );
});

test('empty values say nothing of the type, unless all are empty', () => {
  const empty = utf8('');
  expect(guessValue([empty, empty])).toEqual({
    kind: 'scalar',
    scalar: 'string',
    note: 'always empty in the sample',
  });
  expect(guessValue([empty, Uint8Array.of(0xff, 0x01, 0x02)])).toEqual({
    kind: 'scalar',
    scalar: 'bytes',
  });
});

test('whole numbers are plausible up to 2^48 on both sides, without it', () => {
  const kindOf = (value: bigint): string => {
    const guess = guessValue([scalarCodec('int64').encode(value)]);
    return guess.kind === 'scalar' ? guess.scalar : guess.kind;
  };
  const limit = 2n ** 48n;
  for (const value of [limit - 1n, 1n - limit]) expect(kindOf(value)).toBe('int64');
  for (const value of [limit, -limit]) expect(kindOf(value)).not.toBe('int64');
});
