/** How many requests writes with copies make, as the guide says. */
import { open } from '../../../../src/index.js';
import { Database } from '../../../../src/entities/repository/index.js';
import { buildModels, type EntityModel } from '../../../../src/entities/model/index.js';
import { CellClock, type Engine } from '../../../../src/data/store/index.js';
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  rowKey,
  Segment,
} from '../../../../src/index.js';

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') bio?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('authorId') });
  static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'authorId' }) });
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
}

@Entity({ table: 'notes', families: { m: {} } })
class Note {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('authorId') });
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
}

const requests = new Set(['readRows', 'mutateRow', 'mutateRows', 'checkAndMutateRow']);

function counting(
  engine: Engine,
  models: readonly EntityModel[],
): { db: Database; take: () => number } {
  let count = 0;
  const counted = new Proxy(engine, {
    get: (target, name: string) => {
      // Requests as a live database makes them.
      if (name === 'transact') return undefined;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (requests.has(name)) count++;
        return Reflect.apply(value, target, args);
      };
    },
  });
  const db = new Database({
    url: 'memory:',
    engine: counted,
    models,
    cellClock: new CellClock(Date.now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
  const take = (): number => {
    const taken = count;
    count = 0;
    return taken;
  };
  return { db, take };
}

test('a write of a post takes one more, one of an author eight, and what its posts take', async () => {
  const opened = await open('memory:', { entities: [Author, Post, Note] });
  const { db, take } = counting(opened.engine, buildModels([Author, Post, Note]));
  const [authors, posts, notes] = [db.repository(Author), db.repository(Post), db.repository(Note)];
  await notes.save(notes.create({ id: '1', authorId: 'a' }));
  const plain = take();
  await posts.save(posts.create({ id: '1', authorId: 'a' }));
  expect(take()).toBe(plain + 1);
  await authors.patch({ id: 'b' }, { name: 'b' });
  expect(take()).toBe(8);
  await authors.patch({ id: 'b' }, { bio: 'b' });
  expect(take()).toBe(1);
  // Two reads for the page, and one write for its post.
  await authors.patch({ id: 'a' }, { name: 'a' });
  expect(take()).toBe(8 + 2 + 1);
  expect(await posts.get({ id: '1' })).toMatchObject({ authorName: 'a' });
  await opened.close();
});
