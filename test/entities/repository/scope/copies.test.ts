/** Copies in a scope: nothing that is written there shows values of another tenant. */
import {
  Column,
  copies,
  copyOf,
  type Database,
  Entity,
  indexOn,
  indexes,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

/** Copies from its own tenant. */
@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byAuthor: indexOn('tenant', 'author') });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'author' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') author?: string;
  @Column('m', 'string') authorName?: string;
}

/** A column names the tenant that it copies from. */
@Entity({ table: 'guests', families: { m: {} } })
class GuestPost {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byAuthor: indexOn('home', 'author') });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'home', id: 'author' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') home?: string;
  @Column('m', 'string') author?: string;
  @Column('m', 'string') authorName?: string;
}

/** The segments of the source in another order: the tenant of the scope is an author's id. */
@Entity({ table: 'swapped', families: { m: {} } })
class Swapped {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byAuthor: indexOn('author', 'tenant') });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'author', id: 'tenant' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') author?: string;
  @Column('m', 'string') authorName?: string;
}

let db: Database;
beforeEach(async () => {
  db = await open('memory:', { entities: [Author, Post, GuestPost, Swapped] });
  for (const tenant of ['acme', 'globex']) {
    const authors = db.scope({ tenant }).repository(Author);
    await authors.save(authors.create({ id: 'ann', name: `Ann of ${tenant}` }));
  }
});
afterEach(() => db.close());

// A guest post of acme with { home: 'globex' } showed the name of globex's author.
test.each([
  ['a column instead of the segment of the scope', () => GuestPost],
  ['the segment of the scope in another place', () => Swapped],
])('a copy by %s has no repository in a scope', (_, entity) => {
  const scope = db.scope({ tenant: 'acme' });
  const problem: unknown = expect.stringContaining('Author');
  const fix: unknown = expect.stringContaining(`db.repository(${entity().name})`);
  expect(() => scope.repository(entity() as typeof GuestPost)).toThrow(
    expect.objectContaining({
      code: 'OUTSIDE_SCOPE',
      details: expect.objectContaining({
        entity: entity().name,
        property: 'authorName',
        problem,
        fix,
      }) as unknown,
    }),
  );
});

test('the database itself still writes it', async () => {
  const guests = db.repository(GuestPost);
  await guests.save(guests.create({ tenant: 'acme', id: '1', home: 'globex', author: 'ann' }));
  expect((await guests.get({ tenant: 'acme', id: '1' }))?.authorName).toBe('Ann of globex');
});

test('a copy by the segments of the scope is of the same tenant', async () => {
  const posts = db.scope({ tenant: 'acme' }).repository(Post);
  await posts.save(posts.create({ id: '1', author: 'ann' }));
  expect((await posts.get({ id: '1' }))?.authorName).toBe('Ann of acme');
});
