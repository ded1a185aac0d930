/**
 * Writes and deletes rows with values of mixed sizes, and prints what happened and what can be
 * read. Run by tests that limit the space, or that compact meanwhile.
 *
 * Arguments: directory, seed, number of writes, largest value in bytes, number of compactions.
 */
import { openDiskEngine } from './engine.mjs';

const [directory, ...numbers] = process.argv.slice(2);
const [seed, writes, maxBytes, compactions] = numbers.map(Number);
const rowCount = 100;

let state = Math.imul(seed, 2654435761) >>> 0 || 1;
/** A number below `bound` (Marsaglia's xorshift32). */
function draw(bound) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return Math.floor(((state >>> 0) / 2 ** 32) * bound);
}

/** Mostly small values, some of up to a fifth of the largest, few of any size. */
function drawSize() {
  const kind = draw(10);
  if (kind < 4) return draw(300);
  return draw(kind < 8 ? maxBytes / 20 : maxBytes);
}

const keyOf = (row) => Buffer.from(`k${String(row).padStart(4, '0')}`);
const source = Buffer.alloc(maxBytes, 97);
/** Bytes of the value of each row. */
const expected = new Map();
const results = {};
const count = (name) => (results[name] = (results[name] ?? 0) + 1);

async function put(engine, row, size) {
  const value = source.subarray(0, size);
  const cell = {
    kind: 'setCell',
    family: 'a',
    qualifier: Buffer.from('q'),
    timestamp: 1000,
    value,
  };
  await engine.mutateRow('t', { key: keyOf(row), mutations: [cell] });
  expected.set(row, size);
}

async function remove(engine, row) {
  await engine.mutateRow('t', { key: keyOf(row), mutations: [{ kind: 'deleteFromRow' }] });
  expected.delete(row);
}

/** Runs one write and counts its outcome. */
async function attempt(name, write) {
  try {
    await write();
    count(name);
    return true;
  } catch (error) {
    count(`${name} ${error.code ?? error.stack}`);
    return false;
  }
}

/** Number of rows that differ from what was acknowledged. */
async function differences(engine) {
  const found = new Map();
  const stream = engine.readRows({
    table: 't',
    ranges: [{ start: new Uint8Array(0) }],
    reversed: false,
  });
  for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
    while (page.nextRow()) {
      const key = Buffer.from(page.keyBytes.slice(page.keyStart, page.keyEnd)).toString();
      page.nextCell();
      found.set(Number(key.slice(1)), page.valueEnd - page.valueStart);
    }
  }
  const wrong = [...expected].filter(([row, size]) => found.get(row) !== size).length;
  return wrong + Math.max(0, found.size - expected.size);
}

async function writeRows(engine) {
  for (let i = 0; i < writes; i++) {
    const row = draw(rowCount);
    if (draw(10) === 0) await attempt('remove', () => remove(engine, row));
    else if (!(await attempt('put', () => put(engine, row, drawSize()))) && draw(10) === 0)
      await attempt('remove', () => remove(engine, [...expected.keys()][0]));
  }
}

/** Compacts again and again while rows are written. */
async function compactAndWrite(engine) {
  for (let i = 0; i < compactions; i++) {
    let done = false;
    const compacted = engine.compact().finally(() => (done = true));
    do {
      const rows = Array.from({ length: 1 + draw(4) }, () => draw(rowCount));
      await Promise.all(
        [...new Set(rows)].map((row) =>
          draw(4) === 0 ? remove(engine, row) : put(engine, row, drawSize()),
        ),
      );
    } while (!done);
    await compacted;
    count('compacted');
  }
}

let engine = await openDiskEngine(directory);
await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
if (compactions > 0) await compactAndWrite(engine);
else await writeRows(engine);
const open = await differences(engine);
await engine.close();
engine = await openDiskEngine(directory, { verify: true });
const reopened = await differences(engine);
await engine.close();
console.log(JSON.stringify({ results, open, reopened }));
