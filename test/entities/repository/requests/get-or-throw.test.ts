/** `getOrThrow`, wherever `get` is. */
import {
  Column,
  type Database,
  Entity,
  indexes,
  open,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';

@Entity({ table: 'visits', families: { v: {} } })
class Visit {
  static readonly key = rowKey('site', 'at');
  static readonly indexes = indexes({ byCode: uniqueIndexOn('code') });
  static readonly rollups = rollups({
    daily: { by: ['site', { time: 'at', every: '1d' }], values: { n: 'count' } },
  });
  @Segment('string') site!: string;
  @Segment('timestamp') at!: Date;
  @Column('v', 'string') code?: string;
}

const at = new Date('2026-11-20T09:00:00Z');
const key = { site: 'a', at };
let db: Database;
const visits = () => db.repository(Visit);
beforeAll(async () => {
  db = await open('memory:', { entities: [Visit] });
  await visits().save(visits().create({ ...key, code: 'c1' }));
});
afterAll(() => db.close());

test('returns what get returns', async () => {
  expect(await visits().getOrThrow(key)).toEqual(await visits().get(key));
  expect(await visits().getOrThrow(key, { select: ['code'] })).toEqual({ ...key, code: 'c1' });
  expect((await db.scope({ site: 'a' }).repository(Visit).getOrThrow({ at })).code).toBe('c1');
  expect((await visits().index('byCode').getOrThrow({ code: 'c1' })).site).toBe('a');
  expect((await visits().index('byCode').covered().getOrThrow({ code: 'c1' })).at).toEqual(at);
  expect((await visits().rollup('daily').getOrThrow(key)).n).toBe(1);
});

const other = { site: 'b', at };
test.each<[string, () => Promise<unknown>, object]>([
  ['a row', () => visits().getOrThrow(other), { key: 'b#1795165200000' }],
  ['a selection', () => visits().getOrThrow(other, { select: ['code'] }), {}],
  ['a scope', () => db.scope({ site: 'b' }).repository(Visit).getOrThrow({ at }), {}],
  [
    'an index',
    () => visits().index('byCode').getOrThrow({ code: 'c9' }),
    { values: { code: 'c9' }, problem: "no row has these values of index 'byCode'" },
  ],
  ['entries', () => visits().index('byCode').covered().getOrThrow({ code: 'c9' }), {}],
  ['a rollup', () => visits().rollup('daily').getOrThrow(other), {}],
])('%s that does not exist', async (_, read, details) => {
  await expect(read()).rejects.toMatchObject({
    code: 'ROW_NOT_FOUND',
    details: { entity: expect.stringMatching(/Visit/), fix: expect.any(String), ...details },
  });
});

test.each<[string, () => Promise<unknown>, string]>([
  ['no key', () => visits().getOrThrow(undefined as never), 'INVALID_KEY'],
  ['null', () => visits().getOrThrow(null as never), 'INVALID_KEY'],
  ['a key with a gap', () => visits().getOrThrow({ site: 'a' } as never), 'INVALID_KEY'],
  ['an unknown option', () => visits().getOrThrow(key, { slect: [] } as never), 'INVALID_ARGUMENT'],
])('%s is refused', async (_, read, code) => {
  await expect(read()).rejects.toMatchObject({ code, details: { entity: 'Visit' } });
});

test('an aborted call rejects with the reason', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(visits().getOrThrow(other, { signal })).rejects.toThrow('stopped');
});
