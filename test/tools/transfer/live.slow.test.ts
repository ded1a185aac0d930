/**
 * Import, export and migration over the live engine, with our server and Google's emulator.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, open } from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  exportRows,
  importRows,
  migrate,
  type RowFormat,
} from '../../../src/tools/transfer/index.js';
import { findEmulator } from '../../support/emulator.js';
import fc from '../../support/fast-check.js';
import { startGoogleEmulator } from '../../support/google-emulator.js';
import { seed } from '../../support/seed.js';
import { dump, Everything, instances } from './everything.js';
import {
  endAll,
  ending,
  expectMoved,
  linesOf,
  liveDatabase,
  model,
  ourServer,
} from './live-databases.js';
import { New, Row } from './live-process.js';

// Tests are slow on a busy machine.

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-live-transfer-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(endAll);
const google = findEmulator();

async function addressOf(which: string): Promise<string> {
  if (which !== 'the emulator') return (await ourServer()).server.address;
  const emulator = await startGoogleEmulator(google!);
  ending.push(() => emulator.close());
  return emulator.address;
}

describe('round trip of every kind', () => {
  test.each<[string, RowFormat, string]>([
    ['our server', 'jsonl', 'live.jsonl'],
    ['our server', 'csv', 'live.csv.gz'],
    ['the emulator', 'jsonl', 'google.jsonl.gz'],
    ['the emulator', 'csv', 'google.csv'],
  ])('%s: %s in %s', async (which, format, name) => {
    if (which === 'the emulator' && google === undefined) return;
    const address = await addressOf(which);
    const live = await liveDatabase([Everything], address, true);
    const local = await open('memory:', { entities: [Everything] });
    ending.push(() => local.close());
    const rows = fc.sample(instances, { numRuns: 40, seed });
    const everything = live.repository(Everything);
    await everything.saveMany(rows);
    for (const row of rows.slice(0, 20)) {
      await everything.patch(row, { text: 'again', scores: new Map([['a', 5n]]) });
      await everything.increment(row, 'plain', 3n);
      await everything.increment(row, 'added', -4n);
    }
    const form = { format, gzip: name.endsWith('.gz') };
    const [out, back] = [join(folder, name), join(folder, `back-${name}`)];
    expect(await exportRows(live.engine, buildModel(Everything), out, form)).toMatchObject({
      rows: 40,
      undeclaredCells: 0,
    });
    expect(await importRows(local.engine, buildModel(Everything), out, form)).toMatchObject({
      written: 40,
      rejected: 0,
    });
    expect(await dump(local)).toEqual(await dump(live));
    // And again into the live table: importing twice changes nothing.
    const before = await dump(live);
    await live.engine.dropRowRange('everything', { kind: 'all' });
    for (let turn = 0; turn < 2; turn++) {
      expect(await importRows(live.engine, buildModel(Everything), out, form)).toMatchObject({
        written: 40,
        rejected: 0,
      });
      expect(await dump(live)).toEqual(before);
    }
    await exportRows(live.engine, buildModel(Everything), back, form);
    expect(readFileSync(back).equals(readFileSync(out))).toBe(true);
  });
});

test.each(['our server', 'the emulator'])(
  'migration, with dry run, comparison and deletion: %s',
  async (which) => {
    if (which === 'the emulator' && google === undefined) return;
    const address = await addressOf(which);
    const { engine } = await liveDatabase([Row], address, true);
    const file = join(folder, 'seed.jsonl');
    writeFileSync(file, linesOf(1_500));
    await importRows(engine, model, file, { format: 'jsonl' });
    const before = await dump({ engine } as Database, 'rows');
    expect(await migrate(engine, { from: Row, to: New }, { dryRun: true })).toMatchObject({
      rows: 1_500,
      copied: 0,
    });
    expect(await dump({ engine } as Database, 'rows')).toEqual(before);
    expect(await migrate(engine, { from: Row, to: New }, { deleteOld: true })).toMatchObject({
      rows: 1_500,
      copied: 1_500,
      verified: 1_500,
      deleted: 1_500,
      undeclaredCells: 0,
    });
    await expectMoved(address, 1_500);
  },
);
