/**
 * The matchers: when they match, when they do not, and what their messages explain. With jest's
 * globals, @jest/globals and node's own runner.
 */
import { expect as imported } from '@jest/globals';
import type { Database } from '../../../src/index.js';
import { RowsmithError } from '../../../src/index.js';
import { testDatabase, type TestDatabase } from '../../../src/tools/testing/index.js';
import { matchers } from '../../../src/tools/testing/jest.js';
import { at, keyOf, Reading, readingsOf, Status, Visits } from './entities.js';

expect.extend(matchers);
imported.extend(matchers);

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Reading, Visits]);
});
afterEach(() => db.close());

/** The message of an expectation that fails. */
async function messageOf(expectation: () => unknown): Promise<string> {
  try {
    await expectation();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the expectation did not fail');
}
const entity = (init: Partial<Reading>): Reading => Object.assign(new Reading(), init);

describe('toHaveRow', () => {
  test('matches a row, its values, absent values and asymmetric matchers', async () => {
    const readings = db.repository(Reading);
    await db.seed(Reading, [
      {
        ...keyOf(0),
        value: 1.5,
        rough: 0.1,
        raw: Uint8Array.of(1),
        big: 5n,
        seen: at(3),
        tags: new Map([['a', 'b']]),
      },
    ]);
    await expect(readings).toHaveRow(keyOf(0));
    await expect(readings).toHaveRow(keyOf(0), {
      value: 1.5,
      rough: 0.1,
      raw: Buffer.of(1),
      big: 5n,
      seen: at(3),
      tags: new Map([['a', 'b']]),
      note: null,
    });
    await expect(readings).toHaveRow(keyOf(0), {
      value: expect.closeTo(1.4999, 1),
      seen: expect.any(Date),
    });
    await expect(readings).not.toHaveRow(keyOf(1));
    await expect(readings).not.toHaveRow(keyOf(0), { value: 2 });
    await imported(readings).toHaveRow(keyOf(0), { device: 'd1', at: at(0) });
  });

  test('reports which values differ', async () => {
    await db.seed(Reading, [
      {
        ...keyOf(0),
        value: 1,
        status: Object.assign(new Status(), { firmware: '1', uptime: 5n }),
        tags: new Map([['a', 'b']]),
      },
    ]);
    const status = Object.assign(new Status(), { firmware: '1', uptime: 6n });
    expect(
      await messageOf(() =>
        expect(db.repository(Reading)).toHaveRow(keyOf(0), {
          value: 2,
          note: 'x',
          status,
          tags: new Map([['a', 'c']]),
        }),
      ),
    ).toBe(
      [
        "the row Reading { tenant: 'acme', device: 'd1', at: 2026-01-01T00:00:00.000Z } has other values",
        '  value: expected 2, is 1',
        "  note: expected 'x', is undefined",
        '  status.uptime: expected 6n, is 5n',
        "  tags.get('a'): expected 'c', is 'b'",
      ].join('\n'),
    );
    expect(
      await messageOf(() =>
        expect(db.repository(Reading)).toHaveRow(keyOf(0), { value: expect.any(String) }),
      ),
    ).toMatch('value: expected Any<String>, is 1');
  });

  test('for a missing row, shows its neighbours', async () => {
    expect(await messageOf(() => expect(db.repository(Reading)).toHaveRow(keyOf(0)))).toMatch(
      'no row of Reading is stored at all',
    );
    await db.seed(Reading, readingsOf(5));
    const message = await messageOf(() => expect(db.repository(Reading)).toHaveRow(keyOf(9)));
    expect(message.split('\n').map((line) => line.trim())).toEqual([
      "there is no row Reading { tenant: 'acme', device: 'd1', at: 2026-01-01T00:09:00.000Z }",
      "rows of { tenant: 'acme', device: 'd1' }:",
      ...[0, 1, 2].map(
        (minute) => `{ tenant: 'acme', device: 'd1', at: 2026-01-01T00:0${minute}:00.000Z }`,
      ),
      '...',
    ]);
    expect(await messageOf(() => expect(db.repository(Reading)).toHaveRow(keyOf(0, 'D1')))).toMatch(
      "rows of { tenant: 'acme' }:",
    );
    expect(
      await messageOf(() => expect(db.repository(Reading)).toHaveRow({ ...keyOf(0), tenant: 'x' })),
    ).toMatch('stored rows:');
  });

  test('misuse is reported, also with not', async () => {
    await db.seed(Reading, readingsOf(1));
    const misspelt = { valeu: null } as unknown as { value: null };
    expect(
      await messageOf(() => expect(db.repository(Reading)).not.toHaveRow(keyOf(0), misspelt)),
    ).toMatch("Reading maps no property 'valeu'\n  did you mean 'value'?");
    expect(await messageOf(() => expect(db as unknown).toHaveRow(keyOf(0) as never))).toMatch(
      'a repository is required',
    );
    expect(await messageOf(() => expect(db.repository(Reading)).not.toHaveRow(keyOf(0)))).toMatch(
      /expected no row Reading .*\n {2}the row is\n {2}\{ .*value: 0/,
    );
  });
});

describe('toBeRowsmithError', () => {
  test('by code and details', async () => {
    const readings = db.repository(Reading);
    await db.seed(Reading, readingsOf(1));
    await expect(
      readings.insert(readings.create({ ...keyOf(0), value: 1 })),
    ).rejects.toBeRowsmithError('ROW_EXISTS');
    await imported(
      readings.insert(readings.create({ ...keyOf(0), value: 1 })),
    ).rejects.toBeRowsmithError('ROW_EXISTS', { entity: 'Reading' });
    await expect(readings.get(keyOf(0)).then((row) => row?.value)).resolves.not.toBeRowsmithError(
      'ROW_EXISTS',
    );
    expect(new RowsmithError('EMPTY_ROW', { key: Uint8Array.of(1) })).toBeRowsmithError(
      'EMPTY_ROW',
      { key: Buffer.of(1) },
    );
    expect(new RowsmithError('EMPTY_ROW', { entity: 'A' })).not.toBeRowsmithError('EMPTY_ROW', {
      entity: 'B',
    });
    expect(new Error('x')).not.toBeRowsmithError('EMPTY_ROW');
  });

  test('explains the error', async () => {
    const error = new RowsmithError('EMPTY_ROW', { entity: 'A', fix: 'set a column' });
    expect(await messageOf(() => expect(error).toBeRowsmithError('ROW_EXISTS'))).toBe(
      [
        'expected code ROW_EXISTS (The row already exists.)',
        '  the error is',
        ...error
          .explain()
          .split('\n')
          .map((line) => `  ${line}`),
      ].join('\n'),
    );
    expect(
      await messageOf(() => expect(error).toBeRowsmithError('EMPTY_ROW', { entity: 'B' })),
    ).toMatch("details.entity: expected 'B', is 'A'");
    expect(await messageOf(() => expect(error).not.toBeRowsmithError('EMPTY_ROW'))).toMatch(
      'expected an error other than EMPTY_ROW',
    );
    expect(await messageOf(() => expect(undefined).toBeRowsmithError('EMPTY_ROW'))).toMatch(
      'did the call not fail?',
    );
    expect(
      await messageOf(() => expect(error).not.toBeRowsmithError('ROW_EXIST' as 'ROW_EXISTS')),
    ).toMatch("did you mean 'ROW_EXISTS'?");
    expect(
      await messageOf(() => expect(Promise.resolve()).not.toBeRowsmithError('ROW_EXISTS')),
    ).toMatch("write await expect(promise).rejects.toBeRowsmithError('ROW_EXISTS')");
    expect(await messageOf(() => expect(() => 1).not.toBeRowsmithError('ROW_EXISTS'))).toMatch(
      'a function was given',
    );
  });
});

describe('plans', () => {
  test('toReadRanges: of a query or its explanation, as text or by bounds', async () => {
    const query = db.repository(Reading).prefix({ tenant: 'acme', device: 'd1' });
    expect(query).toReadRanges(['[acme#d1# .. acme#d1$)']);
    expect(query.explain()).toReadRanges([{ start: 'acme#d1#', end: 'acme#d1$' }]);
    imported(db.repository(Reading).scanAll()).not.toReadRanges(['[acme#d1# .. acme#d1$)']);
    expect(query).not.toReadRanges([]);
    const message = await messageOf(() => expect(query).toReadRanges(['[acme# .. acme$)']));
    expect(message.split('\n').slice(0, 4)).toEqual([
      'the query reads other ranges',
      '  expected [acme# .. acme$)',
      '  reads    [acme#d1# .. acme#d1$)',
      '  the plan is',
    ]);
    expect(message).toMatch('scan      Reading in table kit');
  });

  test('toBeFullScan', async () => {
    const readings = db.repository(Reading);
    expect(readings.scanAll()).toBeFullScan();
    expect(readings.prefix({ tenant: 'acme' })).not.toBeFullScan();
    expect(await messageOf(() => expect(readings.scanAll()).not.toBeFullScan())).toMatch(
      'start with prefix({ ... })',
    );
    expect(
      await messageOf(() => expect(readings.prefix({ tenant: 'acme' })).toBeFullScan()),
    ).toMatch('only scanAll()');
    expect(await messageOf(() => expect(readings).not.toBeFullScan())).toMatch(
      'a query or its explain() is required',
    );
    expect(await messageOf(() => expect(undefined).toReadRanges([]))).toMatch(
      'a query or its explain() is required',
    );
  });
});

describe('toEqualEntity', () => {
  const full = {
    ...keyOf(0),
    value: 1,
    rough: 0.1,
    raw: Uint8Array.of(1, 2),
    big: 5n,
    seen: at(1),
    tags: new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
    history: [{ at: at(0), value: 'x' }],
  };

  test('compares values as they are stored', () => {
    const same = entity({
      ...full,
      raw: Buffer.of(1, 2),
      rough: Math.fround(0.1),
      seen: new Date(at(1)),
      tags: new Map([
        ['b', '2'],
        ['a', '1'],
      ]),
      scratch: 'not mapped',
    });
    expect(entity(full)).toEqualEntity(same);
    imported(entity({ ...keyOf(0) })).toEqualEntity(
      entity({
        ...keyOf(0),
        note: undefined,
        value: null as unknown as undefined,
        tags: new Map(),
        history: [],
      }),
    );
    const status = Object.assign(new Status(), { firmware: '1' });
    expect(entity({ ...full, status })).toEqualEntity(
      entity({ ...full, status: { firmware: '1', uptime: undefined } }),
    );
  });

  test.each<[string, Partial<Reading>, string]>([
    ['a number', { value: 2 }, 'value: expected 2, is 1'],
    ['minus zero', { ...full, value: -0 }, 'value: expected -0, is 1'],
    ['a bigint', { big: 6n }, 'big: expected 6n, is 5n'],
    [
      'a byte',
      { raw: Uint8Array.of(1, 3) },
      'raw: expected Uint8Array(2) [ 1, 3 ], is Uint8Array(2) [ 1, 2 ]',
    ],
    [
      'a timestamp',
      { seen: at(2) },
      'seen: expected 2026-01-01T00:02:00.000Z, is 2026-01-01T00:01:00.000Z',
    ],
    [
      'a missing value',
      { seen: undefined },
      'seen: expected undefined, is 2026-01-01T00:01:00.000Z',
    ],
    ['a map entry', { tags: new Map([['a', '1']]) }, "tags.get('b'): expected undefined, is '2'"],
    [
      'a version',
      { history: [{ at: at(0), value: 'y' }] },
      "history[0].value: expected 'y', is 'x'",
    ],
    [
      'an extra version',
      {
        history: [
          { at: at(0), value: 'x' },
          { at: at(1), value: 'x' },
        ],
      },
      'history.length: expected 2, is 1',
    ],
    ['a segment', { device: 'd2' }, "device: expected 'd2', is 'd1'"],
    ['a message', { status: Object.assign(new Status(), { uptime: 1n }) }, 'status: expected'],
  ])('%s differs', async (_what, change, line) => {
    expect(entity(full)).not.toEqualEntity(entity({ ...full, ...change }));
    expect(
      await messageOf(() => expect(entity(full)).toEqualEntity(entity({ ...full, ...change }))),
    ).toMatch(`this Reading is not equal\n  ${line}`);
  });

  test('a stored entity equals what was saved', async () => {
    const [saved] = await db.seed(Reading, [full]);
    expect(await db.repository(Reading).get(keyOf(0))).toEqualEntity(saved);
  });

  test('misuse is reported', async () => {
    expect(await messageOf(() => expect({ a: 1 }).not.toEqualEntity({ a: 1 }))).toMatch(
      'instances of an entity class',
    );
    expect(await messageOf(() => expect(undefined).toEqualEntity(entity(full)))).toMatch(
      'expected this Reading, but received undefined',
    );
    expect(
      await messageOf(() =>
        expect(Object.assign(new Visits(), { page: '/' })).toEqualEntity(entity(full)),
      ),
    ).toMatch('expected an instance of Reading, this is an instance of Visits');
    expect(await messageOf(() => expect(entity(full)).not.toEqualEntity(entity(full)))).toMatch(
      'expected a Reading other than',
    );
  });
});

test('types: keys and rows are those of the repository', () => {
  const compileErrors = async (): Promise<void> => {
    // @ts-expect-error the key lacks 'at'
    await expect(db.repository(Reading)).toHaveRow({ tenant: 'acme', device: 'd1' });
    // @ts-expect-error no such property
    await expect(db.repository(Reading)).toHaveRow(keyOf(0), { valeu: 1 });
    // @ts-expect-error no such code
    imported(new Error('x')).toBeRowsmithError('NO_SUCH_CODE');
    // @ts-expect-error a database is not a repository
    await imported(db as Database).toHaveRow(keyOf(0));
  };
  expect(typeof compileErrors).toBe('function');
});
