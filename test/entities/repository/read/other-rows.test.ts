import { type RowsmithError } from '../../../../src/index.js';
import type { UnreadableRowPolicy } from '../../../../src/entities/repository/index.js';
import { Order, Reading, upTo, User } from '../support/entities.js';
import { openWatched, type Watched } from '../support/watched.js';

let watched: Watched;
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const put = (key: string, table = 'crowd', value = 'x') =>
  watched.db.engine.mutateRow(table, {
    key: bytes(key),
    mutations: [
      {
        kind: 'setCell',
        family: 'm',
        qualifier: bytes('name'),
        timestamp: 1000,
        value: bytes(value),
      },
    ],
  });

async function start(
  options: { onForeignRow?: UnreadableRowPolicy; onDamagedCell?: UnreadableRowPolicy } = {},
): Promise<void> {
  watched = await openWatched([Reading, User, Order], options);
}
afterEach(() => watched.db.close());

describe('a limit counts rows of the entity, not the rows in between', () => {
  beforeEach(async () => {
    await start();
    const orders = watched.db.repository(Order);
    const users = watched.db.repository(User);
    await orders.saveMany(
      ['a', 'c'].flatMap((user) =>
        upTo(1000).map((nr) => orders.create({ tenant: 't', user, nr, sum: nr })),
      ),
    );
    await users.saveMany(
      ['b', 'c', 'd', 'e'].map((user) => users.create({ tenant: 't', user, name: user })),
    );
  });

  test.each([1, 2, 3, 4, 5])('limit %i', async (limit) => {
    const query = watched.db.repository(User).prefix({ tenant: 't' }).limit(limit);
    expect((await query.all()).map(({ user }) => user)).toEqual(
      ['b', 'c', 'd', 'e'].slice(0, limit),
    );
    expect((await query.reverse().all()).map(({ user }) => user)).toEqual(
      ['e', 'd', 'c', 'b'].slice(0, limit),
    );
    expect(await query.count()).toBe(Math.min(limit, 4));
  });

  test('first, and pages of one', async () => {
    const query = watched.db.repository(User).prefix({ tenant: 't' });
    expect(await query.first()).toMatchObject({ user: 'b' });
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await query.page({ size: 1, after });
      names.push(...page.rows.map(({ user }) => user));
      after = page.next;
    } while (after !== undefined);
    expect(names).toEqual(['b', 'c', 'd', 'e']);
  });

  test('a thousand rows of other entities cost a few reads, and no stream stays open', async () => {
    watched.seen.plans.length = 0;
    expect(await watched.db.repository(User).prefix({ tenant: 't' }).first()).toMatchObject({
      user: 'b',
    });
    expect(watched.seen.plans.length).toBeLessThanOrEqual(7);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('the other entity also sees only its own rows', async () => {
    expect(await watched.db.repository(Order).prefix({ tenant: 't' }).count()).toBe(2000);
    expect(await watched.db.repository(Order).prefix({ tenant: 't', user: 'b' }).all()).toEqual([]);
  });
});

describe('rows with a key that matches no entity', () => {
  const foreignKeys = [
    't',
    't#a#order',
    't#b#ordre#0001',
    't#c#order#1',
    't#d#order#0001#x',
    '\xff',
    't#$zz',
  ];
  const fill = async (): Promise<void> => {
    for (const key of foreignKeys) await put(key);
    await watched.db
      .repository(User)
      .save(watched.db.repository(User).create({ tenant: 't', user: 'z', name: 'z' }));
    await watched.db
      .repository(Order)
      .save(watched.db.repository(Order).create({ tenant: 't', user: 'z', nr: 1, sum: 1 }));
  };

  test('are skipped', async () => {
    await start();
    await fill();
    expect((await watched.db.repository(User).scanAll().all()).map(({ user }) => user)).toEqual([
      'z',
    ]);
  });

  test('are passed to a function once each, unlike rows of other entities', async () => {
    const reported: RowsmithError[] = [];
    await start({ onForeignRow: (error) => void reported.push(error) });
    await fill();
    expect(await watched.db.repository(User).scanAll().count()).toBe(1);
    expect(
      reported.map(({ details }) => Buffer.from(String(details.keyHex), 'hex').toString('latin1')),
    ).toEqual([
      't',
      't#$zz',
      't#a#order',
      't#b#ordre#0001',
      't#c#order#1',
      't#d#order#0001#x',
      '\xff',
    ]);
    expect(reported[0]).toMatchObject({
      code: 'FOREIGN_KEY',
      details: {
        entity: 'User',
        table: 'crowd',
        key: 't',
        problem: expect.any(String) as string,
        fix: expect.any(String) as string,
      },
    });
  });

  test('end the scan if requested', async () => {
    await start({ onForeignRow: 'throw' });
    await fill();
    await expect(watched.db.repository(User).scanAll().all()).rejects.toMatchObject({
      code: 'FOREIGN_KEY',
    });
    await expect(
      watched.db.repository(Order).prefix({ tenant: 't', user: 'z' }).all(),
    ).resolves.toHaveLength(1);
    expect(watched.seen.openStreams).toBe(0);
  });
});

describe('rows with a damaged cell', () => {
  const fill = async (): Promise<void> => {
    const readings = watched.db.repository(Reading);
    await readings.saveMany(
      upTo(600).map((n) => readings.create({ tenant: 't', device: 'd', n, value: n })),
    );
    for (const n of [3, 300]) {
      await watched.db.engine.mutateRow('readings', {
        key: bytes(`t#d#${String(n).padStart(6, '0')}`),
        mutations: [
          {
            kind: 'setCell',
            family: 'm',
            qualifier: bytes('value'),
            timestamp: 9e15,
            value: bytes('bad'),
          },
        ],
      });
    }
  };

  test('end the scan permanently: no row is skipped silently', async () => {
    await start();
    await fill();
    const rows = watched.db.repository(Reading).scanAll()[Symbol.asyncIterator]();
    await expect(rows.next()).rejects.toMatchObject({
      code: 'DAMAGED_CELL',
      details: { key: 't#d#000003' },
    });
    expect(await rows.next()).toEqual({ value: undefined, done: true });
    expect(watched.seen.openStreams).toBe(0);
  });

  test('are skipped, or passed to a function', async () => {
    await start({ onDamagedCell: 'skip' });
    await fill();
    expect(await watched.db.repository(Reading).scanAll().all()).toHaveLength(598);
    expect(
      (await watched.db.repository(Reading).scanAll().limit(4).all()).map(({ n }) => n),
    ).toEqual([0, 1, 2, 4]);
    expect(
      await watched.db.repository(Reading).get({ tenant: 't', device: 'd', n: 3 }),
    ).toBeUndefined();
    expect(
      await watched.db
        .repository(Reading)
        .getMany([2, 3].map((n) => ({ tenant: 't', device: 'd', n }))),
    ).toMatchObject([{ n: 2 }, undefined]);
    await watched.db.close();

    const reported: unknown[] = [];
    await start({ onDamagedCell: (error) => void reported.push(error.details.key) });
    await fill();
    expect(await watched.db.repository(Reading).scanAll().all()).toHaveLength(598);
    expect(reported).toEqual(['t#d#000003', 't#d#000300']);
    reported.length = 0;
    expect(
      await watched.db.repository(Reading).history({ tenant: 't', device: 'd', n: 3 }, 'value'),
    ).toMatchObject([{ value: 3 }]);
    expect(reported).toEqual(['t#d#000003']);
  });

  test('a function that throws ends the scan and closes its stream', async () => {
    const stop = new Error('stop');
    await start({
      onDamagedCell: () => {
        throw stop;
      },
    });
    await fill();
    await expect(watched.db.repository(Reading).scanAll().all()).rejects.toBe(stop);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('are read if the damaged column is not requested', async () => {
    await start();
    await fill();
    expect(await watched.db.repository(Reading).scanAll().keysOnly().all()).toHaveLength(600);
  });
});
