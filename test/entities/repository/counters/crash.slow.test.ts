/** What is left of buffered counters when their process ends: killed, or without close(). */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../../../support/process-program.js';

let folder: string;
let program: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  program = buildProgram(join(__dirname, 'crashing.ts'), folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the program, and kills it as soon as `isEnough` holds for its output. */
function run(
  what: string,
  data: string,
  isEnough: (output: string) => boolean = () => false,
): Promise<string> {
  const child = spawn(process.execPath, [program, what, data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (output += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (isEnough(output)) child.kill('SIGKILL');
  });
  return new Promise((resolve) => void child.on('close', () => resolve(output)));
}

/** The numbers of the lines that begin with a word. */
const numbers = (output: string, word: string): number[] =>
  [...output.matchAll(new RegExp(`^${word} (\\d+)\n`, 'gm'))].map(([, digits]) => Number(digits));

test('killed, it loses no more than was added since the last flush began', async () => {
  let lost = 0;
  for (let round = 1; round <= 5; round++) {
    const data = join(folder, `killed-${round}`);
    const output = await run('run', data, (text) => {
      const stored = numbers(text, 'stored');
      // Some time after a flush, so that there is something to lose.
      const added = numbers(text, 'added').at(-1) ?? 0;
      return stored.length >= round && added > stored.at(-1)! + 200;
    });
    const flushes = numbers(output, 'stored');
    const added = numbers(output, 'added').at(-1)!;
    const stored = Number(await run('read', data));
    // A sum of the last flush, or of a flush that was not reported.
    expect(stored).toBeGreaterThanOrEqual(flushes.at(-1)!);
    expect(stored).toBeLessThanOrEqual(added + 100);
    lost += Math.max(0, added - stored);
  }
  // Otherwise nothing was shown.
  expect(lost).toBeGreaterThan(0);
});

test('a process that ends without close() loses what is pending, and is not kept running', async () => {
  const data = join(folder, 'exit');
  await run('exit', data);
  expect(await run('read', data)).toBe('0\n');
});

test('what onFlush throws in a flush of the clock is an unhandled rejection', async () => {
  const data = join(folder, 'throw');
  expect(await run('throw', data)).toContain('Error: thrown by onFlush');
  expect(await run('read', data)).toBe('7\n');
});

test('close() loses nothing', async () => {
  const data = join(folder, 'close');
  await run('close', data);
  expect(await run('read', data)).toBe('100\n');
});
