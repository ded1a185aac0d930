/**
 * Import, export and migration over a service and a network with faults, and killed in the middle:
 * nothing is lost, and nothing done twice.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { buildSync } from 'esbuild';
import { type Database, open } from '../../src/index.js';
import {
  exportRows,
  importRows,
  migrate,
  type MigrationProgress,
} from '../../src/transfer/index.js';
import { random } from '../engines/history.js';
import { liveUrl } from '../engines/bigtable/live-backends.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import { type CallFailure, type SeenCall, startFaultServer } from '../support/fault-server.js';
import { seed } from '../support/seed.js';
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

// A busy machine is no fault.
jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-live-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(endAll);
const next = random(seed);

describe('faults', () => {
  /**
   * Fails about every third call that writes: before or behind what the server did, and between its
   * answers.
   */
  function faults({ method }: SeenCall): CallFailure | undefined {
    if (!method.endsWith('/MutateRows') || next(3) !== 0) return undefined;
    const code = ([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.ABORTED, 'reset'] as const)[
      next(4)
    ];
    return { code, reaches: next(2) === 0, afterMessages: next(2) };
  }

  test('a service that fails in mid-import: nothing is lost, and nothing twice, counters too', async () => {
    const { behind, server } = await ourServer();
    const service = await startFaultServer(server.address, faults);
    ending.push(() => service.close());
    const live = await liveDatabase([Row], service.address, true);
    const file = join(folder, 'faulty.jsonl');
    writeFileSync(file, linesOf(6_000));
    expect(
      await importRows(live.engine, model, file, { format: 'jsonl', rejects: `${file}.rejects` }),
    ).toMatchObject({ written: 6_000, rejected: 0, reasons: [] });
    expect(service.failures()).toBeGreaterThan(0);
    await expectAll(behind, 6_000, folder);
  });

  test('a network that cuts lines in mid-import and in mid-export', async () => {
    const { behind, server } = await ourServer();
    const proxy = await startFaultProxy(server.address);
    ending.push(() => proxy.close());
    const live = await liveDatabase([Row], proxy.address, true);
    const file = join(folder, 'cut.jsonl');
    writeFileSync(file, linesOf(5_000));
    let bytes = 0;
    proxy.faults.cut = (more) => (bytes += more) > 20_000 && ((bytes = 0), proxy.cuts() < 3);
    expect(await importRows(live.engine, model, file, { format: 'jsonl' })).toMatchObject({
      written: 5_000,
      rejected: 0,
    });
    await expectAll(behind, 5_000, folder);
    const cuts = proxy.cuts();
    proxy.faults.cut = (more) =>
      (bytes += more) > 300_000 && ((bytes = 0), proxy.cuts() < cuts + 2);
    const [out, whole] = [join(folder, 'out.jsonl'), join(folder, 'whole.jsonl')];
    await exportRows(live.engine, model, out, { format: 'jsonl' });
    expect(proxy.cuts()).toBeGreaterThan(cuts);
    await exportRows(behind, model, whole, { format: 'jsonl' });
    expect(readFileSync(out).equals(readFileSync(whole))).toBe(true);
  });

  test('a service that is gone for longer ends the import with a reason, no line is bad, and resume goes on', async () => {
    const { behind, server } = await ourServer();
    let gone = true;
    let calls = 0;
    // From the second write on: progress may be told when all is written.
    const service = await startFaultServer(server.address, ({ method }) =>
      gone && method.endsWith('/MutateRows') && ++calls > 1
        ? { code: status.UNAVAILABLE, reaches: false }
        : undefined,
    );
    ending.push(() => service.close());
    const patient = await liveDatabase([Row], service.address, true);
    const live = await open(liveUrl, {
      entities: [Row],
      bigtable: { emulatorHost: service.address, totalTimeoutMs: 300 },
    });
    ending.push(() => live.close());
    const file = join(folder, 'gone.jsonl');
    const rejects = `${file}.rejects`;
    writeFileSync(file, linesOf(6_000));
    await expect(
      importRows(live.engine, model, file, { format: 'jsonl', rejects }),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNAVAILABLE|DEADLINE_EXCEEDED)$/) as string,
    });
    expect(calls).toBeGreaterThan(1);
    gone = false;
    expect(
      await importRows(patient.engine, model, file, { format: 'jsonl', rejects, resume: true }),
    ).toMatchObject({ written: 6_000, rejected: 0 });
    await expectAll(behind, 6_000, folder);
  });

  test('a table or family that is not there ends it at once, with what to do', async () => {
    const { behind, server } = await ourServer();
    const live = await liveDatabase([Row], server.address);
    const file = join(folder, 'nowhere.jsonl');
    writeFileSync(file, linesOf(10));
    await expect(importRows(live.engine, model, file, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
    await behind.createTable({ name: 'rows', families: new Map([['m', {}]]) });
    await expect(importRows(live.engine, model, file, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'FAMILY_NOT_FOUND',
    });
  });

  test('a service that fails in mid-migration', async () => {
    const { server } = await ourServer();
    const seeded = await liveDatabase([Row], server.address, true);
    const file = join(folder, 'seed.jsonl');
    writeFileSync(file, linesOf(1_500));
    await importRows(seeded.engine, model, file, { format: 'jsonl' });
    const service = await startFaultServer(server.address, ({ method }) =>
      /MutateRows|ReadRows/.test(method) && next(4) === 0
        ? {
            code: next(2) === 0 ? status.UNAVAILABLE : 'reset',
            reaches: next(2) === 0,
            afterMessages: next(3),
          }
        : undefined,
    );
    ending.push(() => service.close());
    const live = await liveDatabase([Row], service.address);
    const told: MigrationProgress[] = [];
    expect(
      await migrate(
        live.engine,
        { from: Row, to: New },
        { deleteOld: true, onProgress: (progress) => told.push(progress) },
      ),
    ).toMatchObject({ rows: 1_500, copied: 1_500, verified: 1_500, deleted: 1_500 });
    expect(service.failures()).toBeGreaterThan(0);
    expect([...new Set(told.map(({ phase }) => phase))]).toEqual(['copy', 'verify', 'delete']);
    await expectMoved(server.address, 1_500);
  });
});

describe('processes that are killed, over the network', () => {
  const program = join(folder, 'live-process.mjs');
  beforeAll(() => {
    buildSync({
      entryPoints: [join(__dirname, 'live-process.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      external: [
        'lmdb',
        're2js',
        'sorted-btree',
        'class-validator',
        'csv-parse',
        'reflect-metadata',
        '@google-cloud/bigtable',
        '@grpc/grpc-js',
        '@opentelemetry/api',
      ],
    });
    symlinkSync(join(__dirname, '../../node_modules'), join(folder, 'node_modules'));
  });

  /** Runs the program, killed somewhere behind so many of its lines; resolves to whether it was. */
  async function run(address: string, what: string, file: string, lines: number): Promise<boolean> {
    const child = spawn(process.execPath, [program, what, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, BIGTABLE_EMULATOR_HOST: address },
    });
    let told = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text.split('\n').length - 1;
      if (told >= lines) setTimeout(() => child.kill('SIGKILL'), next(40));
    });
    const [code, signal] = await new Promise<[number | null, string | null]>(
      (resolve) => void child.on('close', (...end) => resolve(end)),
    );
    if (signal !== 'SIGKILL') expect(code).toBe(0);
    return code !== 0;
  }

  test('an import', async () => {
    const { behind, server } = await ourServer();
    await liveDatabase([Row], server.address, true);
    const file = join(folder, 'killed.jsonl');
    writeFileSync(file, linesOf(14_000));
    // A line each 200 ms: behind the sixth there is a state to go on from. On a busy machine it may
    // be done before it is killed.
    if (await run(server.address, 'import', file, 6))
      await run(server.address, 'import', file, Infinity);
    await expectAll(behind, 14_000, folder);
  });

  test('a migration', async () => {
    const { behind, server } = await ourServer();
    const live = await liveDatabase([Row], server.address, true);
    const file = join(folder, 'migrated.jsonl');
    writeFileSync(file, linesOf(2_000));
    await importRows(live.engine, model, file, { format: 'jsonl' });
    // In the copy, the comparison, the deletion: each takes two lines.
    let killed = true;
    for (const lines of [3, 4, Infinity])
      killed &&= await run(server.address, 'migrate', file, lines);
    expect(killed).toBe(false);
    await expectMoved(server.address, 2_000);
    expect(await dump({ engine: behind } as Database, 'rows')).toHaveLength(4 * 2_000);
  });
});
