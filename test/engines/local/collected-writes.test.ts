/**
 * What a write holds is garbage once it has been committed, already for a collection of the young
 * generation: rows that survive it are copied. Bulk writes of the server left 5 of 14 MB, and
 * leave 0.5 since.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEngine } from './bundle.js';

test('writes are collected with the young generation', () => {
  const directory = bundleEngine(['kept-writes.mjs']);
  // In a separate process: in this one, the garbage of other tests would be counted.
  const args = ['--expose-gc', join(directory, 'kept-writes.mjs')];
  const kept = execFileSync(process.execPath, args, { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  // Megabytes: at most 0.6 in 40 runs, and 1.9 to 18 when a write kept its rows.
  expect(Number(kept)).toBeLessThan(1.2);
});
