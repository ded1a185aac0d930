/**
 * Opens copies of a database with one fault each, reads and writes, and prints the outcome of each
 * to stdout. Run by damage.test.ts, which restarts it after a copy that ended the process. The
 * faults are deterministic: their number is the seed.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openDiskEngine } from './engine.mjs';

const [pristine, scratch, kind, from, to] = process.argv.slice(2);
/** The fault numbers of the kind `meta`; other kinds use all numbers. */
const seeds = kind === 'meta' ? JSON.parse(readFileSync(join(scratch, '../bits.json'))) : undefined;
const data = readFileSync(join(pristine, 'data.mdb'));
const pageSize = 8192;

/** A number below `bound` that depends on the seed only (Knuth's multiplicative hash). */
const draw = (seed, bound) => Math.floor(((Math.imul(seed, 0x9e3779b1) >>> 0) / 2 ** 32) * bound);

/**
 * The file with fault number `seed`: a flipped bit anywhere, a flipped bit in a page header, a
 * truncated file, or a page of noise.
 */
function damaged(seed) {
  const page = draw(seed * 5 + 1, data.length / pageSize) * pageSize;
  const copy = Buffer.from(data);
  switch (kind) {
    case 'anywhere':
      copy[draw(seed * 7 + 3, data.length)] ^= 1 << (seed % 8);
      return copy;
    case 'structure':
      copy[page + draw(seed * 11 + 5, 64)] ^= 1 << (seed % 8);
      return copy;
    case 'length':
      return copy.subarray(0, draw(seed * 13 + 7, data.length));
    case 'meta':
      // A bit of the first 176 bytes of one of the two meta pages.
      copy[Math.floor(seed / 1408) * pageSize + ((seed % 1408) >>> 3)] ^= 1 << (seed & 7);
      return copy;
    case 'page':
      for (let at = page; at < page + pageSize; at++) copy[at] = draw(seed + at, 256);
      return copy;
  }
}

async function digest(engine) {
  const hash = createHash('md5');
  const stream = engine.readRows({
    table: 't',
    ranges: [{ start: new Uint8Array(0) }],
    reversed: false,
  });
  const copy = (bytes, start, end) =>
    new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start).slice();
  for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
    while (page.nextRow()) {
      hash.update(copy(page.keyBytes, page.keyStart, page.keyEnd));
      while (page.nextCell())
        hash
          .update(page.family)
          .update(copy(page.qualifierBytes, page.qualifierStart, page.qualifierEnd))
          .update(copy(page.valueBytes, page.valueStart, page.valueEnd));
    }
  }
  return hash.digest('hex');
}

/** The code of an error, or its stack when it is not a RowsmithError. */
const errorText = (error) => error.code ?? `untyped: ${error.stack}`;

/** What is found when the database is opened again, and the row that was written is read. */
async function reopened(directory) {
  try {
    const engine = await openDiskEngine(directory, { verify: true });
    const stream = engine.readRows({
      table: 't',
      ranges: [{ start: Buffer.from('k00500'), end: Buffer.from('k00501') }],
      reversed: false,
    });
    const found = (await stream.next())?.nextRow() === true ? 'found' : 'missing';
    await engine.close();
    return found;
  } catch (error) {
    return errorText(error);
  }
}

async function outcome(directory, whole) {
  let engine;
  try {
    engine = await openDiskEngine(directory, { durability: 'relaxed' });
  } catch (error) {
    return { open: errorText(error) };
  }
  const read = await digest(engine).then(
    (sum) => (sum === whole ? 'same' : 'other rows'),
    errorText,
  );
  const mutations = [
    {
      kind: 'setCell',
      family: 'a',
      qualifier: Buffer.from('q'),
      timestamp: 1000,
      value: Buffer.from('v'),
    },
  ];
  const write = await engine
    .mutateRow('t', { key: Buffer.from('k00500'), mutations })
    .then(() => 'written', errorText);
  const close = await engine.close().then(() => 'closed', errorText);
  return { open: 'opened', read, write, close, again: await reopened(directory) };
}

const good = await openDiskEngine(pristine);
const whole = await digest(good);
await good.close();
for (let fault = Number(from); fault < Number(to); fault++) {
  const seed = seeds?.[fault] ?? fault;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  writeFileSync(join(scratch, 'rowsmith.json'), readFileSync(join(pristine, 'rowsmith.json')));
  writeFileSync(join(scratch, 'data.mdb'), damaged(seed));
  writeSync(1, `${seed} `);
  writeSync(1, `${JSON.stringify(await outcome(scratch, whole))}\n`);
}
