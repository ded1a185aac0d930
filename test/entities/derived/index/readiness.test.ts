/** Every read of an index checks first that its entries are complete. */
import { RowsmithError } from '../../../../src/index.js';
import { type EntityModel, scopedModel } from '../../../../src/entities/model/index.js';
import { VerifiedQuery } from '../../../../src/entities/repository/derived/query/index-query.js';
import { indexTarget } from '../../../../src/entities/repository/derived/query/index-target.js';
import { openWatched, type Watched } from '../../repository/support/watched.js';
import { Order } from './entities.js';
import type { Untyped } from './index-oracle.js';

let watched: Watched;
/** The entities with checked indexes. */
const checked: EntityModel[] = [];
let isReady = false;

beforeEach(async () => {
  watched = await openWatched([Order]);
  const { db } = watched;
  await db.repository(Order).save(db.repository(Order).create({ tenant: 'a', id: 1, email: 'x' }));
  checked.length = 0;
  isReady = false;
});
afterEach(() => watched.db.close());

function query(scope?: { readonly tenant: string }): Untyped {
  const { model } = watched.db.repository(Order);
  const context = {
    engine: watched.db.engine,
    modelsOf: () => [],
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
    indexStates: {
      assertReady: async (entity: EntityModel) => {
        checked.push(entity);
        if (!isReady) throw new RowsmithError('INDEX_NOT_READY', { entity: entity.name });
      },
    },
  } as const;
  const own = scope === undefined ? model : scopedModel(model, scope);
  const reader = { model: own, context, unscoped: { model, context } };
  return VerifiedQuery.root(indexTarget(reader, 'byEmail')) as unknown as Untyped;
}

const reads: Readonly<Record<string, (query: Untyped) => Promise<unknown>>> = {
  first: (q) => q.first(),
  all: (q) => q.all(),
  count: (q) => q.count(),
  page: (q) => q.page({ size: 1 }),
  aggregate: (q) => q.aggregate({ n: 'count' }),
  groupBy: (q) => q.groupBy('email').aggregate({ n: 'count' }).all(),
  iteration: async (q) => {
    for await (const _row of q) return;
  },
};

describe.each(Object.entries(reads))('%s', (_name, read) => {
  test.each([
    ['verified', (q: Untyped) => q.scanAll()],
    ['covered', (q: Untyped) => q.covered().scanAll()],
  ])('%s', async (_kind, form) => {
    await expect(read(form(query()))).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
    expect(watched.seen.openStreams).toBe(0);
    isReady = true;
    await read(form(query()));
  });
});

test('get and delete', async () => {
  for (const index of [query(), query().covered()])
    await expect(index.get({ tenant: 'a', email: 'x' })).rejects.toMatchObject({
      code: 'INDEX_NOT_READY',
    });
  await expect(query().scanAll().delete()).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
  expect(await watched.db.repository(Order).scanAll().count()).toBe(1);
});

test('in a scope the index of all rows is checked', async () => {
  isReady = true;
  expect(await query({ tenant: 'a' }).get({ email: 'x' })).toMatchObject({ id: 1 });
  expect(checked).toEqual([watched.db.repository(Order).model]);
});

test('what reads nothing checks nothing', () => {
  String((query().scanAll() as unknown as { explain(): unknown }).explain());
  expect(checked).toEqual([]);
});
