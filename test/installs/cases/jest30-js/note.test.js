const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { open, RowsmithError } = require('rowsmith');
const { testDatabase } = require('rowsmith/testing');
const { matchers } = require('rowsmith/testing/jest');
const { Note } = require('./note');

expect.extend(matchers);

const directory = mkdtempSync(join(tmpdir(), 'notes-'));
afterAll(() => rmSync(directory, { recursive: true }));

test.each(['memory:', `file:${join(directory, 'data')}`])('%s', async (url) => {
  const db = await open(url, { entities: [Note] });
  const notes = db.repository(Note);
  const { failures } = await notes.saveMany(
    ['a', 'b'].map((id) => notes.create({ list: 'home', id, title: id.toUpperCase() })),
  );
  expect(failures).toEqual([]);
  expect((await notes.get({ list: 'home', id: 'b' })).title).toBe('B');
  expect(await notes.prefix({ list: 'home' }).count()).toBe(2);
  await db.close();
});

test('a test database and matchers', async () => {
  const db = await testDatabase([Note]);
  const notes = db.repository(Note);
  await db.seed(Note, [{ list: 'home', id: 'a', title: 'A' }]);
  await expect(notes).toHaveRow({ list: 'home', id: 'a' }, { title: 'A' });
  const error = await notes
    .insert(notes.create({ list: 'home', id: 'a', title: 'B' }))
    .catch((e) => e);
  expect(error).toBeInstanceOf(RowsmithError);
  expect(error).toBeRowsmithError('ROW_EXISTS', { entity: 'Note' });
  await db.close();
});
