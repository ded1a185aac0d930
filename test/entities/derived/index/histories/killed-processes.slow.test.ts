/** Real processes that are killed while they write rows with indexes, on disk and over a server. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../../../src/index.js';
import { openOverOurServer } from '../../../../engines/bigtable/live-backends.js';
import { Order } from '../entities.js';
import { databaseOver, inexact, missing, repairAll } from './run-history.js';
import { buildProgram } from '../../../../support/process-program.js';

const hourMillis = 3_600_000;
let directory: string;
let program: string;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'rowsmith-killed-')));
  program = buildProgram(join(__dirname, 'writer-process.ts'), directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a writer, and kills it some time after it has begun. */
async function killedWriter(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () =>
    setTimeout(() => child.kill('SIGKILL'), 20 + Math.random() * 150),
  );
  const ending = await new Promise((resolve) => void child.on('close', (...end) => resolve(end)));
  expect(ending).toEqual([null, 'SIGKILL']);
}

test('on disk, a killed writer leaves rows that every index finds', async () => {
  const url = `file:${join(directory, 'db')}`;
  mkdirSync(join(directory, 'db'));
  let orphans = 0;
  for (let round = 0; round < 12; round++) {
    await killedWriter([url, '', String(round), '0']);
    const db = await open(url, { entities: [Order] });
    expect(await missing(db)).toEqual([]);
    orphans += await repairAll(db.engine, db);
    expect(await inexact(db)).toEqual([]);
    await db.close();
  }
  // Rows and entries are written in one transaction.
  expect(orphans).toBe(0);
});

test('over a server, killed writers with different clocks leave rows that every index finds', async () => {
  const server = await openOverOurServer();
  const db = databaseOver(server.engine);
  try {
    await db.admin.apply();
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        [-20, 0, 20].map((hours, i) =>
          killedWriter([
            'bigtable://p/instance-1',
            server.address,
            String(round * 10 + i),
            String(hours * hourMillis),
          ]),
        ),
      );
      expect(await missing(db)).toEqual([]);
      await repairAll(db.engine, db);
      expect(await inexact(db)).toEqual([]);
    }
  } finally {
    await server.close();
  }
});
