/** The newest timestamp outlives the process that issued it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { CellClock, collectRows } from '../../../src/data/store/index.js';
import { set, utf8 } from '../conformance.js';
import { bundleEngine } from './bundle.js';

const hour = 3_600_000;

test('after a process was killed, a clock that was set back does not hide writes', async () => {
  const programs = bundleEngine(['clock-writer.mjs']);
  const directory = join(mkdtempSync(join(tmpdir(), 'rowsmith-newest-')), 'data');
  const { signal } = spawnSync(process.execPath, [join(programs, 'clock-writer.mjs'), directory], {
    stdio: 'inherit',
  });
  expect(signal).toBe('SIGKILL');
  const engine = await openDiskEngine(directory, { cellClock: new CellClock(Date.now) });
  await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'later', -1)] });
  const plan = { table: 't', ranges: [everyKey], reversed: false };
  const [{ cells }] = await collectRows(engine.readRows(plan));
  expect(Buffer.from(cells[0].value).toString()).toBe('later');
  const aheadMs = Number(cells[0].timestamp) / 1000 - Date.now();
  expect(aheadMs).toBeGreaterThan(hour - 60_000);
  expect(aheadMs).toBeLessThanOrEqual(hour + 1000);
  await engine.close();
  for (const folder of [programs, join(directory, '..')]) rmSync(folder, { recursive: true });
});
