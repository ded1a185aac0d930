/**
 * Opens copies of a database that have one fault each, reads and writes, and says on stdout what
 * came of each: damage.test.ts reads it, and starts the program again behind a copy that ended it.
 * The faults are the same each time: their number is the seed.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openDiskEngine } from './engine.mjs';

const [pristine, scratch, kind, from, to] = process.argv.slice(2);
const data = readFileSync(join(pristine, 'data.mdb'));
const pageSize = 8192;

/** A number below `most`, the same for the same seed (Knuth's multiplicative hash). */
const draw = (seed, most) => Math.floor(((Math.imul(seed, 0x9e3779b1) >>> 0) / 2 ** 32) * most);

/**
 * The file with fault number `seed`: a bit anywhere, a bit in the first bytes of a page (where lmdb
 * keeps what it follows), a length, a page of noise.
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

/** Its code, or what the error is when it is none of ours. */
const told = (error) => error.code ?? `untyped: ${error.stack}`;

async function outcome(directory, whole) {
  let engine;
  try {
    engine = await openDiskEngine(directory, { durability: 'relaxed' });
  } catch (error) {
    return { open: told(error) };
  }
  const read = await digest(engine).then((sum) => (sum === whole ? 'same' : 'other rows'), told);
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
    .then(() => 'written', told);
  const close = await engine.close().then(() => 'closed', told);
  return { open: 'opened', read, write, close };
}

const good = await openDiskEngine(pristine);
const whole = await digest(good);
await good.close();
for (let seed = Number(from); seed < Number(to); seed++) {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  writeFileSync(join(scratch, 'rowsmith.json'), readFileSync(join(pristine, 'rowsmith.json')));
  writeFileSync(join(scratch, 'data.mdb'), damaged(seed));
  writeSync(1, `${seed} `);
  writeSync(1, `${JSON.stringify(await outcome(scratch, whole))}\n`);
}
