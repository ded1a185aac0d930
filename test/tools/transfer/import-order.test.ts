/** Imports of several batches: what waits for an earlier one, and when a batch is full. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../src/index.js';
import type { Engine, Mutation, RowMutation } from '../../../src/storage.js';
import { ImportBatch } from '../../../src/tools/transfer/import/import-batch.js';
import { importRows } from '../../../src/tools/transfer/index.js';
import { good, importSuite, model } from './import-rows.js';

const { database, file, all } = importSuite();
/** Lines of a batch. */
const batchLines = 2_048;

/** The engine of the test, which does something before each batch is written. */
function engineThat(before: (rows: readonly RowMutation[]) => Promise<unknown>): Engine {
  return new Proxy(database().engine, {
    get: (engine, name: keyof Database['engine']) =>
      name === 'mutateRows'
        ? async (table: string, rows: readonly RowMutation[]) => {
            await before(rows);
            return engine.mutateRows(table, rows);
          }
        : (engine[name] as () => unknown).bind(engine),
  });
}

const lineOf = (device: string, temperature: number): string =>
  good.replace('"d"', `"${device}"`).replace('1.5', `${temperature}`);

test('a batch with a row of an earlier one waits for it, whatever comes first', async () => {
  const lines = Array.from({ length: batchLines }, (_, i) => lineOf(`${i}`, 1));
  const path = file('overlap.jsonl', [...lines, lineOf('0', 2)].join('\n'));
  let batches = 0;
  let [isSecondSent, isOvertaken] = [() => {}, false];
  const second = new Promise<void>((resolve) => (isSecondSent = resolve));
  const engine = engineThat(async () => {
    if (++batches === 2) return isSecondSent();
    isOvertaken = await Promise.race([second.then(() => true), pause(100, false)]);
  });
  expect(await importRows(engine, model, path, { format: 'jsonl' })).toMatchObject({
    written: batchLines + 1,
  });
  expect([batches, isOvertaken]).toEqual([2, false]);
  expect((await all()).find(({ device }) => device === '0')?.temperature).toBe(2);
});

test('the stored position is behind no line that is still being written', async () => {
  const lines = Array.from({ length: 8 * batchLines }, (_, i) => lineOf(`${i}`, 1));
  const path = file('position.jsonl', lines.join('\n'));
  const state = `${path}.rowsmith-import.json`;
  const storedLine = (): number => {
    if (!existsSync(state)) return 0;
    return (JSON.parse(readFileSync(state, 'utf8')) as { position: { line: number } }).position
      .line;
  };
  const positions: number[] = [];
  let written = 0;
  // A position is stored once a second.
  const engine = engineThat(async (rows) => {
    await pause(450);
    positions.push(storedLine());
    expect(storedLine()).toBeLessThanOrEqual(written);
    written += rows.length;
  });
  expect(await importRows(engine, model, path, { format: 'jsonl' })).toMatchObject({
    written: lines.length,
  });
  expect(Math.max(...positions)).toBeGreaterThan(0);
});

test.each([
  ['lines', 2_047, 0, false],
  ['lines', 2_048, 0, true],
  ['units', 2, (2 << 20) - 1, false],
  ['units', 2, 2 << 20, true],
])('a batch is full at so many %s: %d of %d units', (_what, lines, units, isFull) => {
  const batch = new ImportBatch();
  const line = { number: 1, text: 'x'.repeat(units), record: () => Promise.resolve({}) };
  for (let i = 0; i < lines; i++) {
    expect(batch.isFull).toBe(false);
    batch.add(line as never, { key: Buffer.from(`${i}`), mutations: [] });
  }
  expect(batch.isFull).toBe(isFull);
});

test('a batch is full when one row has many mutations', () => {
  const batch = new ImportBatch();
  const line = { number: 1, text: good, record: () => Promise.resolve({}) };
  const mutations = (): Mutation[] =>
    Array.from({ length: 25_000 }, () => ({ kind: 'deleteFromFamily', family: 't' }));
  const add = (key: string): void =>
    batch.add(line as never, { key: Buffer.from(key), mutations: mutations() });
  add('a');
  add('b');
  expect(batch.isFull).toBe(false);
  add('a');
  expect(batch.isFull).toBe(true);
});
