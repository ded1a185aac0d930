/** Files of the embedded engine, read as FORMAT.md describes them and without the engine. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../src/engines/local/index.js';
import { defaultLimits } from '../../src/engines/local/kv/store/store-limits.js';
import { set, utf8 } from './conformance.js';

const { imul } = Math;
const headerBytes = 96;
const footerBytes = 64;
const rows = 2000;

let directory = '';
let manifest: readonly Readonly<Record<string, unknown>>[] = [];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-format-'));
  const limits = { ...defaultLimits, buffer: 100_000, keptLog: 0 };
  const engine = await openDiskEngine(directory, { limits });
  await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
  for (let at = 0; at < rows; at += 100)
    await engine.mutateRows(
      't',
      Array.from({ length: 100 }, (_, i) => ({
        key: utf8(`row ${at + i}`),
        // Some values fill a block.
        mutations: [
          set('f', 'q', (i % 50 === 7 ? 'large ' : 'small ').repeat(i % 50 === 7 ? 680 : 9)),
        ],
      })),
    );
  await engine.close();
  manifest = readManifest();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const rot = (x: number, bits: number): number => (x << bits) | (x >>> (32 - bits));

function sum(bytes: Buffer, seed: number): number {
  const primes = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f];
  const lanes = [seed ^ bytes.length, primes[0], primes[1], primes[2]];
  const whole = bytes.length - (bytes.length % 16);
  for (let at = 0; at < whole; at += 4) {
    const i = (at / 4) % 4;
    lanes[i] = imul(rot(lanes[i], 15) ^ bytes.readInt32LE(at), primes[i]);
  }
  for (const byte of bytes.subarray(whole)) lanes[0] = imul(rot(lanes[0], 5) ^ byte, primes[0]);
  for (let i = 1; i < 4; i++) lanes[i] = imul(rot(lanes[i - 1], 15) ^ lanes[i], primes[i]);
  return lanes[3] ^ (lanes[3] >>> 15);
}

function checksum(key: Buffer, value: Buffer): number {
  return sum(value, sum(key, 0));
}

function readManifest(): readonly Readonly<Record<string, unknown>>[] {
  const names = readdirSync(directory).filter((name) => name.startsWith('manifest.'));
  expect(names).toHaveLength(1);
  const text = readFileSync(join(directory, names[0]));
  const lines = text.toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

const saltOf = (file: Buffer): Buffer => file.subarray(48, 56);

/** True if the part `[start, end)` of a table is followed by its sum. */
function isIntact(file: Buffer, start: number, end: number): boolean {
  const expected = checksum(saltOf(file), file.subarray(start, end)) ^ (start / 4);
  return expected === file.readInt32LE(end);
}

function hash(key: Buffer): number {
  let h = key.length;
  for (const byte of key) h = imul(rot(h, 5) ^ byte, 0x9e3779b1);
  h = imul(h ^ (h >>> 15), 0x85ebca77);
  return h ^ (h >>> 13);
}

/** The bits of a filter that are set if it has the key. */
function probes(key: Buffer, blocks: number): readonly number[] {
  const h = hash(key);
  const block = Math.floor(((h >>> 0) * blocks) / 2 ** 32);
  let b = imul(h ^ (h >>> 16), 0x85ebca77);
  b ^= b >>> 13;
  const step = b | 1;
  return Array.from({ length: 6 }, () => {
    const bit = 512 * block + (b >>> 23);
    b = rot((b + step) | 0, 9);
    return bit;
  });
}

/** The keys of a block, which begins at a position. */
function keysAt(file: Buffer, position: number): readonly Buffer[] {
  return Array.from({ length: file.readUInt16BE(position) }, (_, i) => {
    const at = position + file.readUInt16BE(position + 2 + 2 * i);
    return file.subarray(at + 2, at + 2 + (file.readUInt16BE(at) & 0x7fff));
  });
}

interface ReadTable {
  readonly keys: readonly Buffer[];
  /** Keys of the index, and the number of keys before each block. */
  readonly index: readonly { readonly key: Buffer; readonly before: number }[];
  readonly filter: Buffer;
}

function readTable(file: Buffer): ReadTable {
  const footer = file.length - footerBytes;
  const [indexAt, filterAt, pairs] = [0, 8, 16].map((at) =>
    Number(file.readBigUInt64BE(footer + at)),
  );
  expect(checksum(saltOf(file), file.subarray(0, headerBytes - 4))).toBe(
    file.readInt32LE(headerBytes - 4),
  );
  for (const [start, end] of [
    [footer, file.length],
    [indexAt, filterAt],
    [filterAt, footer],
  ])
    expect(isIntact(file, start, end - 4)).toBe(true);
  const keys: Buffer[] = [];
  const index: { key: Buffer; before: number }[] = [];
  let position = headerBytes;
  for (let at = indexAt; position < indexAt; at += 6 + index.at(-1)!.key.length) {
    const keyEnd = at + 2 + file.readUInt16BE(at);
    const length = file.readUInt32BE(keyEnd);
    index.push({ key: file.subarray(at + 2, keyEnd), before: keys.length });
    expect(isIntact(file, position, position + length - 4)).toBe(true);
    keys.push(...keysAt(file, position));
    position = Math.ceil((position + length) / 4) * 4;
  }
  expect(position).toBe(indexAt);
  expect(keys).toHaveLength(pairs);
  return { keys, index, filter: file.subarray(filterAt, footer - 4) };
}

test('the manifest names the database and ends with the sum of its lines', () => {
  const marker = JSON.parse(readFileSync(join(directory, 'rowsmith.json'), 'utf8')) as object;
  expect(manifest[0]).toMatchObject(marker);
  const text = readFileSync(join(directory, `manifest.${String(manifest[0].manifest)}`));
  const end = text.lastIndexOf('{"sum"');
  const expected = checksum(Buffer.alloc(0), text.subarray(0, end)) >>> 0;
  expect(manifest.at(-1)).toEqual({ sum: expected.toString(16).padStart(8, '0') });
});

test('tables have the blocks, the index, the filter and the sums that are described', () => {
  const entries = manifest.slice(1, -1);
  expect(entries.length).toBeGreaterThan(1);
  let found = 0;
  for (const entry of entries) {
    const file = readFileSync(join(directory, `table.${String(entry.table)}`));
    expect(saltOf(file).toString('hex')).toBe(entry.salt);
    expect(file.toString('hex', 16, 32)).toBe(manifest[0].database);
    const { keys, index, filter } = readTable(file);
    expect([keys[0], keys.at(-1)!].map((key) => key.toString('hex'))).toEqual([
      entry.first,
      entry.last,
    ]);
    expect([...keys].sort(Buffer.compare)).toEqual(keys);
    for (const { key, before } of index) {
      expect(Buffer.compare(key, keys[before])).toBeLessThanOrEqual(0);
      if (before > 0) expect(Buffer.compare(key, keys[before - 1])).toBe(1);
    }
    const bits = keys.flatMap((key) => probes(key, filter.length / 64));
    expect(bits.filter((bit) => ((filter[bit >>> 3] >>> (bit & 7)) & 1) === 0)).toEqual([]);
    found += keys.filter((key) => key.includes('row ')).length;
  }
  expect(found).toBe(rows);
});
