/** One random history of programs that write authors and their posts, and propagate. */
import { type Database as OpenDatabase, RowsmithError } from '../../../../../src/index.js';
import { RowWriter } from '../../../../../src/entities/derived/index.js';
import { buildModels, type EntityModel } from '../../../../../src/entities/model/index.js';
import { Database } from '../../../../../src/entities/repository/index.js';
import { CellClock, type Engine } from '../../../../../src/data/store/index.js';
import { FaultyStorage, randomOf } from '../../index/histories/faulty-storage.js';
import { compareEntries, storedEntries } from '../../index/stored-entries.js';
import { staleCopies } from '../compare-copies.js';
import { Author, Post, Profile } from '../entities.js';

const hourMillis = 3_600_000;
const models = (): readonly EntityModel[] => buildModels([Author, Post, Profile]);

export interface HistoryOptions {
  readonly seed: number;
  readonly writers: number;
  readonly operations: number;
  readonly faults: number;
}

/** What a history ended with: nothing is wrong if `problems` is empty. */
export interface HistoryResult {
  readonly problems: readonly string[];
  readonly injected: readonly string[];
  /** Copies that were not their sources' before the last propagation. */
  readonly stale: number;
}

/** Errors that a program may get while storage fails and other programs write. */
const expectedCodes = ['UNAVAILABLE', 'STORAGE_FAILED', 'UNIQUE_VIOLATION', 'CONTENTION'];
const conditionCodes = ['CONDITION_FAILED', 'ROW_EXISTS'];

function assertExpected(error: unknown): void {
  if (!(error instanceof RowsmithError)) throw error;
  if (![...expectedCodes, ...conditionCodes].includes(error.code)) throw error;
}

function databaseOver(
  engine: Engine,
  skewMillis: number,
  copies: 'awaited' | 'background' | 'manual',
): OpenDatabase {
  return new Database({
    url: 'memory:',
    engine,
    models: models(),
    cellClock: new CellClock(() => Date.now() + skewMillis),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
    copies,
  });
}

function operation(db: OpenDatabase, random: () => number): Promise<unknown> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)];
  const authors = db.repository(Author);
  const posts = db.repository(Post);
  const profiles = db.repository(Profile);
  const author = { tenant: 'acme', id: pick([1, 2]) };
  const post = { tenant: 'acme', id: pick([1, 2, 3]) };
  const authorId = pick([1, 2, undefined]);
  const name = pick(['x', 'y', 'z', undefined]);
  const newPost = (id: number): Post =>
    posts.create({ tenant: 'acme', id, authorId, at: new Date(0), text: 't' });
  const operations: readonly (() => Promise<unknown>)[] = [
    () => authors.save(authors.create({ ...author, name, rank: 1n })),
    () => authors.patch(author, { name: name ?? null }),
    () => authors.patch(author, { name: name ?? 'w' }, { if: { equals: { name: 'x' } } }),
    () => authors.patch(author, { bio: 'b' }),
    () => authors.delete(author),
    () =>
      authors.saveMany([1, 2].map((id) => authors.create({ tenant: 'acme', id, name, rank: 1n }))),
    () => posts.save(newPost(post.id)),
    () => posts.save(newPost(post.id)),
    () => posts.insert(newPost(post.id)),
    () => posts.patch(post, { authorId: authorId ?? null }),
    () => posts.patch(post, { text: 'u' }),
    () => posts.delete(post),
    () => profiles.save(profiles.create({ tenant: 'acme', slug: 'p', authorId: authorId ?? 1 })),
    () => db.derived.propagate(Author),
  ];
  return pick(operations)();
}

/** Runs a history over an engine with all tables. Rows of earlier histories are deleted first. */
export async function runHistory(engine: Engine, options: HistoryOptions): Promise<HistoryResult> {
  const random = randomOf(options.seed);
  const storage = new FaultyStorage(engine, random, options.faults);
  const plain = databaseOver(engine, 0, 'awaited');
  for (const { name } of await engine.listTables())
    await engine.dropRowRange(name, { kind: 'all' });
  await plain.repository(Author).save(author(plain, 1));
  const programs = Array.from({ length: options.writers }, async (_, i) => {
    const client = storage.connect(`writer ${i}`);
    const skew = Math.round((random() - 0.5) * 48 * hourMillis);
    const db = databaseOver(client.engine, skew, i % 2 === 0 ? 'awaited' : 'manual');
    const writing = (async () => {
      for (let at = 0; at < options.operations; at++)
        await operation(db, random).catch(assertExpected);
    })();
    await Promise.race([writing, client.killed]);
  });
  await storage.run(programs);
  await storage.settle();
  const problems = await unmarked(plain);
  const stale = (await staleCopies(plain)).length;
  await plain.derived.propagate(Author);
  for await (const { key } of plain.derived.pending(Author))
    problems.push(`author ${key.id as number} is pending after propagate`);
  problems.push(...(await staleCopies(plain)), ...(await inexact(plain)));
  return { problems, injected: storage.injected, stale };
}

function author(db: OpenDatabase, id: number): Author {
  return db.repository(Author).create({ tenant: 'acme', id, name: 'x', rank: 1n });
}

/** Copies that differ from a source without a mark, in words. */
async function unmarked(db: OpenDatabase): Promise<string[]> {
  const marked = new Set<unknown>();
  for await (const { key } of db.derived.pending(Author)) marked.add(key.id);
  const stale: string[] = [];
  const authors = await db.repository(Author).scanAll().all();
  const posts = await db.repository(Post).scanAll().all();
  for (const { id, authorId, authorName } of posts) {
    const name = authors.find((each) => each.id === authorId)?.name;
    if (authorId === undefined) {
      if (authorName !== undefined) stale.push(`post ${id} has no author and a name`);
    } else if (name !== authorName && !marked.has(authorId))
      stale.push(`post ${id} of ${authorId} has ${authorName}, not ${name}, and there is no mark`);
  }
  return stale;
}

/** Entries that differ from the rows after the repair, in words. */
async function inexact(db: OpenDatabase): Promise<string[]> {
  const problems: string[] = [];
  for (const entity of [Post, Profile]) {
    const { model } = db.repository<object, readonly string[]>(entity);
    const writer = new RowWriter(db.engine, model);
    for (const { entry, row } of await storedEntries(db.engine, model))
      await writer.repair(entry, row);
    for (const [name, { stored, expected }] of Object.entries(await compareEntries(db, entity)))
      if (model.name === 'Post' && stored.join() !== expected.join())
        problems.push(`${name} has ${stored.join()}, not ${expected.join()}`);
  }
  return problems;
}
