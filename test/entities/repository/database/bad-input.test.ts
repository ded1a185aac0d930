import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  type Database,
  Entity,
  open,
  type Repository,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';
import { errorMessages } from '../../../../src/base/index.js';
import fc from '../../../support/fast-check.js';

@Entity({ table: 'points', families: { m: {} } })
class Point {
  static readonly key = rowKey('tenant', 'at', 'level', 'ratio');
  @Segment('string') tenant!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 99 }) level!: number;
  @Segment('float') ratio!: number;
  @Column('m', 'double') value?: number;
}

type Points = Repository<typeof Point>;
const good = { tenant: 't', at: new Date(0), level: 1, ratio: 0.5 };
let directory: string;
let db: Database;
let points: Points;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-bad-'));
  db = await open(`file:${join(directory, 'data')}`, { entities: [Point], durability: 'relaxed' });
  points = db.repository(Point);
  await points.save(points.create({ ...good, value: 1 }));
});
afterAll(async () => {
  await db.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Calls that take a whole key. */
const keyed: [string, (points: Points, key: Point) => unknown][] = [
  ['create', (points, key) => points.create(Object.assign({}, key))],
  ['get', (points, key) => points.get(key)],
  ['getMany', (points, key) => points.getMany([good, key])],
  ['exists', (points, key) => points.exists(key)],
  ['history', (points, key) => points.history(key, 'value')],
  ['save', (points, key) => points.save(Object.assign(new Point(), key, { value: 2 }))],
  ['insert', (points, key) => points.insert(Object.assign(new Point(), key, { value: 2 }))],
  ['patch', (points, key) => points.patch(key, { value: 2 })],
  ['delete', (points, key) => points.delete(key)],
  [
    'saveMany',
    async (points, key) => {
      throw (await points.saveMany([Object.assign(new Point(), key, { value: 2 })])).failures[0]
        .error;
    },
  ],
  [
    'deleteMany',
    async (points, key) => {
      throw (await points.deleteMany([key])).failures[0].error;
    },
  ],
];

const badSegments: [string, object, string | undefined][] = [
  ['a missing segment', { tenant: undefined }, 'tenant'],
  ['null', { tenant: null }, 'tenant'],
  ['a number for text', { tenant: 5 }, 'tenant'],
  ['an object for text', { tenant: { toString: () => 't' } }, 'tenant'],
  ['a String object for text', { tenant: Object('t') as unknown }, 'tenant'],
  ['a lone high surrogate', { tenant: 'a\ud800' }, 'tenant'],
  ['a lone low surrogate', { tenant: '\udc00a' }, 'tenant'],
  ['text for a date', { at: '2026-11-20' }, 'at'],
  ['a number for a date', { at: 0 }, 'at'],
  ['no date at all', { at: new Date(NaN) }, 'at'],
  ['a date before 1970', { at: new Date(-1) }, 'at'],
  ['a date past the width', { at: new Date(8.64e15) }, 'at'],
  ['text for a number', { level: '1' }, 'level'],
  ['a negative number', { level: -1 }, 'level'],
  ['a fraction', { level: 1.5 }, 'level'],
  ['a number past the declared', { level: 100 }, 'level'],
  ['a bigint for a number', { level: 1n }, 'level'],
  ['infinity', { level: Infinity }, 'level'],
  ['NaN', { ratio: NaN }, 'ratio'],
  ['an over-long key', { tenant: 'x'.repeat(4097) }, undefined],
  ['a key that is over-long once it is escaped', { tenant: ' '.repeat(1366) }, undefined],
];

async function errorOf(call: () => unknown): Promise<RowsmithError> {
  try {
    await call();
  } catch (error) {
    return error as RowsmithError;
  }
  throw new Error('the call was accepted');
}

function checkError(error: RowsmithError): void {
  expect(error).toBeInstanceOf(RowsmithError);
  expect(error.message).toBe(errorMessages[error.code]);
  expect(error.details).toMatchObject({
    entity: 'Point',
    problem: expect.any(String) as string,
    fix: expect.any(String) as string,
  });
  expect(Object.isFrozen(error.details)).toBe(true);
}

afterEach(async () => {
  expect(await points.scanAll().all()).toEqual([{ ...good, value: 1 }]);
});

describe.each(keyed)('%s', (_call, call) => {
  test.each(badSegments)('rejects %s', async (_name, bad, property) => {
    const error = await errorOf(() => call(points, { ...good, ...bad }));
    checkError(error);
    expect(error.code).toBe('INVALID_KEY');
    if (property !== undefined) expect(error.details.property).toBe(property);
  });
});

test.each([[null], [undefined], ['t#1'], [5], [true], [() => good]])(
  '%p is not a key',
  async (key) => {
    for (const [, call] of keyed.filter(
      ([name]) => !['create', 'save', 'insert', 'saveMany'].includes(name),
    )) {
      const error = await errorOf(() => call(points, key as unknown as Point));
      checkError(error);
      expect(error.code).toBe('INVALID_KEY');
    }
    const error = await errorOf(() => points.create(key as unknown as Point));
    checkError(error);
  },
);

describe('prefixes', () => {
  const row = Object.assign(new Point(), good);
  test.each<[string, unknown]>([
    ['an entity', row],
    ['a spread of one', { ...good, value: 1 }],
    ['a whole key', good],
    ['nothing', undefined],
    ['null', null],
    ['text', 't'],
    ['an array', ['t']],
    ['a map', new Map([['tenant', 't']])],
    ['an empty object', {}],
    ['a gap', { at: good.at }],
    ['undefined', { tenant: undefined }],
    ['undefined at the end', { tenant: 't', at: undefined }],
    ['a column', { tenant: 't', value: 1 }],
    ['a misspelt segment', { tenent: 't' }],
    ['an inherited name', { toString: 't' }],
    ['__proto__', JSON.parse('{"__proto__": "t"}')],
  ])('%s is rejected', async (_name, segments) => {
    const error = await errorOf(() => points.prefix(segments as { tenant: string }));
    checkError(error);
    expect(error.code).toBe('INVALID_QUERY');
  });

  test.each(
    badSegments.filter(([, , property]) => property === 'tenant' || property === 'at').slice(1),
  )('%s is rejected', async (_name, bad) => {
    const error = await errorOf(() => points.prefix({ tenant: 't', at: good.at, ...bad }));
    checkError(error);
    expect(['INVALID_KEY', 'INVALID_QUERY']).toContain(error.code);
  });

  test('a second prefix is rejected and does not replace the first', async () => {
    const query = points.prefix({ tenant: 't' }) as unknown as {
      prefix(segments: object): unknown;
    };
    expect((await errorOf(() => query.prefix({ tenant: 'u' }))).code).toBe('INVALID_QUERY');
    const bounded = points.since('tenant', 't') as unknown as { prefix(segments: object): unknown };
    expect((await errorOf(() => bounded.prefix({ tenant: 'u' }))).code).toBe('INVALID_QUERY');
  });
});

describe('queries', () => {
  const query = () => points.prefix({ tenant: 't' });
  const loose = () => query() as unknown as Record<string, (...values: unknown[]) => unknown>;
  test.each<[string, () => unknown, string]>([
    ['a limit of 0', () => query().limit(0), 'INVALID_ARGUMENT'],
    ['a negative limit', () => query().limit(-1), 'INVALID_ARGUMENT'],
    ['a fraction for a limit', () => query().limit(1.5), 'INVALID_ARGUMENT'],
    ['infinity for a limit', () => query().limit(Infinity), 'INVALID_ARGUMENT'],
    ['a bigint for a limit', () => loose().limit(1n), 'INVALID_ARGUMENT'],
    ['no limit at all', () => loose().limit(), 'INVALID_ARGUMENT'],
    ['versions of 0', () => query().versions(0), 'INVALID_ARGUMENT'],
    ['asOf no date', () => query().asOf(new Date(NaN)), 'INVALID_ARGUMENT'],
    ['asOf before 1970', () => query().asOf(new Date(-1)), 'INVALID_ARGUMENT'],
    ['asOf text', () => loose().asOf('now'), 'INVALID_ARGUMENT'],
    ['a selection of nothing', () => query().select(), 'INVALID_QUERY'],
    ['a selection of undefined', () => loose().select(undefined), 'INVALID_QUERY'],
    ['a selection as an array', () => loose().select(['value']), 'INVALID_QUERY'],
    ['a bound with one end', () => loose().between('at', good.at), 'INVALID_QUERY'],
    ['a bound of undefined', () => loose().since('at', undefined), 'INVALID_QUERY'],
    ['a bound of null', () => loose().since('at', null), 'INVALID_KEY'],
    ['a bound without a segment', () => loose().since(), 'INVALID_QUERY'],
    ['a bound of the wrong type', () => loose().since('at', '2026'), 'INVALID_KEY'],
    ['a bound that is no date', () => query().until('at', new Date(NaN)), 'INVALID_KEY'],
    ['a page of 0', () => query().page({ size: 0 }), 'INVALID_ARGUMENT'],
    ['a page over 10,000', () => query().page({ size: 10_001 }), 'INVALID_ARGUMENT'],
    ['a page without a request', () => loose().page(), 'INVALID_ARGUMENT'],
    [
      'a history of 0 versions',
      () => points.history(good, 'value', { limit: 0 }),
      'INVALID_ARGUMENT',
    ],
    [
      'a history of nothing',
      () => points.history(good, undefined as unknown as 'value'),
      'INVALID_ARGUMENT',
    ],
    ['keys that are no list', () => points.getMany(5 as unknown as Point[]), 'INVALID_ARGUMENT'],
    [
      'a key alone for a list',
      () => points.getMany(good as unknown as Point[]),
      'INVALID_ARGUMENT',
    ],
    [
      'changes that are none',
      () => points.patch(good, null as unknown as object),
      'INVALID_ARGUMENT',
    ],
    [
      'changes of a segment',
      () => points.patch(good, { tenant: 'u' } as object),
      'INVALID_ARGUMENT',
    ],
    [
      'changes of what is no column',
      () => points.patch(good, { valeu: 1 } as object),
      'INVALID_ARGUMENT',
    ],
  ])('%s', async (_name, call, code) => {
    const error = await errorOf(call);
    expect(error.code).toBe(code);
    checkError(error);
  });
});

test('any argument gives a result or a RowsmithError, and nothing is changed', async () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withTypedArray: true,
    withNullPrototype: true,
  });
  await fc.assert(
    fc.asyncProperty(
      anything,
      anything,
      fc.constantFrom(
        'get',
        'exists',
        'getMany',
        'patch',
        'prefix',
        'between',
        'select',
        'page',
        'create',
        'save',
        'history',
        'increment',
      ),
      async (a, b, method) => {
        const target = points as unknown as Record<string, (...values: unknown[]) => unknown>;
        const query = points.scanAll() as unknown as Record<
          string,
          (...values: unknown[]) => unknown
        >;
        // With a valid key, half of the calls get as far as checking their second argument.
        const first = typeof a === 'string' || a === null ? { ...good, level: 2 } : a;
        try {
          if (method === 'select' || method === 'page') await query[method](a);
          else if (method === 'save')
            await target.save(Object.assign(new Point(), { tenant: a, at: b }));
          else await target[method](first, b, 1n);
        } catch (error) {
          expect(error).toBeInstanceOf(RowsmithError);
        }
        await points.deleteMany(
          (await points.scanAll().keysOnly().all()).filter(({ level }) => level === 2),
        );
      },
    ),
    { numRuns: 150 },
  );
});
