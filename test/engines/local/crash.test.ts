/** Processes killed while they write: acknowledged rows are present, and no row is half written. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/bytes/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Row } from '../../../src/store/index.js';
import { bundleEngine } from './bundle.js';

const rounds = 15;

/**
 * Runs the writer, kills it up to 250 ms after its first output (in odd rounds, after its first
 * row), and returns the lines that it has written.
 */
async function killedWriter(program: string, directory: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, directory, `${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  const hasStarted = (output: string) => (round % 2 === 0 ? output !== '' : /^row/m.test(output));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasWaiting = !hasStarted(out);
    out += text;
    if (wasWaiting && hasStarted(out)) setTimeout(() => child.kill('SIGKILL'), Math.random() * 250);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>(
    (resolve) => void child.on('close', (...end) => resolve(end)),
  );
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  // The last line may have been cut off.
  return out.split('\n').slice(0, -1);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** The generation that all cells of the row have. */
function generationOf(row: Row): string {
  const values = row.cells.map((cell) => text(cell.value));
  const generation = values[0];
  for (const [at, { family }] of row.cells.entries()) {
    let expected = generation;
    if (family === 'big') expected = generation.repeat(values[at].length / generation.length);
    if (family === 'many') expected = generation.padEnd(60, '-');
    expect(values[at]).toBe(expected);
  }
  const many = row.cells.filter(({ family }) => family === 'many').length;
  const even = Number(text(row.key).split('-')[1]) % 2 === 0;
  expect(many).toBe(even && Number(generation.split('.')[1]) % 5 !== 0 ? 300 : 0);
  return generation;
}

const before = (a: string, b: string): boolean => {
  const [roundA, stepA] = a.split('.').map(Number);
  const [roundB, stepB] = b.split('.').map(Number);
  return roundA < roundB || (roundA === roundB && stepA < stepB);
};

test('a process killed while it writes loses nothing that it acknowledged', async () => {
  const programs = bundleEngine(['crash-writer.mjs']);
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-crash-'));
  const acknowledged = new Map<string, string>();
  const counted = new Map<string, bigint>();
  let lines = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      for (const line of await killedWriter(join(programs, 'crash-writer.mjs'), directory, round)) {
        const [kind, name, value] = line.split(' ');
        if (kind === 'row') acknowledged.set(name, value);
        if (kind === 'count') counted.set(name, BigInt(value));
        lines++;
      }
      const engine = await openDiskEngine(directory);
      const rows = new Map(
        (
          await collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false }))
        ).map((row) => [text(row.key), row]),
      );
      for (const [key, row] of rows)
        if (key.startsWith('row'))
          expect(before(generationOf(row), acknowledged.get(key) ?? '0.0.')).toBe(false);
      for (const key of acknowledged.keys()) expect(rows.has(key)).toBe(true);
      for (const [number, count] of counted) {
        const stored = Buffer.from(rows.get(`counter-${number}`)!.cells[0].value).readBigInt64BE();
        // One more may have been written but not reported.
        expect(stored - count === 0n || stored - count === 1n).toBe(true);
        counted.set(number, stored);
      }
      await engine.close();
    }
    // Every process reported that it was ready, and every second one wrote a row.
    expect(lines).toBeGreaterThan(rounds + rounds / 2 - 1);
  } finally {
    rmSync(directory, { recursive: true });
    rmSync(programs, { recursive: true });
  }
});
