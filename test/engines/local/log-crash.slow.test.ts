/** Processes killed during commits, flushes and merges: nothing acknowledged is lost, nothing is half. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogged } from './open-logged.js';
import { bundleEngine } from './bundle.js';

const rounds = 24;

/** Runs the writer, kills it some time after its first output, and returns the last number. */
async function killedWriter(program: string, directory: string, first: number): Promise<number> {
  const padding = first % 2 === 0 ? 60 : 2000;
  const child = spawn(process.execPath, [program, directory, `${first}`, `${padding}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 400);
    out += text;
  });
  const [code, signal] = await new Promise<[number | null, string | null]>(
    (resolve) => void child.on('close', (...end) => resolve(end)),
  );
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  // The last line may have been cut off.
  return Number(out.split('\n').slice(1, -1).at(-1) ?? first - 1);
}

test('a process killed during merges loses nothing that it acknowledged', async () => {
  const programs = bundleEngine(['log-writer.mjs']);
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-log-'));
  let next = 1;
  try {
    for (let round = 0; round < rounds; round++) {
      const acknowledged = await killedWriter(join(programs, 'log-writer.mjs'), directory, next);
      const { store, close } = await openLogged(directory);
      const counter = store.get(Uint8Array.of(0, 0, 0, 8, 0, 0));
      const last = counter === undefined ? 0 : Buffer.from(counter).readUInt32BE();
      // One more may have been written but not reported.
      expect([acknowledged, acknowledged + 1]).toContain(last);
      for (let row = 0; row < 200; row++) {
        let expected: number | undefined;
        for (let number = last; number > Math.max(0, last - 200); number--)
          if ((number * 37) % 200 === row) expected = number % 5 === 0 ? undefined : number;
        const found = [5, 6, 7].map((table) => {
          const value = store.get(Uint8Array.of(0, 0, 0, table, row >> 8, row & 0xff));
          return value && Buffer.from(value).readUInt32BE();
        });
        expect([row, ...found]).toEqual([row, expected, expected, expected]);
      }
      await close();
      next = last + 1;
    }
    // Most processes wrote, and there were flushes.
    expect(next).toBeGreaterThan(rounds);
    expect(readdirSync(directory).some((name) => name.startsWith('table.'))).toBe(true);
  } finally {
    rmSync(programs, { recursive: true });
    rmSync(directory, { recursive: true });
  }
});
