/** A thousand concurrent scans of one engine: each keeps its position, and none holds the file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/base/index.js';
import { openDiskEngine, openMemoryEngine } from '../../../src/engines/local/index.js';
import type { Engine, RowStream } from '../../../src/data/store/index.js';
import { set, utf8 } from '../conformance.js';

const scans = 1000;
const rows = 600;

/** Reads a page of each scan in turn, writes between the rounds, and returns the rows of each. */
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
    // Replaces a row that scans have passed, or have not reached yet.
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

test('on disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-scans-'));
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  expect(await interleaved(engine)).toEqual(new Array(scans).fill(rows));
  await engine.close();
  rmSync(directory, { recursive: true });
});
