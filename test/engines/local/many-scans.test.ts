/**
 * A thousand scans at once over one engine: all go on side by side, each holds its own place, and
 * none holds the file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/bytes/index.js';
import { openDiskEngine, openMemoryEngine } from '../../../src/engines/local/index.js';
import type { Engine, RowStream } from '../../../src/store/index.js';
import { set, utf8 } from '../conformance.js';

const scans = 1000;
const rows = 600;

/**
 * Reads one page of each scan in turn, and writes between the rounds; answers how many rows each
 * gave.
 */
async function interleaved(engine: Engine): Promise<number[]> {
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await engine.mutateRows(
    't',
    Array.from({ length: rows }, (_, at) => ({
      key: utf8(`r${at + 1000}`),
      mutations: [set('a', 'q', 'v'.repeat(100))],
    })),
  );
  const open: (RowStream | undefined)[] = Array.from({ length: scans }, (_, at) =>
    engine.readRows({ table: 't', ranges: [everyKey], reversed: at % 2 === 1 }, { pageRows: 100 }),
  );
  const seen = new Array<number>(scans).fill(0);
  for (let round = 0; open.some((stream) => stream !== undefined); round++) {
    await Promise.all(
      open.map(async (stream, at) => {
        const page = await stream?.next();
        if (page === undefined) open[at] = undefined;
        else while (page.nextRow()) seen[at] += page.keyEnd - page.keyStart === 5 ? 1 : 1000;
      }),
    );
    // A row that every scan has behind it or in front of it, replaced by itself.
    await engine.mutateRow('t', {
      key: utf8(`r${1000 + round * 7}`),
      mutations: [set('a', 'q', 'w'.repeat(100))],
    });
  }
  return seen;
}

test('in memory', async () => {
  const engine = await openMemoryEngine();
  expect(await interleaved(engine)).toEqual(new Array(scans).fill(rows));
  await engine.close();
});

test('on disk, where lmdb has room for eight readers and the scans need none between their pages', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-scans-'));
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  expect(await interleaved(engine)).toEqual(new Array(scans).fill(rows));
  await engine.close();
  rmSync(directory, { recursive: true });
});
