/** Queries of indexes that are refused. */
import {
  type Database,
  defineEntity,
  type ErrorCode,
  rowKey,
  RowsmithError,
} from '../../../../src/index.js';
import { openWatched } from '../../repository/support/watched.js';
import { DeviceEvent, Order } from './entities.js';
import { type Untyped } from './index-oracle.js';
import { open, columns, fill } from './queried-orders.js';

const Plain = defineEntity(
  class Plain {
    id!: string;
    level?: number;
  },
  { table: 'plain', families: { m: {} }, key: rowKey('id'), segments: { id: 'string' }, columns },
);

async function errorOf(call: () => unknown): Promise<RowsmithError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

describe('what is refused', () => {
  let db: Database;
  beforeAll(async () => {
    ({ db } = await openWatched([Order, Plain, DeviceEvent]));
    await fill(db);
  });
  afterAll(() => db.close());
  const orders = () => db.repository(Order) as unknown as Untyped;
  const byStatus = () => orders().index('byStatus');

  const refused: readonly (readonly [string, () => unknown, ErrorCode, RegExp])[] = [
    [
      'a misspelt name',
      () => orders().index('byStats'),
      'INVALID_ARGUMENT',
      /did you mean 'byStatus'/,
    ],
    [
      'a name that is not declared',
      () => orders().index('old'),
      'INVALID_ARGUMENT',
      /'byStatus', 'byEmail', 'byCustomer'; an index that was removed/,
    ],
    ['no name', () => orders().index(undefined), 'INVALID_ARGUMENT', /use 'byStatus'/],
    ['a full scan without scanAll', () => byStatus().all(), 'INVALID_QUERY', /scanAll\(\)/],
    ['the same with a limit', () => byStatus().limit(1).first(), 'INVALID_QUERY', /scanAll\(\)/],
    ['the same of entries alone', () => byEmail().count(), 'INVALID_QUERY', /scanAll\(\)/],
    ['a deletion of all rows', () => byStatus().delete(), 'INVALID_QUERY', /scanAll\(\)/],
    ['values of all rows', () => byStatus().aggregate({ n: 'count' }), 'INVALID_QUERY', /scanAll/],
    [
      'values of all entries',
      () => byEmail().aggregate({ n: 'count' }),
      'INVALID_QUERY',
      /scanAll/,
    ],
    ['firstPer', () => byStatus().firstPer('tenant'), 'INVALID_QUERY', /covered\(\)/],
    ['distinct', () => byStatus().distinct('tenant'), 'INVALID_QUERY', /covered\(\)/],
    [
      'gaps',
      () => byStatus().scanAll().groupBy({ time: 'placedAt', every: '1d', fillGaps: true }),
      'INVALID_QUERY',
      /covered\(\)/,
    ],
    ['a prefix of the row key', () => byStatus().prefix({ id: 1 }), 'INVALID_QUERY', /'id'/],
    ['a second prefix', () => byStatus().prefix(open).prefix(open), 'INVALID_QUERY', /one prefix/],
    ['values that are no object', () => byStatus().get('open'), 'INVALID_KEY', /tenant: \.\.\./],
    ['values without a segment', () => byStatus().get(open), 'INVALID_KEY', /placedAt/],
    ['a limit of 0', () => byStatus().limit(0), 'INVALID_ARGUMENT', /limit/],
    [
      'an unknown option',
      () => byStatus().scanAll().all({ limit: 1 }),
      'INVALID_ARGUMENT',
      /limit/,
    ],
    [
      'a deletion of a selection',
      () => byStatus().scanAll().select('note').delete(),
      'INVALID_QUERY',
      /leave select\(\) out/,
    ],
    ['an unknown property', () => byStatus().select('nope'), 'INVALID_QUERY', /nope/],
    ['the hidden property', () => byEmail().select('#row'), 'INVALID_QUERY', /#row/],
    ['a condition on it', () => byEmail().where({ '#row': null }), 'INVALID_QUERY', /#row/],
    [
      'values of a selection',
      () => byEmail().scanAll().select('tenant').aggregate({ n: 'count' }),
      'INVALID_QUERY',
      /leave select/,
    ],
    ['a property that is not covered', () => byEmail().select('total'), 'INVALID_QUERY', /total/],
    [
      'a cursor of another query',
      async () => {
        const page = await byStatus().scanAll().page({ size: 1 });
        await byStatus().scanAll().where({ total: 3n }).page({ size: 1, after: page.next });
      },
      'INVALID_CURSOR',
      /another query/,
    ],
    [
      'an index that begins otherwise than the scope',
      () =>
        (db.scope({ tenant: 'acme' }).repository(Order) as never as Untyped).index('byCustomer'),
      'INVALID_ARGUMENT',
      /begins with 'customer'/,
    ],
    [
      'an index of which the scope gives all',
      () => {
        const scope = db.scope({ tenant: 'acme', device: 'd' }).repository(DeviceEvent);
        return (scope as never as Untyped).index('byHour');
      },
      'INVALID_ARGUMENT',
      /begins with 'at'/,
    ],
    [
      'another tenant in a scope',
      () =>
        (db.scope({ tenant: 'acme' }).repository(Order) as never as Untyped)
          .index('byStatus')
          .prefix({ tenant: 'b', status: 'open' }),
      'OUTSIDE_SCOPE',
      /another value/,
    ],
  ];
  const byEmail = () => orders().index('byEmail').covered();

  test.each(refused)('%s', async (_name, call, code, text) => {
    const error = await errorOf(call);
    expect([error.code, error.explain()]).toEqual([code, expect.stringMatching(text)]);
    expect(error.details.entity).toMatch(/^(Order|DeviceEvent)/);
    // Only the caller's own words name it.
    expect(String(error.details.fix)).not.toContain('#row');
  });

  test('an index of an entity without indexes', async () => {
    const error = await errorOf(() => (db.repository(Plain) as never as Untyped).index('byStatus'));
    expect(error.details).toMatchObject({ entity: 'Plain', problem: 'Plain declares no index' });
    expect(error.details.fix).toMatch(/static readonly indexes/);
  });
});
