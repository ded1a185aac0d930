/**
 * Writes rows until the disk is full, deletes all of them, reopens and compacts the database, writes
 * rows again, and deletes and compacts. Prints how many of each were done. `node full-delete.mjs DIRECTORY SIZE each|drop`.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openDiskEngine } from './engine.mjs';

const [directory, size, mode] = process.argv.slice(2);
let engine = await openDiskEngine(directory);
await engine.createTable({ name: 't', families: new Map([['a', {}]]) });

/** In scattered order. */
const keyOf = (row) => Buffer.from(`k${String((row * 7919) % 100_003).padStart(6, '0')}`);
const cell = {
  kind: 'setCell',
  family: 'a',
  qualifier: Buffer.from('q'),
  timestamp: 1000,
  value: Buffer.alloc(Number(size), 97),
};
const write = (row, mutation) =>
  engine.mutateRow('t', { key: keyOf(row), mutations: [mutation] }).then(
    () => 1,
    (error) => {
      if (error.code !== 'STORAGE_FAILED') throw error;
      return 0;
    },
  );

/** Writes until writes fail though merges had time; returns their number. */
async function fill() {
  let rows = 0;
  for (let failures = 0; failures < 15;) {
    if ((await write(rows, cell)) === 1) {
      rows++;
      failures = 0;
    } else {
      failures++;
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  }
  return rows;
}

async function remove(rows) {
  if (mode === 'drop') return engine.dropRowRange('t', { kind: 'all' }).then(() => rows);
  let removed = 0;
  for (let row = 0; row < rows; row++) removed += await write(row, { kind: 'deleteFromRow' });
  return removed;
}

async function count() {
  const ranges = [{ start: new Uint8Array(0) }];
  const stream = engine.readRows({ table: 't', ranges, reversed: false });
  let rows = 0;
  for (let page; (page = await stream.next());) while (page.nextRow()) rows++;
  return rows;
}

const first = await fill();
const removed = await remove(first);
await engine.close();
engine = await openDiskEngine(directory);
const left = await count();
await engine.compact();
const second = await fill();
const present = await count();
const removedAgain = await remove(second);
const code = await engine.compact().then(
  () => undefined,
  (error) => error.code,
);
await engine.close();
const bytes = readdirSync(directory).reduce(
  (sum, name) => sum + statSync(join(directory, name)).size,
  0,
);
console.log(JSON.stringify({ first, removed, left, second, present, removedAgain, code, bytes }));
