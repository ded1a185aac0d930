/** Imports of rows that are older than the rules of their families. */
import { Readable } from 'node:stream';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  type EntityClass,
  Entity,
  indexes,
  indexOn,
  maxAge,
  rollups,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { exportRows, importRows } from '../../../src/tools/index.js';
import { type TestDatabase, testDatabase } from '../../../src/tools/testing/index.js';

const day = 86_400_000;
const start = Date.UTC(2026, 10, 27);
const ago = (days: number): string => new Date(start - days * day).toISOString();

@Entity({ table: 'readings', families: { r: { gc: maxAge('30d') } } })
class Reading {
  static readonly key = rowKey('at', 'device');
  static readonly indexes = indexes({ byDevice: indexOn('device', 'at').including('value') });
  static readonly rollups = rollups({
    daily: { by: [{ time: 'at', every: '1d' }], values: { n: 'count' } },
  });
  @Segment('timestamp') at!: Date;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Column('r', 'double') value?: number;
  @Column('r', 'timestamp') read?: Date;
}

@Entity({ table: 'stamped', families: { r: { gc: maxAge('30d') } }, cellTimestamp: 'at' })
class Stamped {
  static readonly key = rowKey('at');
  @Segment('timestamp') at!: Date;
  @Column('r', 'double') value?: number;
}

@Entity({
  table: 'leases',
  families: { r: { gc: maxAge('1d') } },
  expiresAt: 'until',
  marker: true,
})
class Lease {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byUser: indexOn('user') });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('r', 'timestamp') until!: Date;
  @Column('r', 'string') user?: string;
  @Column('r', 'string') note?: string;
}

@Entity({ table: 'plain', families: { r: {} } })
class Plain {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('r', 'string') text?: string;
}

let db: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-ages-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(async () => {
  db = await testDatabase([Reading, Stamped, Lease, Plain]);
  db.clock.set(start);
});
afterEach(() => db.close());

type Options = Partial<Parameters<typeof importRows>[3]>;

function importInto(entity: EntityClass, lines: readonly object[], options: Options = {}) {
  const source = Readable.from([Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]);
  const { model } = db.repository(entity);
  return importRows(db.engine, model, source, { format: 'jsonl', clock: () => start, ...options });
}

const lines = [1, 29, 31, 60].map((days) => ({ at: ago(days), device: 'd', value: days }));
const values = async () => (await db.repository(Reading).scanAll().all()).map((row) => row.value);

test('without times, lines that are older than their rule are counted, and stay', async () => {
  const result = await importInto(Reading, lines);
  expect(result).toMatchObject({
    written: 4,
    expired: 0,
    keptLonger: { property: 'at', lines: 2 },
  });
  expect(await values()).toEqual([60, 31, 29, 1]);
  db.clock.set(start + 29 * day);
  expect(await values()).toEqual([60, 31, 29, 1]);
});

test('with cellTimes they expire by it, with their index entries; rollups count them', async () => {
  const result = await importInto(Reading, lines, { cellTimes: 'at' });
  expect(result).toMatchObject({ written: 4, expired: 2 });
  expect(result.keptLonger).toBeUndefined();
  const readings = db.repository(Reading);
  const entries = async () =>
    (await readings.index('byDevice').covered().scanAll().all()).map((row) => row.value);
  expect(await values()).toEqual([29, 1]);
  expect(await entries()).toEqual([29, 1]);
  const buckets = await readings.rollup('daily').scanAll().all();
  expect(buckets.map(({ n }) => n)).toEqual([1, 1, 1, 1]);
  db.clock.set(start + 2 * day);
  expect(await values()).toEqual([1]);
  expect(await entries()).toEqual([1]);
  db.clock.set(start + 30 * day);
  expect(await values()).toEqual([]);
  expect(await entries()).toEqual([]);
});

test('the time may be a column; lines without it are rejected, and @at of a line wins', async () => {
  const [first, second, third, fourth] = lines;
  const result = await importInto(
    Reading,
    [
      { ...first, read: ago(40) },
      second,
      { ...third, '@at': (start - day) * 1000 },
      { ...fourth, read: ago(2) },
    ],
    { cellTimes: 'read' },
  );
  expect(result).toMatchObject({ written: 3, rejected: 1, expired: 1 });
  expect(result.reasons[0].reason).toBe(
    'read: it is the time of the cells of the row, and it is undefined',
  );
  expect(await values()).toEqual([60, 31]);
});

test('what the entity declares is counted as well, and lines with times in the file', async () => {
  expect(
    await importInto(
      Stamped,
      lines.map(({ at, value }) => ({ at, value })),
    ),
  ).toMatchObject({
    written: 4,
    expired: 2,
  });
  const times = lines.map((line, i) => ({ ...line, '@at': (start - i * 20 * day) * 1000 }));
  const result = await importInto(Reading, times);
  expect(result).toMatchObject({ written: 4, expired: 2 });
  expect(result.keptLonger).toBeUndefined();
  const plain = await importInto(Plain, [{ id: '1', text: 'x' }]);
  expect(plain.expired).toBe(0);
});

test('the counts survive an import that was stopped', async () => {
  const file = join(folder, 'stamped.jsonl');
  // More than the batches that are written at the same time.
  const many = Array.from({ length: 9_000 }, (_, i) => {
    const days = i % 2 === 0 ? 1 : 60;
    return { at: new Date(start - days * day - i).toISOString(), value: i };
  });
  writeFileSync(file, many.map((line) => JSON.stringify(line)).join('\n'));
  const { model } = db.repository(Stamped);
  const stop = new AbortController();
  const options = { format: 'jsonl', clock: () => start, cellTimes: 'at' } as const;
  const onProgress = ({ written }: { readonly written: number }): void => {
    if (written > 0) stop.abort();
  };
  await expect(
    importRows(db.engine, model, file, { ...options, onProgress, signal: stop.signal }),
  ).rejects.toThrow();
  await expect(
    importRows(db.engine, model, file, { format: 'jsonl', resume: true }),
  ).rejects.toMatchObject({ code: 'FILE_FAILED', details: { property: 'cellTimes' } });
  const result = await importRows(db.engine, model, file, { ...options, resume: true });
  expect(result).toMatchObject({ written: 9_000, expired: 4_500 });
});

test.each<[string, EntityClass, unknown, object]>([
  ['an unknown property', Reading, 'when', { fix: "name one of 'at', 'read'" }],
  [
    'a segment of text',
    Reading,
    'device',
    { problem: 'the string "device" is not a timestamp of the entity' },
  ],
  ['no name', Reading, 5, { problem: 'the number 5 is not a timestamp of the entity' }],
  [
    'an entity without times',
    Plain,
    'text',
    { fix: 'leave cellTimes out, or write @at into each line' },
  ],
  [
    'another time than declared',
    Stamped,
    'value',
    { problem: "Stamped declares that its cells have the time of 'at'" },
  ],
  ['a declared end', Lease, 'until', { fix: 'leave cellTimes out' }],
])('%s is refused as cellTimes', async (_name, entity, cellTimes, details) => {
  await expect(importInto(entity, [], { cellTimes: cellTimes as string })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { entity: entity.name, property: 'cellTimes', ...details },
  });
});

describe('rows that name the time of their end', () => {
  const leases = () => db.repository(Lease);
  const until = (days: number): string => ago(-days);

  test('a line replaces the row, also with an earlier end', async () => {
    await importInto(Lease, [{ id: '1', until: until(9), user: 'ann', note: 'x' }]);
    const result = await importInto(Lease, [
      { id: '1', until: until(2), user: 'bob' },
      { id: '2', until: ago(1), user: 'bob' },
      { id: '3', user: 'bob' },
    ]);
    expect(result).toMatchObject({ written: 2, rejected: 1, expired: 1 });
    const two = { id: '1', until: new Date(start + 2 * day), user: 'bob' };
    expect(await leases().scanAll().all()).toEqual([two]);
    db.clock.set(start + 2 * day);
    expect(await leases().index('byUser').scanAll().all()).toEqual([two]);
    db.clock.advance(1);
    expect(await leases().scanAll().count()).toBe(0);
    expect(await leases().index('byUser').scanAll().count()).toBe(0);
    const faults = (await db.derived.verify(Lease)).found;
    expect(Object.values(faults).every((count) => count === 0)).toBe(true);
  });

  test('a save shortens a row with a marker; an import of an export has the same rows', async () => {
    await leases().save(leases().create({ id: '1', until: new Date(start + 9 * day) }));
    await leases().save(leases().create({ id: '1', until: new Date(start + 3 * day) }));
    const file = join(folder, 'leases.jsonl');
    await exportRows(db.engine, leases().model, file, { format: 'jsonl' });
    await leases().delete({ id: '1' });
    await importRows(db.engine, leases().model, file, { format: 'jsonl', clock: () => start });
    db.clock.set(start + 3 * day);
    expect(await leases().scanAll().count()).toBe(1);
    db.clock.advance(1);
    expect(await leases().exists({ id: '1' })).toBe(false);
  });
});
