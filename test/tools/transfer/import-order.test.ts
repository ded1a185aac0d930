/** Imports of several batches: what waits for an earlier one, and when a batch is full. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Mutation } from '../../../src/storage.js';
import { ImportBatch } from '../../../src/tools/transfer/import/import-batch.js';
import { importRows } from '../../../src/tools/transfer/index.js';
import { good, importSuite, model } from './import-rows.js';
import { batchLines, engineThat, lineOf } from './import-batches.js';

const { database, file, all } = importSuite();

test('a batch with a row of an earlier one waits for it, whatever comes first', async () => {
  const lines = Array.from({ length: batchLines }, (_, i) => lineOf(`${i}`, 1));
  const path = file('overlap.jsonl', [...lines, lineOf('0', 2)].join('\n'));
  let batches = 0;
  let [isSecondSent, isOvertaken] = [() => {}, false];
  const second = new Promise<void>((resolve) => (isSecondSent = resolve));
  const engine = engineThat(database(), async () => {
    if (++batches === 2) return isSecondSent();
    isOvertaken = await Promise.race([second.then(() => true), pause(100, false)]);
  });
  expect(await importRows(engine, model, path, { format: 'jsonl' })).toMatchObject({
    written: batchLines + 1,
  });
  expect([batches, isOvertaken]).toEqual([2, false]);
  expect((await all()).find(({ device }) => device === '0')?.temperature).toBe(2);
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
