/** Writes that change no revision, or leave no row, are not undone by saving what was read. */
import {
  bufferedCounters,
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  maxVersions,
  open,
  Revision,
  rowKey,
  Segment,
} from '../../../../src/index.js';

@Entity({
  table: 'pages',
  families: { m: {}, c: { gc: maxVersions(1) }, t: { gc: maxVersions(1) } },
})
class Page {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') title?: string;
  @Counter('c') views?: bigint;
  @ColumnMap('t', 'int64') perDay?: Map<string, bigint>;
  @Revision('m') revision?: string;
}

let db: Database;
beforeEach(async () => (db = await open('memory:', { entities: [Page] })));
afterEach(() => db.close());
const key = { id: 'a' };

test('buffered amounts of a column map change the revision, as increments do', async () => {
  const pages = db.repository(Page);
  await pages.save(pages.create({ ...key, title: 't', perDay: new Map([['mon', 1n]]) }));
  const read = (await pages.get(key))!;
  await using counters = bufferedCounters(pages);
  await counters.add(key, { perDay: new Map([['mon', 2n]]), views: 1n });
  await counters.flush();
  await expect(pages.save(read)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
  expect((await pages.get(key))?.perDay).toEqual(new Map([['mon', 3n]]));
});

test('buffered amounts of counters do not', async () => {
  const pages = db.repository(Page);
  await pages.save(pages.create({ ...key, title: 't' }));
  const read = (await pages.get(key))!;
  await using counters = bufferedCounters(pages);
  await counters.add(key, 'views', 2n);
  await counters.flush();
  await pages.save(read);
  expect((await pages.get(key))?.views).toBe(2n);
});

test('update of a row without a revision that is deleted meanwhile writes nothing', async () => {
  const pages = db.repository(Page);
  await pages.increment(key, 'views', 1n);
  let deleted: Promise<unknown> | undefined;
  const updated = await pages.update(key, (page) => {
    // In memory, requests are made in the order of the calls.
    deleted ??= pages.delete(key);
    page.title = 't';
  });
  await deleted;
  expect(updated).toBeUndefined();
  expect(await pages.get(key)).toBeUndefined();
});

test('update gives a row without a revision one', async () => {
  const pages = db.repository(Page);
  await pages.increment(key, 'views', 1n);
  await pages.update(key, (page) => void (page.title = 't'));
  expect(await pages.get(key)).toMatchObject({
    title: 't',
    views: 1n,
    revision: expect.any(String),
  });
});
