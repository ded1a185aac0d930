/** The library sets the revision of these rows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { command } from '../../support/command.js';
import { Draft } from './draft.js';

let folder = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-revisions-'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Draft } = require(${JSON.stringify(join(__dirname, 'draft.ts'))});
module.exports = { entities: [Draft], url: 'file:./data' };`,
  );
  const db = await open(`file:${folder}/data`, { entities: [Draft] });
  const drafts = db.repository(Draft);
  await drafts.save(drafts.create({ id: 'd1', text: 'first' }));
  await db.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (line: string, input?: string) => command(folder, line.split(' '), { input });
const stored = async () =>
  JSON.parse((await run('get Draft id=d1')).out) as {
    readonly revision: string;
    readonly text: string;
  };

test('a row is written only if it has not changed since it was printed', async () => {
  const row = await stored();
  const put = (values: object) => run('put Draft - --yes', JSON.stringify(values));
  expect(JSON.parse((await put(row)).out)).toMatchObject({ written: false });
  expect(await stored()).toEqual(row);

  const written = await put({ ...row, text: 'second' });
  expect(JSON.parse(written.out)).toMatchObject({
    changes: [{ property: 'text', before: 'first', after: 'second' }],
    written: true,
  });
  const second = await stored();
  expect(second.text).toBe('second');
  expect(second.revision).not.toBe(row.revision);

  for (const values of [
    { ...row, text: 'third' },
    { id: 'd1', text: 'third' },
  ]) {
    const { status, out, err } = await put(values);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain('Draft');
    expect(await stored()).toEqual(second);
  }
});

test('patch and delete', async () => {
  const row = await stored();
  expect(await run('patch Draft id=d1 text=second --yes')).toMatchObject({ status: 0 });
  const second = await stored();
  expect(second.text).toBe('second');
  expect(second.revision).not.toBe(row.revision);
  expect(await run('delete Draft id=d1 --yes')).toMatchObject({ status: 0 });
  expect(await run('get Draft id=d1')).toMatchObject({ status: 1 });
});

test('the first row of a new database has a revision', async () => {
  const created = await run('put Draft id=d2 text=new --yes --url file:./new');
  expect(created).toMatchObject({ status: 0 });
  // The command has closed it.
  await (await open(`file:${folder}/new`, { entities: [Draft] })).close();
  const patched = await run('patch Draft id=d3 text=new --create --yes --url file:./newer');
  expect(patched).toMatchObject({ status: 0 });
  for (const place of ['id=d2 --url file:./new', 'id=d3 --url file:./newer'])
    expect(JSON.parse((await run(`get Draft ${place}`)).out)).toMatchObject({
      text: 'new',
      revision: expect.any(String) as string,
    });
});
