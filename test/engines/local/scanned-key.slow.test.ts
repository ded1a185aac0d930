/**
 * The key that a page tells when it ends: a read that continues after it finds what is left, and
 * nothing else. Pages end after 4,096 rows, in the middle of keys that share their first bytes too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareBytes, everyKey } from '../../../src/base/index.js';
import {
  collectRows,
  planAfter,
  type Engine,
  type ReadPlan,
  type Row,
} from '../../../src/data/store/index.js';
import { openDiskEngine, openMemoryEngine } from '../../../src/engines/local/index.js';

const utf8 = (text: string): Buffer => Buffer.from(text);
const keysOf = (rows: readonly Row[]): string[] =>
  rows.map(({ key }) => Buffer.from(key).toString());
const filter = { kind: 'valueRegex', pattern: utf8('found') } as const;

/** So many short keys, then keys of over 4,000 equal bytes, and short keys again. */
function rowsOf(before: number): { readonly key: string; readonly value: string }[] {
  const short = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(6, '0')}`);
  const long = ['1', '2', '3'].map((end) => `b${'x'.repeat(4050)}${end}`);
  return [...short('a', before), ...long, ...short('c', 5000)].map((key, n) => ({
    key,
    value: n === before + 1 || key === 'c004999' ? 'found' : '',
  }));
}

async function fill(engine: Engine, before: number): Promise<void> {
  await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
  const cell = { kind: 'setCell', family: 'f', qualifier: utf8('q'), timestamp: 1000 } as const;
  const rows = rowsOf(before).map(({ key, value }) => ({
    key: utf8(key),
    mutations: [{ ...cell, value: utf8(value) }],
  }));
  await engine.mutateRows('t', rows);
}

/** The keys that the pages of a read tell, and the rows so far at each. */
async function scannedKeys(
  engine: Engine,
  plan: ReadPlan,
): Promise<{ readonly key: Uint8Array; readonly rows: number }[]> {
  const found: { key: Uint8Array; rows: number }[] = [];
  const stream = engine.readRows(plan, { pageRows: 1000 });
  let rows = 0;
  for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
    while (page.nextRow()) rows++;
    const key = page.scannedKey!();
    if (key !== undefined) found.push({ key, rows });
  }
  return found;
}

describe.each(['memory', 'disk'])('%s', (kind) => {
  let directory = '';
  let engine: Engine;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'scanned-key-'));
    engine = kind === 'memory' ? await openMemoryEngine() : await openDiskEngine(directory);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(directory, { recursive: true });
  });

  test.each([4093, 4094, 4095, 4096])('after %d short keys', async (before) => {
    await fill(engine, before);
    for (const reversed of [false, true]) {
      const plan: ReadPlan = { table: 't', ranges: [everyKey], reversed, filter };
      const all = keysOf(await collectRows(engine.readRows(plan)));
      expect(all).toHaveLength(2);
      const told = await scannedKeys(engine, plan);
      expect(told.length).toBeGreaterThanOrEqual(1);
      for (const [i, { key, rows }] of told.entries()) {
        if (i > 0) expect(compareBytes(told[i - 1].key, key) < 0).toBe(!reversed);
        const rest = planAfter(plan, key, rows);
        const left = rest === undefined ? [] : await collectRows(engine.readRows(rest));
        expect(keysOf(left)).toEqual(all.slice(rows));
      }
    }
  });
});
