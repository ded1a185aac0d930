/** Expiring entries together with other features. */
import { Readable } from 'node:stream';
import {
  Column,
  copies,
  copyOf,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  maxAge,
  Revision,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import type { Database } from '../../../../src/entities/repository/database/database.js';
import { testDatabase, type TestDatabase } from '../../../../src/tools/testing/index.js';
import { importRows, migrate } from '../../../../src/tools/transfer/index.js';
import { compareEntries } from '../index/stored-entries.js';
import { hour, keysOf } from './entities.js';
import { programOver } from '../../../support/program.js';

const families = { h: { gc: maxAge('1h') }, d: { gc: maxAge('3h') }, n: {} };
const start = Date.UTC(2026, 0, 1);
let db: TestDatabase;

async function openWith(...entities: EntityClass[]): Promise<void> {
  db = await testDatabase(entities, { now: start });
}
const totalOf = ({ found }: { found: object }): number =>
  Object.values(found).reduce((sum: number, each: number) => sum + each, 0);
const faultsOf = async (entity: EntityClass) => totalOf(await db.derived.verify(entity));
afterEach(() => db.close());

describe('defaults', () => {
  @Entity({ table: 'rows', families })
  class Row {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byState: indexOn('state').including('note') });
    @Segment('string') id!: string;
    @Column('n', 'string', { default: 'new' }) state?: string;
    @Column('d', 'string') note?: string;
  }
  const rows = () => db.repository(Row);

  test('the entry of a default lives as long as the row, which a write of any column extends', async () => {
    await openWith(Row);
    const coveredOf = (state: string) => rows().index('byState').covered().prefix({ state }).all();
    await rows().save(rows().create({ id: '1', note: 'x' }));
    db.clock.advance(2 * hour);
    await rows().patch({ id: '1' }, { note: 'x' });
    db.clock.advance(3 * hour);
    expect(await rows().index('byState').prefix({ state: 'new' }).all()).toHaveLength(1);
    expect(await faultsOf(Row)).toBe(0);
    db.clock.advance(1);
    expect(await coveredOf('new')).toEqual([]);
    await db.engine.compact();
    expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
  });
});

describe('columns that no index reads', () => {
  @Entity({ table: 'rows', families })
  class Row {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byUser: indexOn('user') });
    @Segment('string') id!: string;
    @Column('h', 'string') user?: string;
    @Column('h', 'string') note?: string;
  }

  test('a patch of one renews neither the value nor the entry', async () => {
    await openWith(Row);
    const rows = db.repository(Row);
    await rows.save(rows.create({ id: '1', user: 'ann', note: 'x' }));
    db.clock.advance(hour / 2);
    await rows.patch({ id: '1' }, { note: 'y' });
    db.clock.advance(hour / 2 + 1);
    expect(await rows.get({ id: '1' })).toEqual({ id: '1', note: 'y' });
    expect(await rows.index('byUser').scanAll().all()).toEqual([]);
    await db.engine.compact();
    expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
    expect(await faultsOf(Row)).toBe(0);
  });
});

test('an entry that stays loses the values that it covers with their cells', async () => {
  @Entity({ table: 'rows', families })
  class Row {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({
      byUser: indexOn('user').including('note'),
      byId: indexOn('id').including('note'),
    });
    @Segment('string') id!: string;
    @Column('n', 'string') user?: string;
    @Column('h', 'string') note?: string;
  }
  await openWith(Row);
  const rows = db.repository(Row);
  const covered = async () => [
    ...(await rows.index('byUser').covered().scanAll().all()),
    ...(await rows.index('byId').covered().scanAll().all()),
  ];
  await rows.save(rows.create({ id: '1', user: 'ann', note: 'x' }));
  db.clock.advance(hour / 2);
  await rows.patch({ id: '1' }, { note: 'x' });
  db.clock.advance(hour);
  expect(await covered()).toEqual([
    { id: '1', user: 'ann', note: 'x' },
    { id: '1', note: 'x' },
  ]);
  db.clock.advance(1);
  await db.engine.compact();
  expect(await covered()).toEqual([{ id: '1', user: 'ann' }, { id: '1' }]);
  expect(await faultsOf(Row)).toBe(0);
  await rows.patch({ id: '1' }, { note: 'y' });
  expect(await covered()).toMatchObject([{ note: 'y' }, { note: 'y' }]);
});

test('cellTimestamp: the entry has the time of its row, also if that is over', async () => {
  @Entity({ table: 'rows', families, cellTimestamp: 'at' })
  class Row {
    static readonly key = rowKey('id', 'at');
    static readonly indexes = indexes({ byUser: indexOn('user'), byToken: uniqueIndexOn('token') });
    @Segment('string') id!: string;
    @Segment('timestamp') at!: Date;
    @Column('h', 'string') user?: string;
    @Column('h', 'string') token?: string;
  }
  await openWith(Row);
  const rows = db.repository(Row);
  const found = async () => (await rows.index('byUser').scanAll().all()).map(({ id }) => id);
  for (const [id, hours] of [
    ['late', -2],
    ['now', 0],
    ['early', 0.5],
  ] as const) {
    const at = new Date(start + hours * hour);
    await rows.save(rows.create({ id, at, user: 'ann', token: id }));
  }
  expect(await found()).toEqual(['now', 'early'].sort());
  db.clock.advance(hour + 1);
  expect(await found()).toEqual(['early']);
  db.clock.advance(hour / 2);
  expect(await found()).toEqual([]);
  await db.engine.compact();
  expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
});

describe('copies', () => {
  @Entity({ table: 'authors', families: { m: {} } })
  class Author {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') name?: string;
  }
  @Entity({ table: 'posts', families })
  class Post {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({
      byAuthor: indexOn('author').including('authorName'),
      byName: indexOn('authorName'),
    });
    static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'author' }) });
    @Segment('string') id!: string;
    @Column('h', 'string') author?: string;
    @Column('h', 'string') authorName?: string;
    @Column('n', 'string') text?: string;
  }

  test('a link that is renewed is followed, and one that has expired is not', async () => {
    await openWith(Author, Post);
    const [authors, posts] = [db.repository(Author), db.repository(Post)];
    const named = async (name: string) =>
      (await posts.index('byName').prefix({ authorName: name }).all()).map(({ id }) => id);
    await authors.save(authors.create({ id: 'a', name: 'Ann' }));
    for (const id of ['1', '2']) await posts.save(posts.create({ id, author: 'a', text: 'kept' }));
    db.clock.advance(hour / 2);
    await posts.patch({ id: '2' }, { author: 'a' });
    db.clock.advance(hour / 2 + 1);
    await authors.patch({ id: 'a' }, { name: 'Bea' });
    expect(await named('Bea')).toEqual(['2']);
    expect(await posts.get({ id: '1' })).toEqual({ id: '1', text: 'kept' });
    expect(await faultsOf(Post)).toBe(0);
    // A copy follows its source, and has the time of the row all the same: it does not extend it.
    db.clock.advance(hour / 2);
    expect(await posts.index('byAuthor').covered().scanAll().all()).toEqual([]);
    expect(await posts.get({ id: '2' })).toEqual({ id: '2', text: 'kept' });
    await db.engine.compact();
    expect(await keysOf(db.engine, 'posts_index')).toEqual([]);
    await posts.patch({ id: '1' }, { author: 'a' });
    expect(await named('Bea')).toEqual(['1']);
  });
});

test('marker, revision and rollup: a row ends with its last cell, and its bucket stays', async () => {
  @Entity({ table: 'rows', families, marker: 'd' })
  class Row {
    static readonly key = rowKey('at', 'id');
    static readonly indexes = indexes({ byId: indexOn('id') });
    static readonly rollups = rollups({
      daily: { by: [{ time: 'at', every: '1d' }], values: { n: 'count', sum: { sum: 'value' } } },
    });
    @Segment('timestamp') at!: Date;
    @Segment('string') id!: string;
    @Column('h', 'int32') value?: number;
    @Revision('h') revision?: string;
  }
  await openWith(Row);
  const rows = db.repository(Row);
  const at = new Date(start);
  const ids = async () => (await rows.index('byId').scanAll().all()).map(({ id }) => id);
  const row = rows.create({ at, id: '1', value: 2 });
  await rows.save(row);
  db.clock.advance(hour);
  await rows.save(row);
  db.clock.advance(3 * hour);
  expect(await ids()).toEqual(['1']);
  expect(await faultsOf(Row)).toBe(0);
  db.clock.advance(1);
  expect(await ids()).toEqual([]);
  await db.engine.compact();
  expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
  expect(await rows.rollup('daily').scanAll().all()).toMatchObject([{ n: 1, sum: 2 }]);
});

describe('rows of earlier times', () => {
  @Entity({ table: 'rows', families })
  class Old {
    static readonly key = rowKey(literal('a'), 'id');
    static readonly indexes = indexes({ byUser: indexOn('user'), byToken: uniqueIndexOn('token') });
    @Segment('string') id!: string;
    @Column('h', 'string') user?: string;
    @Column('d', 'string') token?: string;
  }
  @Entity({ table: 'rows', families })
  class New {
    static readonly key = rowKey(literal('b'), 'id');
    static readonly indexes = indexes({ byUser: indexOn('user'), byToken: uniqueIndexOn('token') });
    @Segment('string') id!: string;
    @Column('h', 'string') user?: string;
    @Column('d', 'string') token?: string;
  }

  test('import and migrate give entries the times of the cells that they write', async () => {
    await openWith(Old, New);
    const line = (id: string, hours: number): string =>
      JSON.stringify({ id, user: 'ann', token: id, '@at': (start - hours * hour) * 1000 });
    const lines = [line('1', 0.5), line('2', 2), line('3', 4)].join('\n');
    const source = Readable.from([Buffer.from(lines)]);
    await importRows(db.engine, db.repository(Old).model, source, { format: 'jsonl' });
    const check = async (entity: EntityClass): Promise<void> => {
      expect(await faultsOf(entity)).toBe(0);
      const { byUser, byToken } = await compareEntries(db, entity);
      expect(byUser.stored).toEqual(byUser.expected);
      expect(byUser.stored).toHaveLength(1);
      expect(byToken.stored).toEqual(byToken.expected);
      expect(byToken.stored).toHaveLength(2);
    };
    await check(Old);
    await migrate(db.engine, { from: Old, to: New });
    await check(New);
    db.clock.advance(3 * hour);
    await db.engine.compact();
    expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
  });
});

test('a value that a slow clock shortens is free once its row has left', async () => {
  @Entity({ table: 'rows', families })
  class Row {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byToken: uniqueIndexOn('token').including('note') });
    @Segment('string') id!: string;
    @Column('h', 'string') token?: string;
    @Column('n', 'string') note?: string;
  }
  await openWith(Row);
  const rows = db.repository(Row);
  const slow = programOver(db.engine, [Row], () => db.clock.now() - hour / 2);
  const save = (of: Database, id: string, note: string) =>
    of.repository(Row).save(rows.create({ id, token: 't', note }));
  await save(db, '1', 'a');
  await save(slow, '1', 'b');
  db.clock.advance(hour / 2);
  await expect(save(db, '2', 'c')).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' });
  db.clock.advance(1);
  await save(db, '2', 'c');
  expect(await rows.index('byToken').get({ token: 't' })).toMatchObject({ id: '2' });
  expect(await faultsOf(Row)).toBe(0);
});

test('a write that shortens the life of a row leaves its entry until then, or until a repair', async () => {
  @Entity({ table: 'rows', families })
  class Row {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byId: indexOn('id') });
    @Segment('string') id!: string;
    @Column('h', 'string') user?: string;
    @Column('d', 'string') note?: string;
  }
  await openWith(Row);
  const rows = db.repository(Row);
  for (const id of ['1', '2']) {
    await rows.save(rows.create({ id, user: 'ann', note: 'x' }));
    await rows.patch({ id }, { note: null });
  }
  db.clock.advance(hour + 1);
  expect(await rows.index('byId').scanAll().count()).toBe(0);
  expect(await keysOf(db.engine, 'rows_index')).toHaveLength(2);
  expect((await db.derived.verify(Row)).found.orphan).toBe(2);
  db.clock.advance(2 * hour);
  expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
  await rows.save(rows.create({ id: '1', user: 'ann', note: 'x' }));
  await rows.patch({ id: '1' }, { note: null });
  db.clock.advance(hour + 1);
  expect(await db.derived.repair(Row)).toMatchObject({ repaired: 1 });
  expect(await keysOf(db.engine, 'rows_index')).toEqual([]);
});
