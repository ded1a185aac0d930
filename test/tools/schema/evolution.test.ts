/**
 * Which changes of declarations are compatible with stored bytes, and that the codecs read the
 * bytes of compatible types.
 */
import {
  checkEvolution,
  emptyLock,
  evolutionRules,
  lockOf,
  lockText,
  nextLock,
  parseLock,
  reservedOf,
} from '../../../src/tools/schema/index.js';
import {
  cases,
  counts,
  entity,
  indexed,
  laterCases,
  message,
  modelsOf,
  packs,
  rolled,
  unchanged,
} from './cases.js';
import { field, indexOn, uniqueIndexOn } from '../../../src/index.js';
import { messageCodec } from '../../../src/data/cell/index.js';
import type { FieldKind } from '../../../src/index.js';

const verdictOf = (rule: string): string =>
  evolutionRules[rule as keyof typeof evolutionRules].verdict;

test.each(cases)('%s: %s', (rule, _what, before, after) => {
  const lock = parseLock(lockText(lockOf(modelsOf(before))));
  const changes = checkEvolution(lock, modelsOf(after));
  expect(changes.map((change) => change.rule)).toContain(rule);
  // No other change is rejected.
  expect(
    changes.filter((change) => change.verdict === 'rejected').map((change) => change.rule),
  ).toEqual(verdictOf(rule) === 'rejected' ? [rule] : []);
  // It is no change any more after it was recorded.
  expect(checkEvolution(nextLock(lock, modelsOf(after)), modelsOf(after))).toEqual([]);
});

test.each(laterCases)('%s: %s', (rule, _what, releases) => {
  const last = modelsOf(releases.at(-1)!);
  const lock = releases
    .slice(0, -1)
    .reduce(
      (earlier, release) => parseLock(lockText(nextLock(earlier, modelsOf(release)))),
      emptyLock,
    );
  const changes = checkEvolution(lock, last);
  expect(changes.map((change) => change.rule)).toContain(rule);
  expect(
    changes.filter((change) => change.verdict === 'rejected').map((change) => change.rule),
  ).toEqual(verdictOf(rule) === 'rejected' ? [rule] : []);
});

test.each(unchanged)('no change: %s', (_what, before, after) => {
  expect(checkEvolution(lockOf(modelsOf([before])), modelsOf([after]))).toEqual([]);
});

test('a change has its name, problem, reason and fix', () => {
  const [change] = checkEvolution(
    lockOf(modelsOf([packs({ a: field(1, 'string') })])),
    modelsOf([packs({ b: field(1, 'int64') })]),
  );
  expect(change).toEqual({
    rule: 'field-number-reused',
    verdict: 'rejected',
    at: 'test.Status.1',
    problem: "'b', int64, has number 1 of 'a', string",
    reason: 'bytes of the old field would be read as the new field',
    fix: 'give the new field the next number that is neither used nor reserved in the lock',
  });
});

test('changes of indexes name the commands to run', () => {
  const lock = lockOf(
    modelsOf([indexed({ byValue: indexOn('value'), byDevice: indexOn('device') })]),
  );
  const { id } = lock.tables.readings.entities.Reading.indexes!.byValue;
  expect(lockText(lock)).toContain(
    `"byValue": { "id": "${id}", "table": "readings_index", ` +
      '"parts": [{ "segment": "value", "kind": "float" }] }',
  );
  const later = modelsOf([
    indexed({ byValue: uniqueIndexOn('value'), byBoth: indexOn('value', 'device') }),
  ]);
  expect(
    checkEvolution(lock, later)
      .filter(({ rule }) => rule.startsWith('index-'))
      .map(({ at, problem }) => `${at}: ${problem}`),
  ).toEqual([
    "Reading.byValue: index 'byValue' has new entries: rowsmith derived rebuild Reading --index byValue, " +
      `then rowsmith derived drop readings_index --index ${id}`,
    "Reading.byBoth: index 'byBoth' is new: rowsmith derived rebuild Reading --index byBoth",
    expect.stringMatching(
      /^Reading\.byDevice: .* removed: rowsmith derived drop readings_index/,
    ) as string,
  ]);
});

test('changes of rollups name the calls to make, and earlier locks have none', () => {
  const models = modelsOf([rolled({ hourly: counts() })]);
  const lock = lockOf(models);
  const text = lockText(lock);
  expect(text).toContain(
    '"hourly": { "table": "readings_rollup", "parts": ' +
      '[{ "segment": "device", "kind": "string" }, { "segment": "at", "kind": "timestamp" }], ' +
      '"seconds": 3600, "cells": [',
  );
  expect(checkEvolution(parseLock(text), models)).toEqual([]);
  const [change] = checkEvolution(lock, modelsOf([rolled({ hourly: counts({ every: '1d' }) })]));
  expect(change).toMatchObject({
    rule: 'rollup-changed',
    at: 'Reading.hourly',
    problem: "rollup 'hourly' has other rows: rowsmith derived repair Reading",
  });
  // As written by a release that did not record rollups.
  const earlier = parseLock(lockText(lockOf(modelsOf([rolled()]))));
  expect(checkEvolution(earlier, models).map(({ rule }) => rule)).toEqual([
    'rollup-added',
    // Of our cells in the source rows.
    'family-added',
    'family-added',
  ]);
});

test('every rule has a case', () => {
  expect(new Set([...cases, ...laterCases].map(([rule]) => rule))).toEqual(
    new Set(Object.keys(evolutionRules)),
  );
});

test('numbers and names of removed fields are reserved until they are declared again', () => {
  const first = nextLock(
    emptyLock,
    modelsOf([packs({ a: field(1, 'string'), b: field(2, 'int64'), c: field(9, 'bool') })]),
  );
  const second = nextLock(first, modelsOf([packs({ a: field(1, 'string') })]));
  expect(reservedOf(second, 'test.Status')).toEqual({ numbers: [2, 9], names: ['b', 'c'] });
  expect(
    reservedOf(
      nextLock(second, modelsOf([packs({ a: field(1, 'string'), c: field(9, 'bool') })])),
      'test.Status',
    ),
  ).toEqual({ numbers: [2], names: ['b'] });
  expect(reservedOf(second, 'test.Nobody')).toEqual({ numbers: [], names: [] });
});

/** Edge cases of each kind. */
const edges: Partial<Record<FieldKind, readonly unknown[]>> = {
  bool: [true, false],
  int32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
  uint32: [0, 2 ** 31, 2 ** 32 - 1],
  sint32: [0, -1, 2 ** 31 - 1, -(2 ** 31)],
  string: ['', 'a', 'é\u{1F600}'],
};

test.each(
  cases
    .filter(([rule, what]) => rule === 'field-widened' && /^\w+ to \w+$/.test(what))
    .map(([, what]) => what),
)('%s: every old value is read as the same value', (what) => {
  const [before, after] = what.split(' to ') as [FieldKind, FieldKind];
  const shapeOf = (type: FieldKind) =>
    modelsOf([packs({ a: field(1, type) })])[0].columns[0].message!;
  const [from, to] = [messageCodec(shapeOf(before)), messageCodec(shapeOf(after))];
  for (const value of edges[before]!) {
    const bytes = from.encode({ a: value });
    const read = (to.decode(bytes, 0, bytes.length) as { a: unknown }).a;
    const expected = typeof value === 'boolean' ? Number(value) : value;
    if (read instanceof Uint8Array) expect(Buffer.from(read).toString()).toBe(value);
    else expect(Number(read)).toBe(expected);
  }
});

test('messages that contain themselves are compared', () => {
  const node = (type: 'int32' | 'int64', name: string) => {
    const messageClass = message(
      { value: field(1, type), next: field(2, () => messageClass) },
      name,
    );
    return packs({ root: field(1, () => messageClass) });
  };
  expect(
    checkEvolution(
      lockOf(modelsOf([node('int32', 'test.A')])),
      modelsOf([node('int64', 'test.B')]),
    ).filter(({ verdict }) => verdict === 'rejected'),
  ).toEqual([]);
  expect(
    checkEvolution(
      lockOf(modelsOf([node('int64', 'test.A')])),
      modelsOf([node('int32', 'test.B')]),
    ).map(({ rule }) => rule),
  ).toContain('field-type');
});

test('an entity that was removed is not compared with a new one of its name', () => {
  const was = modelsOf([entity()]);
  const is = modelsOf([entity({ table: 'others', key: ['device', 'at'] })]);
  const stored = lockOf(was);
  const rules = (lock: typeof stored) => checkEvolution(lock, is).map(({ rule }) => rule);
  expect(rules(stored)).toContain('segment-added');
  expect(rules(nextLock(stored, []))).not.toContain('segment-added');
});
