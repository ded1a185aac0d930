/**
 * Large files: pages are verified before they are used, and the rest in the background. Here a file
 * of some megabytes counts as large, which has as many levels and groups of pages as one of more
 * than 64 MiB, the default.
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
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointRange } from '../../../src/base/index.js';
import { type DiskEngineOptions, openDiskEngine } from '../../../src/engines/local/index.js';
import { findPageFault } from '../../../src/engines/local/kv/disk/check-pages.js';
import { checkDataFile } from '../../../src/engines/local/kv/disk/data-file.js';
import { defaultTuning } from '../../../src/engines/local/kv/disk/disk-tuning.js';
import { pageReader, readMetaPages } from '../../../src/engines/local/kv/disk/file-meta.js';
import { LazyCheck } from '../../../src/engines/local/kv/disk/lazy-check.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';

const pageSize = 8192;
const rowCount = 3000;
/** Rows with a value on separate pages; the first one is deleted again. */
const largeRows = [500, 701];
const maxVerifiedBytes = 4 * 1024 * 1024;
let work: string;
const pristine = (): string => join(work, 'pristine');
const directory = (): string => join(work, 'db');
const file = (): string => join(directory(), 'data.mdb');
const open = (options: DiskEngineOptions): Promise<Engine> =>
  openDiskEngine(directory(), options, { ...defaultTuning, maxVerifiedBytes });
/** Long keys. Few fit a page, so the file has many groups of pages. */
const keyOf = (row: number): Uint8Array =>
  utf8(`${'x'.repeat(900)}${String(row).padStart(6, '0')}`);

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'rowsmith-large-'));
  const engine = await openDiskEngine(pristine(), { durability: 'relaxed' });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  for (let from = 0; from < rowCount; from += 500)
    await engine.mutateRows(
      't',
      Array.from({ length: 500 }, (_, i) => ({
        key: keyOf(from + i),
        mutations: [
          set('a', 'q', `${from + i} `.repeat(largeRows.includes(from + i) ? 9000 : 420)),
        ],
      })),
    );
  for (let row = 0; row < rowCount; row += 20)
    await engine.mutateRow('t', { key: keyOf(row), mutations: [{ kind: 'deleteFromRow' }] });
  await engine.close();
});
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

test('the file is large enough, and has groups on two levels', () => {
  expect(statSync(file()).size).toBeGreaterThan(1.5 * maxVerifiedBytes);
  const handle = openSync(file(), 'r');
  const pages = readMetaPages(handle);
  closeSync(handle);
  expect(pages.kind === 'valid' && pages.newest.main.depth).toBeGreaterThanOrEqual(4);
});

test('files of more than 64 MiB count as large', () => {
  damageRow(1001);
  const limit = 64 * 1024 * 1024;
  truncateSync(file(), limit);
  expect(LazyCheck.of(file(), undefined, defaultTuning.maxVerifiedBytes)).toBeUndefined();
  expect(() => checkDataFile(file(), undefined)).toThrow(
    expect.objectContaining({ code: 'CORRUPT_DATA' }),
  );
  truncateSync(file(), limit + pageSize);
  const check = LazyCheck.of(file(), undefined, defaultTuning.maxVerifiedBytes);
  expect(check?.isDone).toBe(false);
  check?.close();
  checkDataFile(file(), undefined);
});

test('an intact file is read, scanned both ways, written and compacted while it is verified', async () => {
  const rows = rowCount - rowCount / 20;
  const engine = await open({ durability: 'relaxed' });
  expect(await valueOf(engine, 777)).toBe('777 '.repeat(420));
  expect(await valueOf(engine, 501)).toBe('501 '.repeat(420));
  expect((await read(engine, { filter: { kind: 'stripValue' } })).length).toBe(rows);
  await engine.close();
  const again = await open({ durability: 'relaxed' });
  expect((await read(again, { reversed: true, filter: { kind: 'stripValue' } })).length).toBe(rows);
  await again.close();
  const third = await open({ durability: 'relaxed' });
  for (let row = 1; row < rowCount; row += 123) await write(third, row);
  const compacted = third.compact();
  for (let row = 2; row < rowCount; row += 123) await write(third, row);
  await compacted;
  expect(await valueOf(third, 124)).toBe('new');
  await third.close();
  const verified = await open({ verify: true });
  expect(await valueOf(verified, 125)).toBe('new');
  await verified.close();
});

test('a damaged leaf page is reported when its keys are used, and the other rows can be', async () => {
  damageRow(1001);
  await rejects(open({ verify: true }), 'CORRUPT_DATA');
  const engine = await open({ durability: 'relaxed' });
  expect(await valueOf(engine, 1)).toBe('1 '.repeat(420));
  expect(await valueOf(engine, 2999)).toBe('2999 '.repeat(420));
  await rejects(valueOf(engine, 1001), 'CORRUPT_DATA');
  await rejects(write(engine, 1001), 'CORRUPT_DATA');
  await rejects(read(engine), 'CORRUPT_DATA');
  await rejects(read(engine, { reversed: true }), 'CORRUPT_DATA');
  await rejects(engine.compact(), 'CORRUPT_DATA');
  await write(engine, 1);
  expect(await valueOf(engine, 1)).toBe('new');
  await engine.close();
});

test('a damaged page of a large value is reported when the value is read', async () => {
  damage(Math.floor(readFileSync(file()).indexOf('701 701 701 ') / pageSize));
  const engine = await open({ durability: 'relaxed' });
  await rejects(valueOf(engine, 701), 'CORRUPT_DATA');
  expect(await valueOf(engine, 1)).toBe('1 '.repeat(420));
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
    const engine = await open({ durability: 'relaxed' }).catch(
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
});

test('the rest is verified in the background, and then nothing remains to be done', async () => {
  const check = new LazyCheck(file());
  expect(check.isDone).toBe(false);
  const until = Date.now() + 30_000;
  while (!check.isDone && Date.now() < until)
    await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(check.isDone).toBe(true);
  check.close();
});

test('a file that is not to be verified is not', async () => {
  damageRow(1001);
  const engine = await open({ verify: false });
  expect(await valueOf(engine, 1001)).toBe('1001 '.repeat(420));
  await engine.close();
});
