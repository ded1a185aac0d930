/** Imports in separate processes, which are killed. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../../support/process-program.js';

// Tests are slow on a busy machine.
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('in a process of its own', () => {
  let program: string;
  beforeAll(() => {
    program = buildProgram(join(__dirname, 'importing.ts'), folder);
  });
  const child = (flags: readonly string[], ...args: readonly string[]) => {
    const child = spawn(process.execPath, [...flags, program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    const onText = new Set<(text: string) => void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const listener of onText) listener(out);
    });
    const end = new Promise<{ code: number | null; out: string }>(
      (resolve) => void child.on('close', (code) => resolve({ code, out })),
    );
    return { child, onText, end };
  };

  test.each(['jsonl', 'csv'])(
    'memory use does not depend on the file size: 40 MB of %s with a heap of 64 MB',
    async (format) => {
      const big = join(folder, `big.${format}`);
      const { code, out } = await child(['--max-old-space-size=64'], 'big', big, format).end;
      expect(code).toBe(0);
      expect(JSON.parse(out.trim().split('\n').at(-1)!)).toEqual({
        size: true,
        written: 40_000,
        rejected: 40,
      });
      rmSync(big);
    },
  );

  test('a killed import is resumed, with each rejected line once', async () => {
    const input = join(folder, 'resumed.jsonl');
    const lines = Array.from({ length: 60_000 }, (_, i) =>
      i % 1000 === 999 ? `{"bad":${i}}` : `{"id":${i},"text":"${'x'.repeat(40)}"}`,
    );
    writeFileSync(input, `${lines.join('\n')}\n`);
    const state = `${input}.rowsmith-import.json`;
    const first = child([], 'import', input, join(folder, 'resumed'));
    // Killed as soon as a position is stored.
    first.onText.add((out) => {
      if (out.includes('state')) first.child.kill('SIGKILL');
    });
    const { code } = await first.end;
    if (code === null)
      expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
        position: { line: expect.any(Number) },
      });
    const second = await child([], 'import', input, join(folder, 'resumed')).end;
    expect(second.code).toBe(0);
    const reported = JSON.parse(second.out.trim().split('\n').at(-1)!) as {
      written: number;
      rejected: number;
      resumedAfter: number;
      stored: number;
    };
    // One timestamp for all cells, and one cell of each: lines written twice have one cell.
    expect(reported).toMatchObject({
      written: 59_940,
      rejected: 60,
      stored: 59_940,
      times: { cells: 59_940, times: 1 },
    });
    if (code === null) expect(reported.resumedAfter).toBeGreaterThan(0);
    const rejects = readFileSync(`${input}.rejects.jsonl`, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { line: number }).line);
    expect(rejects).toEqual(Array.from({ length: 60 }, (_, i) => 1000 * (i + 1)));
    expect(existsSync(state)).toBe(false);
  });
});
