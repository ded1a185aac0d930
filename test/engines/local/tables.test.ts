/** Tables: pairs that were written are found and scanned, in memory and on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareBytes, noBytes } from '../../../src/base/index.js';
import { wholeTable } from '../../../src/engines/local/kv/levels/table-entry.js';
import { DiskFiles } from '../../../src/engines/local/kv/store/disk-files.js';
import { MemoryFiles, type StoreFiles } from '../../../src/engines/local/kv/store/store-files.js';
import { buildFilter, keyHash, mayHave } from '../../../src/engines/local/kv/key-filter.js';
import type { Table } from '../../../src/engines/local/kv/tables/table.js';
import { TableRun } from '../../../src/engines/local/kv/levels/table-run.js';
import fc from '../../support/fast-check.js';
import { contextOf, type Pair, tableOf } from './tables-of.js';

const runs = Number(process.env.RUNS ?? 30);
const endOfAll = Uint8Array.of(255, 255, 255, 255, 255);

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-tables-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const key = fc.oneof(
  { weight: 5, arbitrary: fc.nat(2000).map((n) => Buffer.from(`device-${n % 7}#${n}`)) },
  { weight: 3, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(255), fc.constantFrom(300, 4000, 4084, 4085, 4086, 4087, 4096, 5000, 32_767))
      .map(([byte, length]) => Buffer.alloc(length, byte)),
  },
);
/** Lengths around a block, and around what the cache keeps. */
const bytes = fc.oneof(
  { weight: 8, arbitrary: fc.nat(200) },
  { weight: 1, arbitrary: fc.integer({ min: 4060, max: 4100 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 65_520, 65_535, 65_536, 65_537, 300_000) },
);
const pair = fc.record({ key, bytes, isRemoved: fc.nat(5).map((n) => n === 0) });

/** Pairs with distinct keys, in order. */
const pairs = fc.array(pair, { minLength: 1, maxLength: 250 }).map((all) => {
  const distinct = new Map(all.map((one) => [hex(one.key), one]));
  return [...distinct.values()]
    .map((one, at): Pair => {
      const value = one.isRemoved ? undefined : new Uint8Array(one.bytes).fill(at + 1);
      return { key: new Uint8Array(one.key), value };
    })
    .sort((a, b) => compareBytes(a.key, b.key));
});

const textOf = ({ key: one, value }: Pair): string =>
  `${hex(one)} ${value === undefined ? 'removed' : `${value.length} times ${value[0]}`}`;

function found(table: Table, one: Uint8Array): string | undefined {
  // In the middle of a buffer.
  const placed = Uint8Array.of(9, ...one, 9);
  if (!table.find(placed, 1, 1 + one.length)) return undefined;
  const value = table.isRemoved ? undefined : table.bytes.slice(table.keyEnd, table.valueEnd);
  return textOf({ key: table.bytes.slice(table.keyStart, table.keyEnd), value });
}

function scanned(run: TableRun, count = Infinity): string[] {
  const texts: string[] = [];
  while (texts.length < count && run.next())
    texts.push(
      textOf({
        key: run.bytes.slice(run.keyStart, run.keyEnd),
        value: run.isRemoved ? undefined : run.bytes.slice(run.keyEnd, run.valueEnd),
      }),
    );
  return texts;
}

const isInside = (one: Uint8Array, start: Uint8Array, end: Uint8Array): boolean =>
  compareBytes(start, one) <= 0 && compareBytes(one, end) < 0;

const places: readonly [string, () => StoreFiles][] = [
  ['in memory', () => new MemoryFiles()],
  ['on disk', () => new DiskFiles(contextOf(directory))],
  ['on disk, with a cache of two blocks', () => new DiskFiles(contextOf(directory, 8192))],
];

test.each(places)('pairs are found in any order, and no others: %s', async (_name, filesOf) => {
  await fc.assert(
    fc.asyncProperty(
      pairs,
      fc.array(fc.nat(1000), { maxLength: 80 }),
      fc.array(key, { maxLength: 30 }),
      async (all, order, others) => {
        const files = filesOf();
        const table = await tableOf(files, all);
        for (const at of [...order, ...all.keys()]) {
          const one = all[at % all.length];
          expect(found(table, one.key)).toBe(textOf(one));
        }
        const known = new Set(all.map((one) => hex(one.key)));
        for (const other of others)
          if (!known.has(hex(other))) expect(found(table, other)).toBeUndefined();
        const { info } = table;
        expect([info.pairs, hex(info.first), hex(info.last)]).toEqual([
          all.length,
          hex(all[0].key),
          hex(all.at(-1)!.key),
        ]);
        expect(info.removals).toBe(all.filter(({ value }) => value === undefined).length);
        for (const _ of table.verify());
        await files.remove([table]);
        await files.close();
      },
    ),
    { numRuns: runs },
  );
});

test.each(places)(
  'pairs are scanned in both directions, from a key to another, and seek moves on: %s',
  async (_name, filesOf) => {
    await fc.assert(
      fc.asyncProperty(
        pairs,
        fc.array(fc.tuple(key, key, fc.boolean(), fc.boolean(), fc.nat(20), key), { maxLength: 8 }),
        async (all, scans) => {
          const files = filesOf();
          const table = await tableOf(files, all);
          const entry = wholeTable(table);
          for (const [a, b, reversed, isWhole, before, to] of scans) {
            const [start, end] = [a, b].sort(compareBytes);
            const inside = all.filter((one) => isInside(one.key, start, end));
            const expected = (reversed ? [...inside].reverse() : inside).map(textOf);
            const scan = (): TableRun => new TableRun([entry], start, end, reversed, isWhole);
            expect(scanned(scan())).toEqual(expected);
            // The bounds of an entry are the bounds of a scan.
            const cut = new TableRun([{ table, start, end }], noBytes, endOfAll, reversed, isWhole);
            expect(scanned(cut)).toEqual(expected);
            const run = scan();
            expect(scanned(run, before)).toEqual(expected.slice(0, before));
            const last = reversed ? inside[inside.length - before] : inside[before - 1];
            const isAhead =
              last === undefined ||
              (reversed ? compareBytes(to, last.key) <= 0 : compareBytes(last.key, to) < 0);
            if (!isAhead || !isInside(to, start, end)) continue;
            run.seek(to);
            const rest = inside.filter((one) =>
              reversed ? compareBytes(one.key, to) < 0 : compareBytes(to, one.key) <= 0,
            );
            expect(scanned(run)).toEqual((reversed ? rest.reverse() : rest).map(textOf));
          }
          await files.remove([table]);
          await files.close();
        },
      ),
      { numRuns: runs },
    );
  },
);

test('a scan of several tables goes from one to the next, in both directions', async () => {
  const files = new DiskFiles(contextOf(directory));
  const all = Array.from({ length: 900 }, (_, at): Pair => {
    const value = new Uint8Array(50).fill(at);
    return { key: Buffer.from(`k${1000 + at}`), value };
  });
  const entries = [];
  for (let from = 0; from < all.length; from += 300)
    entries.push(wholeTable(await tableOf(files, all.slice(from, from + 300))));
  for (const reversed of [false, true]) {
    const expected = (reversed ? [...all].reverse() : all).map(textOf);
    expect(scanned(new TableRun(entries, noBytes, endOfAll, reversed))).toEqual(expected);
  }
  await files.close();
});

test('a filter has every key that was added, and few others', () => {
  const hashOf = (text: string): number => keyHash(Buffer.from(text), 0, text.length);
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary-ascii' }), { maxLength: 500 }), (keys) => {
      const hashes = Int32Array.from(keys, hashOf);
      const filter = Uint8Array.of(1, 2, 3, ...buildFilter(hashes, keys.length), 4);
      for (const hash of hashes) expect(mayHave(filter, 3, filter.length - 1, hash)).toBe(true);
    }),
  );
  const added = Int32Array.from({ length: 10_000 }, (_, at) => hashOf(`device-${at % 100}#${at}`));
  const filter = buildFilter(added, added.length);
  const others = Array.from({ length: 10_000 }, (_, at) => hashOf(`device-${at % 100}#x${at}`));
  const passing = others.filter((hash) => mayHave(filter, 0, filter.length, hash)).length;
  expect(passing).toBeLessThan(500);
});
