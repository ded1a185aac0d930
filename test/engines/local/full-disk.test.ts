/** A full disk: the write fails, earlier writes are kept, and the engine remains usable. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { bundleEngine } from './bundle.js';
import { read } from '../conformance.js';

// A full disk is simulated by a limit of the file size, which needs no privileges. Windows has
// none.
const onUnix = process.platform === 'win32' ? test.skip : test;

onUnix('a full disk is STORAGE_FAILED, and nothing that was acknowledged is lost', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-full-'));
  const programs = bundleEngine(['full-disk.mjs']);
  try {
    const script = `trap '' XFSZ; ulimit -f 8000; exec "${process.execPath}" full-disk.mjs "${directory}"`;
    const outcome = JSON.parse(
      execFileSync('sh', ['-c', script], { cwd: programs, encoding: 'utf8' }),
    ) as { code: string; written: number; read: number; again: string };
    expect(outcome.code).toBe('STORAGE_FAILED');
    expect(outcome.written).toBeGreaterThan(10);
    expect(outcome.read).toBe(outcome.written);
    expect(outcome.again).toBe('written');
    const engine = await openDiskEngine(directory);
    // The child dropped the first ten rows and wrote the first of them again.
    expect((await read(engine, { filter: { kind: 'stripValue' } })).length).toBe(
      outcome.written - 9,
    );
    await engine.close();
  } finally {
    rmSync(programs, { recursive: true });
    rmSync(directory, { recursive: true });
  }
});

// Only Linux can change the limit of a running process.
const withLimits = spawnSync('prlimit', ['--version']).status === 0 ? test : test.skip;

withLimits(
  'a disk that fills up during compaction changes nothing, and compaction works once there is space',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rowsmith-full-'));
    const programs = bundleEngine(['full-compact.mjs']);
    try {
      const script = `trap '' XFSZ; exec "${process.execPath}" full-compact.mjs "${directory}"`;
      const outcome = JSON.parse(
        execFileSync('sh', ['-c', script], { cwd: programs, encoding: 'utf8' }),
      ) as Record<string, unknown>;
      expect(outcome).toEqual({
        before: 200,
        full: 'STORAGE_FAILED',
        afterFull: 200,
        files: ['data.mdb', 'data.mdb-lock', 'owner.1', 'rowsmith.json'],
        write: 'written',
        free: 'smaller',
        shrank: true,
        after: 201,
      });
      const engine = await openDiskEngine(directory);
      expect((await read(engine, { filter: { kind: 'stripValue' } })).length).toBe(201);
      await engine.close();
    } finally {
      rmSync(programs, { recursive: true });
      rmSync(directory, { recursive: true });
    }
  },
);
