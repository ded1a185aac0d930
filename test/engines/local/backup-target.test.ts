/** Directories that a database is not copied to, and callers that fail. */
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openReadOnlyEngine } from '../../../src/engines/local/index.js';
import { rejects } from '../conformance.js';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-target-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const noStep = (): void => undefined;

// The copy was a file that the database does not know, so that it was not opened again.
test('a database is not copied into its own directory', async () => {
  const database = join(directory, 'db');
  const link = join(directory, 'link');
  const owner = await openDiskEngine(database, { durability: 'relaxed' });
  symlinkSync(database, link);
  const reader = await openReadOnlyEngine(link);
  for (const engine of [owner, reader])
    for (const target of [database, join(database, 'a', 'b'), join(link, 'copy')])
      await rejects(engine.backup(target, noStep), 'FAILED_PRECONDITION');
  const beside = join(directory, 'db2');
  await owner.backup(beside, noStep);
  expect(existsSync(join(beside, 'rowsmith.json'))).toBe(true);
  await reader.close();
  await owner.close();
  await (await openDiskEngine(database)).close();
});

// They were errors of Node; a folder below /proc was created without end.
test('other directories that cannot be used are typed errors', async () => {
  const engine = await openDiskEngine(join(directory, 'db'), { durability: 'relaxed' });
  const file = join(directory, 'file');
  writeFileSync(file, '');
  await rejects(engine.backup(file, noStep), 'FAILED_PRECONDITION');
  await rejects(engine.backup(directory, noStep), 'FAILED_PRECONDITION');
  for (const target of [join(file, 'copy'), '/proc/rowsmith/copy', join(directory, 'a\0b')])
    await rejects(engine.backup(target, noStep), 'STORAGE_FAILED');
  expect(readdirSync(directory).sort()).toEqual(['db', 'file']);
  await engine.close();
});

test('an error of the caller ends a compaction, and is not one of the disk', async () => {
  const engine = await openDiskEngine(join(directory, 'db'), { durability: 'relaxed' });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const onProgress = (): never => {
    throw new RangeError('the bar');
  };
  await expect(engine.compact(undefined, { onProgress })).rejects.toThrow(RangeError);
  await engine.compact();
  await engine.close();
});
