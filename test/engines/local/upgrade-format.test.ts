/**
 * Databases of versions 1 to 3 of the format, written by these versions, and interrupted upgrades.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CheckedStore } from '../../../src/engines/local/kv/checked-store.js';
import { openDirectory } from '../../../src/engines/local/kv/disk/data-directory.js';
import { openDiskStore } from '../../../src/engines/local/kv/disk/disk-store.js';
import { currentProcess } from '../../../src/engines/local/kv/disk/process-identity.js';
import { openDiskEngine, openReadOnlyEngine } from '../../../src/engines/local/index.js';
import type { OrderedStore } from '../../../src/engines/local/kv/ordered-store.js';
import { metaKey, overflowKey } from '../../../src/engines/local/kv/store-key.js';
import {
  beginUpgrade,
  finishUpgrade,
} from '../../../src/engines/local/maintenance/upgrade-format.js';
import { everyKey } from '../../../src/bytes/index.js';
import { collectRows, type Engine } from '../../../src/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-upgrade-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const markerOf = (version: number): string => JSON.stringify({ format: 'rowsmith-local', version });
const marker = markerOf(1);

const fixture = (name: string): Uint8Array =>
  gunzipSync(readFileSync(join(__dirname, 'fixtures', `${name}.gz`)));

/**
 * Written by version 1 at commit 24454a3: large and small families, large values, buckets,
 * aggregates, and a deleted table. Version 2 is that database, upgraded by it at commit 7c9ba43, by
 * a process that was then killed.
 */
function oldDatabase(version = 1): void {
  writeFileSync(join(directory, 'rowsmith.json'), markerOf(version));
  writeFileSync(join(directory, 'data.mdb'), fixture(`format-${version}.mdb`));
}

async function expectComplete(engine: Engine): Promise<void> {
  expect(await engine.listTables()).toEqual([
    {
      name: 'kept',
      families: new Map([
        ['sum', { aggregate: 'sum' }],
        ['old', {}],
      ]),
      granularity: 'micros',
      deletionProtection: true,
    },
    {
      name: 'plain',
      families: new Map([
        ['a', { gc: { kind: 'maxVersions', versions: 2 } }],
        ['b', {}],
      ]),
      splitKeys: [utf8('m')].map((key) => new Uint8Array(key)),
    },
  ]);
  expect(await read(engine, { table: 'kept' })).toEqual([
    '\x00\xff{sum:n@1001=\0\0\0\0\0\0\0\x07}',
  ]);
  const rows = await collectRows(
    engine.readRows({ table: 'plain', ranges: [everyKey], reversed: false }),
  );
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
  const found = new Map(
    rows.map(({ key, cells }) => [
      text(key),
      cells.map(
        ({ family, qualifier, timestamp, value }) =>
          `${family}:${text(qualifier)}@${timestamp}=${text(value)}`,
      ),
    ]),
  );
  expect(found.size).toBe(304);
  for (let at = 0; at < 300; at++)
    expect(found.get(`row${at + 100}`)).toEqual([`a:q@2000=w${at}`, `a:q@1000=v${at}`, 'b:@1000=']);
  expect(found.get('wide')).toEqual(
    Array.from({ length: 400 }, (_, at) => `b:q${at + 1000}@1000=${'x'.repeat(60)}`),
  );
  expect(found.get('large')).toEqual([`a:large@1000=${'L'.repeat(20_000)}`]);
  expect(found.get('k'.repeat(4096))).toEqual(['a:q@1000=bucket']);
  expect(found.get('k'.repeat(4095))).toEqual(['a:q@1000=bucket too']);
}

test('a database of version 1 is upgraded, and remains usable', async () => {
  oldDatabase();
  let engine = await openDiskEngine(directory);
  await expectComplete(engine);
  expect(JSON.parse(readFileSync(join(directory, 'rowsmith.json'), 'utf8'))).toEqual({
    format: 'rowsmith-local',
    version: 4,
  });
  await engine.mutateRow('plain', {
    key: utf8('new'),
    mutations: [set('b', 'large', 'n'.repeat(10_000))],
  });
  await engine.createTable({ name: 'next', families: new Map([['a', {}]]) });
  expect(await read(engine, { table: 'next' })).toEqual([]);
  await rejects(engine.deleteTable('kept'), 'FAILED_PRECONDITION');
  await engine.mutateRow('plain', { key: utf8('new'), mutations: [{ kind: 'deleteFromRow' }] });
  await engine.deleteTable('next');
  await engine.close();
  engine = await openDiskEngine(directory);
  await expectComplete(engine);
  await engine.close();
});

test('a database of version 2 is opened, and its owner has ended', async () => {
  oldDatabase(2);
  for (const again of [1, 2]) {
    const engine = await openDiskEngine(directory);
    await expectComplete(engine);
    await engine.close();
    expect(readdirSync(directory)).toContain(`owner.${again}`);
  }
  expect(readFileSync(join(directory, 'rowsmith.json'), 'utf8')).toBe(markerOf(4));
  const disk = await openDiskStore(join(directory, 'data.mdb'), 'relaxed');
  expect(disk.get(metaKey('owner'))).toBeUndefined();
  expect(Buffer.from(disk.get(metaKey('format'))!).toString()).toBe(markerOf(4));
  await disk.close();
});

test('a database that an older version has open is in use, and left unchanged', async () => {
  oldDatabase(2);
  let disk = await openDiskStore(join(directory, 'data.mdb'), 'relaxed');
  const owner = { pid: process.ppid, started: currentProcess().started };
  // The start time of another process, whose PID was reused.
  disk.commit((writer) => writer.put(metaKey('owner'), utf8(JSON.stringify(owner))));
  await disk.close();
  await (await openDiskEngine(directory)).close();

  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  oldDatabase(2);
  disk = await openDiskStore(join(directory, 'data.mdb'), 'relaxed');
  disk.commit((writer) =>
    writer.put(metaKey('owner'), utf8(JSON.stringify({ ...owner, pid: process.pid }))),
  );
  await disk.close();
  const files = readdirSync(directory);
  await rejects(openDiskEngine(directory), 'DATABASE_IN_USE');
  expect(readdirSync(directory)).toEqual(files);
  expect(readFileSync(join(directory, 'rowsmith.json'), 'utf8')).toBe(markerOf(2));
});

/** Rows of version 3, whose sections were in the order of the names. */
async function expectRows(engine: Engine, count: number): Promise<void> {
  const rows = await read(engine);
  expect(rows).toHaveLength(count + 1);
  for (let i = 0; i < count; i++) {
    const cells = ['a', 'b', 'm', 'z'].map((family) => `${family}:q@1000=${family}${i}`);
    expect(rows[i]).toBe(`row${i + 1000}{${cells.join(' ')}}`);
  }
  const wide = Array.from({ length: 400 }, (_, i) => `m:q${i + 1000}@1000=${'x'.repeat(60)}`);
  const large = `z:large@1000=${'L'.repeat(20_000)}`;
  expect(rows.at(-1)).toBe(`wide{${['a:q@1000=a', ...wide, large].join(' ')}}`);
}

/**
 * Written by version 3 at commit 5bb1292: families created in the order z and m, b, a; small and
 * large ones, and a large value. The process was killed when 20 rows were only in the log.
 */
test('families of version 3 keep the order of their names, and new ones follow', async () => {
  writeFileSync(join(directory, 'rowsmith.json'), markerOf(3));
  writeFileSync(join(directory, 'data.mdb'), fixture('format-3.mdb'));
  writeFileSync(join(directory, 'log.2'), fixture('format-3.log-2'));
  const readOnly = await openReadOnlyEngine(directory);
  await expectRows(readOnly, 320);
  await readOnly.close();
  let engine = await openDiskEngine(directory);
  await expectRows(engine, 320);
  expect(readFileSync(join(directory, 'rowsmith.json'), 'utf8')).toBe(markerOf(4));
  const families = (...names: string[]) =>
    names.map((family) => ({ kind: 'create', family, schema: {} }) as const);
  await engine.modifyFamilies('t', families('k', 'c'));
  await engine.modifyFamilies('t', [{ kind: 'drop', family: 'b' }]);
  await engine.modifyFamilies('t', families('b'));
  // Merged with the stored records: one that is encoded when it is queued, and mutations.
  const every = ['b', 'c', 'k', 'm', 'z', 'a'];
  await engine.mutateRow('t', {
    key: utf8('row1000'),
    mutations: every.map((family) => set(family, 'q', 'new', 2000)),
  });
  await engine.mutateRow('t', {
    key: utf8('row1001'),
    mutations: [
      { kind: 'deleteFromFamily', family: 'm' },
      ...every.map((family) => set(family, 'q', 'new', 2000)),
    ],
  });
  const upgraded = [
    'row1000{a:q@2000=new a:q@1000=a0 m:q@2000=new m:q@1000=m0 z:q@2000=new z:q@1000=z0 ' +
      'c:q@2000=new k:q@2000=new b:q@2000=new}',
    'row1001{a:q@2000=new a:q@1000=a1 m:q@2000=new z:q@2000=new z:q@1000=z1 ' +
      'c:q@2000=new k:q@2000=new b:q@2000=new}',
    'row1002{a:q@1000=a2 m:q@1000=m2 z:q@1000=z2}',
  ];
  expect((await read(engine)).slice(0, 3)).toEqual(upgraded);
  await engine.close();
  engine = await openDiskEngine(directory);
  expect((await read(engine)).slice(0, 3)).toEqual(upgraded);
  await engine.close();
});

test('an upgrade that is interrupted after each step is resumed', async () => {
  oldDatabase();
  const count = 2500;
  const value = (at: number): Uint8Array => utf8(`overflow value ${at}`);
  const file = join(directory, 'data.mdb');
  let disk = await openDiskStore(file, 'relaxed');
  // Overflow values that no row refers to. They take three steps.
  disk.commit((writer) => {
    for (let at = 0; at < count; at++) writer.put(overflowKey(99, at), value(at));
  });
  await disk.close();
  let claim = await openDirectory(directory);
  disk = await openDiskStore(claim.file, 'relaxed');
  claim.adopt(disk, beginUpgrade);
  for (let steps = 0; ; steps++) {
    let commits = 0;
    const interrupted: OrderedStore = {
      get: (key) => disk.get(key),
      lookup: (key) => disk.lookup(key),
      scan: (start, end, reversed) => disk.scan(start, end, reversed),
      close: () => disk.close(),
      commit: (work) => {
        if (commits++ === 1) throw new Error('interrupted');
        disk.commit(work);
      },
    };
    const done = await finishUpgrade(interrupted).then(
      () => true,
      () => false,
    );
    await disk.close();
    claim.release();
    claim = await openDirectory(directory);
    disk = await openDiskStore(claim.file, 'relaxed');
    if (!done) continue;
    expect(steps).toBe(3);
    break;
  }
  expect(disk.get(metaKey('upgrade'))).toBeUndefined();
  const checked = new CheckedStore(disk, 'test');
  for (let at = 0; at < count; at++)
    expect(checked.get(overflowKey(99, at))).toEqual(new Uint8Array(value(at)));
  await disk.close();
  claim.release();
  const engine = await openDiskEngine(directory);
  await expectComplete(engine);
  await engine.close();
  expect(existsSync(file)).toBe(true);
});

test('a damaged catalog is reported, changes nothing, and releases the directory', async () => {
  oldDatabase();
  const disk = await openDiskStore(join(directory, 'data.mdb'), 'relaxed');
  disk.commit((writer) => writer.put(metaKey('catalog'), utf8('{"tables":')));
  await disk.close();
  for (const _again of [1, 2]) await rejects(openDiskEngine(directory), 'CORRUPT_DATA');
  expect(readFileSync(join(directory, 'rowsmith.json'), 'utf8')).toBe(marker);
});
