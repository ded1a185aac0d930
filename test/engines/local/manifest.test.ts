/** The text of manifests: what was written is read, and every changed byte is noticed. */
import { RowsmithError, toHex } from '../../../src/base/index.js';
import { depth, Levels } from '../../../src/engines/local/kv/levels/levels.js';
import {
  type DatabaseManifest,
  encodeManifest,
  levelsOf,
  parseManifest,
} from '../../../src/engines/local/kv/levels/manifest-text.js';
import {
  isWhole,
  type TableEntry,
  wholeTable,
} from '../../../src/engines/local/kv/levels/table-entry.js';
import { MemorySource } from '../../../src/engines/local/kv/tables/table-source.js';
import { Table, type TableInfo } from '../../../src/engines/local/kv/tables/table.js';
import fc from '../../support/fast-check.js';

const id = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const number = fc.oneof(fc.nat(1000), fc.constant(Number.MAX_SAFE_INTEGER - 1));
const key = fc.uint8Array({ minLength: 1, maxLength: 40 });
const tableInfo: fc.Arbitrary<TableInfo> = fc
  .record({
    owner: fc.integer({ min: 1 }),
    number: fc.integer({ min: 1 }),
    salt: id(8),
    bytes: number,
    pairs: number,
    removals: number,
    pairBytes: number,
    keys: fc.tuple(key, key),
  })
  .map(({ keys: [a, b], ...info }) => {
    const [first, last] = [a, b].sort(Buffer.compare);
    return { ...info, first, last };
  });
const entry = fc.record({
  level: fc.integer({ min: 0, max: depth }),
  info: tableInfo,
  bounds: fc.option(fc.tuple(key, key)),
});
const manifest = fc.record({
  owner: fc.integer({ min: 1 }),
  number: fc.integer({ min: 1 }),
  database: id(16),
  isDurable: fc.boolean(),
  commit: number,
  segment: fc.record({
    owner: fc.integer({ min: 1 }),
    number: fc.integer({ min: 1 }),
    salt: id(8),
    firstCommit: fc.constant(0),
  }),
  lastSegment: fc.record({
    owner: fc.integer({ min: 1 }),
    number: fc.integer({ min: 1 }),
    salt: id(8),
  }),
});

const tableOf = (info: TableInfo): Table => new Table(info, 'test', new MemorySource([]), 0);

function levels(entries: readonly (typeof entry extends fc.Arbitrary<infer T> ? T : never)[]) {
  const all: TableEntry[][] = Array.from({ length: depth + 1 }, () => []);
  for (const { level, info, bounds } of entries) {
    const whole = wholeTable(tableOf(info));
    const part = { ...whole, start: bounds?.[0] ?? whole.start, end: bounds?.[1] ?? whole.end };
    // The bounds of an entry are never outside of its table.
    all[level].push(isWhole(part) ? whole : part);
  }
  return new Levels(all);
}

const textOf = (all: Levels): unknown =>
  all.entries.map((level) =>
    level.map(({ table: { info }, start, end }) => [
      [toHex(start), toHex(end), toHex(info.salt), toHex(info.first), toHex(info.last)],
      [info.owner, info.number, info.bytes, info.pairs, info.removals, info.pairBytes],
    ]),
  );

test('a manifest is read as it was written', () => {
  fc.assert(
    fc.property(manifest, fc.array(entry, { maxLength: 12 }), (head, entries) => {
      const written = levels(entries);
      const text = encodeManifest(head, written);
      const read = parseManifest(Buffer.from(text), 'manifest.1-1');
      const { entries: _, ...rest } = read;
      expect({ ...rest, segment: { ...rest.segment, firstCommit: 0 } }).toEqual(head);
      expect(read.segment.firstCommit).toBe(head.commit + 1);
      expect(textOf(levelsOf(read, tableOf))).toEqual(textOf(written));
      // Lines that are kept from the manifest before are the same.
      expect(encodeManifest(head, written)).toBe(text);
    }),
  );
});

const example = (): Buffer => {
  const [head] = fc.sample(manifest, { numRuns: 1, seed: 1 });
  const entries = fc.sample(entry, { numRuns: 4, seed: 2 });
  return Buffer.from(encodeManifest(head as Omit<DatabaseManifest, 'entries'>, levels(entries)));
};

const outcome = (bytes: Uint8Array): string => {
  try {
    parseManifest(bytes, '/data/manifest.7-2');
    return 'read';
  } catch (error) {
    if (!(error instanceof RowsmithError)) return String(error);
    return `${error.code} ${String(error.details.file)}`;
  }
};

const corrupt = 'CORRUPT_DATA /data/manifest.7-2';

test('every bit that is changed, and every byte that is missing or added, is CORRUPT_DATA', () => {
  const bytes = example();
  expect(outcome(bytes)).toBe('read');
  const others = new Set<string>();
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] ^= 1 << (bit & 7);
    others.add(outcome(changed));
  }
  for (let length = 0; length < bytes.length; length++) {
    others.add(outcome(bytes.subarray(0, length)));
    others.add(outcome(bytes.subarray(length + 1)));
    others.add(
      outcome(Buffer.concat([bytes.subarray(0, length), Buffer.of(10), bytes.subarray(length)])),
    );
  }
  others.add(outcome(Buffer.concat([bytes, bytes])));
  others.add(outcome(Buffer.concat([bytes, Buffer.of(0)])));
  expect([...others]).toEqual([corrupt]);
});

test('lines that were replaced by lines of another manifest are CORRUPT_DATA', () => {
  const lines = example().toString().split('\n');
  const swapped = [lines[0], lines[2], lines[1], ...lines.slice(3)];
  expect(outcome(Buffer.from(swapped.join('\n')))).toBe(corrupt);
  expect(outcome(Buffer.from(lines.filter((_line, at) => at !== 1).join('\n')))).toBe(corrupt);
});
