/** Databases opened with readOnly: beside their owner, and incomplete. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey, pointRange, prefixRange } from '../../../src/base/index.js';
import { openEngine } from '../../../src/engines/index.js';
import { openReadOnlyEngine } from '../../../src/engines/local/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';
import { manyRows, filled } from './read-only-databases.js';

let work: string;
beforeAll(() => void (work = mkdtempSync(join(tmpdir(), 'rowsmith-read-'))));
afterAll(() => rmSync(work, { recursive: true }));

test('every kind of read returns what the owner reads', async () => {
  const directory = join(work, 'same');
  const owner = await filled(directory);
  const reader = await openReadOnlyEngine(directory);
  const ranges = [
    [everyKey],
    [prefixRange(utf8('k01'))],
    [{ start: utf8('k00500'), end: utf8('k00501') }, { start: utf8('k03') }],
    [pointRange(utf8('k00007')), pointRange(utf8('none')), pointRange(utf8('x'.repeat(4096)))],
  ];
  for (const reversed of [false, true])
    for (const each of ranges) {
      const plan = { ranges: each, reversed };
      expect(await read(reader, plan)).toEqual(await read(owner, plan));
    }
  expect(await reader.sampleRowKeys('t')).toEqual(await owner.sampleRowKeys('t'));
  await reader.close();
  await owner.close();
});

test('a reader sees the writes, tables and compactions of the owner', async () => {
  const directory = join(work, 'fresh');
  const owner = await filled(directory);
  const reader = await openReadOnlyEngine(directory);
  for (let round = 0; round < 3; round++) {
    const table = { name: `t${round}`, families: new Map([['a', {}]]) };
    await owner.createTable(table);
    expect((await reader.listTables()).map(({ name }) => name)).toContain(table.name);
    const row = { key: utf8(`n${round}`), mutations: [set('a', 'q', `${round}`)] };
    await owner.mutateRow(table.name, row);
    expect(await read(reader, { table: table.name })).toEqual([`n${round}{a:q@1000=${round}}`]);
    if (round % 2 === 0) await owner.dropRowRange('t', { kind: 'prefix', prefix: utf8('k') });
    else await owner.mutateRows('t', manyRows);
    await owner.compact();
    expect(await read(reader)).toEqual(await read(owner));
    await owner.deleteTable(table.name);
    await rejects(read(reader, { table: table.name }), 'TABLE_NOT_FOUND');
  }
  await owner.close();
  expect((await read(reader)).length).toBeGreaterThan(2);
  await reader.close();
});

const snapshot = (directory: string) =>
  readdirSync(directory)
    .sort()
    .map((name) => [name, statSync(join(directory, name)).mtimeMs]);

test('writes are UNSUPPORTED, and nothing in the directory changes', async () => {
  const directory = join(work, 'writes');
  await (await filled(directory)).close();
  const before = snapshot(directory);
  const reader = await openEngine(`file:${directory}`, { readOnly: true });
  const row = manyRows[0];
  const writes: (() => Promise<unknown>)[] = [
    () => reader.mutateRow('t', row),
    () => reader.mutateRows('t', [row]),
    () => reader.checkAndMutateRow('t', { key: row.key, onTrue: row.mutations, onFalse: [] }),
    () => reader.readModifyWriteRow('t', row.key, []),
    () => reader.dropRowRange('t', { kind: 'all' }),
    () => reader.createTable({ name: 'u', families: new Map() }),
    () => reader.deleteTable('t'),
    () => reader.modifyFamilies('t', []),
    () => reader.updateTable('t', { deletionProtection: true }),
    () => reader.compact(),
  ];
  for (const write of writes) await rejects(write(), 'UNSUPPORTED');
  expect((await read(reader)).length).toBe(6000 - 100 + 3);
  await reader.close();
  await rejects(read(reader), 'DATABASE_CLOSED');
  expect(snapshot(directory)).toEqual(before);
});

test('what is no complete database is reported, and nothing is created', async () => {
  const missing = join(work, 'missing');
  await rejects(openReadOnlyEngine(missing), 'NOT_A_DATABASE');
  expect(existsSync(missing)).toBe(false);
  const empty = join(work, 'empty');
  mkdirSync(empty);
  await rejects(openReadOnlyEngine(empty), 'NOT_A_DATABASE');
  writeFileSync(
    join(empty, 'rowsmith.json'),
    `{"format":"rowsmith-local","version":1,"database":"${'0a'.repeat(16)}","creating":true}`,
  );
  await rejects(openReadOnlyEngine(empty), 'NOT_A_DATABASE');
  writeFileSync(
    join(empty, 'rowsmith.json'),
    `{"format":"rowsmith-local","version":1,"database":"${'0a'.repeat(16)}"}`,
  );
  await rejects(openReadOnlyEngine(empty), 'CORRUPT_DATA');
  writeFileSync(join(empty, 'manifest.1-1'), 'x');
  await rejects(openReadOnlyEngine(empty), 'CORRUPT_DATA');
  await rejects(openReadOnlyEngine(join(empty, 'manifest.1-1')), 'NOT_A_DATABASE');
  expect(readdirSync(empty).sort()).toEqual(['manifest.1-1', 'rowsmith.json']);
});
