import { type RowsmithError, type UnreadableRowPolicy } from '../../src/index.js';
import { Order, Reading, upTo, User } from './entities.js';
import { openWatched, type Watched } from './watched.js';

let world: Watched;
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const put = (key: string, table = 'crowd', value = 'x') =>
  world.db.engine.mutateRow(table, {
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
  world = await openWatched([Reading, User, Order], options);
}
afterEach(() => world.db.close());

describe('a limit counts our rows, whatever lies between', () => {
  beforeEach(async () => {
    await start();
    const orders = world.db.repository(Order);
    const users = world.db.repository(User);
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
    const query = world.db.repository(User).prefix({ tenant: 't' }).limit(limit);
    expect((await query.all()).map(({ user }) => user)).toEqual(
      ['b', 'c', 'd', 'e'].slice(0, limit),
    );
    expect((await query.reverse().all()).map(({ user }) => user)).toEqual(
      ['e', 'd', 'c', 'b'].slice(0, limit),
    );
    expect(await query.count()).toBe(Math.min(limit, 4));
  });

  test('first, and pages of one', async () => {
    const query = world.db.repository(User).prefix({ tenant: 't' });
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

  test('a thousand rows before the first of ours cost a few reads, and none stays open', async () => {
    world.seen.plans.length = 0;
    expect(await world.db.repository(User).prefix({ tenant: 't' }).first()).toMatchObject({
      user: 'b',
    });
    expect(world.seen.plans.length).toBeLessThanOrEqual(7);
    expect(world.seen.openStreams).toBe(0);
  });

  test('the other entity sees only its own rows, too', async () => {
    expect(await world.db.repository(Order).prefix({ tenant: 't' }).count()).toBe(2000);
    expect(await world.db.repository(Order).prefix({ tenant: 't', user: 'b' }).all()).toEqual([]);
  });
});

describe('rows whose key is of no entity', () => {
  const strangers = [
    't',
    't#a#order',
    't#b#ordre#0001',
    't#c#order#1',
    't#d#order#0001#x',
    '\xff',
    't#$zz',
  ];
  const fill = async (): Promise<void> => {
    for (const key of strangers) await put(key);
    await world.db
      .repository(User)
      .save(world.db.repository(User).create({ tenant: 't', user: 'z', name: 'z' }));
    await world.db
      .repository(Order)
      .save(world.db.repository(Order).create({ tenant: 't', user: 'z', nr: 1, sum: 1 }));
  };

  test('are passed over', async () => {
    await start();
    await fill();
    expect((await world.db.repository(User).scanAll().all()).map(({ user }) => user)).toEqual([
      'z',
    ]);
  });

  test('are told to a function, each once, the rows of other entities not', async () => {
    const told: RowsmithError[] = [];
    await start({ onForeignRow: (error) => void told.push(error) });
    await fill();
    expect(await world.db.repository(User).scanAll().count()).toBe(1);
    expect(
      told.map(({ details }) => Buffer.from(String(details.keyHex), 'hex').toString('latin1')),
    ).toEqual([
      't',
      't#$zz',
      't#a#order',
      't#b#ordre#0001',
      't#c#order#1',
      't#d#order#0001#x',
      '\xff',
    ]);
    expect(told[0]).toMatchObject({
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

  test('end the scan where that is asked for', async () => {
    await start({ onForeignRow: 'throw' });
    await fill();
    await expect(world.db.repository(User).scanAll().all()).rejects.toMatchObject({
      code: 'FOREIGN_KEY',
    });
    await expect(
      world.db.repository(Order).prefix({ tenant: 't', user: 'z' }).all(),
    ).resolves.toHaveLength(1);
    expect(world.seen.openStreams).toBe(0);
  });
});

describe('rows with a damaged cell', () => {
  const fill = async (): Promise<void> => {
    const readings = world.db.repository(Reading);
    await readings.saveMany(
      upTo(600).map((n) => readings.create({ tenant: 't', device: 'd', n, value: n })),
    );
    for (const n of [3, 300]) {
      await world.db.engine.mutateRow('readings', {
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

  test('end the scan, which is over then: nothing is passed over in silence', async () => {
    await start();
    await fill();
    const rows = world.db.repository(Reading).scanAll()[Symbol.asyncIterator]();
    await expect(rows.next()).rejects.toMatchObject({
      code: 'DAMAGED_CELL',
      details: { key: 't#d#000003' },
    });
    expect(await rows.next()).toEqual({ value: undefined, done: true });
    expect(world.seen.openStreams).toBe(0);
  });

  test('are left out, or told', async () => {
    await start({ onDamagedCell: 'skip' });
    await fill();
    expect(await world.db.repository(Reading).scanAll().all()).toHaveLength(598);
    expect((await world.db.repository(Reading).scanAll().limit(4).all()).map(({ n }) => n)).toEqual(
      [0, 1, 2, 4],
    );
    expect(
      await world.db.repository(Reading).get({ tenant: 't', device: 'd', n: 3 }),
    ).toBeUndefined();
    expect(
      await world.db
        .repository(Reading)
        .getMany([2, 3].map((n) => ({ tenant: 't', device: 'd', n }))),
    ).toMatchObject([{ n: 2 }, undefined]);
    await world.db.close();

    const told: unknown[] = [];
    await start({ onDamagedCell: (error) => void told.push(error.details.key) });
    await fill();
    expect(await world.db.repository(Reading).scanAll().all()).toHaveLength(598);
    expect(told).toEqual(['t#d#000003', 't#d#000300']);
    told.length = 0;
    expect(
      await world.db.repository(Reading).history({ tenant: 't', device: 'd', n: 3 }, 'value'),
    ).toMatchObject([{ value: 3 }]);
    expect(told).toEqual(['t#d#000003']);
  });

  test('a function that throws ends the scan and lets go of it', async () => {
    const stop = new Error('stop');
    await start({
      onDamagedCell: () => {
        throw stop;
      },
    });
    await fill();
    await expect(world.db.repository(Reading).scanAll().all()).rejects.toBe(stop);
    expect(world.seen.openStreams).toBe(0);
  });

  test('are read where the damaged column is not asked for', async () => {
    await start();
    await fill();
    expect(await world.db.repository(Reading).scanAll().keysOnly().all()).toHaveLength(600);
  });
});
