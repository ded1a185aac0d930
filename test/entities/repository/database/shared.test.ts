/** Databases that are opened once a process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  column,
  defineEntity,
  type EntityClass,
  indexOn,
  indexes,
  maxVersions,
  open,
  type OpenOptions,
  rowKey,
  shared,
} from '../../../../src/index.js';

const environment = process.env['NODE_ENV'];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-shared-'));
});
afterEach(() => {
  process.env['NODE_ENV'] = environment;
  rmSync(folder, { recursive: true });
});

/** The entity, compiled once more. */
function compile(family = 'm', kind: 'string' | 'json' = 'string') {
  return defineEntity(
    class Note {
      id = '';
      title?: string;
    },
    {
      table: 'notes',
      families: { m: { gc: maxVersions(1) }, x: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { title: column(family, kind as 'string') },
      indexes: indexes({ byTitle: indexOn('title') }),
    },
  );
}

const User = defineEntity(class User {}, {
  table: 'users',
  families: { m: {} },
  key: rowKey('id') as never,
  segments: { id: 'string' },
  columns: { name: column('m', 'string') },
  marker: true,
});

const url = (): string => `file:${folder}/data`;

test('calls at the same time, and with another class of the same declaration, share a database', async () => {
  const [Note, Compiled] = [compile(), compile()];
  const [first, second, third] = await Promise.all([
    shared(url(), { entities: [Note] }),
    shared(url(), { entities: [Compiled] }),
    shared(pathToFileURL(join(folder, 'data')).href, { entities: [Note] }),
  ]);
  expect(second).toBe(first);
  expect(third).toBe(first);
  expect(await shared(`file:${relative(process.cwd(), folder)}/data/`, { entities: [Note] })).toBe(
    first,
  );
  const notes = first.repository(Note);
  await notes.save(notes.create({ id: 'a', title: 'one' }));
  const read = await second.repository(Compiled).index('byTitle').prefix({ title: 'one' }).first();
  expect(read).toBeInstanceOf(Compiled);
  await first.close();
});

test('other directories, and memory, are other databases', async () => {
  const Note = compile();
  const all = await Promise.all([
    shared(url(), { entities: [Note] }),
    shared(`file:${folder}/other`, { entities: [Note] }),
    shared('memory:', { entities: [Note] }),
    shared('memory:', { entities: [Note] }),
  ]);
  expect(new Set(all).size).toBe(3);
  await Promise.all(all.map((db) => db.close()));
});

test('a closed database is opened again by the next call, and so is one that could not be opened', async () => {
  const Note = compile();
  const first = await shared(url(), { entities: [Note] });
  await first.repository(Note).save(Object.assign(new Note(), { id: 'a', title: 'one' }));
  await first.close();
  await first.close();
  const holder = await open(url(), { entities: [Note] });
  await expect(shared(url(), { entities: [Note] })).rejects.toMatchObject({
    code: 'DATABASE_IN_USE',
    details: {
      fix: 'close the other database of this process first, or open it once for all with shared()',
    },
  });
  await holder.close();
  await using second = await shared(url(), { entities: [Note] });
  expect(second).not.toBe(first);
  expect(await second.repository(Note).exists({ id: 'a' })).toBe(true);
  await first.close();
  expect(await shared(url(), { entities: [Note] })).toBe(second);
});

test('a call while the database is being closed waits for it, and opens it again', async () => {
  const Note = compile();
  const first = await shared(url(), { entities: [Note] });
  const notes = first.repository(Note);
  const writes = Array.from({ length: 20 }, (_, i) =>
    notes.save(notes.create({ id: `n${i}`, title: 'one' })),
  );
  const closed = first.close();
  const [second, third] = await Promise.all([
    shared(url(), { entities: [Note] }),
    shared(url(), { entities: [Note] }),
    closed,
    Promise.allSettled(writes),
  ]);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(await second.repository(Note).exists({ id: 'none' })).toBe(false);
  await second.close();
});

test.each<[string, () => OpenOptions<EntityClass>, string]>([
  [
    'an entity that is declared differently',
    () => ({ entities: [compile('x')] }),
    'Note.columns.title.family: "m" and "x"',
  ],
  ['other entities', () => ({ entities: [compile(), User] }), 'entities: Note and Note, User'],
  ['another option', () => ({ entities: [compile()], gc: 'manual' }), 'gc: undefined and manual'],
])('%s is an error, which leaves the database open', async (_what, options, difference) => {
  const Note = compile();
  await using db = await shared(url(), { entities: [Note] });
  await expect(shared(url(), options())).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: {
      problem: `${url()} is open in this process with other declarations or options: ${difference}`,
      differences: [difference],
    },
  });
  expect(await db.repository(Note).exists({ id: 'a' })).toBe(false);
  expect(await shared(url(), { entities: [compile()] })).toBe(db);
});

test('two classes of one entity do not stand for two entities', async () => {
  const [Note, Compiled] = [compile(), compile()];
  await using db = await shared(url(), { entities: [Note, User] });
  expect(await shared(url(), { entities: [User, Compiled] })).toBe(db);
  await expect(shared(url(), { entities: [Note, Compiled] })).rejects.toMatchObject({
    code: 'INVALID_DECLARATION',
  });
});

test('bad arguments are rejected', async () => {
  await expect(shared('nowhere', { entities: [compile()] })).rejects.toMatchObject({
    details: { property: 'url' },
  });
  for (const options of [undefined, {}, { entities: [] }, { entities: ['Note'] }])
    await expect(shared(url(), options as never)).rejects.toHaveProperty('code');
  await using db = await shared(url(), { entities: [compile()] });
  for (const options of [undefined, null, {}, { entities: [] }, { entities: ['Note'] }])
    await expect(shared(url(), options as never)).rejects.toMatchObject({
      name: 'RowsmithError',
    });
  expect(await shared(url(), { entities: [compile()] })).toBe(db);
});

describe('under a development server', () => {
  const warnings: string[] = [];
  beforeEach(() => {
    process.env['NODE_ENV'] = 'development';
    warnings.length = 0;
    jest
      .spyOn(process, 'emitWarning')
      .mockImplementation((text) => void warnings.push(String(text)));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('an edited entity closes the database and opens it again, once for all calls', async () => {
    const [Note, Edited, Again] = [compile(), compile('x'), compile('x')];
    const first = await shared(url(), { entities: [Note], lint: false });
    await first.repository(Note).save(Object.assign(new Note(), { id: 'a', title: 'one' }));
    const [second, third] = await Promise.all([
      shared(url(), { entities: [Edited], lint: false }),
      shared(url(), { entities: [Again], lint: false }),
    ]);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    await expect(first.repository(Note).exists({ id: 'a' })).rejects.toMatchObject({
      code: 'DATABASE_CLOSED',
    });
    const edited = second.repository(Edited);
    await edited.save(edited.create({ id: 'b', title: 'two' }));
    expect((await third.repository(Again).get({ id: 'b' }))!.title).toBe('two');
    // The stale database does not close the new one.
    await first.close();
    expect(await shared(url(), { entities: [Edited], lint: false })).toBe(second);
    expect(warnings).toEqual([`${url()} is opened again: Note.columns.title.family: "m" and "x"`]);
    await second.close();
  });

  test('a faulty edit leaves the database open, and the next one opens it again', async () => {
    const Note = compile();
    const first = await shared(url(), { entities: [Note], lint: false });
    await expect(shared(url(), { entities: [compile('y')], lint: false })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
    });
    expect(await first.repository(Note).exists({ id: 'a' })).toBe(false);
    const second = await shared(url(), { entities: [compile('x')], lint: false });
    expect(second).not.toBe(first);
    await second.close();
  });
});
