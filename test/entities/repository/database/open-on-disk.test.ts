/** Databases on disk, and closing. */
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
import { type Database, maxVersions, open } from '../../../../src/index.js';
import { Order, Reading, Spread, upTo, User } from '../support/entities.js';
import { key, entityWith } from './opened-entities.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-open-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('on disk', () => {
  const url = () => `file:${join(directory, 'data')}`;

  test('data is kept when it is opened again', async () => {
    let db: Database = await open(url(), { entities: [Reading, User, Order] });
    await db
      .repository(Reading)
      .saveMany(upTo(1000).map((n) => db.repository(Reading).create({ ...key, n, value: n })));
    await db.repository(Reading).increment(key, 'total', 5n);
    await db.close();
    db = await open(url(), { entities: [Reading] });
    expect(await db.repository(Reading).scanAll().count()).toBe(1000);
    expect(await db.repository(Reading).get(key)).toEqual({ ...key, value: 1, total: 5n });
    await db.close();
  });

  test('a write called before close() is stored', async () => {
    let db = await open(url(), { entities: [Reading] });
    const readings = db.repository(Reading);
    const writes = [
      ...upTo(40).map((n) => readings.save(readings.create({ ...key, n, value: n }))),
      readings.insert(readings.create({ ...key, n: 40, value: 40 })),
      readings.patch({ ...key, n: 41 }, { value: 41 }),
      readings.patch({ ...key, n: 42 }, { value: 42 }, { if: { exists: false } }),
      readings.increment({ ...key, n: 43 }, 'hits'),
      readings.increment({ ...key, n: 44 }, 'total'),
      readings.append({ ...key, n: 45 }, { note: 'x' }),
    ];
    await Promise.all([...writes, db.close()]);
    db = await open(url(), { entities: [Reading] });
    expect(await db.repository(Reading).scanAll().count()).toBe(46);
    await db.close();
  });

  test('a directory that is already open is rejected, and the first database still works', async () => {
    const db = await open(url(), { entities: [Reading] });
    await expect(open(url(), { entities: [Reading] })).rejects.toMatchObject({
      code: 'DATABASE_IN_USE',
    });
    await db.repository(Reading).save(db.repository(Reading).create({ ...key, value: 1 }));
    await db.close();
    await (await open(url(), { entities: [Reading] })).close();
  });

  test('readOnly: reads beside the open database, writes nothing, and creates nothing', async () => {
    await expect(open(url(), { entities: [Reading], readOnly: true })).rejects.toMatchObject({
      code: 'NOT_A_DATABASE',
    });
    expect(existsSync(join(directory, 'data'))).toBe(false);
    const db = await open(url(), { entities: [Reading] });
    const reader = await open(url(), { entities: [Reading], readOnly: true });
    await db.repository(Reading).save(db.repository(Reading).create({ ...key, value: 1 }));
    const readings = reader.repository(Reading);
    expect((await readings.get(key))?.value).toBe(1);
    await expect(readings.save(readings.create({ ...key, value: 2 }))).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      details: { fix: expect.stringContaining('without readOnly') },
    });
    expect((await readings.get(key))?.value).toBe(1);
    // A missing table is not created, and another rule does not matter for reading.
    const Other = entityWith({ m: { gc: maxVersions(7) } });
    const other = await open(url(), { entities: [Other], readOnly: true });
    expect((await other.engine.listTables()).length).toBe(1);
    await expect(other.repository(Other).scanAll().count()).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
    const gc = { kind: 'maxVersions', versions: 2 } as const;
    await db.engine.createTable({ name: 'versions', families: new Map([['m', { gc }]]) });
    expect(await other.repository(Other).scanAll().count()).toBe(0);
    for (const each of [other, reader, db]) await each.close();
  });

  test.each([
    [{ readOnly: 'yes' }, 'readOnly'],
    [{ readOnly: true, schema: 'apply' }, 'schema'],
  ])('%j is rejected', async (options, property) => {
    await expect(
      open('memory:', { entities: [Reading], ...(options as object) }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property } });
  });

  test('readOnly applies to a database in memory', async () => {
    const db = await open('memory:', { entities: [Reading], readOnly: true });
    await expect(db.admin.apply()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await db.close();
  });

  test('a failed open releases the directory', async () => {
    await (await open(url(), { entities: [entityWith({ m: { gc: maxVersions(2) } })] })).close();
    await expect(open(url(), { entities: [entityWith({ m: {} })] })).rejects.toMatchObject({
      code: 'SCHEMA_CONFLICT',
    });
    await (await open(url(), { entities: [Reading] })).close();
  });

  test('a directory or file of another program is rejected and not changed', async () => {
    mkdirSync(join(directory, 'data'));
    writeFileSync(join(directory, 'data', 'letter.txt'), 'dear');
    await expect(open(url(), { entities: [Reading] })).rejects.toMatchObject({
      code: 'NOT_A_DATABASE',
    });
    expect(readdirSync(join(directory, 'data'))).toEqual(['letter.txt']);
    await expect(
      open(`file:${join(directory, 'data', 'letter.txt')}`, { entities: [Reading] }),
    ).rejects.toMatchObject({ code: 'NOT_A_DATABASE' });
    expect(readFileSync(join(directory, 'data', 'letter.txt'), 'utf8')).toBe('dear');
  });
});

describe('closing', () => {
  const uses: [string, (db: Database) => Promise<unknown>][] = [
    ['get', (db) => db.repository(Reading).get(key)],
    ['getMany', (db) => db.repository(Reading).getMany([key])],
    ['exists', (db) => db.repository(Reading).exists(key)],
    ['history', (db) => db.repository(Reading).history(key, 'value')],
    ['all', (db) => db.repository(Reading).scanAll().all()],
    ['first', (db) => db.repository(Reading).scanAll().first()],
    ['count of shards', (db) => db.repository(Spread).scanAll().count()],
    ['page', (db) => db.repository(Reading).scanAll().page({ size: 1 })],
    [
      'for await',
      async (db) => {
        for await (const row of db.repository(Spread).scanAll()) void row;
      },
    ],
    [
      'save',
      (db) => db.repository(Reading).save(db.repository(Reading).create({ ...key, value: 1 })),
    ],
    [
      'insert',
      (db) => db.repository(Reading).insert(db.repository(Reading).create({ ...key, value: 1 })),
    ],
    ['patch', (db) => db.repository(Reading).patch(key, { value: 1 })],
    ['patch if', (db) => db.repository(Reading).patch(key, { value: 1 }, { if: { exists: true } })],
    ['delete', (db) => db.repository(Reading).delete(key)],
    ['increment', (db) => db.repository(Reading).increment(key, 'hits')],
    ['increment of an aggregate', (db) => db.repository(Reading).increment(key, 'total')],
    ['append', (db) => db.repository(Reading).append(key, { note: 'x' })],
    [
      'saveMany',
      (db) =>
        db.repository(Reading).saveMany([db.repository(Reading).create({ ...key, value: 1 })]),
    ],
    ['deleteMany', (db) => db.repository(Reading).deleteMany([key])],
    ['prefix().delete()', (db) => db.repository(Reading).prefix({ tenant: 't' }).delete()],
    ['engine', (db) => db.engine.listTables()],
  ];

  test.each(['memory:', 'file:'])(
    '%s: every use after it rejects, and closing again does nothing',
    async (scheme) => {
      const db = await open(scheme === 'file:' ? `file:${join(directory, 'data')}` : scheme, {
        entities: [Reading, Spread],
      });
      await Promise.all([db.close(), db.close()]);
      await db.close();
      for (const [name, use] of uses) {
        const outcome = await use(db).then(
          () => 'resolved',
          (error: { code?: string }) => error.code,
        );
        expect([name, outcome]).toEqual([name, 'DATABASE_CLOSED']);
      }
    },
  );

  test('await using closes it', async () => {
    let kept: Database;
    {
      await using db = await open('memory:', { entities: [Reading] });
      kept = db;
      await db.repository(Reading).patch(key, { value: 1 });
    }
    await expect(kept.repository(Reading).get(key)).rejects.toMatchObject({
      code: 'DATABASE_CLOSED',
    });
  });
});
