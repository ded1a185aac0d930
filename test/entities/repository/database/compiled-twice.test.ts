/** Entities with a class that was compiled twice, as bundlers do: one entity, two classes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MaxLength } from 'class-validator';
import {
  column,
  copies,
  copyOf,
  counter,
  bufferedCounters,
  defineEntity,
  defineMessage,
  field,
  indexOn,
  indexes,
  literal,
  maxVersions,
  open,
  packed,
  revision,
  rollups,
  rowKey,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { exportRows, importRows } from '../../../../src/tools/index.js';

interface Options {
  /** Added to the title before it is written. */
  readonly suffix?: string;
  readonly family?: string;
  readonly name?: string;
}

/** The entities of an application, compiled once more. */
function compile({ suffix = '', family = 'm', name }: Options = {}) {
  const Body = defineMessage(
    class Body {
      text?: string;
    },
    { name: 'notes.Body', fields: { text: field(1, 'string') } },
  );
  const table = 'notes';
  const families = { m: { gc: maxVersions(1) }, x: {} };
  const Author = defineEntity(
    class Author {
      tenant!: string;
      id!: string;
      fullName?: string;
      revision?: string;
    },
    {
      table,
      families,
      key: rowKey('tenant', literal('author'), 'id'),
      segments: { tenant: 'string', id: 'string' },
      columns: { fullName: column('m', 'string'), revision: revision('m') },
    },
  );
  class Note {
    tenant!: string;
    at!: Date;
    title?: string;
    slug?: string;
    authorId?: string;
    authorName?: string;
    visits?: bigint;
    body?: InstanceType<typeof Body>;
    static beforeWrite(note: Note): void {
      note.title = `${note.title ?? ''}${suffix}`;
    }
    isShort(): boolean {
      return (this.title ?? '').length < 10;
    }
  }
  return {
    Author,
    Body,
    Note: defineEntity(Note, {
      name,
      table,
      families,
      key: rowKey('tenant', literal('note'), 'at'),
      segments: { tenant: 'string', at: 'timestamp' },
      columns: {
        title: column(family, 'string'),
        slug: column('m', 'string'),
        authorId: column('m', 'string'),
        authorName: column('m', 'string'),
        visits: counter('x'),
        body: packed('m', Body),
      },
      indexes: indexes({
        bySlug: uniqueIndexOn('tenant', 'slug'),
        byAuthor: indexOn('tenant', 'authorId'),
      }),
      rollups: rollups({
        daily: {
          by: ['tenant', { time: 'at', every: '1d' }],
          values: { n: 'count' },
        },
      }),
      copies: copies({
        authorName: copyOf(() => Author, 'fullName', { tenant: 'tenant', id: 'authorId' }),
      }),
    }),
  };
}

const at = new Date(Date.UTC(2026, 0, 1));
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

describe.each(['memory', 'disk'])('%s', (kind) => {
  const url = () => {
    if (kind === 'memory') return 'memory:';
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-twice-'));
    folders.push(folder);
    return `file:${folder}/data`;
  };

  test('each repository returns instances of its class and runs its hooks', async () => {
    const [first, second] = [compile(), compile({ suffix: '!' })];
    await using db = await open(url(), { entities: [first.Note, first.Author] });
    const notes = db.repository(first.Note);
    const others = db.repository(second.Note);
    expect(others).not.toBe(notes);
    expect(db.repository(second.Note)).toBe(others);
    await notes.save(notes.create({ tenant: 'a', at, title: 'one', body: { text: 'x' } }));
    const read = (await others.get({ tenant: 'a', at }))!;
    expect(read).toBeInstanceOf(second.Note);
    expect(read).not.toBeInstanceOf(first.Note);
    expect(read.isShort()).toBe(true);
    expect(read.body).toBeInstanceOf(second.Body);
    await others.save(read);
    const again = (await notes.get({ tenant: 'a', at }))!;
    expect([again.title, again instanceof first.Note]).toEqual(['one!', true]);
    expect(JSON.parse(JSON.stringify(again))).toEqual(notes.toJSON(again));
    // Properties that are not stored are left out, as of its own instances.
    const opened = Object.assign(again, { isOpen: true });
    expect(others.toJSON(opened as never)).toEqual(notes.toJSON(opened));
  });

  test('instances of the other class are saved, deleted and rejected like its own', async () => {
    const [first, second] = [compile(), compile()];
    await using db = await open(url(), { entities: [first.Note, first.Author] });
    const notes = db.repository(first.Note);
    const note = Object.assign(new second.Note(), { tenant: 'a', at, title: 'one' }) as never;
    await notes.save(note);
    await notes.saveMany([note]);
    expect(() => notes.prefix(note)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ problem: expect.stringContaining('not an entity') }),
      }),
    );
    await notes.delete(note);
    expect(await notes.scanAll().count()).toBe(0);
    const stranger = Object.assign(new second.Author(), { tenant: 'a', id: 'x' }) as never;
    await expect(notes.save(stranger)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    class Memo {
      tenant = 'a';
    }
    await expect(notes.save(new Memo() as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('a revision of an instance of the other class is its revision', async () => {
    const [first, second] = [compile(), compile()];
    await using db = await open(url(), { entities: [first.Note, first.Author] });
    const authors = db.repository(first.Author);
    await authors.save(authors.create({ tenant: 'a', id: 'x', fullName: 'Ann' }));
    const fresh = Object.assign(new second.Author(), { tenant: 'a', id: 'x', fullName: 'Bob' });
    await expect(authors.save(fresh as never)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
    const read = await db.repository(second.Author).get({ tenant: 'a', id: 'x' });
    await authors.save(Object.assign(read!, { fullName: 'Bob' }));
    expect((await authors.get({ tenant: 'a', id: 'x' }))!.fullName).toBe('Bob');
  });

  test('indexes, unique values, rollups, copies, counters, scopes, collections and checks', async () => {
    const [first, second] = [compile(), compile()];
    const { Author, Note } = second;
    await using db = await open(url(), { entities: [first.Note, first.Author] });
    const [authors, notes] = [db.repository(Author), db.repository(Note)];
    await authors.save(authors.create({ tenant: 'a', id: 'x', fullName: 'Ann' }));
    const key = { tenant: 'a', at };
    await notes.save(notes.create({ ...key, title: 'one', slug: 's', authorId: 'x' }));
    const author = (await authors.get({ tenant: 'a', id: 'x' }))!;
    await authors.save(Object.assign(author, { fullName: 'Bea' }));
    expect((await notes.get(key))!.authorName).toBe('Bea');
    expect(await notes.index('byAuthor').prefix({ tenant: 'a', authorId: 'x' }).count()).toBe(1);
    await expect(
      db
        .repository(first.Note)
        .save(db.repository(first.Note).create({ tenant: 'a', at: new Date(0), slug: 's' })),
    ).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' });
    const days = await notes.rollup('daily').prefix({ tenant: 'a' }).all();
    expect(days.map(({ n }) => n)).toEqual([1n].map(Number));
    await using counters = bufferedCounters(notes);
    await counters.add(key, 'visits', 2n);
    await counters.flush();
    expect((await db.repository(first.Note).get(key))!.visits).toBe(2n);
    const scoped = await db.scope({ tenant: 'a' }).repository(Note).get({ at });
    expect(scoped).toBeInstanceOf(second.Note);
    const members = await db
      .collection({ notes: Note, authors: Author })
      .prefix({ tenant: 'a' })
      .all();
    expect(members.map(({ kind, entity }) => [kind, entity.constructor])).toEqual([
      ['authors', Author],
      ['notes', Note],
    ]);
    expect((await db.derived.verify(Note)).found).toEqual((await db.derived.repair(Note)).found);
    expect(await db.derived.list()).toHaveLength(2);
  });

  test('exports and imports', async () => {
    const [first, second] = [compile(), compile()];
    const Note = second.Note;
    await using db = await open(url(), { entities: [first.Note, first.Author] });
    const notes = db.repository(Note);
    await notes.save(notes.create({ tenant: 'a', at, title: 'one' }));
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-twice-'));
    folders.push(folder);
    const file = join(folder, 'notes.jsonl');
    await exportRows(notes.scanAll(), file, { format: 'jsonl' });
    await notes.delete({ tenant: 'a', at });
    await importRows(db.engine, notes.model, file, { format: 'jsonl' });
    expect((await db.repository(first.Note).get({ tenant: 'a', at }))!.title).toBe('one');
  });
});

test('another declaration under the same name is an error that shows where it differs', async () => {
  const [first, second] = [compile(), compile({ family: 'x' })];
  await using db = await open('memory:', { entities: [first.Note, first.Author] });
  for (const call of [
    () => db.repository(second.Note),
    () => db.scope({ tenant: 'a' }).repository(second.Note as never),
    () => db.collection({ notes: second.Note } as never),
  ])
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({
          entity: 'Note',
          problem:
            'the database was opened with another declaration of Note: ' +
            'columns.title.family: "m" and "x"',
          differences: ['columns.title.family: "m" and "x"'],
        }),
      }),
    );
  await expect(db.derived.verify(second.Note as never)).rejects.toMatchObject({
    details: { entity: 'Note' },
  });
});

// It was called no instance of Note, and to be created with `new Note()`, which it was.
test('an instance of another declaration is an error that shows where the two differ', async () => {
  const [first, second] = [compile(), compile({ family: 'x' })];
  await using db = await open('memory:', { entities: [first.Note, first.Author] });
  const notes = db.repository(first.Note);
  const stranger = Object.assign(new second.Note(), { tenant: 'a', at, title: 'one' }) as never;
  const details = {
    entity: 'Note',
    property: 'entity',
    problem: 'it is an instance of another declaration of Note: columns.title.family: "m" and "x"',
    fix: expect.stringContaining('declare the entity once') as string,
    differences: ['columns.title.family: "m" and "x"'],
  };
  await expect(notes.save(stranger)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details });
  await expect(notes.insert(stranger)).rejects.toMatchObject({ details });
  const { failures } = await notes.saveMany([stranger]);
  expect(failures.map(({ error }) => error.details)).toEqual([details]);
  // A class without a declaration, and one with a faulty one, are no entities.
  const faulty = compile({ family: 'none' }).Note;
  for (const other of [new (class Note {})(), new faulty()])
    await expect(notes.save(other as never)).rejects.toMatchObject({
      details: { problem: expect.stringContaining('not an instance of Note') as string },
    });
});

test('a class that a bundler renamed is told to declare its name', async () => {
  const [first, second] = [compile(), compile({ name: 'Note2' })];
  await using db = await open('memory:', { entities: [first.Note, first.Author] });
  expect(() => db.repository(second.Note as never)).toThrow(
    expect.objectContaining({
      details: {
        entity: 'Note2',
        problem: "the database was opened with this declaration under the name 'Note'",
        fix: "bundlers rename classes: declare the name in its options, name: 'Note'",
      },
    }),
  );
});

test('the rules of the class that the repository was asked for apply', async () => {
  const [first, second] = [compile(), compile()];
  MaxLength(3)(first.Note.prototype, 'title');
  await using db = await open('memory:', { entities: [first.Note, first.Author] });
  const notes = db.repository(first.Note);
  const long = { tenant: 'a', at, title: 'long' };
  const stranger = Object.assign(new second.Note(), long) as never;
  await expect(notes.save(stranger)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await notes.saveMany([stranger])).failures).toHaveLength(1);
  await db.repository(second.Note).save(Object.assign(new first.Note(), long));
  expect(await notes.scanAll().count()).toBe(1);
});

test('both classes are one member of a collection', async () => {
  const [first, second] = [compile(), compile()];
  await using db = await open('memory:', { entities: [first.Note, first.Author] });
  expect(() => db.collection({ notes: first.Note, again: second.Note } as never)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        property: 'again',
        problem: 'the entity is a member already: a row has one kind',
      }),
    }),
  );
});

test('both classes at once are two entities of one name', async () => {
  const [first, second] = [compile(), compile()];
  await expect(
    open('memory:', { entities: [first.Author, second.Author as never] }),
  ).rejects.toMatchObject({
    details: { faults: [{ entity: 'Author', problem: 'two of the entities have this name' }, {}] },
  });
});
