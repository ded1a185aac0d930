/** Schemas with hooks, scopes, indexes, rollups, copies, conditions and other validators. */
import { IsEmail, IsOptional } from 'class-validator';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  Column,
  column,
  copies,
  copyOf,
  CreatedAt,
  defineEntity,
  Entity,
  indexes,
  indexOn,
  open,
  type Repository,
  Revision,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { thrown } from './schema-entities.js';

describe('with other features', () => {
  const seen: unknown[] = [];

  @Entity({ table: 'authors', families: { m: {} } })
  class Author {
    static readonly key = rowKey('tenant', 'id');
    @Segment('string') tenant!: string;
    @Segment('string') id!: string;
    @Column('m', 'string', { schema: z.string().min(2) }) name?: string;
  }

  @Entity({
    table: 'books',
    families: { m: {} },
    schema: type({ tenant: 'string', title: 'string' }).narrow((book, context) => {
      seen.push({ ...book });
      return (
        book.title !== book.tenant || context.reject({ message: 'is the tenant', path: ['title'] })
      );
    }),
  })
  class Book {
    static readonly key = rowKey('tenant', 'at');
    static readonly indexes = indexes({
      byIsbn: uniqueIndexOn('isbn'),
      byAuthor: indexOn('tenant', 'author'),
    });
    static readonly rollups = rollups({
      daily: {
        by: ['tenant', { time: 'at', every: '1d' }],
        values: { n: 'count', sum: { sum: 'pages' } },
      },
    });
    static readonly copies = copies({
      authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'author' }),
    });
    static beforeWrite(book: Book): void {
      book.title = book.title.trim();
    }
    @Segment('string') tenant!: string;
    @Segment('timestamp') at!: Date;
    @Column('m', 'string', { schema: v.pipe(v.string(), v.maxLength(9)), required: true })
    title!: string;
    @Column('m', 'string', { schema: z.string().regex(/^\d+$/) }) isbn?: string;
    @Column('m', 'string') author?: string;
    @Column('m', 'string') authorName?: string;
    @Column('m', 'int32', { schema: z.int().positive(), min: -9 }) pages?: number;
    @Column('m', 'string') @IsOptional() @IsEmail() contact?: string;
    @Revision('m') revision?: Revision;
    @CreatedAt('m') createdAt?: CreatedAt;
  }

  const at = new Date(86_400_000);
  const opened = async () => {
    const db = await open('memory:', { entities: [Author, Book] });
    return { db, books: db.scope({ tenant: 'acme' }).repository(Book) };
  };

  test('hooks run first, the segments of a scope are there, and nothing of the library is', async () => {
    const { db, books } = await opened();
    seen.length = 0;
    await books.insert(Object.assign(new Book(), { at, title: '  Lamp  ', isbn: '7', pages: 3 }));
    expect(seen).toEqual([{ tenant: 'acme', at, title: 'Lamp', isbn: '7', pages: 3 }]);
    expect(await books.get({ at })).toMatchObject({ title: 'Lamp' });
    await db.close();
  });

  test('a frozen entity is judged with the segments of the scope', async () => {
    @Entity({
      table: 'notes',
      families: { m: {} },
      schema: z.looseObject({ tenant: z.string().regex(/^acme$/) }),
    })
    class Note {
      static readonly key = rowKey('tenant', 'id');
      @Segment('string') tenant!: string;
      @Segment('string') id!: string;
      @Column('m', 'string') text?: string;
    }
    await using db = await open('memory:', { entities: [Note] });
    const of = (tenant: string) => db.scope({ tenant }).repository(Note);
    const note = Object.freeze(Object.assign(new Note(), { id: '1', text: 'x' }));
    await of('acme').save(note);
    expect(await of('acme').get({ id: '1' })).toMatchObject({ tenant: 'acme', text: 'x' });
    const error = await thrown(() => of('other').save(note));
    expect(error.details.issues).toMatchObject([{ path: 'tenant', rule: 'schema' }]);
  });

  test('declared rules, schemas and class-validator are one report, and no derived row changes', async () => {
    const { db, books } = await opened();
    await db
      .repository(Author)
      .save(db.repository(Author).create({ tenant: 'acme', id: 'ann', name: 'Ann' }));
    const book = Object.assign(new Book(), {
      at,
      title: 'acme',
      isbn: 'x',
      pages: -10,
      contact: 'none',
      author: 'ann',
    });
    const error = await thrown(() => books.insert(book));
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(
      (error.details.issues as { path: string; rule: string }[]).map(
        ({ path, rule }) => `${path} ${rule}`,
      ),
    ).toEqual(['contact isEmail', 'isbn schema', 'pages min', 'pages schema', 'title schema']);
    expect(error.details.rowKey).toMatch(/acme/);
    expect(await books.index('byAuthor').prefix({ author: 'ann' }).count()).toBe(0);
    await books.insert(
      Object.assign(new Book(), { at, title: 'Lamp', isbn: '7', pages: 3, author: 'ann' }),
    );
    const before = (await books.get({ at }))!;
    expect(before.authorName).toBe('Ann');
    const patched = await thrown(() => books.patch(before, { pages: -10, contact: 'none' }));
    expect(
      (patched.details.issues as { path: string; rule: string }[]).map(
        ({ path, rule }) => `${path} ${rule}`,
      ),
    ).toEqual(['contact isEmail', 'pages min', 'pages schema']);
    const days = await books.rollup('daily').scanAll().all();
    expect(days).toMatchObject([{ n: 1, sum: 3 }]);
    await books.patch(before, { pages: 5 }, { if: { equals: { title: 'Lamp' } } });
    expect((await books.rollup('daily').scanAll().all())[0]).toMatchObject({ n: 1, sum: 5 });
    await db.close();
  });

  test('a copy takes no schema: its source has it', async () => {
    class Copy {
      id = '';
      author?: string;
      name?: string;
    }
    const Copied = defineEntity(Copy, {
      table: 'copied',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: {
        author: column('m', 'string'),
        name: column('m', 'string', { schema: z.string() }),
      },
      indexes: indexes({ byAuthor: indexOn('id', 'author') }),
      copies: copies({ name: copyOf(() => Author, 'name', { tenant: 'id', id: 'author' }) }),
    });
    const { details } = await thrown(() => open('memory:', { entities: [Author, Copied] }));
    expect(details.faults).toMatchObject([
      {
        property: 'name',
        problem: expect.stringContaining('has rules, which its source') as string,
      },
    ]);
  });

  test('an entity without schemas or class-validator rules awaits nothing before it is sent', async () => {
    @Entity({ table: 'plain', families: { m: {} } })
    class Plain {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'string', { schema: z.string() }) text?: string;
    }
    const db = await open('memory:', { entities: [Plain] });
    const rows: Repository<typeof Plain> = db.repository(Plain);
    // A synchronous schema awaits nothing either: the write has reached the engine before close().
    const write = rows.save(rows.create({ id: '1', text: 'x' }));
    await db.close();
    await write;
  });
});
