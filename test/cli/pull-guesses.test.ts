/**
 * Whatever lies in a table, a draft of it is a module that parses, and its keys read the rows it
 * claims.
 */
import ts from 'typescript';
import { draftModule } from '../../src/cli/commands/pull/draft.js';
import { guessEntity } from '../../src/cli/commands/pull/entity-guess.js';
import { guessKeys, keyPart } from '../../src/cli/commands/pull/key-guess.js';
import { keyReader } from '../../src/cli/commands/pull/probe.js';
import { guessSegment } from '../../src/cli/commands/pull/segment-guess.js';
import { guessValue } from '../../src/cli/commands/pull/value-guess.js';
import { scalarCodec, type ScalarKind } from '../../src/cell/index.js';
import { buildKeyCodec, type SegmentType } from '../../src/key/index.js';
import type { Row, TableSchema } from '../../src/store/index.js';
import fc from '../support/fast-check.js';

const runs = Number(process.env.FC_RUNS ?? 150);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Text that is made to break out of a literal or a comment. */
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

/** What the parser finds wrong. */
function faults(source: string): readonly string[] {
  return (
    ts.transpileModule(source, {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2022, experimentalDecorators: true },
    }).diagnostics ?? []
  ).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('any rows at all', () => {
  fc.assert(
    fc.property(rows, (sample) => {
      const { guesses, unread } = guessKeys(sample);
      expect(guesses.reduce((sum, guess) => sum + guess.rows.length, unread.length)).toBe(
        sample.length,
      );
      for (const { format, parts, shards, rows: claimed } of guesses) {
        const read = keyReader(format, parts.map(keyPart), shards);
        expect(claimed.filter(({ key }) => read?.(key) === undefined)).toEqual([]);
      }
      const { source, entities } = draftModule(
        { table, rows: sample, whole: true },
        guesses.map((guess) => guessEntity(guess, table)),
        unread,
      );
      expect(faults(source)).toEqual([]);
      expect(new Set(entities).size).toBe(guesses.length);
    }),
    { numRuns: runs },
  );
});

const moment = fc.date({
  min: new Date('2001-01-01'),
  max: new Date('2090-01-01'),
  noInvalidDate: true,
});
/** Kinds that bytes alone tell, with values as people have them. */
const kinds: readonly (readonly [type: SegmentType, values: fc.Arbitrary<unknown>])[] = [
  [{ kind: 'uuid' }, fc.uuid()],
  [{ kind: 'ulid' }, fc.constantFrom('01HZZZZZZZZZZZZZZZZZZZZZ00', '01JABCDEFGHJKMNPQRSTVWXYZ0')],
  [{ kind: 'isoDate' }, moment],
  [{ kind: 'isoDate', precision: 'day' }, moment],
  [{ kind: 'timestamp' }, moment],
  [{ kind: 'timestamp', order: 'desc' }, moment],
  [{ kind: 'timestamp', order: 'desc', reverseFrom: 'long' }, moment],
  [
    { kind: 'timestamp', unit: 's' },
    moment.map((date) => new Date(Math.floor(+date / 1000) * 1000)),
  ],
  [{ kind: 'timestamp', unit: 'us' }, moment],
  [{ kind: 'timestamp', unit: 'ns' }, moment],
  [{ kind: 'timestamp', floor: 'day' }, moment],
  [{ kind: 'timestamp', floor: 'hour' }, moment],
  [{ kind: 'int', width: 6 }, fc.constantFrom(-5, 12, 99_999, -123_456)],
  [{ kind: 'uint', width: 9 }, fc.integer({ min: 1, max: 99_999 })],
  [{ kind: 'domain' }, fc.constantFrom('a.example.com', 'www.example.org')],
];

/**
 * Other values are different ones: a single odd value, over and over, may look like something else.
 * Kinds of which the test has only a few values.
 */
const few = new Set(['ulid', 'domain', 'int']);
test.each(kinds)('%j is told from its bytes', (type, values) => {
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
          few.has(type.kind)
            ? fc.array(values, { minLength: length, maxLength: length })
            : fc.uniqueArray(values, { minLength: length, maxLength: 20, selector: String }),
        ),
      (list) => {
        // A signed number is told by a sign.
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
  ['date', moment.map((date) => date.toISOString().slice(0, 10))],
  ['timestamp', moment],
  ['int64', fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n })],
  ['json', fc.record({ a: fc.integer(), b: fc.string() })],
  ['double', fc.double({ min: 0.001, max: 1e9, noNaN: true })],
  ['float', fc.float({ min: 1, max: 1e6, noNaN: true })],
  ['string', fc.constantFrom('1234', '0.12', '@bcd', '20260101', '@@@@@@@@')],
  ['string', fc.string({ minLength: 9, maxLength: 20 }).map((each) => `x${each}`)],
];

test.each(scalars)('values of %s are told from their bytes', (kind, values) => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 3, maxLength: 20 }), (list) => {
      const guess = guessValue(list.map((value) => scalarCodec(kind).encode(value as never)));
      expect(guess.kind === 'scalar' ? guess.scalar : guess.kind).toBe(kind);
    }),
    { numRuns: runs },
  );
});
