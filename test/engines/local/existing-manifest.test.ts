/** A file with the name of the next manifest, which somebody has put into the directory. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { compareRows, ensureTable, table, writeOf } from './torture/rows.js';

// The file was taken for the manifest, and the one that named the rows was removed.
test('is not taken for the manifest that was written', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-manifest-'));
  const engine = await openDiskEngine(directory);
  await ensureTable(engine);
  await engine.mutateRow(table, writeOf('row-1', 1, 100));
  const next = join(directory, 'manifest.1-2');
  writeFileSync(next, 'foreign');
  // The next number is taken.
  await engine.compact();
  expect(readFileSync(next, 'utf8')).toBe('foreign');
  expect(existsSync(`${next}.new`)).toBe(false);
  await engine.close();
  const again = await openDiskEngine(directory);
  const result = { lost: [], wrong: [] };
  const expectations = { 'row-1': { acknowledged: 1, attempted: 1 } };
  await compareRows(again, expectations, { maxBytes: 100, result });
  expect(result).toEqual({ lost: [], wrong: [] });
  await again.close();
  rmSync(directory, { recursive: true });
});

test('files of earlier owners that the database does not need are removed when it is opened', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-manifest-'));
  await (await openDiskEngine(directory)).close();
  const before = readdirSync(directory);
  const left = ['table.1-900', 'log.1-900.new', 'manifest.1-900.new'];
  for (const name of left) writeFileSync(join(directory, name), 'left');
  const engine = await openDiskEngine(directory);
  expect(readdirSync(directory).filter((name) => left.includes(name))).toEqual([]);
  await engine.close();
  expect(readdirSync(directory)).toHaveLength(before.length);
  rmSync(directory, { recursive: true });
});
