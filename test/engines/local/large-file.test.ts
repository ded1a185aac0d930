/**
 * Files of more than 64 MiB: pages are verified before they are used, and the rest in the
 * background.
 */
import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointRange } from '../../../src/bytes/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { findPageFault } from '../../../src/engines/local/kv/disk/check-pages.js';
import { pageReader, readMetaPages } from '../../../src/engines/local/kv/disk/file-meta.js';
import { LazyCheck } from '../../../src/engines/local/kv/disk/lazy-check.js';
import { collectRows, type Engine } from '../../../src/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';

const pageSize = 8192;
const rowCount = 24_000;
let work: string;
const pristine = (): string => join(work, 'pristine');
const directory = (): string => join(work, 'db');
const file = (): string => join(directory(), 'data.mdb');
/** Long keys, of which few fit a page: the file has many groups of pages. */
const keyOf = (row: number): Uint8Array =>
  utf8(`${'x'.repeat(900)}${String(row).padStart(6, '0')}`);

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'rowsmith-large-'));
  const engine = await openDiskEngine(pristine(), { durability: 'relaxed' });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  for (let from = 0; from < rowCount; from += 2000)
    await engine.mutateRows(
      't',
      Array.from({ length: 2000 }, (_, i) => ({
        key: keyOf(from + i),
        mutations: [set('a', 'q', `${from + i} `.repeat(from + i === 5000 ? 9000 : 420))],
      })),
    );
  for (let row = 0; row < rowCount; row += 20)
    await engine.mutateRow('t', { key: keyOf(row), mutations: [{ kind: 'deleteFromRow' }] });
  await engine.close();
}, 120_000);
beforeEach(() => {
  rmSync(directory(), { recursive: true, force: true });
  cpSync(pristine(), directory(), { recursive: true });
});
afterAll(() => rmSync(work, { recursive: true }));

const valueOf = async (engine: Engine, row: number): Promise<string | undefined> =>
  (
    await collectRows(
      engine.readRows({ table: 't', ranges: [pointRange(keyOf(row))], reversed: false }),
    )
  )
    .map(({ cells }) => Buffer.from(cells[0].value).toString())
    .at(0);
const write = (engine: Engine, row: number): Promise<void> =>
  engine.mutateRow('t', { key: keyOf(row), mutations: [set('a', 'q', 'new')] });

/** Damages the pages that hold the row, or have held it. */
function damageRow(row: number): void {
  const data = readFileSync(file());
  const text = `${row} ${row} ${row} `;
  for (let at = data.indexOf(text); at >= 0; at = data.indexOf(text, at + pageSize))
    damage(Math.floor(at / pageSize));
}

/** Changes the page number in the header of a page, which only the verification reads. */
function damage(page: number): void {
  const handle = openSync(file(), 'r+');
  writeSync(handle, Uint8Array.of(1), 0, 1, page * pageSize + 5);
  closeSync(handle);
}

test('the file is large enough', () => {
  expect(statSync(file()).size).toBeGreaterThan(66 * 1024 * 1024);
});

test('an intact file is read, scanned both ways, written and compacted while it is verified', async () => {
  const rows = rowCount - rowCount / 20;
  const engine = await openDiskEngine(directory(), { durability: 'relaxed' });
  expect(await valueOf(engine, 777)).toBe('777 '.repeat(420));
  expect(await valueOf(engine, 5001)).toBe('5001 '.repeat(420));
  expect((await read(engine, { filter: { kind: 'stripValue' } })).length).toBe(rows);
  await engine.close();
  const again = await openDiskEngine(directory(), { durability: 'relaxed' });
  expect((await read(again, { reversed: true, filter: { kind: 'stripValue' } })).length).toBe(rows);
  await again.close();
  const third = await openDiskEngine(directory(), { durability: 'relaxed' });
  for (let row = 1; row < rowCount; row += 997) await write(third, row);
  const compacted = third.compact();
  for (let row = 2; row < rowCount; row += 997) await write(third, row);
  await compacted;
  expect(await valueOf(third, 998)).toBe('new');
  await third.close();
  const verified = await openDiskEngine(directory(), { verify: true });
  expect(await valueOf(verified, 999)).toBe('new');
  await verified.close();
}, 60_000);

test('a damaged leaf page is reported when its keys are used, and the other rows can be', async () => {
  damageRow(10_001);
  await rejects(openDiskEngine(directory(), { verify: true }), 'CORRUPT_DATA');
  const engine = await openDiskEngine(directory(), { durability: 'relaxed' });
  expect(await valueOf(engine, 1)).toBe('1 '.repeat(420));
  expect(await valueOf(engine, 23_999)).toBe('23999 '.repeat(420));
  await rejects(valueOf(engine, 10_001), 'CORRUPT_DATA');
  await rejects(write(engine, 10_001), 'CORRUPT_DATA');
  await rejects(read(engine), 'CORRUPT_DATA');
  await rejects(read(engine, { reversed: true }), 'CORRUPT_DATA');
  await rejects(engine.compact(), 'CORRUPT_DATA');
  await write(engine, 1);
  expect(await valueOf(engine, 1)).toBe('new');
  await engine.close();
});

test('every page: a change of its header is reported, or the page is not in use', async () => {
  const handle = openSync(join(pristine(), 'data.mdb'), 'r');
  const read = pageReader(handle);
  const pages = readMetaPages(handle);
  if (pages.kind !== 'valid') throw new Error(pages.problem);
  const { newest } = pages;
  const step = Math.max(1, Math.floor(newest.lastPage / 40));
  for (let page = 2; page <= newest.lastPage; page += step) {
    const found = findPageFault(newest, (number) => {
      const bytes = read(number);
      if (number === page && bytes !== undefined) bytes[5] ^= 1;
      return bytes;
    });
    copyFileSync(join(pristine(), 'data.mdb'), file());
    damage(page);
    const engine = await openDiskEngine(directory(), { durability: 'relaxed' }).catch(
      (error: { code: string }) => error.code,
    );
    if (engine === 'CORRUPT_DATA') continue;
    if (typeof engine === 'string') throw new Error(engine);
    const outcome = await collectRows(
      engine.readRows({
        table: 't',
        ranges: [{ start: new Uint8Array(0) }],
        reversed: page % 2 === 0,
      }),
    ).then(
      () => 'read',
      (error: { code: string }) => error.code,
    );
    await engine.close();
    expect({ page, outcome }).toEqual({
      page,
      outcome: found === undefined ? 'read' : 'CORRUPT_DATA',
    });
  }
  closeSync(handle);
}, 120_000);

test('the rest is verified in the background, and then nothing remains to be done', async () => {
  const check = new LazyCheck(file());
  expect(check.isDone).toBe(false);
  const until = Date.now() + 30_000;
  while (!check.isDone && Date.now() < until)
    await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(check.isDone).toBe(true);
  check.close();
}, 40_000);

test('a file that is not to be verified is not', async () => {
  damageRow(10_001);
  const engine = await openDiskEngine(directory(), { verify: false });
  expect(await valueOf(engine, 10_001)).toBe('10001 '.repeat(420));
  await engine.close();
});
