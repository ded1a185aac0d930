/** Damaged databases, and databases that other processes write, opened with readOnly. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/base/index.js';
import { openReadOnlyEngine } from '../../../src/engines/local/index.js';
import { copyRow, type Row } from '../../../src/data/store/index.js';
import { bundleEngine } from './bundle.js';
import { read } from '../conformance.js';
import { seed as startSeed } from '../../support/seed.js';
import { filled } from './read-only-databases.js';

/**
 * Damaged copies. For more, and different ones: `RUNS=2000 SEED=2 npx jest
 * test/engines/local/read-only`.
 */
const faults = Number(process.env.RUNS ?? 30);
let work: string;
beforeAll(() => void (work = mkdtempSync(join(tmpdir(), 'rowsmith-read-'))));
afterAll(() => rmSync(work, { recursive: true }));

/** Reads every row again and again, for some seconds, while another process writes them. */
async function readBesideWriter(
  mode: '' | 'small',
  onRow: (count: number) => void,
  check: (rows: readonly Row[]) => void,
): Promise<void> {
  const directory = join(work, `rewritten-${mode}`);
  const programs = bundleEngine(['read-only-writer.mjs']);
  const program = join(programs, 'read-only-writer.mjs');
  const child = spawn(process.execPath, [program, directory, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => void child.once('close', resolve));
  try {
    await new Promise((resolve) => void child.stdout.once('data', resolve));
    const reader = await openReadOnlyEngine(directory);
    const until = Date.now() + 4000;

    for (let reads = 0; reads < 3 || Date.now() < until; reads++) {
      const rows: Row[] = [];
      const plan = { table: 't', ranges: [everyKey], reversed: reads % 2 === 1 };
      const stream = reader.readRows(plan);
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        while (page.nextRow()) {
          rows.push(copyRow(page));
          onRow(rows.length);
        }
      }
      if (plan.reversed) rows.reverse();
      check(rows);
    }
    await reader.close();
  } finally {
    child.stdin.end();
    await closed;
    rmSync(programs, { recursive: true });
  }
}

/** The generation of a row, which all of its cells have. */
function generationOf({ cells }: Row): number {
  const values = cells.map(({ value }) => Buffer.from(value).toString().slice(0, 60));
  expect(new Set(values).size).toBe(1);
  return parseInt(values[0]);
}

test('rows that another process rewrites are read whole', async () => {
  let newest = 0;
  await readBesideWriter(
    '',
    () => undefined,
    (rows) => {
      expect(rows.length).toBe(61);
      for (const [i, row] of rows.entries()) {
        newest = Math.max(newest, generationOf(row));
        // The rows are `last` and `row100` to `row159`.
        expect(row.cells.length).toBe(i === 0 ? 1 : [1, 301, 4][(i - 1) % 3]);
      }
    },
  );
  expect(newest).toBeGreaterThan(10);
});

test('a scan goes on in a newer state when the owner has overwritten the one it reads', async () => {
  await readBesideWriter(
    'small',
    (count) => {
      // A slow consumer, without a turn of the event loop.
      if (count % 30 === 0) spin(2);
    },
    (rows) => {
      for (const row of rows) generationOf(row);
      const keys = rows.map(({ key }) => Buffer.from(key).toString());
      expect(keys).toEqual(Array.from({ length: 3000 }, (_, i) => `row${10_000 + i}`));
    },
  );
});

/** Blocks the event loop. */
function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('damage is reported, and gives no other rows', async () => {
  const directory = join(work, 'intact');
  await (await filled(directory)).close();
  const files = readdirSync(directory)
    .filter((name) => /^(manifest|table)\./.test(name))
    .sort()
    .map((name) => ({ name, data: readFileSync(join(directory, name)) }));
  expect(files.map(({ name }) => name.split('.')[0])).toEqual(['manifest', 'table']);
  const intact = await openReadOnlyEngine(directory);
  const rows = await read(intact);
  await intact.close();
  const copy = join(work, 'harmed');
  cpSync(directory, copy, { recursive: true });
  const outcomes = new Map<string, number>();
  const first = (startSeed - 1) * faults;
  for (let seed = first; seed < first + faults; seed++) {
    const { name, data } = files[seed % 5 === 0 ? 0 : 1];
    const harmed = Buffer.from(data);
    harmed[draw(seed * 7 + 3, data.length)] ^= 1 << (seed % 8);
    writeFileSync(join(copy, name), harmed);
    const outcome = await openReadOnlyEngine(copy).then(
      async (engine) => {
        const found = await read(engine).catch((error: { code: string }) => error.code);
        await engine.close();
        if (typeof found === 'string') return found;
        return JSON.stringify(found) === JSON.stringify(rows) ? 'same' : `other rows: ${seed}`;
      },
      (error: { code: string }) => error.code,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    writeFileSync(join(copy, name), data);
  }
  // A scan does not read filters.
  const others = [...outcomes.keys()].filter((one) => one !== 'CORRUPT_DATA' && one !== 'same');
  expect(others).toEqual([]);
  expect(outcomes.get('CORRUPT_DATA')).toBeGreaterThan((faults * 3) / 4);
}, 600_000);

/** A number below `bound` that depends on the seed only (Knuth's multiplicative hash). */
function draw(seed: number, bound: number): number {
  return Math.floor(((Math.imul(seed, 0x9e3779b1) >>> 0) / 2 ** 32) * bound);
}
