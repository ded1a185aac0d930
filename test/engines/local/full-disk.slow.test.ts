/** A full disk: the write fails, earlier writes are kept, and the engine remains usable. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import { bundleEngine } from './bundle.js';
import { read, set, utf8 } from '../conformance.js';
import { seed as firstSeed } from '../../support/seed.js';

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

interface MixedOutcome {
  readonly results: Readonly<Record<string, number>>;
  readonly open: number;
  readonly reopened: number;
}

// For more, and different ones: `RUNS=100 SEED=2 npx jest test/engines/local/full-disk`.
const runs = Number(process.env.RUNS ?? 1);
const seeds = Array.from({ length: runs }, (_, i) => (firstSeed - 1) * runs + i + 1);

onUnix('values of mixed sizes on a full disk: only typed errors, and nothing is lost', () => {
  const programs = bundleEngine(['mixed-writer.mjs']);
  try {
    for (const seed of seeds) {
      const directory = mkdtempSync(join(tmpdir(), 'rowsmith-full-'));
      // `ulimit -f` counts blocks of 512 or 1,024 bytes.
      const script = `trap '' XFSZ; ulimit -f 8000; exec "${process.execPath}" mixed-writer.mjs "${directory}" ${seed} 1200 1000000 0`;
      const { status, signal, stdout, stderr } = spawnSync('sh', ['-c', script], {
        cwd: programs,
        encoding: 'utf8',
      });
      rmSync(directory, { recursive: true });
      expect({ seed, status, signal, stderr }).toEqual({
        seed,
        status: 0,
        signal: null,
        stderr: '',
      });
      const { results, open, reopened } = JSON.parse(stdout) as MixedOutcome;
      expect(results['put STORAGE_FAILED']).toBeGreaterThan(0);
      const others = Object.keys(results).filter(
        (name) => !/^(put|remove)( STORAGE_FAILED)?$/.test(name),
      );
      expect(others).toEqual([]);
      expect({ open, reopened }).toEqual({ open: 0, reopened: 0 });
    }
  } finally {
    rmSync(programs, { recursive: true });
  }
});

interface DeleteOutcome {
  readonly first: number;
  readonly second: number;
  readonly bytes: number;
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

// Deletions failed too, because the log was full. Then there was no space to open the database again.
asRoot.each([
  [10_000, 'each'],
  [1000, 'drop'],
])('rows of %i bytes can be deleted on a full disk, which makes space: %s', (size, mode) => {
  const disk = mkdtempSync(join(tmpdir(), 'rowsmith-full-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).status !== 0)
    return rmSync(disk, { recursive: true }); // A container may not mount.
  const programs = bundleEngine(['full-delete.mjs']);
  try {
    const args = [join(programs, 'full-delete.mjs'), join(disk, 'db'), `${size}`, mode];
    const output = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
    const { first, second, bytes, ...counts } = JSON.parse(output) as DeleteOutcome;
    expect(first * size).toBeGreaterThan(2_000_000);
    expect(second).toBeGreaterThan(first / 4);
    expect(bytes).toBeLessThan(1_000_000);
    expect(counts).toEqual({ removed: first, left: 0, present: second, removedAgain: second });
  } finally {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(programs, { recursive: true });
    rmSync(disk, { recursive: true });
  }
});

// Only Linux can change the limit of a running process.
const withLimits = spawnSync('prlimit', ['--version']).status === 0 ? test : test.skip;

withLimits(
  'a disk that fills up during compaction loses nothing, and compaction works once there is space',
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
        tables: 2,
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

// It was removed, after zeros had filled the disk: writes failed meanwhile.
test('the reserve of a disk that is almost full is neither enlarged nor removed', async () => {
  const disk = mkdtempSync(join(tmpdir(), 'rowsmith-reserve-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk]).status !== 0)
    return rmSync(disk, { recursive: true }); // A container may not mount.
  try {
    const directory = join(disk, 'db');
    const limits = { ...defaultLimits, keptLog: 0 };
    const first = await openDiskEngine(directory, { limits });
    await first.createTable({ name: 't', families: new Map([['a', {}]]) });
    for (let row = 0; row < 44; row++) {
      const value = 'v'.repeat(1e6);
      await first.mutateRow('t', { key: utf8(`${row}`), mutations: [set('a', 'q', value)] });
    }
    await first.compact();
    await first.close();
    const reserve = join(directory, 'reserve');
    expect(statSync(reserve).size).toBeGreaterThan(4e6);
    writeFileSync(reserve, new Uint8Array(1e6));
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), new Uint8Array(bavail * bsize - 3e6));
    const second = await openDiskEngine(directory, { limits });
    await second.close();
    expect(statSync(reserve).size).toBe(1e6);
  } finally {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true });
  }
});
