/** Tables that are dropped whole: in one small commit, and their space comes back by itself. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../../src/data/store/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import { read, set, utf8 } from '../conformance.js';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-dropped-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const names = (kind: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith(kind));

async function filled(engine: Engine, rows: number): Promise<void> {
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const all = Array.from({ length: rows }, (_, i) => ({
    key: utf8(`k${1e6 + i}`),
    mutations: [set('a', 'q', 'v'.repeat(200))],
  }));
  await engine.mutateRows('t', all);
}

test('the files of a dropped table are removed without a compaction', async () => {
  const limits = { ...defaultLimits, buffer: 200_000, table: 200_000, level: 400_000 };
  const engine = await openDiskEngine(directory, { limits });
  await filled(engine, 10_000);
  // Writes go on while tables are written and merged.
  while (names('table.').length < 4) await new Promise((resolve) => void setImmediate(resolve));
  await engine.deleteTable('t');
  while (names('table.').length > 1) await new Promise((resolve) => void setImmediate(resolve));
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  expect(await read(engine)).toEqual([]);
  await engine.close();
});

test('the log of rows that were all dropped is not kept', async () => {
  // The catalog is in a table, and rows are in the log.
  const created = await openDiskEngine(directory, { limits: { ...defaultLimits, keptLog: 0 } });
  await filled(created, 1);
  await created.close();
  const engine = await openDiskEngine(directory, { limits: { ...defaultLimits, keptLog: 1e9 } });
  for (let i = 0; i < 50; i++)
    await engine.mutateRow('t', {
      key: utf8(`r${i}`),
      mutations: [set('a', 'q', 'v'.repeat(4000))],
    });
  await engine.dropRowRange('t', { kind: 'all' });
  await engine.close();
  expect(statSync(join(directory, 'log.2-1')).size).toBeGreaterThan(100_000);
  const again = await openDiskEngine(directory);
  expect(existsSync(join(directory, 'log.2-1'))).toBe(false);
  expect(await read(again)).toEqual([]);
  await again.close();
});
