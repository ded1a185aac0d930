/**
 * A blog: each post carries the name of its author, so that a page of posts is one scan, and follows
 * when the author changes, even if the program that changed the author is stopped on the way.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  maxVersions,
  open,
  rowKey,
  Segment,
} from 'rowsmith';

@Entity({ table: 'authors', families: { m: { gc: maxVersions(1) } } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') bio?: string;
}

@Entity({ table: 'posts', families: { m: { gc: maxVersions(1) } } })
class Post {
  static readonly key = rowKey('blog', 'at');
  // Finds the posts of an author, for the copies and for a page of the author.
  static readonly indexes = indexes({
    byAuthor: indexOn('authorId', { segment: 'at', order: 'desc' }).including(
      'authorName',
      'title',
    ),
  });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { id: 'authorId' }),
  });
  @Segment('string', { maxLength: 40 }) blog!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // the newest post comes first
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
  @Column('m', 'string') title?: string;
}

const directory = mkdtempSync(join(tmpdir(), 'author-and-posts-'));
const url = `file:${directory}`;
const entities = [Author, Post];
const time = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));

{
  await using db = await open(url, { entities });
  const authors = db.repository(Author);
  const posts = db.repository(Post);
  await authors.saveMany([
    authors.create({ id: 'ann', name: 'Ann', bio: 'Writes about engines.' }),
    authors.create({ id: 'bob', name: 'Bob' }),
  ]);
  await posts.saveMany(
    Array.from({ length: 24 }, (_, hour) =>
      posts.create({
        blog: 'news',
        at: time(hour),
        authorId: hour % 2 === 0 ? 'ann' : 'bob',
        title: `Post ${hour}`,
      }),
    ),
  );

  // A page of the blog is one scan; no author is read.
  const page = await posts.prefix({ blog: 'news' }).limit(3).all();
  for (const { title, authorName } of page) console.log(title, 'by', authorName);
  assert.deepEqual(
    page.map(({ authorName }) => authorName),
    ['Bob', 'Ann', 'Bob'],
  );

  // The copies follow before the write resolves, in the posts and in the entries of their index.
  await authors.patch({ id: 'ann' }, { name: 'Ann B.' });
  assert.equal((await posts.prefix({ blog: 'news' }).limit(2).all())[1].authorName, 'Ann B.');
  const ofAnn = posts.index('byAuthor').covered().prefix({ authorId: 'ann' });
  assert.equal((await ofAnn.first())?.authorName, 'Ann B.');
}

{
  // This program leaves the copies to another one: it writes the author, and is closed.
  await using db = await open(url, { entities, copies: 'manual' });
  await db.repository(Author).patch({ id: 'bob' }, { name: 'Robert' });
}

{
  await using db = await open(url, { entities });
  const posts = db.repository(Post);
  assert.equal((await posts.prefix({ blog: 'news' }).first())?.authorName, 'Bob');
  for await (const { key, since } of db.derived.pending(Author))
    console.log('copies of', key, 'are due since', since.toISOString());

  // Call it at the start of a program: it writes what is due, and nothing if nothing is.
  const written = await db.derived.propagate(Author);
  assert.deepEqual(written, { sources: 1, rows: 12 });
  assert.equal((await posts.prefix({ blog: 'news' }).first())?.authorName, 'Robert');
  const { found } = await db.derived.verify(Post);
  assert.equal(found['stale copy'], 0);
}

rmSync(directory, { recursive: true });
