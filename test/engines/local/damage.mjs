/**
 * Opens copies of a database with one fault each, reads and writes, and prints the outcome of each
 * to stdout. Run by damage.slow.test.ts, which restarts it after a copy that ended the process. The
 * faults are deterministic: their number is the seed.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openDiskEngine, openReadOnlyEngine } from './engine.mjs';

const [pristine, scratch, kind, from, to, step = '1'] = process.argv.slice(2);
const names = readdirSync(pristine).sort();
const content = new Map(names.map((name) => [name, readFileSync(join(pristine, name))]));
const tables = names.filter((name) => name.startsWith('table.'));
const manifest = names.find((name) => name.startsWith('manifest.'));

/** A number below `bound` that depends on the seed only (Knuth's multiplicative hash). */
const draw = (seed, bound) => Math.floor(((Math.imul(seed, 0x9e3779b1) >>> 0) / 2 ** 32) * bound);

const footerBytes = 64;
const positionAt = (data, at) => Number(data.readBigUInt64BE(data.length - footerBytes + at));

/** The part of a table that a fault is in. */
function partOf(data) {
  const index = positionAt(data, 0);
  const filter = positionAt(data, 8);
  return {
    header: [0, 96],
    block: [96, index],
    index: [index, filter],
    filter: [filter, data.length - footerBytes],
    footer: [data.length - footerBytes, data.length],
  }[kind];
}

/** A changed file: its name and its content. */
function fault(seed) {
  if (kind === 'manifest') return [manifest, flipped(content.get(manifest), [0, Infinity], seed)];
  const name = tables[draw(seed * 3 + 1, tables.length)];
  const data = content.get(name);
  if (kind === 'length') {
    const length = draw(seed * 7 + 3, data.length);
    if (seed % 2 === 0) return [name, data.subarray(0, length)];
    return [name, Buffer.concat([data, Buffer.alloc(1 + (length % 5000), seed)])];
  }
  if (kind === 'noise') {
    const changed = Buffer.from(data);
    const at = draw(seed * 5 + 3, data.length);
    changed.fill(
      seed % 3 === 0 ? 0 : draw(seed, 255) + 1,
      at,
      Math.min(data.length, at + 1 + draw(seed * 11 + 5, 8192)),
    );
    return [name, changed];
  }
  if (kind === 'swapped') {
    const other = tables[(tables.indexOf(name) + 1) % tables.length];
    return [name, content.get(other)];
  }
  if (kind === 'missing') return [name, undefined];
  if (kind === 'footer')
    return [tables[0], flipped(content.get(tables[0]), partOf(content.get(tables[0])), seed)];
  return [name, flipped(data, partOf(data), draw(seed * 13 + 7, 2 ** 30))];
}

/** With one bit changed: each number below the number of bits is another one. */
function flipped(data, [start, end], number) {
  const changed = Buffer.from(data);
  const bits = (Math.min(end, data.length) - start) * 8;
  const bit = number % bits;
  changed[start + (bit >> 3)] ^= 1 << (bit & 7);
  return changed;
}

/** A digest of all rows, in one direction or the other. */
async function digest(engine, reversed) {
  const hashes = [];
  const stream = engine.readRows({ table: 't', ranges: [{ start: new Uint8Array(0) }], reversed });
  for (let page; (page = await stream.next());)
    while (page.nextRow()) {
      const hash = createHash('sha1');
      hash.update(page.keyBytes.subarray(page.keyStart, page.keyEnd));
      while (page.nextCell()) hash.update(page.valueBytes.subarray(page.valueStart, page.valueEnd));
      hashes.push(hash.digest('hex'));
    }
  return (reversed ? hashes.reverse() : hashes).join(' ');
}

async function pointReads(engine, keys) {
  const found = [];
  for (const key of keys) {
    const ranges = [{ start: Buffer.from(key), end: Buffer.from(`${key}\0`) }];
    const stream = engine.readRows({ table: 't', ranges, reversed: false });
    for (let page; (page = await stream.next());)
      while (page.nextRow())
        while (page.nextCell())
          // A plain Uint8Array prints numbers.
          found.push(Buffer.from(page.valueBytes.slice(page.valueStart, page.valueEnd)).toString());
  }
  return found.join(' ');
}
const keys = ['k00001', 'k00003', 'k00500', 'k01999', 'wide', 'large', 'k00500x', 'a', 'z'];

const outcomeOf = (promise, same) =>
  promise.then(
    (value) => (same(value) ? 'same' : 'OTHER ROWS'),
    (error) => textOf(error),
  );
const textOf = (error) =>
  error.code === undefined
    ? `untyped: ${error.stack}`
    : `${error.code} ${String(error.details?.file ?? '')
        .split('/')
        .at(-1)}`;

async function trial(seed, expected) {
  rmSync(scratch, { recursive: true, force: true });
  cpSync(pristine, scratch, { recursive: true });
  const [name, data] = fault(seed);
  if (data === undefined) rmSync(join(scratch, name));
  else writeFileSync(join(scratch, name), data);
  const outcome = { seed, file: name };
  const before = snapshot();
  const reader = await openReadOnlyEngine(scratch).catch(
    (error) => void (outcome.reader = textOf(error)),
  );
  if (reader !== undefined) {
    outcome.reader = await outcomeOf(digest(reader, true), (found) => found === expected.all);
    await reader.close();
  }
  const engine = await openDiskEngine(scratch, {
    durability: 'relaxed',
    verify: seed % 4 === 3,
  }).catch((error) => void (outcome.open = textOf(error)));
  if (engine === undefined) {
    outcome.unchanged = snapshot() === before;
    return outcome;
  }
  outcome.gets = await outcomeOf(pointReads(engine, keys), (found) => found === expected.gets);
  outcome.scan = await outcomeOf(digest(engine, seed % 2 === 1), (found) => found === expected.all);
  outcome.write = await engine
    .mutateRow('t', {
      key: Buffer.from('new'),
      mutations: [
        {
          kind: 'setCell',
          family: 'a',
          qualifier: Buffer.from('q'),
          timestamp: 1000,
          value: Buffer.from('n'),
        },
      ],
    })
    .then(() => 'same', textOf);
  const written = outcome.write === 'same' ? 'n' : '';
  outcome.compact = await engine.compact().then(() => 'same', textOf);
  outcome.close = await engine.close().then(() => 'same', textOf);
  const again = await openDiskEngine(scratch).catch(
    (error) => void (outcome.again = textOf(error)),
  );
  if (again !== undefined) {
    outcome.again = await outcomeOf(pointReads(again, ['new']), (found) => found === written);
    await again.close();
  }
  return outcome;
}

const snapshot = () =>
  readdirSync(scratch)
    .filter((name) => !name.startsWith('owner.'))
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha1')
          .update(readFileSync(join(scratch, name)))
          .digest('hex')}`,
    )
    .join('\n');

cpSync(pristine, scratch, { recursive: true });
const intact = await openReadOnlyEngine(scratch);
const expected = { all: await digest(intact, false), gets: await pointReads(intact, keys) };
await intact.close();
for (let seed = Number(from); seed < Number(to); seed += Number(step))
  console.log(JSON.stringify(await trial(seed, expected)));
