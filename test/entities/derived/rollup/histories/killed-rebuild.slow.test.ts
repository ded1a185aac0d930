/** Real processes that are killed while they rebuild a rollup; another one continues. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Database, open } from '../../../../../src/index.js';
import { openOverOurServer } from '../../../../engines/bigtable/live-backends.js';
import { Reading } from '../rollup-entities.js';
import { buildProgram } from '../../../../support/process-program.js';

/** A bucket for each row; 256 between two reports of progress. */
const rowCount = 700;
const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 1, h));
let directory: string;
let program: string;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'rowsmith-rebuild-')));
  program = buildProgram(join(__dirname, 'rebuild-process.ts'), directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Rows that are not counted. */
async function writeUncounted(db: Database): Promise<void> {
  const { model } = db.repository(Reading);
  const energy = model.columns.find(({ property }) => property === 'energy')!;
  const rows = Array.from({ length: rowCount }, (_, i) => ({
    key: model.key.encode({ tenant: 'a', device: 'd', at: hour(i) }),
    mutations: [
      {
        kind: 'setCell' as const,
        family: energy.family,
        qualifier: Buffer.from('energy'),
        timestamp: 0,
        value: energy.codec.encode(BigInt(i)),
      },
    ],
  }));
  const errors = await db.engine.mutateRows('readings', rows);
  expect(errors.filter((error) => error !== undefined)).toEqual([]);
}

/** Runs a rebuild and kills it after some reports. Returns the last one. */
async function killedRebuild(url: string, host: string, reports: number): Promise<string> {
  const child = spawn(process.execPath, [program, url, host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    seen.push(line);
    // Some milliseconds later it is in the middle of its next buckets.
    if (seen.length === reports) setTimeout(() => child.kill('SIGKILL'), 10 + Math.random() * 60);
  });
  const ending = await new Promise((resolve) => void child.on('close', (...end) => resolve(end)));
  expect(ending).toEqual([null, 'SIGKILL']);
  return seen[seen.length - 1];
}

async function assertContinued(db: Database, after: string): Promise<void> {
  const before = await db.derived.rollups.verify(Reading, { name: 'hourly' });
  // It has done some buckets, and not all of them.
  expect(before.missing).toBeGreaterThan(0);
  expect(before.missing).toBeLessThan(rowCount);
  const rest = await db.derived.rollups.rebuild(Reading, 'hourly', { after });
  expect(rest.rows).toBeLessThan(rowCount);
  expect(rest.repaired).toBe(before.missing);
  const { compared, missing, orphan, wrong } = await db.derived.rollups.verify(Reading, {
    name: 'hourly',
  });
  expect({ compared, missing, orphan, wrong }).toEqual({
    compared: rowCount,
    missing: 0,
    orphan: 0,
    wrong: 0,
  });
}

test('on disk, a rebuild that was killed is continued from its last report', async () => {
  for (let round = 1; round <= 2; round++) {
    const folder = join(directory, `db-${round}`);
    mkdirSync(folder);
    const url = `file:${folder}`;
    const first = await open(url, { entities: [Reading] });
    await writeUncounted(first);
    await first.close();
    const after = await killedRebuild(url, '', round);
    const db = await open(url, { entities: [Reading] });
    await assertContinued(db, after);
    await db.close();
  }
});

test('over a server, a rebuild that was killed is continued from its last report', async () => {
  const server = await openOverOurServer();
  const bigtable = { emulatorHost: server.address };
  const db = await open('bigtable://p/instance-1', { entities: [Reading], bigtable });
  try {
    await db.admin.apply();
    await writeUncounted(db);
    const after = await killedRebuild('bigtable://p/instance-1', server.address, 1);
    await assertContinued(db, after);
  } finally {
    await db.close();
    await server.close();
  }
});
