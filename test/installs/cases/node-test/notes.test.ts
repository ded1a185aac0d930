import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { open, RowsmithError } from 'rowsmith';
import { testDatabase, type TestDatabase } from 'rowsmith/testing';
import { Note } from './note.js';
import { Notes } from './notes.js';

const directory = mkdtempSync(join(tmpdir(), 'notes-'));
after(() => rmSync(directory, { recursive: true }));

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Note]);
});
afterEach(() => db.close());

for (const url of ['memory:', `file:${join(directory, 'data')}`]) {
  test(url, async () => {
    const opened = await open(url, { entities: [Note] });
    const notes = new Notes(opened.repository(Note));
    await notes.add('home', ['one', 'two', 'three']);
    assert.deepEqual(await notes.titles('home', 2), ['three', 'two']);
    await opened.close();
  });
}

test('a test database and typed errors', async () => {
  const key = { list: 'home', at: db.clock.date() };
  await db.seed(Note, [{ ...key, title: 'seeded' }]);
  const notes = db.repository(Note);
  await assert.rejects(
    notes.insert(notes.create({ ...key, title: 'x' })),
    (error: unknown) => error instanceof RowsmithError && error.code === 'ROW_EXISTS',
  );
});
