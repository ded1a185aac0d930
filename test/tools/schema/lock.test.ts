/** The lock file: its text, merges, and the numbers that it assigns. */
import {
  column,
  columnMap,
  counter,
  field,
  literal,
  mapField,
  packed,
  repeatedField,
  RowsmithError,
  enumOf,
} from '../../../src/index.js';
import { describeEntity } from '../../../src/tools/index.js';
import { fieldNumbers, unnumberedMessages } from '../../../src/entities/model/index.js';
import {
  assignNumbers,
  checkEvolution,
  emptyLock,
  lockOf,
  lockText,
  nextLock,
  numbersModule,
  parseLock,
} from '../../../src/tools/schema/index.js';
import { expectGolden } from '../../support/golden.js';
import { entity, message, modelsOf, packs } from './cases.js';
import fc from '../../support/fast-check.js';

const position = message({ lat: field(1, 'double'), lon: field(2, 'double') }, 'test.Position');
const status = message({
  firmware: field(1, 'string'),
  mode: field(2, enumOf({ UNKNOWN: 0, RUNNING: 1 }, 'test.Mode')),
  at: field(3, () => position),
  tags: mapField(10, 'string', 'int64'),
  alarms: repeatedField(4, 'uint32'),
  a: field(5, 'string', { oneof: 'choice' }),
  b: field(6, 'bytes', { oneof: 'choice' }),
});
const whole = (): ReturnType<typeof entity>[] => [
  entity({
    key: [literal('r'), 'tenant', 'at'],
    segments: {
      tenant: { kind: 'string', maxLength: 64 },
      at: { kind: 'timestamp', order: 'desc' },
    },
    shards: { count: 16, by: ['tenant'] },
    marker: 'n',
    columns: {
      value: column('m', 'double', { qualifier: Uint8Array.of(0, 255, 0x5c) }),
      status: packed('m', () => status, { qualifier: 's' }),
      n: counter('s'),
    },
  }),
  entity({
    name: 'Tags',
    table: 'tags',
    families: { t: {} },
    columns: { tags: columnMap('t', 'string') },
  }),
];

const earlier = (): ReturnType<typeof entity>[] => [
  entity({
    name: 'Gone',
    table: 'tags',
    families: { t: {} },
    key: [literal('gone'), 'id'],
    columns: { x: column('t', 'json') },
  }),
  packs({ firmware: field(1, 'string'), old: field(7, 'bool'), older: field(20, 'sint64') }),
];

test('the text of a lock', () => {
  const lock = nextLock(nextLock(emptyLock, modelsOf(earlier())), modelsOf(whole()));
  expectGolden('lock.txt', lockText(lock));
  expect(lockText(parseLock(lockText(lock)))).toBe(lockText(lock));
});

test('the text does not depend on the order of declarations', () => {
  expect(lockText(lockOf(modelsOf(whole().reverse())))).toBe(lockText(lockOf(modelsOf(whole()))));
});

const text = lockText(lockOf(modelsOf(whole())));

test.each<[string, string, string]>([
  [
    'a merge conflict',
    text.replace('    "test.Mode": {', '<<<<<<< ours\n    "test.Mode": {\n=======\n>>>>>>> theirs'),
    'is a merge conflict marker',
  ],
  [
    'a newer version',
    text.replace('"rowsmith-lock": 1', '"rowsmith-lock": 2'),
    'the lock has version 2, and this version of rowsmith reads up to 1',
  ],
  ['truncated', text.slice(0, -20), 'it is not JSON'],
  ['empty', '', 'it is not JSON'],
  ['something else', '{ "name": "x" }', 'it is JSON, but not a lock file of rowsmith'],
  ['a list', '[]', 'it is JSON, but not a lock file of rowsmith'],
  [
    'a field without a type',
    text.replace('{ "name": "firmware", "type": "string" }', '{ "name": "firmware" }'),
    'it is JSON, but not a lock file of rowsmith',
  ],
  [
    'a duplicate number',
    text
      .replace('          "1": { "name": "firmware", "type": "string" },', '')
      .replace(
        '"1": { "name": "firmware", "type": "string" },',
        '"1": { "name": "other", "type": "int64" },\n"1": { "name": "firmware", "type": "string" },',
      ),
    'an entry is a duplicate',
  ],
  [
    'an unknown entry',
    text.replace('"rowsmith-lock": 1,', '"rowsmith-lock": 1, "more": {},'),
    'an entry is a duplicate, or was not written by rowsmith',
  ],
])('rejected: %s', (_what, damaged, problem) => {
  expect(damaged).not.toBe(text);
  let caught: unknown;
  try {
    parseLock(damaged, 'my.lock.json');
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(RowsmithError);
  expect(caught).toMatchObject({
    code: 'FILE_FAILED',
    details: { file: 'my.lock.json', fix: expect.any(String) },
  });
  expect((caught as RowsmithError).details.problem).toContain(problem);
});

test('a formatter may move lines', () => {
  expect(parseLock(JSON.stringify(JSON.parse(text)))).toEqual(parseLock(text));
  expect(parseLock(text.replaceAll('\n', '\r\n'))).toEqual(parseLock(text));
});

test('independent additions change different lines', () => {
  const lines = new Set(text.split('\n').map((line) => line.replace(/,$/, '')));
  const more = lockText(
    lockOf(
      modelsOf([
        ...whole(),
        entity({
          name: 'More',
          table: 'more',
          families: { x: {} },
          columns: { y: column('x', 'bool') },
        }),
      ]),
    ),
  );
  const added = more
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .filter((line) => !lines.has(line));
  expect(added.filter((line) => !/more|More|"x"|"y"/.test(line))).toEqual([]);
});

describe('numbers that the lock assigns', () => {
  const unnumbered = (name: string, properties: readonly string[]) =>
    entity({
      columns: {
        value: packed('m', () =>
          message(
            Object.fromEntries(properties.map((property) => [property, field('string')])),
            name,
          ),
        ),
      },
    });

  test('a field without a number is a fault with a fix', () => {
    expect(() => modelsOf([unnumbered('test.Unassigned', ['a'])])).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          faults: [
            expect.objectContaining({
              property: 'a',
              problem: 'the field has no number',
              fix: expect.stringContaining('rowsmith check --update'),
            }),
          ],
        }),
      }),
    );
  });

  test('numbers are assigned in the order of declaration, kept if the order changes, and never reused', () => {
    const release = (lock: ReturnType<typeof parseLock>, properties: readonly string[]) => {
      const classes = [unnumbered('test.Assigned', properties)];
      const numbers = assignNumbers(lock, unnumberedMessages(classes));
      fieldNumbers(numbers);
      return {
        numbers: numbers['test.Assigned'],
        lock: nextLock(lock, modelsOf(classes)),
        changes: checkEvolution(lock, modelsOf(classes)),
      };
    };
    const first = release(emptyLock, ['b', 'a']);
    expect(first.numbers).toEqual({ b: 1, a: 2 });
    const second = release(first.lock, ['a', 'c', 'b']);
    expect(second.numbers).toEqual({ a: 2, c: 3, b: 1 });
    const third = release(second.lock, ['a', 'b']);
    const fourth = release(third.lock, ['d', 'a', 'b']);
    expect(fourth.numbers).toEqual({ a: 2, b: 1, d: 4 });
    expect(
      [first, second, third, fourth]
        .flatMap(({ changes }) => changes)
        .filter(({ verdict }) => verdict === 'rejected'),
    ).toEqual([]);
    expect(
      describeEntity(unnumbered('test.Assigned', ['d', 'a'])).messages[0].fields.map(
        ({ name, number }) => [name, number],
      ),
    ).toEqual([
      ['a', 2],
      ['d', 4],
    ]);
    expect(numbersModule({ 'test.Assigned': fourth.numbers })).toContain(
      '  "test.Assigned": {\n    "b": 1,\n    "a": 2,\n    "d": 4,\n  },\n',
    );
  });

  test('contradicting numbers are rejected, and none of them is registered', () => {
    fieldNumbers({ 'test.Agreed': { a: 1 } });
    fieldNumbers({ 'test.Agreed': { a: 1 } });
    expect(() => fieldNumbers({ 'test.Agreed': { b: 2, a: 3 } })).toThrow(
      expect.objectContaining({ code: 'INVALID_DECLARATION' }),
    );
    expect(() => modelsOf([unnumbered('test.Agreed', ['a', 'b'])])).toThrow(
      expect.objectContaining({ code: 'INVALID_DECLARATION' }),
    );
  });

  test('property: assigned numbers are valid and differ from each other and from declared numbers', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        names,
        fc.uniqueArray(
          fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 18_990, max: 18_999 })),
          { maxLength: 6 },
        ),
        (properties, taken) => {
          const numbers = assignNumbers(emptyLock, [{ name: 'test.X', properties, taken }])[
            'test.X'
          ];
          const all = [...Object.values(numbers), ...taken];
          expect(new Set(all).size).toBe(all.length);
          expect(all.every((number) => number >= 1 && (number < 19_000 || number > 19_999))).toBe(
            true,
          );
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 30) },
    );
  });
});
