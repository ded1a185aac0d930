/** Changes: validated, conditional on what was shown, and only with `write`. */
import type { RowName } from '../../../src/tools/studio/protocol/row.js';
import { Account, Device, Order, Reading } from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import { base64, ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
beforeEach(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterEach(() => client.close());

const key = { shop: 'oslo', at: at(10), n: 1 };

function orderName(): RowName & { readonly entity: string } {
  const { model } = client.studio.db.repository(Order);
  return { entity: 'Order', table: 'shop', key: base64(model.key.encode(key)) };
}

function accountName(): RowName & { readonly entity: string } {
  const { model } = client.studio.db.repository(Account);
  return { entity: 'Account', table: 'accounts', key: base64(model.key.encode({ id: 'ann' })) };
}

const order = () => client.studio.db.repository(Order).getOrThrow(key);

describe('update', () => {
  test('writes what was changed, if the row is as it was shown', async () => {
    const changed = await client.call('update', {
      ...orderName(),
      set: { status: 'paid', total: '-1', photo: null },
      shown: { status: 'open', total: '9007199254740993', photo: 'AQL+' },
    });
    expect(changed).toEqual({
      outcome: 'written',
      row: { table: 'shop', key: orderName().key },
      guard: 'write',
    });
    expect(await order()).toMatchObject({ status: 'paid', total: -1n, photo: undefined });
    // Indexes follow.
    const query = {
      source: { kind: 'index', entity: 'Order', index: 'byStatus' },
      fixed: [{ segment: 'status', values: ['open'] }],
    } as const;
    expect(ofType(await client.lines('rows', { query }), 'end')[0].rows).toBe(2);
  });

  test('writes nothing if another program was faster, and shows both', async () => {
    await client.studio.db.repository(Order).patch(key, { status: 'sent' });
    const changed = await client.call('update', {
      ...orderName(),
      set: { status: 'paid' },
      shown: { status: 'open', total: '9007199254740993' },
    });
    expect(changed).toMatchObject({
      outcome: 'conflict',
      changed: ['status'],
      stored: { exists: true, values: { status: 'sent' } },
    });
    expect((await order()).status).toBe('sent');
  });

  test('does not bring back a row that was deleted', async () => {
    await client.studio.db.repository(Order).delete(key);
    const changed = await client.call('update', {
      ...orderName(),
      set: { status: 'paid' },
      shown: { status: 'open' },
    });
    expect(changed).toMatchObject({ outcome: 'conflict', stored: { exists: false } });
    expect(await client.studio.db.repository(Order).get(key)).toBeUndefined();
  });

  test('entries of a map, one by one', async () => {
    const changed = await client.call('update', {
      ...orderName(),
      set: { tags: { size: 'small', colour: null, __proto__x: 'y' } },
      shown: { tags: { size: 'large', colour: 'red' } },
    });
    expect(changed).toMatchObject({ outcome: 'written', guard: 'write' });
    expect([...(await order()).tags!]).toEqual([
      ['__proto__x', 'y'],
      ['size', 'small'],
    ]);
    const late = await client.call('update', {
      ...orderName(),
      set: { tags: { size: 'huge' } },
      shown: { tags: { size: 'large' } },
    });
    expect(late).toMatchObject({ outcome: 'conflict', changed: ['tags'] });
  });

  test('of two writers that change the same entry, one is told of the conflict', async () => {
    // Without a condition in the write, both read the same and both write.
    for (let round = 0; round < 20; round++) {
      const { tags } = await order();
      const shown = { tags: { size: tags!.get('size')!, fresh: tags!.get('fresh') ?? null } };
      const write = (name: string) =>
        client.call('update', {
          ...orderName(),
          set: { tags: { size: `${name}${round}`, fresh: `${name}${round}` } },
          shown,
        });
      const outcomes = (await Promise.all([write('a'), write('b')])).map((each) => each.outcome);
      expect(outcomes.sort()).toEqual(['conflict', 'written']);
      const stored = (await order()).tags!;
      expect(stored.get('fresh')).toBe(stored.get('size'));
    }
  });

  test('a hundred entries are one condition', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `e${i}`);
    const all = (value: string | null) => Object.fromEntries(names.map((name) => [name, value]));
    const write = (set: string, shown: string | null) =>
      client.call('update', {
        ...orderName(),
        set: { tags: all(set) },
        shown: { tags: all(shown) },
      });
    expect(await write('x', null)).toMatchObject({ outcome: 'written', guard: 'write' });
    const outcomes = await Promise.all([write('y', 'x'), write('z', 'x')]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'written']);
  });

  test('values that no condition can hold are compared before', async () => {
    const long = 'x'.repeat(10_000);
    const write = (set: string, shown: string | null) =>
      client.call('update', {
        ...orderName(),
        set: { tags: { long: set } },
        shown: { tags: { long: shown } },
      });
    expect(await write(long, null)).toMatchObject({ outcome: 'written', guard: 'write' });
    expect(await write('', long)).toMatchObject({ outcome: 'written', guard: 'read' });
    expect(await write('y', long)).toMatchObject({ outcome: 'conflict', changed: ['tags'] });
  });

  test('versions, in the write itself', async () => {
    const version = (hour: number, value: number) => ({ at: at(hour).toISOString(), value });
    const write = (set: object[] | null, shown: object[] | null) =>
      client.call('update', {
        ...orderName(),
        set: { price: set },
        shown: { price: shown },
      } as never);
    const { values } = await client.call('row', orderName());
    const first = values!.price as unknown as object[] | null;
    const two = [version(2, 2.5), version(1, 1.5)];
    expect(await write(null, first)).toMatchObject({ outcome: 'written', guard: 'write' });
    expect(await write(two, null)).toMatchObject({ outcome: 'written', guard: 'write' });
    // One more, one less, another value, another time.
    for (const shown of [
      [...two, version(0, 0.5)],
      two.slice(1),
      [version(2, 2.25), version(1, 1.5)],
      [version(3, 2.5), version(1, 1.5)],
      null,
    ])
      expect(await write(null, shown)).toMatchObject({ outcome: 'conflict', changed: ['price'] });
    const outcomes = await Promise.all(
      [4, 5].map((hour) => write([version(hour, hour), ...two], two)),
    );
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'written']);
    const stored = (await client.call('row', orderName())).values!.price as unknown as object[];
    expect(stored).toHaveLength(3);
    expect(await write(null, stored)).toMatchObject({ outcome: 'written', guard: 'write' });
    expect(await write(two, null)).toMatchObject({ outcome: 'written' });
    // A patch adds versions: one that is left out would stay.
    for (const set of [[version(1, 1.5)], []])
      expect(
        await client.failure('update', {
          ...orderName(),
          set: { price: set },
          shown: { price: two },
        }),
      ).toMatchObject({ status: 400, property: 'set.price', fix: expect.stringContaining('null') });
  });

  test('a message, whole', async () => {
    const changed = await client.call('update', {
      ...orderName(),
      set: { parcel: { note: 'x', at: { exact: '1' }, sums: [['y', '2']] } },
      shown: {},
    });
    expect(changed.outcome).toBe('written');
    const { parcel } = await order();
    expect(parcel).toMatchObject({ note: 'x', at: { exact: 1n } });
    expect(parcel!.sums).toEqual(new Map([['y', 2n]]));
  });

  test('by revision, if the entity has one', async () => {
    const { values } = await client.call('row', accountName());
    const { revision } = values!;
    const update = (balance: number) =>
      client.call('update', {
        ...accountName(),
        set: { balance },
        shown: { balance: 5, revision },
      });
    expect(await update(6)).toMatchObject({ outcome: 'written', guard: 'write' });
    expect(await update(7)).toMatchObject({
      outcome: 'conflict',
      changed: ['balance', 'revision'],
      stored: { values: { balance: 6 } },
    });
  });

  test.each<[string, object, string, string]>([
    ['a wrong type', { total: 7 }, 'BAD_REQUEST', 'set.total'],
    ['an unknown column', { none: 1 }, 'BAD_REQUEST', 'set.none'],
    ['a segment', { shop: 'rome' }, 'BAD_REQUEST', 'set.shop'],
    ['nothing', {}, 'BAD_REQUEST', 'set'],
    ['a wrong field', { parcel: { note: 7 } }, 'BAD_REQUEST', 'set.parcel.note'],
  ])('%s is refused, with its place', async (_, set, code, property) => {
    const failure = await client.failure('update', { ...orderName(), set, shown: {} });
    expect(failure).toMatchObject({ status: 400, code, property });
  });

  test('rules of the entity hold', async () => {
    const { values } = await client.call('row', accountName());
    const failure = await client.failure('update', {
      ...accountName(),
      set: { balance: -1 },
      shown: { revision: values!.revision },
    });
    expect(failure).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      issues: [{ property: 'balance', problem: 'the number -1 is not at least 0' }],
    });
  });

  test('a key of another entity is refused', async () => {
    const failure = await client.failure('update', {
      ...orderName(),
      entity: 'Account',
      set: { balance: 1 },
      shown: {},
    });
    expect(failure).toMatchObject({ status: 400, property: 'key' });
  });
});

describe('insert', () => {
  test('writes a row, and only one that is new', async () => {
    const values = { shop: 'bergen', at: '2026-11-20T01:00:00.000Z', n: 1, status: 'open' };
    const inserted = await client.call('insert', { entity: 'Order', values });
    expect(inserted).toMatchObject({ outcome: 'written', row: { table: 'shop' } });
    expect(await client.call('insert', { entity: 'Order', values })).toMatchObject({
      outcome: 'conflict',
      stored: { exists: true, values: { status: 'open' } },
    });
  });

  test('rules and keys are checked', async () => {
    expect(
      await client.failure('insert', { entity: 'Account', values: { id: 'A1', balance: 1 } }),
    ).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ property: 'id' }] });
    expect(
      await client.failure('insert', { entity: 'Order', values: { shop: 'x' } }),
    ).toMatchObject({
      code: 'INVALID_KEY',
      property: 'at',
    });
  });
});

test('a row is removed as it was shown', async () => {
  const { db } = client.studio;
  const shown = { status: 'open', tags: { size: 'large' } };
  await db.repository(Order).patch(key, { status: 'sent' });
  expect(await client.call('remove', { ...orderName(), shown })).toMatchObject({
    outcome: 'conflict',
    changed: ['status'],
  });
  await db.repository(Order).patch(key, { status: 'open' });
  const removed = await client.call('remove', { ...orderName(), shown });
  expect(removed).toMatchObject({ outcome: 'written' });
  expect(await db.repository(Order).get(key)).toBeUndefined();
});

test('copies follow a change of their source', async () => {
  const { db } = client.studio;
  const { model } = db.repository(Device);
  const device = { tenant: 'acme', device: 'd1' };
  await client.call('update', {
    entity: 'Device',
    table: 'fleet',
    key: base64(model.key.encode(device)),
    set: { place: 'cellar' },
    shown: { place: 'roof' },
  });
  expect(await db.repository(Reading).get({ ...device, at: at(8) })).toMatchObject({
    place: 'cellar',
  });
});

describe('validate', () => {
  const validate = (values: object, whole = false) =>
    client.call('validate', { entity: 'Account', values: values as never, whole });

  test('a part, while it is typed', async () => {
    expect(await validate({})).toEqual({ issues: [] });
    expect(await validate({ id: 'ann' })).toEqual({ issues: [] });
    expect(await validate({ id: 'Ann', balance: 'x' })).toMatchObject({
      issues: [{ property: 'balance' }, { property: 'id' }],
    });
  });

  test('the whole, with its key', async () => {
    expect(await validate({ id: 'bob', balance: 1 }, true)).toEqual({ issues: [], key: 'bob' });
    expect(await validate({ balance: 1 }, true)).toMatchObject({ issues: [{ property: 'id' }] });
    expect(await validate({ id: 'bob' }, true)).toMatchObject({
      issues: [{ property: 'balance', problem: 'it is required, and has no value' }],
    });
  });
});

test('without `write` nothing changes, and the page knows why', async () => {
  const reader = await StudioClient.open('memory:', { write: false });
  expect((await reader.call('session', {})).write).toMatchObject({ allowed: false });
  const changes = {
    update: { ...orderName(), set: { status: 'x' }, shown: {} },
    remove: { ...orderName(), shown: {} },
    insert: { entity: 'Order', values: {} },
    import: { entity: 'Order', format: 'jsonl' },
    repair: { entity: 'Order' },
    rebuild: { entity: 'Order', index: 'byStatus' },
    propagate: { entity: 'Device' },
  } as const;
  for (const [name, body] of Object.entries(changes))
    expect(await reader.failure(name as keyof typeof changes, body)).toMatchObject({
      status: 403,
      code: 'READ_ONLY',
      fix: 'end it, and start rowsmith studio --write',
    });
  await reader.close();
});
