/** Cell timestamps do not go back: within a process, across runs, and after a read-modify-write. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  Entity,
  maxVersions,
  open,
  rowKey,
  Segment,
  Versions,
} from '../../../../src/index.js';
import type { Version } from '../../../../src/index.js';
import { openOverOurServer } from '../../../engines/bigtable/live-backends.js';

@Entity({ table: 'notes', families: { m: { gc: maxVersions(3) } } })
class Note {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
  @Column('m', 'string') other?: string;
}

@Entity({ table: 'late', families: { m: {}, h: {} }, cellTimestamp: 'at' })
class Late {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'timestamp') at!: Date;
  @Column('m', 'string') a?: string;
  @Column('m', 'string') b?: string;
  @Versions('h', 'string') history?: Version<string>[];
}

const hour = 3_600_000;
const key = { id: 'n' };
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-clock-'));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

test('on disk, a clock that was set back between two runs', async () => {
  const url = `file:${newFolder()}`;
  let now = Date.UTC(2026, 10, 22);
  for (const text of ['first', 'second', 'third']) {
    const db = await open(url, { entities: [Note], clock: () => now });
    await db.repository(Note).patch(key, { text });
    expect((await db.repository(Note).get(key))?.text).toBe(text);
    await db.close();
    now -= hour;
  }
});

test('the newest timestamp of a closed database is exact', async () => {
  const url = `file:${newFolder()}`;
  const now = Date.UTC(2026, 10, 22);
  for (const clock of [() => now, () => now - hour]) {
    const db = await open(url, { entities: [Note], clock });
    await db.repository(Note).patch(key, { text: `${clock()}` });
    const [newest] = await db.repository(Note).history(key, 'text');
    expect(newest.at.getTime()).toBe(now);
    await db.close();
  }
});

test('a clock that is set back between append and patch', async () => {
  let now = Date.UTC(2026, 10, 22);
  const db = await open('memory:', { entities: [Note], clock: () => now });
  const notes = db.repository(Note);
  await notes.append(key, { text: 'appended' });
  now -= hour;
  await notes.patch(key, { text: 'patched' });
  expect((await notes.get(key))?.text).toBe('patched');
  await notes.patch(key, { text: null });
  expect(await notes.get(key)).toBeUndefined();
  await db.close();
});

test('live, a storage with a clock that is ahead', async () => {
  const now = Date.UTC(2026, 10, 22);
  const server = await openOverOurServer({ clock: () => now + 2000 });
  const db = await open('bigtable://p/instance-1', {
    entities: [Note],
    clock: () => now,
    bigtable: { emulatorHost: server.address },
  });
  await db.admin.apply();
  const notes = db.repository(Note);
  await notes.append(key, { text: 'appended' });
  await notes.patch(key, { text: 'patched' });
  expect((await notes.get(key))?.text).toBe('patched');
  await db.close();
  await server.close();
});

test('a cell in the far future does not move the clock', async () => {
  const now = Date.UTC(2026, 10, 22);
  const server = await openOverOurServer({ clock: () => now + 30 * 24 * hour });
  const db = await open('bigtable://p/instance-1', {
    entities: [Note],
    clock: () => now,
    bigtable: { emulatorHost: server.address },
  });
  await db.admin.apply();
  const notes = db.repository(Note);
  await notes.append(key, { text: 'appended' });
  await notes.patch(key, { other: 'x' });
  expect((await notes.history(key, 'other'))[0].at.getTime()).toBe(now);
  await db.close();
  await server.close();
});

test('a late save changes nothing: neither values nor the columns that it lacks', async () => {
  const db = await open('memory:', { entities: [Late] });
  const rows = db.repository(Late);
  const newer = rows.create({ ...key, at: new Date(2000), a: 'newer', b: 'newer' });
  const older = rows.create({ ...key, at: new Date(1000), a: 'older' });
  await rows.save(newer);
  await rows.save(older);
  expect(await rows.get(key)).toEqual(newer);
  await rows.patch(key, { at: new Date(1500), b: null });
  expect(await rows.get(key)).toEqual(newer);
  await rows.patch(key, { at: new Date(2500), b: null });
  expect(await rows.get(key)).toEqual({ ...key, at: new Date(2500), a: 'newer' });
  await db.close();
});

test('a late save with a condition that holds replaces the entity', async () => {
  const db = await open('memory:', { entities: [Late] });
  const rows = db.repository(Late);
  await rows.save(rows.create({ ...key, at: new Date(2000), a: 'newer', b: 'newer' }));
  const older = rows.create({ ...key, at: new Date(1000), a: 'older' });
  await rows.save(older, { if: { equals: { a: 'newer' } } });
  expect(await rows.get(key)).toEqual(older);
  await db.close();
});
