/**
 * Import, export and migration with a faulty service or network, and killed in the middle: nothing
 * is lost or done twice.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { type Database, open } from '../../../src/index.js';
import {
  exportRows,
  importRows,
  migrate,
  type MigrationProgress,
} from '../../../src/tools/transfer/index.js';
import { random } from '../../engines/history.js';
import { liveUrl } from '../../engines/bigtable/live-backends.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import {
  type CallFailure,
  type ReceivedCall,
  startFaultServer,
} from '../../support/fault-server.js';
import { seed } from '../../support/seed.js';
import { dump } from './everything.js';
import {
  endAll,
  ending,
  expectAll,
  expectMoved,
  linesOf,
  liveDatabase,
  model,
  ourServer,
} from './live-databases.js';
import { New, Row } from './live-process.js';
import { buildProgram } from '../../support/process-program.js';

// Tests are slow on a busy machine.

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-live-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(endAll);
const next = random(seed);

describe('faults', () => {
  /**
   * Fails about every third write: before or after the server applied it, or between its responses.
   */
  function faults({ method }: ReceivedCall): CallFailure | undefined {
    if (!method.endsWith('/MutateRows') || next(3) !== 0) return undefined;
    const code = ([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.ABORTED, 'reset'] as const)[
      next(4)
    ];
    return { code, reachesServer: next(2) === 0, afterMessages: next(2) };
  }

  test('a service that fails during an import: nothing is lost or written twice, including counters', async () => {
    const { storage, server } = await ourServer();
    const service = await startFaultServer(server.address, faults);
    ending.push(() => service.close());
    const live = await liveDatabase([Row], service.address, true);
    const file = join(folder, 'faulty.jsonl');
    writeFileSync(file, linesOf(6_000));
    expect(
      await importRows(live.engine, model, file, { format: 'jsonl', rejects: `${file}.rejects` }),
    ).toMatchObject({ written: 6_000, rejected: 0, reasons: [] });
    expect(service.failures()).toBeGreaterThan(0);
    await expectAll(storage, 6_000, folder);
  });

  test('a network that drops connections during an import and an export', async () => {
    const { storage, server } = await ourServer();
    const proxy = await startFaultProxy(server.address);
    ending.push(() => proxy.close());
    const live = await liveDatabase([Row], proxy.address, true);
    const file = join(folder, 'cut.jsonl');
    writeFileSync(file, linesOf(5_000));
    let bytes = 0;
    proxy.faults.disconnectOn = (more) =>
      (bytes += more) > 20_000 && ((bytes = 0), proxy.disconnects() < 3);
    expect(await importRows(live.engine, model, file, { format: 'jsonl' })).toMatchObject({
      written: 5_000,
      rejected: 0,
    });
    await expectAll(storage, 5_000, folder);
    const cuts = proxy.disconnects();
    proxy.faults.disconnectOn = (more) =>
      (bytes += more) > 300_000 && ((bytes = 0), proxy.disconnects() < cuts + 2);
    const [out, whole] = [join(folder, 'out.jsonl'), join(folder, 'whole.jsonl')];
    await exportRows(live.engine, model, out, { format: 'jsonl' });
    expect(proxy.disconnects()).toBeGreaterThan(cuts);
    await exportRows(storage, model, whole, { format: 'jsonl' });
    expect(readFileSync(out).equals(readFileSync(whole))).toBe(true);
  });

  test('a longer outage ends the import without rejecting lines, and it can be resumed', async () => {
    const { storage, server } = await ourServer();
    let isDown = true;
    let calls = 0;
    // From the second write on, so that some progress is reported.
    const service = await startFaultServer(server.address, ({ method }) =>
      isDown && method.endsWith('/MutateRows') && ++calls > 1
        ? { code: status.UNAVAILABLE, reachesServer: false }
        : undefined,
    );
    ending.push(() => service.close());
    const patient = await liveDatabase([Row], service.address, true);
    const live = await open(liveUrl, {
      entities: [Row],
      // The first write is within it on a busy machine as well.
      bigtable: { emulatorHost: service.address, totalTimeoutMs: 2_000 },
    });
    ending.push(() => live.close());
    const file = join(folder, 'outage.jsonl');
    const rejects = `${file}.rejects`;
    writeFileSync(file, linesOf(6_000));
    await expect(
      importRows(live.engine, model, file, { format: 'jsonl', rejects }),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNAVAILABLE|DEADLINE_EXCEEDED)$/) as string,
    });
    expect(calls).toBeGreaterThan(1);
    isDown = false;
    expect(
      await importRows(patient.engine, model, file, { format: 'jsonl', rejects, resume: true }),
    ).toMatchObject({ written: 6_000, rejected: 0 });
    await expectAll(storage, 6_000, folder);
  });

  test('a missing table or family ends it at once, with a fix', async () => {
    const { storage, server } = await ourServer();
    const live = await liveDatabase([Row], server.address);
    const file = join(folder, 'nowhere.jsonl');
    writeFileSync(file, linesOf(10));
    await expect(importRows(live.engine, model, file, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
    await storage.createTable({ name: 'rows', families: new Map([['m', {}]]) });
    await expect(importRows(live.engine, model, file, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'FAMILY_NOT_FOUND',
    });
  });

  test('a service that fails during a migration', async () => {
    const { server } = await ourServer();
    const seeded = await liveDatabase([Row], server.address, true);
    const file = join(folder, 'seed.jsonl');
    writeFileSync(file, linesOf(1_500));
    await importRows(seeded.engine, model, file, { format: 'jsonl' });
    const service = await startFaultServer(server.address, ({ method }) =>
      /MutateRows|ReadRows/.test(method) && next(4) === 0
        ? {
            code: next(2) === 0 ? status.UNAVAILABLE : 'reset',
            reachesServer: next(2) === 0,
            afterMessages: next(3),
          }
        : undefined,
    );
    ending.push(() => service.close());
    const live = await liveDatabase([Row], service.address);
    const reported: MigrationProgress[] = [];
    expect(
      await migrate(
        live.engine,
        { from: Row, to: New },
        { deleteOld: true, onProgress: (progress) => reported.push(progress) },
      ),
    ).toMatchObject({ rows: 1_500, copied: 1_500, verified: 1_500, deleted: 1_500 });
    expect(service.failures()).toBeGreaterThan(0);
    expect([...new Set(reported.map(({ phase }) => phase))]).toEqual(['copy', 'verify', 'delete']);
    await expectMoved(server.address, 1_500);
  });
});

describe('processes that are killed, over the network', () => {
  let program: string;
  beforeAll(() => {
    program = buildProgram(join(__dirname, 'live-process.ts'), folder);
  });

  /** Runs the program and kills it after some lines of output. Returns whether it was killed. */
  async function run(address: string, what: string, file: string, lines: number): Promise<boolean> {
    const child = spawn(process.execPath, [program, what, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, BIGTABLE_EMULATOR_HOST: address },
    });
    let reported = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      reported += text.split('\n').length - 1;
      if (reported >= lines) setTimeout(() => child.kill('SIGKILL'), next(40));
    });
    const [code, signal] = await new Promise<[number | null, string | null]>(
      (resolve) => void child.on('close', (...end) => resolve(end)),
    );
    if (signal !== 'SIGKILL') expect(code).toBe(0);
    return code !== 0;
  }

  test('an import', async () => {
    const { storage, server } = await ourServer();
    await liveDatabase([Row], server.address, true);
    const file = join(folder, 'killed.jsonl');
    writeFileSync(file, linesOf(14_000));
    // One line per 200 ms: after the sixth a position is stored. On a busy machine it may be done
    // before it is killed.
    if (await run(server.address, 'import', file, 6))
      await run(server.address, 'import', file, Infinity);
    await expectAll(storage, 14_000, folder);
  });

  test('a migration', async () => {
    const { storage, server } = await ourServer();
    const live = await liveDatabase([Row], server.address, true);
    const file = join(folder, 'migrated.jsonl');
    writeFileSync(file, linesOf(2_000));
    await importRows(live.engine, model, file, { format: 'jsonl' });
    // During the copy, the comparison and the deletion: each prints two lines.
    let killed = true;
    for (const lines of [3, 4, Infinity])
      killed &&= await run(server.address, 'migrate', file, lines);
    expect(killed).toBe(false);
    await expectMoved(server.address, 2_000);
    expect(await dump({ engine: storage } as Database, 'rows')).toHaveLength(4 * 2_000);
  });
});
