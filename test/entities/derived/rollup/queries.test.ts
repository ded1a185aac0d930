/** Queries of a rollup with buckets that have become empty. */
import type { Database } from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { openWatched } from '../../repository/support/watched.js';
import { Reading } from './rollup-entities.js';

const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 5, h));
const device = { tenant: 'a', device: 'd' };
const hours = Array.from({ length: 24 }, (_, h) => h);
const filled = hours.filter((h) => h % 3 === 0);

/** A row in every hour, and the rows of two hours of three deleted again. */
async function fill(db: Database): Promise<void> {
  const readings = db.repository(Reading);
  for (const h of hours)
    await readings.save(readings.create({ ...device, at: hour(h), temperature: h }));
  for (const h of hours.filter((each) => !filled.includes(each)))
    await readings.delete({ ...device, at: hour(h) });
}

const hoursOf = (rows: readonly { readonly at: Date }[]): number[] =>
  rows.map(({ at }) => at.getUTCHours());

describe.each(backEnds)('on $name', ({ open }) => {
  test('a limit and a page are of buckets with rows', async () => {
    const { db, close } = await open([Reading]);
    await fill(db);
    const query = db.repository(Reading).rollup('hourly').prefix(device);
    const newest = [...filled].reverse();
    expect(hoursOf(await query.all())).toEqual(newest);
    expect(hoursOf(await query.limit(3).all())).toEqual(newest.slice(0, 3));
    expect(hoursOf(await query.limit(3).reverse().all())).toEqual(filled.slice(0, 3));
    expect(await query.limit(5).count()).toBe(5);
    expect((await query.first())?.at).toEqual(hour(newest[0]));

    const pages: number[][] = [];
    let after: string | undefined;
    do {
      const page = await query.limit(5).page({ size: 2, after });
      pages.push(hoursOf(page.rows));
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual([newest.slice(0, 2), newest.slice(2, 4), newest.slice(4, 5)]);
    await close();
  });
});

test('the first buckets are read without the rest', async () => {
  const { db, seen } = await openWatched([Reading]);
  await fill(db);
  const query = db.repository(Reading).rollup('hourly').prefix(device);
  seen.plans.length = 0;
  await query.limit(2).all();
  const limits = seen.plans.flatMap(({ limit }) => limit ?? []);
  expect(limits).toEqual([2, 16]);
  expect(seen.openStreams).toBe(0);
  expect(query.limit(2).explain().limit).toBe(2);
  await db.close();
});

test('the values of a rollup cannot be chosen', async () => {
  const { db } = await openWatched([Reading]);
  const query = db.repository(Reading).rollup('hourly').prefix(device) as unknown as Record<
    string,
    (values: unknown) => unknown
  >;
  for (const method of ['where', 'select', 'keysOnly', 'groupBy'])
    expect(() => query[method]({ avg: 1 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_QUERY',
        details: expect.objectContaining({ entity: 'Reading.hourly', property: method }),
      }),
    );
  await expect(query.aggregate({ n: 'count' })).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  await db.close();
});
