/** Exports in processes that are killed, and resumed by the next. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { startServer } from '../../../src/server/index.js';
import {
  exportRows,
  exportStateFile,
  type ExportResult,
} from '../../../src/tools/transfer/index.js';
import { Row } from './exporting.js';
import { model, next, rowsOf, beside } from './export-rows.js';
import { buildProgram } from '../../support/process-program.js';

// Tests are slow on a busy machine.

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('processes that are killed', () => {
  const data = join(folder, 'data');
  let program: string;
  const wholes = new Map<string, Buffer>();
  beforeAll(async () => {
    program = buildProgram(join(__dirname, 'exporting.ts'), folder);
    const db = await open(`file:${data}`, { entities: [Row], durability: 'relaxed' });
    await db.repository(Row).saveMany(rowsOf(4_000, 1_000));
    for (const [name, form] of [
      ['jsonl', { format: 'jsonl' }],
      ['csv.gz', { format: 'csv', gzip: true }],
    ] as const) {
      const whole = join(folder, `whole.${name}`);
      await exportRows(db.engine, model, whole, form);
      wholes.set(name, readFileSync(whole));
    }
    await db.close();
  });

  /**
   * Runs one export that is killed some milliseconds after some pages. Returns its result, or
   * undefined if it was killed.
   */
  async function exported(
    url: string,
    file: string,
    name: string,
    kill: readonly number[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<ExportResult | undefined> {
    const child = spawn(
      process.execPath,
      [program, url, file, name.split('.')[0], String(name.endsWith('.gz')), ...kill.map(String)],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } },
    );
    let reported = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (reported += text));
    const [code, signal] = await new Promise<[number | null, string | null]>(
      (resolve) => void child.on('close', (...end) => resolve(end)),
    );
    expect([code, signal]).toEqual(kill.length === 0 ? [0, null] : [null, 'SIGKILL']);
    return code === 0
      ? (JSON.parse(reported.trim().split('\n').at(-1)!) as ExportResult)
      : undefined;
  }

  async function killedAndResumed(
    url: string,
    name: string,
    kills: readonly (readonly number[])[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const file = join(folder, `killed.${name}`);
    let kept = 0;
    for (const kill of kills) {
      await exported(url, file, name, kill, env);
      // Partial output never has the final name.
      expect(existsSync(file)).toBe(false);
      kept = (
        JSON.parse(readFileSync(exportStateFile(file), 'utf8')) as { position: { rows: number } }
      ).position.rows;
    }
    expect(await exported(url, file, name, [], env)).toEqual({
      rows: 4_000,
      undeclaredCells: 0,
      resumedAfter: kept,
    });
    expect(readFileSync(file).equals(wholes.get(name)!)).toBe(true);
    expect(beside(file)).toEqual([]);
    rmSync(file);
  }

  // 14 pages of at least 60 ms, with two checkpoints a second: the first kill comes after a
  // checkpoint, the second before the end.
  test.each(['jsonl', 'csv.gz'])('over the embedded engine: %s', async (name) => {
    await killedAndResumed(`file:${data}`, name, [
      [11 + next(2), next(60)],
      [1, 0],
    ]);
  });

  test('over the network', async () => {
    const db = await open(`file:${data}`, { entities: [Row] });
    const server = await startServer(db.engine, { instance: 'projects/p/instances/instance-1' });
    try {
      await killedAndResumed('bigtable://p/instance-1', 'csv.gz', [[11, next(60)]], {
        BIGTABLE_EMULATOR_HOST: server.address,
      });
    } finally {
      await server.close({ graceMs: 200 });
      await db.close();
    }
  });
});
