import { type Database, open, type Repository } from '../../../../src/index.js';
import { Binary, Order, Reading, Spread, upTo, User } from '../support/entities.js';
import { storages } from '../support/watched.js';

const entities = [Reading, User, Order, Spread, Binary];

describe.each(storages)('on $storage', ({ make }) => {
  let db: Database;
  let readings: Repository<typeof Reading>;
  let remove: () => void;
  const key = { tenant: 't', device: 'd', n: 1 };

  beforeEach(async () => {
    const storage = make();
    remove = storage.remove;
    db = await open(storage.url, { entities });
    readings = db.repository(Reading);
  });
  afterEach(async () => {
    await db.close();
    remove();
  });

  test('a row is created, read, changed and deleted', async () => {
    expect(await readings.get(key)).toBeUndefined();
    expect(await readings.exists(key)).toBe(false);
    const reading = readings.create({ ...key, value: 1, note: 'x', tags: new Map([['a', '1']]) });
    await readings.save(reading);
    expect(await readings.get(key)).toEqual(reading);
    expect(await readings.exists(key)).toBe(true);
    await readings.save(readings.create({ ...key, value: 2 }));
    expect(await readings.get(key)).toEqual({ ...key, value: 2 });
    await readings.delete(key);
    await readings.delete(key);
    expect(await readings.get(key)).toBeUndefined();
  });

  test('insert accepts new keys only, and of many concurrent ones exactly one wins', async () => {
    const outcomes = await Promise.allSettled(
      upTo(20).map((i) => readings.insert(readings.create({ ...key, value: i }))),
    );
    const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
    expect(winners).toHaveLength(1);
    expect(await readings.get(key)).toEqual({ ...key, value: winners[0] });
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          code: 'ROW_EXISTS',
          details: { entity: 'Reading', key: 't#d#000001' },
        });
  });

  test('insert finds rows that hold only what the entity does not map', async () => {
    await readings.increment(key, 'total', 1n);
    await expect(readings.insert(readings.create({ ...key, value: 1 }))).rejects.toMatchObject({
      code: 'ROW_EXISTS',
    });
  });

  test('patch writes values, ignores undefined, deletes null, and creates missing rows', async () => {
    await readings.patch(key, {
      value: 1,
      note: 'x',
      tags: new Map([
        ['a', '1'],
        ['b', '2'],
      ]),
      history: [{ at: new Date(1000), value: 'one' }],
    });
    await readings.patch(key, {
      value: undefined,
      note: null,
      tags: new Map([
        ['b', null],
        ['c', '3'],
      ]),
      history: [{ at: new Date(2000), value: 'two' }],
    });
    expect(await readings.get(key)).toEqual({
      ...key,
      value: 1,
      tags: new Map([
        ['a', '1'],
        ['c', '3'],
      ]),
      history: [
        { at: new Date(2000), value: 'two' },
        { at: new Date(1000), value: 'one' },
      ],
    });
    await readings.patch(key, { value: null, tags: null, history: null });
    expect(await readings.get(key)).toBeUndefined();
    await readings.patch(key, {});
    await readings.patch(key, { tags: new Map(), history: [], note: undefined });
    expect(await readings.exists(key)).toBe(false);
  });

  test('concurrent increments add up, in plain and in aggregate families', async () => {
    const results = await Promise.all(upTo(100).map(() => readings.increment(key, 'hits', 3n)));
    expect([...results].sort((a, b) => Number(a) - Number(b))).toEqual(
      upTo(100).map((i) => BigInt(3 * (i + 1))),
    );
    expect(
      await Promise.all(upTo(100).map((i) => readings.increment(key, 'total', BigInt(i)))),
    ).toEqual(upTo(100).map(() => undefined));
    expect(await readings.get(key)).toEqual({ ...key, hits: 300n, total: 4950n });
    expect(await readings.increment(key, 'hits')).toBe(301n);
    expect(await readings.increment(key, 'hits', -302n)).toBe(-1n);
    await readings.save(readings.create({ ...key, value: 1, hits: 99n }));
    expect(await readings.get(key)).toEqual({ ...key, value: 1, hits: -1n, total: 4950n });
  });

  test('concurrent appends extend text and bytes', async () => {
    const results = await Promise.all(upTo(50).map((i) => readings.append(key, { note: `${i};` })));
    const whole = results.map(({ note }) => note).reduce((a, b) => (a.length > b.length ? a : b));
    expect(
      whole
        .split(';')
        .filter((part) => part !== '')
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(upTo(50));
    expect((await readings.append(key, { raw: Uint8Array.of(1) })).raw).toEqual(Uint8Array.of(1));
    expect((await readings.append(key, { raw: Uint8Array.of(2, 3) })).raw).toEqual(
      Uint8Array.of(1, 2, 3),
    );
    expect((await readings.append(key, { raw: new Uint8Array(0) })).raw).toEqual(
      Uint8Array.of(1, 2, 3),
    );
    expect(await readings.get(key)).toEqual({ ...key, note: whole, raw: Uint8Array.of(1, 2, 3) });
    await expect(readings.append(key, { note: 5 as unknown as string })).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      details: { property: 'note' },
    });
    await expect(readings.append(key, { note: '\ud800' })).rejects.toMatchObject({
      code: 'INVALID_VALUE',
    });
  });

  test('history, versions and asOf read older versions', async () => {
    const cells = upTo(3).map((i) => ({
      kind: 'setCell' as const,
      family: 'm',
      qualifier: Buffer.from('value'),
      timestamp: (i + 1) * 1000,
      value: doubleBytes(i),
    }));
    await db.engine.mutateRow('readings', { key: Buffer.from('t#d#000001'), mutations: cells });
    expect(await readings.history(key, 'value')).toEqual([
      { at: new Date(3), value: 2 },
      { at: new Date(2), value: 1 },
      { at: new Date(1), value: 0 },
    ]);
    expect(await readings.history(key, 'value', { limit: 1 })).toEqual([
      { at: new Date(3), value: 2 },
    ]);
    expect(await readings.history({ ...key, n: 2 }, 'value')).toEqual([]);
    const scan = readings.prefix({ tenant: 't' });
    expect((await scan.asOf(new Date(2)).all()).map(({ value }) => value)).toEqual([1]);
    expect(await scan.asOf(new Date(0)).all()).toEqual([]);
    await readings.patch(key, {
      history: upTo(5).map((i) => ({ at: new Date(i), value: `${i}` })),
    });
    expect((await scan.first())?.history?.map(({ value }) => value)).toEqual([
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    expect((await scan.versions(2).first())?.history?.map(({ value }) => value)).toEqual([
      '4',
      '3',
    ]);
    expect(await scan.versions(2).asOf(new Date(3)).first()).toMatchObject({
      value: 2,
      history: [{ value: '3' }, { value: '2' }],
    });
    expect(await readings.history(key, 'history', { limit: 2 })).toEqual([
      { at: new Date(4), value: '4' },
      { at: new Date(3), value: '3' },
    ]);
  });

  test('getMany returns rows in the order of the keys, with duplicates and gaps', async () => {
    await readings.saveMany(
      upTo(3000).map((n) => readings.create({ tenant: 't', device: 'd', n, value: n })),
    );
    const wanted = [...upTo(2500).map((i) => (i * 7) % 4000), 5, 5, 3999];
    const found = await readings.getMany(wanted.map((n) => ({ tenant: 't', device: 'd', n })));
    expect(found.map((each) => each?.value)).toEqual(wanted.map((n) => (n < 3000 ? n : undefined)));
    expect(found.at(-2)).toBe(found.at(-3));
    expect(await readings.getMany([])).toEqual([]);
    expect(await readings.getMany(new Set([key]))).toMatchObject([{ value: 1 }]);
  });

  test('save rejects results of select and everything else that is not an instance', async () => {
    await readings.save(readings.create({ ...key, value: 1, note: 'kept' }));
    const [partial] = await readings.prefix({ tenant: 't' }).select('value').all();
    const others = [
      partial,
      { ...partial },
      new Spread(),
      null,
      undefined,
      'text',
      5,
      [],
      new Proxy({}, {}),
    ];
    for (const other of others) {
      await expect(readings.save(other as Reading)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { entity: 'Reading' },
      });
      await expect(readings.insert(other as Reading)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    }
    expect((await readings.saveMany(others as Reading[])).failures).toHaveLength(others.length);
    expect(await readings.get(key)).toEqual({ ...key, value: 1, note: 'kept' });
  });

  test('the entity is written as it was when the call was made', async () => {
    const reading = readings.create({ ...key, value: 1, raw: Uint8Array.of(1) });
    const saved = readings.save(reading);
    reading.value = 2;
    reading.raw?.fill(9);
    await saved;
    expect(await readings.get(key)).toEqual({ ...key, value: 1, raw: Uint8Array.of(1) });
  });

  describe('prefix().delete()', () => {
    test('is closed: acme leaves acme2 and acme#x alone', async () => {
      for (const tenant of ['acme', 'acme2', 'acme#x', 'acm', 'b'])
        for (const device of ['', 'a', 'a2'])
          await readings.save(readings.create({ tenant, device, n: 1, value: 1 }));
      await readings.prefix({ tenant: 'acme', device: 'a' }).delete();
      expect((await readings.prefix({ tenant: 'acme' }).all()).map(({ device }) => device)).toEqual(
        ['', 'a2'],
      );
      await readings.prefix({ tenant: 'acme' }).delete();
      expect([...new Set((await readings.scanAll().all()).map(({ tenant }) => tenant))]).toEqual([
        'acm',
        'acme#x',
        'acme2',
        'b',
      ]);
      expect(await readings.scanAll().count()).toBe(12);
    });

    test('keeps rows of other entities, known to this program or not', async () => {
      const users = db.repository(User);
      const orders = db.repository(Order);
      for (const user of ['a', 'b']) {
        await users.save(users.create({ tenant: 't', user, name: user }));
        await orders.saveMany(
          upTo(300).map((nr) => orders.create({ tenant: 't', user, nr, sum: 1 })),
        );
      }
      await db.engine.mutateRow('readings', {
        key: Buffer.from('t#d#stranger'),
        mutations: [
          {
            kind: 'setCell',
            family: 'm',
            qualifier: Buffer.from('x'),
            timestamp: 1000,
            value: Buffer.from('x'),
          },
        ],
      });
      await readings.saveMany(
        upTo(10).map((n) => readings.create({ tenant: 't', device: 'd', n, value: 1 })),
      );
      await users.prefix({ tenant: 't' }).delete();
      await readings.prefix({ tenant: 't' }).delete();
      expect([
        await users.scanAll().count(),
        await orders.scanAll().count(),
        await readings.scanAll().count(),
      ]).toEqual([0, 600, 0]);
      const left = db.engine.readRows({
        table: 'readings',
        ranges: [{ start: new Uint8Array(0) }],
        reversed: false,
      });
      expect((await left.next())?.nextRow()).toBe(true);
      await left.close();
      await orders.prefix({ tenant: 't', user: 'a' }).delete();
      expect(await orders.scanAll().count()).toBe(300);
    });

    test('works with shards and in the ordered format', async () => {
      const spread = db.repository(Spread);
      await spread.saveMany(
        ['a', 'a2'].flatMap((tenant) =>
          upTo(100).map((n) => spread.create({ tenant, device: `d${n % 7}`, n, value: n })),
        ),
      );
      await spread.prefix({ tenant: 'a', device: 'd3' }).delete();
      expect(await spread.prefix({ tenant: 'a' }).count()).toBe(86);
      await spread.prefix({ tenant: 'a' }).delete();
      expect([
        await spread.prefix({ tenant: 'a' }).count(),
        await spread.scanAll().count(),
      ]).toEqual([0, 100]);

      const binary = db.repository(Binary);
      const tenants = ['a', 'a\x00', 'a\x01', 'a\xff', 'aa', ''];
      for (const tenant of tenants)
        for (const id of [[], [0], [255], [0, 255]])
          await binary.save(binary.create({ tenant, id: Uint8Array.from([...id, 1]), value: 1 }));
      await binary.prefix({ tenant: 'a' }).delete();
      expect(
        [...new Set((await binary.scanAll().all()).map(({ tenant }) => tenant))].sort(),
      ).toEqual(tenants.filter((tenant) => tenant !== 'a').sort());
    });

    test('accepts leading segments only', async () => {
      await readings.save(readings.create({ ...key, value: 1 }));
      for (const wrong of [
        {},
        null,
        undefined,
        { device: 'd' },
        { tenant: undefined },
        { tenant: 't', device: undefined },
        key,
        readings.create({ ...key, value: 1 }),
      ]) {
        expect(() => readings.prefix(wrong as { tenant: string })).toThrow(
          expect.objectContaining({ code: 'INVALID_QUERY' }),
        );
      }
      expect(await readings.exists(key)).toBe(true);
    });
  });
});

function doubleBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}
