/**
 * The campaign as a test. It is divided into shards, which jest runs in parallel: each is a file
 * with its own seeds and its own environment. The campaign runs in a separate process, because a
 * jest worker that has run other tests collects garbage several times as long.
 *
 * - By default the seeds are always the same, so that a failure is caused by a change and not by
 *   chance. OPERATIONS=100000 runs more of them, FIRST_SEED=n runs the seeds from n on.
 * - SEED=new uses new seeds; SOAK_MINUTES=60 runs new seeds for that long and reports progress
 *   every ten seconds.
 * - SEED=n runs the history of one seed, HISTORY=file the history in a file, in the first shard.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { root } from '../support/built-package.js';
import type { ShardResult } from './campaign-process.js';

/** Runs a shard, numbered from 0. */
export function describeCampaign(shard: number, shards: number): void {
  const { HISTORY: file, SEED: seed, SOAK_MINUTES: minutes = '0' } = process.env;
  const timeout = 1_800_000 + Number(minutes) * 60_000;
  if (file === undefined && (seed === undefined || seed === 'new'))
    test(
      'all targets agree with the oracle on random histories',
      async () => {
        const output = await runProcess(shard, shards);
        const result = JSON.parse(output) as ShardResult;
        expect(result.operations).toBeGreaterThanOrEqual(result.minOperations);
        expect(result.missingOperations).toEqual([]);
        expect(result.missingRequests).toEqual([]);
      },
      timeout,
    );
  else
    test(
      'all targets agree with the oracle on this history',
      async () => {
        if (shard === 0) await runProcess(shard, shards);
      },
      timeout,
    );
}

/** Runs campaign-process.ts; resolves to its standard output, and rejects with its errors. */
async function runProcess(shard: number, shards: number): Promise<string> {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  // Inside the repository, so that its packages are found.
  const folder = mkdtempSync(join(root, '.tmp/campaign-'));
  const program = join(folder, 'campaign-process.cjs');
  try {
    buildSync({
      entryPoints: [join(__dirname, 'campaign-process.ts')],
      outfile: program,
      bundle: true,
      keepNames: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      sourcemap: 'inline',
      logLevel: 'error',
    });
    return await outputOf(['--enable-source-maps', program, String(shard), String(shards)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outputOf(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => void child.kill();
    process.once('exit', kill);
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
      process.stderr.write(text);
    });
    child.on('error', reject);
    child.on('close', (status) => {
      process.removeListener('exit', kill);
      if (status === 0) resolve(output);
      else reject(new Error(errors));
    });
  });
}
