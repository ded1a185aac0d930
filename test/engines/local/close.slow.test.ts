/**
 * Closing during an operation of several commits: it is completed or rejected, and does not access
 * the closed store.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { set, utf8 } from '../conformance.js';

const work = mkdtempSync(join(tmpdir(), 'rowsmith-close-'));
const filled = join(work, 'filled');
const directory = join(work, 'db');

const families = new Map([
  ['a', {}],
  ['b', {}],
]);
const rows = Array.from({ length: 3000 }, (_, i) => ({
  key: utf8(`row-${i}`),
  mutations: [set('a', 'q', 'v'), set('b', 'q', 'v')],
}));

beforeAll(async () => {
  const engine = await openDiskEngine(filled, { durability: 'relaxed' });
  await engine.createTable({ name: 't', families });
  await engine.mutateRows('t', rows);
  await engine.close();
});
afterAll(() => rmSync(work, { recursive: true }));

// Found by test/differential: the second commit of a deletion was executed after the store was
// closed, and the exception ended the process.
test.each<[string, (engine: Engine) => Promise<unknown>]>([
  ['deleting a table', (engine) => engine.deleteTable('t')],
  ['dropping a family', (engine) => engine.modifyFamilies('t', [{ kind: 'drop', family: 'b' }])],
  ['dropping rows', (engine) => engine.dropRowRange('t', { kind: 'prefix', prefix: utf8('row') })],
  ['collecting garbage', (engine) => engine.compact('t')],
])('%s', async (_what, begin) => {
  // One turn later each time, so that the engine is closed between different commits.
  for (let turns = 0; turns < 8; turns++) {
    cpSync(filled, directory, { recursive: true });
    const engine = await openDiskEngine(directory, { durability: 'relaxed' });
    const outcome = begin(engine).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    await engine.close();
    expect(['done', 'DATABASE_CLOSED', 'STORAGE_FAILED']).toContain(await outcome);
    await new Promise(setImmediate);

    const again = await openDiskEngine(directory);
    const table = (await again.listTables()).find(({ name }) => name === 't');
    if (table !== undefined) {
      const remaining = await collectRows(
        again.readRows({ table: 't', ranges: [everyKey], reversed: false }),
      );
      // A dropped family has no cells, even where its sweep was interrupted.
      for (const { cells } of remaining)
        expect(cells.map(({ family }) => family)).toEqual([...table.families.keys()]);
    }
    await again.close();
    rmSync(directory, { recursive: true });
  }
});

// 500 openings that wrote a row each left 500 segments, all of which the next opening flushed.
test.each([
  ['closed', true],
  ['killed', false],
])('owners that write little and are %s do not leave a segment each', async (_how, isClosed) => {
  const owners = 24;
  let current = mkdtempSync(join(work, 'owners-'));
  const segments = (): string[] =>
    readdirSync(current).filter((name) => name.startsWith('log.') && !name.endsWith('.new'));
  for (let owner = 1; owner <= owners; owner++) {
    const engine = await openDiskEngine(current, { durability: 'relaxed' });
    if (owner === 1) await engine.createTable({ name: 't', families });
    await engine.mutateRow('t', { key: utf8(`row-${owner}`), mutations: [set('a', 'q', 'v')] });
    let next = current;
    if (!isClosed) {
      while (segments().length > 10) await new Promise(setImmediate);
      // What a killed process would leave.
      next = mkdtempSync(join(work, 'owners-'));
      cpSync(current, next, { recursive: true });
    }
    await engine.close();
    current = next;
  }
  expect(segments().length).toBeLessThan(owners / 2);
  const engine = await openDiskEngine(current, { durability: 'relaxed' });
  const stream = engine.readRows({ table: 't', ranges: [everyKey], reversed: false });
  expect(await collectRows(stream)).toHaveLength(owners);
  await engine.close();
});

// The next opening was CORRUPT_DATA: nothing named the tables, or the rows were only in the log.
test.each(['log', 'manifest'])('closing writes again what a deleted %s had', async (kind) => {
  const current = mkdtempSync(join(work, 'deleted-'));
  const engine = await openDiskEngine(current);
  await engine.createTable({ name: 't', families });
  await engine.mutateRows('t', rows.slice(0, 100));
  for (const name of readdirSync(current))
    if (name.startsWith(`${kind}.`)) rmSync(join(current, name));
  await engine.close();
  const again = await openDiskEngine(current);
  const stream = again.readRows({ table: 't', ranges: [everyKey], reversed: false });
  expect(await collectRows(stream)).toHaveLength(100);
  await again.close();
});
