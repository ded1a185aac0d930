/** The hooks of an entity class: where they run, where they do not, and what they must not do. */
import { IsDefined, IsString, MinLength } from 'class-validator';
import {
  Column,
  Counter,
  type Database,
  defineEntity,
  column,
  Entity,
  literal,
  Revision,
  rowKey,
  RowsmithError,
  Segment,
  table,
  UpdatedAt,
} from '../../../../src/index.js';
import { migrate, defineMigration } from '../../../../src/tools/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { backEnds } from '../support/back-ends.js';

const calls: string[] = [];
const shared = table('mixed', { families: { m: {} } });

@Entity({ table: shared })
class Page {
  static readonly key = rowKey('site', literal('page'), 'path');
  @Segment('string') site!: string;
  @Segment('string') path!: string;
  @Column('m', 'string') title?: string;
  @Column('m', 'double') words?: number;
  @Counter('m') hits?: bigint;
  @Revision('m') revision?: string;
  /** Not stored: computed by afterRead. */
  shown?: string;

  static beforeWrite(page: Page): void {
    calls.push(`write ${page.path}`);
    if (page.title === 'throws') throw new RangeError('no such title');
    page.title = page.title?.trim();
  }

  static afterRead(page: Page): void {
    calls.push(`read ${page.path}`);
    if (page.title === 'unreadable') throw new RangeError('cannot be shown');
    page.shown = `<${page.title}>`;
  }
}

@Entity({ table: shared })
class Site {
  static readonly key = rowKey('site', literal('site'));
  @Segment('string') site!: string;
  @Column('m', 'string') name?: string;
}

/** What the hooks were called for since the last time. */
const taken = (): string[] => calls.splice(0);

describe.each(backEnds)('on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await open([Page, Site]));
  });
  afterAll(() => close());

  test('beforeWrite runs where an entity is written whole', async () => {
    const pages = db.repository(Page);
    const make = (path: string): Page => pages.create({ site: 's', path, title: ' t ', words: 1 });
    taken();
    const page = make('a');
    await pages.save(page);
    expect(page.title).toBe('t');
    expect(taken()).toEqual(['write a']);
    await pages.insert(make('b'));
    await pages.saveMany([make('c'), make('d')]);
    await pages.insertMany([make('e')]);
    expect(taken()).toEqual(['write b', 'write c', 'write d', 'write e']);
    await pages.update({ site: 's', path: 'a' }, (each) => void (each.title = ' u '));
    expect(taken()).toEqual(['read a', 'write a']);
    await pages.update({ site: 's', path: 'a' }, () => 'unchanged');
    expect(taken()).toEqual(['read a']);
    expect(await pages.get({ site: 's', path: 'a' })).toMatchObject({ title: 'u', shown: '<u>' });
    taken();
    const key = { site: 's', path: 'a' };
    await pages.patch(key, { words: 2 });
    await pages.patchMany([{ key, changes: { words: 3 } }]);
    await pages.patch(key, { words: 4 });
    await pages.patchMany([{ key, changes: { words: 5 } }]);
    await pages.increment(key, 'hits');
    await pages.append(key, { title: '!' });
    await pages.delete({ site: 's', path: 'e' });
    await pages.deleteMany([{ site: 's', path: 'd' }]);
    pages.toJSON(page);
    pages.fromJSON({ site: 's', path: 'x' });
    pages.create({ site: 's', path: 'x' });
    expect(taken()).toEqual([]);
  });

  test('afterRead runs on each whole entity, and not on other results', async () => {
    const pages = db.repository(Page);
    const sites = db.repository(Site);
    await sites.save(sites.create({ site: 'r', name: 'R' }));
    for (const path of ['a', 'b', 'c'])
      await pages.save(pages.create({ site: 'r', path, title: path, words: 1 }));
    const key = { site: 'r', path: 'a' };
    const rows = pages.prefix({ site: 'r' });
    taken();
    const reads: (() => Promise<unknown>)[] = [
      () => pages.get(key),
      () => rows.first(),
      () => pages.get(key, { asOf: new Date(Date.now() + 86_400_000) }),
      () => pages.get(key, { versions: 1 }),
      () => rows.where({ title: 'a' }).all(),
      () =>
        rows
          .where({ words: { atLeast: 1 } })
          .limit(1)
          .all(),
      () => db.scope({ site: 'r' }).repository(Page).get({ path: 'a' }),
    ];
    for (const read of reads) {
      await read();
      expect(taken()).toEqual(['read a']);
    }
    await pages.getMany([key, { site: 'r', path: 'b' }, key]);
    expect(taken()).toEqual(['read a', 'read b']);
    for await (const page of rows) expect(page.shown).toBe(`<${page.path}>`);
    expect(taken()).toEqual(['read a', 'read b', 'read c']);
    const { rows: page } = await rows.page({ size: 2 });
    expect(page.map(({ shown }) => shown)).toEqual(['<a>', '<b>']);
    await rows.reverse().first();
    taken();
    // It may also read rows that it leaves out.
    await pages.firstPer('site').all();
    expect(taken()).toContain('read a');
    const collection = db.collection({ site: Site, pages: Page });
    const found = await collection.prefix({ site: 'r' }).all();
    expect(found).toHaveLength(4);
    expect(taken()).toEqual(['read a', 'read b', 'read c']);

    await pages.exists(key);
    await pages.get(key, { select: ['title'] });
    await rows.select('title').all();
    await rows.keysOnly().all();
    await rows.count();
    await pages.distinct('site').all();
    await rows.aggregate({ n: 'count', most: { max: 'words' } });
    await rows.groupBy('title').aggregate({ n: 'count' }).all();
    await pages.history(key, 'title');
    await rows
      .select('words')
      .delete()
      .catch(() => undefined);
    await rows.delete();
    expect(taken()).toEqual([]);
  });

  test('what throws is HOOK_FAILED, and nothing is written', async () => {
    const pages = db.repository(Page);
    const key = { site: 'h', path: 'a' };
    const page = pages.create({ ...key, title: 'x' });
    await pages.save(page);
    const before = await pages.get(key);
    page.title = 'throws';
    const failed = {
      code: 'HOOK_FAILED',
      details: {
        entity: 'Page',
        property: 'beforeWrite',
        key: 'h#page#a',
        problem: 'no such title',
        fix: expect.any(String),
      },
      cause: expect.any(RangeError),
    };
    await expect(pages.save(page)).rejects.toMatchObject(failed);
    await expect(pages.insert(page)).rejects.toMatchObject(failed);
    await expect(pages.update(key, (each) => void (each.title = 'throws'))).rejects.toMatchObject(
      failed,
    );
    const good = pages.create({ site: 'h', path: 'b', title: 'y' });
    for (const result of [await pages.saveMany([page, good]), await pages.insertMany([page])])
      expect(result.failures).toMatchObject([{ index: 0, error: failed, mayBeWritten: false }]);
    expect(await pages.get(key)).toEqual(before);
    expect(await pages.exists(good)).toBe(true);
    await pages.patch(key, { title: 'unreadable' });
    const unreadable = {
      code: 'HOOK_FAILED',
      details: { entity: 'Page', property: 'afterRead', key: 'h#page#a' },
    };
    await expect(pages.get(key)).rejects.toMatchObject(unreadable);
    await expect(pages.prefix({ site: 'h' }).all()).rejects.toMatchObject(unreadable);
    expect(await pages.get(key, { select: ['title'] })).toMatchObject({ title: 'unreadable' });
  });

  test('explain() says whether afterRead runs', () => {
    const pages = db.repository(Page);
    const rows = pages.prefix({ site: 'r' });
    const shown = (explanation: { afterRead?: boolean; toString(): string }): unknown => [
      explanation.afterRead,
      /hook {6}(.*)/.exec(`${explanation}`)?.[1],
    ];
    const runs = [true, 'afterRead runs on each entity'];
    const skips = [false, 'afterRead does not run: results are no entities'];
    expect(shown(rows.explain())).toEqual(runs);
    expect(shown(rows.where({ title: 'a' }).explain())).toEqual(runs);
    expect(shown(rows.select('title').explain())).toEqual(skips);
    expect(shown(rows.keysOnly().explain())).toEqual(skips);
    expect(shown(rows.groupBy('title').aggregate({ n: 'count' }).explain())).toEqual(skips);
    expect(shown(db.repository(Site).scanAll().explain())).toEqual([undefined, undefined]);
    const collection = db.collection({ site: Site, pages: Page }).prefix({ site: 'r' }).explain();
    expect(collection.members).toMatchObject({ pages: { afterRead: true } });
    expect(collection.members.site.afterRead).toBeUndefined();
    expect(`${collection}`).toMatch(/pages: Page \(.*\), afterRead runs/);
  });
});

test('a hook that returns a promise is HOOK_FAILED, whatever becomes of the promise', async () => {
  let result: unknown;
  class Lazy {
    id = '';
    text = '';
    static beforeWrite(): unknown {
      return result;
    }
  }
  const definition = {
    table: 'lazy',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { text: column('m', 'string') },
  } as const;
  const Defined = defineEntity(Lazy, definition) as unknown as typeof Plain;
  class Plain {
    static readonly key = rowKey('id');
    id = '';
    text = '';
  }
  const db = await testDatabase([Defined]);
  const rows = db.repository(Defined);
  const then = { then: () => undefined };
  for (const promise of [Promise.resolve(), Promise.reject(new Error('later')), then]) {
    result = promise;
    await expect(rows.save(rows.create({ id: 'a', text: 'x' }))).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      details: { entity: 'Lazy', property: 'beforeWrite', fix: /synchronous/ },
    });
    expect(await rows.scanAll().count()).toBe(0);
  }
  result = 5;
  await rows.save(rows.create({ id: 'a', text: 'x' }));
  await db.close();
});

test('hooks are inherited, and are called on the class', async () => {
  const seen: unknown[] = [];
  abstract class Base {
    static beforeWrite(this: unknown, entity: Base): void {
      seen.push(this, entity);
    }
  }
  @Entity({ table: 'children', families: { m: {} } })
  class Child extends Base {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') text?: string;
  }
  const db = await testDatabase([Child]);
  const children = db.repository(Child);
  const child = children.create({ id: 'a', text: 'x' });
  await children.save(child);
  expect(seen).toEqual([Child, child]);
  await db.close();
});

test('rules see what the hook has left, and the values that the library sets', async () => {
  @Entity({ table: 'ruled', families: { m: {} } })
  class Ruled {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') @MinLength(2) text!: string;
    @Revision('m') @IsDefined() @IsString() revision?: string;
    @UpdatedAt('m') @IsDefined() updatedAt?: Date;
    static beforeWrite(row: Ruled): void {
      row.text = row.text.trim();
    }
  }
  const db = await testDatabase([Ruled]);
  const rows = db.repository(Ruled);
  const row = rows.create({ id: 'a', text: ' x ' });
  await expect(rows.save(row)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect([row.text, row.revision]).toEqual(['x', undefined]);
  row.text = 'long';
  await rows.save(row);
  await rows.saveMany([row]);
  await rows.patch(row, { text: 'longer' });
  await expect(rows.save(row)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
  await rows.update({ id: 'a' }, (each) => void (each.text = 'updated'));
  await expect(rows.update({ id: 'a' }, (each) => void (each.text = 'u'))).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  const read = (await rows.get({ id: 'a' }))!;
  expect(read.text).toBe('updated');
  await rows.insertMany([rows.create({ id: 'b', text: 'yy' })]);
  await rows.deleteMany([read]);
  expect(await rows.scanAll().count()).toBe(1);
  await db.close();
});

test('migrations move what is stored: hooks and revisions are not involved', async () => {
  @Entity({ table: 'old', families: { m: {} } })
  class Old {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') text?: string;
    @Revision('m') revision?: string;
    static afterRead(): void {
      throw new RowsmithError('UNSUPPORTED');
    }
  }
  @Entity({ table: 'new', families: { m: {} } })
  class New {
    static readonly key = rowKey(literal('n'), 'id');
    @Segment('string') id!: string;
    @Column('m', 'string') text?: string;
    @Revision('m') revision?: string;
    static beforeWrite(): void {
      throw new RowsmithError('UNSUPPORTED');
    }
  }
  const db = await testDatabase([Old, New]);
  const olds = db.repository(Old);
  const old = olds.create({ id: 'a', text: 'x' });
  await olds.save(old);
  await migrate(
    db.engine,
    defineMigration({ from: Old, to: New, map: (each) => Object.assign(new New(), each) }),
  );
  expect(await db.repository(New).get({ id: 'a' })).toMatchObject({
    text: 'x',
    revision: old.revision,
  });
  await db.close();
});
