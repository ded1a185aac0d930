/** Compares copies with their sources, by what repositories read. */
import type { Database } from '../../../../src/index.js';
import { collectRows } from '../../../../src/data/store/index.js';
import { expectExactEntries } from '../index/stored-entries.js';
import { Author, Post, Profile } from './entities.js';

const textOf = (key: { tenant: string; id?: number }): string => `${key.tenant}/${key.id}`;

/** Copies that differ from their sources, in words. */
export async function staleCopies(db: Database): Promise<string[]> {
  const authors = await db.repository(Author).scanAll().all();
  const byKey = new Map(authors.map((author) => [textOf(author), author]));
  const authorOf = (tenant: string, id: number | undefined): Author | undefined =>
    id === undefined ? undefined : byKey.get(textOf({ tenant, id }));
  const stale: string[] = [];
  for (const post of await db.repository(Post).scanAll().all()) {
    const author = authorOf(post.tenant, post.authorId);
    if (post.authorName !== author?.name)
      stale.push(`post ${post.id} of ${post.authorId} has ${post.authorName}, not ${author?.name}`);
    if (post.authorRank !== author?.rank)
      stale.push(`post ${post.id} of ${post.authorId} has ${post.authorRank}, not ${author?.rank}`);
  }
  for (const profile of await db.repository(Profile).scanAll().all()) {
    const author = authorOf(profile.tenant, profile.authorId);
    if (profile.title !== author?.name)
      stale.push(`profile ${profile.slug} has ${profile.title}, not ${author?.name}`);
  }
  return stale;
}

/** Fails unless all copies are their sources', and all entries their rows'. */
export async function expectCopied(db: Database): Promise<void> {
  expect(await staleCopies(db)).toEqual([]);
  await expectExactEntries(db, Post);
  for (const { covered, row } of await coveredNames(db)) expect(covered).toEqual(row);
}

/** The name in each entry of byAuthor, and in its row. */
async function coveredNames(
  db: Database,
): Promise<readonly { covered: string | undefined; row: string | undefined }[]> {
  const [byAuthor] = db.repository(Post).model.indexes;
  const posts = await db.repository(Post).scanAll().all();
  const found = [];
  for (const post of posts) {
    if (post.authorId === undefined) continue;
    const key = byAuthor.entry.key.encode(post as unknown as Record<string, unknown>);
    const end = Buffer.concat([key, Buffer.of(0)]);
    const plan = { table: 'posts_index', ranges: [{ start: key, end }], reversed: false };
    const [entry] = await collectRows(db.engine.readRows(plan));
    const cell = entry.cells.find(({ family }) => family === '_c');
    const covered = cell && Buffer.from(cell.value).toString();
    found.push({ covered, row: post.authorName });
  }
  return found;
}
