/** A file with the name of the next manifest, which somebody has put into the directory. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
