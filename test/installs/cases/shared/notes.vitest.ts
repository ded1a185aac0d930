import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, RowsmithError, type Database } from 'rowsmith';
import { testDatabase } from 'rowsmith/testing';
import { afterAll, expect, test } from 'vitest';
import { Note } from './note';
import { Notes } from './notes';

const directory = mkdtempSync(join(tmpdir(), 'notes-'));
afterAll(() => rmSync(directory, { recursive: true }));

async function savesAndQueries(db: Database): Promise<void> {
  const notes = new Notes(db.repository(Note));
  await notes.add('home', ['one', 'two', 'three']);
  expect(await notes.titles('home', 2)).toEqual(['three', 'two']);
  expect(await notes.titles('work', 2)).toEqual([]);
}

test('memory:', async () => {
  const db = await open('memory:', { entities: [Note] });
  await savesAndQueries(db);
  await db.close();
});

test('file:, opened twice', async () => {
  const url = `file:${join(directory, 'data')}`;
  const db = await open(url, { entities: [Note] });
  await savesAndQueries(db);
  await db.close();
  const again = await open(url, { entities: [Note] });
  expect(await new Notes(again.repository(Note)).titles('home', 9)).toEqual([
    'three',
    'two',
    'one',
  ]);
  await again.close();
});

test('a test database and typed errors', async () => {
  const db = await testDatabase([Note]);
  const key = { list: 'home', at: db.clock.date() };
  await db.seed(Note, [{ ...key, title: 'seeded' }]);
  const again = db.repository(Note).insert(db.repository(Note).create({ ...key, title: 'x' }));
  const error: unknown = await again.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RowsmithError);
  expect(error).toMatchObject({ code: 'ROW_EXISTS' });
  await db.close();
});
