/** A migration in a process that is killed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../../support/process-program.js';

test('a process killed during a migration is resumed, and the result is exact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
  try {
    buildProgram(join(__dirname, 'migrating.ts'), folder);
    const child = (...args: string[]) =>
      spawn(process.execPath, [join(folder, 'migrating.mjs'), folder, ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const ended = (process_: ReturnType<typeof child>) =>
      new Promise<[number | null, string | null]>(
        (resolve) => void process_.on('close', (...end) => resolve(end)),
      );
    expect(await ended(child('seed'))).toEqual([0, null]);
    let kills = 0;
    for (let round = 0; round < 3; round++) {
      // At a different time in each round: during the copy, the comparison, the deletion.
      const [code, signal] = await ended(child('migrate', String(1 + 2 * round)));
      if (signal === 'SIGKILL') kills++;
      else expect(code).toBe(0);
    }
    expect(kills).toBeGreaterThan(0);
    expect(await ended(child('migrate'))).toEqual([0, null]);
    expect(await ended(child('check'))).toEqual([0, null]);
    const { rows: count, left } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as {
      rows: number;
      left: number;
    };
    expect({ count, left }).toEqual({ count: 2000, left: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
