/** Faults of indexes are found by kind and repaired, beside writers, on every back end. */
import type { Database } from '../../../../src/index.js';
import { entryColumns } from '../../../../src/entities/model/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { Order } from '../index/entities.js';
import { codeOf, expectExactEntries } from '../index/stored-entries.js';
import { savePlain } from './plain-rows.js';

const none = { missing: 0, wrong: 0, orphan: 0, duplicate: 0, invalid: 0, 'stale copy': 0 };

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const orders = () => db.repository(Order);
  const order = (id: number, rest: Partial<Order> = {}): Order =>
    orders().create({ tenant: 'acme', id, status: 'open', placedAt: new Date(id), ...rest });

  beforeEach(async () => {
    opened = await open([Order]);
    ({ db } = opened);
  });
  afterEach(() => opened.close());

  /** The key of an entry as it is stored. */
  const entryKey = (name: string, values: Record<string, unknown>): Uint8Array =>
    orders()
      .model.indexes.find((index) => index.name === name)!
      .entry.key.encode(values);
  const statusEntry = (id: number, status: string): Uint8Array =>
    entryKey('byStatus', { tenant: 'acme', status, placedAt: new Date(id), id });
  const set = (family: string, qualifier: string, value: string) =>
    ({
      kind: 'setCell',
      family,
      qualifier: Buffer.from(qualifier),
      timestamp: 0,
      value: Buffer.from(value),
    }) as const;
  const token = entryColumns.token.family;

  test('rows with the right entries', async () => {
    await orders().saveMany([1, 2, 3].map((id) => order(id, { email: `${id}@x`, total: 1n })));
    const report = await db.derived.verify(Order);
    expect(report).toMatchObject({ rows: 3, entries: 6, found: none, findings: [] });
    expect(report.position).toBeUndefined();
  });

  test('an entry that is missing', async () => {
    await orders().saveMany([1, 2].map((id) => order(id)));
    await db.engine.mutateRow('orders_index', {
      key: statusEntry(2, 'open'),
      mutations: [{ kind: 'deleteFromRow' }],
    });
    const { found, findings } = await db.derived.verify(Order);
    expect(found).toEqual({ ...none, missing: 1 });
    expect(findings).toMatchObject([
      {
        kind: 'missing',
        index: 'byStatus',
        row: { tenant: 'acme', id: 2 },
        entry: { tenant: 'acme', status: 'open', placedAt: new Date(2), id: 2 },
        repaired: false,
      },
    ]);
    const repaired = await db.derived.repair(Order);
    expect(repaired).toMatchObject({ found: { missing: 1 }, repaired: 1 });
    await expectExactEntries(db, Order);
    expect((await db.derived.verify(Order)).found).toEqual(none);
  });

  test('a row that was written without its entries', async () => {
    await savePlain(db, [{ id: 1, email: 'a@b.c', customer: 'ann' }]);
    expect((await db.derived.verify(Order)).found).toEqual({ ...none, missing: 3 });
    expect((await db.derived.verify(Order, { index: 'byEmail' })).found.missing).toBe(1);
    await db.derived.repair(Order);
    await expectExactEntries(db, Order);
    expect((await db.derived.verify(Order)).found).toEqual(none);
  });

  test('covered cells and a token that differ from the row', async () => {
    await orders().saveMany([1, 2].map((id) => order(id, { total: 5n })));
    const total = { family: entryColumns.covered, qualifier: Buffer.from('total') };
    await db.engine.mutateRow('orders_index', {
      key: statusEntry(1, 'open'),
      mutations: [{ kind: 'deleteFromColumn', ...total }],
    });
    await db.engine.mutateRow('orders_index', {
      key: statusEntry(2, 'open'),
      mutations: [{ kind: 'deleteFromColumn', ...entryColumns.token }, set(token, '', 'another')],
    });
    const { found } = await db.derived.verify(Order);
    expect(found).toEqual({ ...none, wrong: 2 });
    expect(await db.derived.repair(Order)).toMatchObject({ repaired: 2 });
    expect((await db.derived.verify(Order)).found).toEqual(none);
  });

  test('entries that no row backs', async () => {
    await orders().save(order(1));
    const key = entryKey('byEmail', { tenant: 'acme', email: 'old' });
    const holder = orders().model.key.encode({ tenant: 'acme', id: 1 });
    await db.engine.mutateRow('orders_index', {
      key: statusEntry(1, 'paid'),
      mutations: [set(token, '', 'x')],
    });
    await db.engine.mutateRow('orders_index', {
      key: statusEntry(7, 'open'),
      mutations: [set(token, '', 'y')],
    });
    await db.engine.mutateRow('orders_index', {
      key,
      mutations: [set(token, '', 'z'), set(token, 'k', Buffer.from(holder).toString())],
    });
    const { found, findings } = await db.derived.verify(Order);
    expect(found).toEqual({ ...none, orphan: 3 });
    expect(findings.map(({ index, row, entry }) => [index, row?.id, entry?.status])).toEqual([
      ['byStatus', 7, 'open'],
      ['byStatus', 1, 'paid'],
      ['byEmail', 1, undefined],
    ]);
    expect(await db.derived.repair(Order)).toMatchObject({ repaired: 3 });
    await expectExactEntries(db, Order);
    expect((await db.derived.verify(Order)).found).toEqual(none);
    await orders().save(order(2, { email: 'old' }));
  });

  test('two rows with one value, and a value that cannot be in an index', async () => {
    await orders().save(order(1, { email: 'a@b.c' }));
    await savePlain(db, [
      { id: 2, email: 'a@b.c' },
      { id: 3, customer: 'x'.repeat(4096) },
    ]);
    const expected = [
      { kind: 'duplicate', index: 'byEmail', row: { id: 2 }, holder: { id: 1 } },
      { kind: 'invalid', index: 'byCustomer', row: { id: 3 }, error: { code: 'INVALID_KEY' } },
    ];
    for (const check of ['verify', 'repair'] as const) {
      const { findings, found } = await db.derived[check](Order);
      expect(found).toMatchObject({ duplicate: 1, invalid: 1 });
      for (const each of expected)
        expect(findings).toContainEqual(
          expect.objectContaining({ kind: each.kind, index: each.index }),
        );
    }
    const { findings } = await db.derived.verify(Order);
    expect(findings.filter(({ kind }) => kind !== 'missing')).toMatchObject(
      expected.sort((a, b) => (a.kind < b.kind ? 1 : -1)),
    );
    await orders().patch({ tenant: 'acme', id: 2 }, { email: 'b@b.c' });
    await orders().patch({ tenant: 'acme', id: 3 }, { customer: null });
    await db.derived.repair(Order);
    expect((await db.derived.verify(Order)).found).toEqual(none);
  });

  test('a check is stopped and continued, without a row twice', async () => {
    await savePlain(
      db,
      Array.from({ length: 1_300 }, (_, i) => ({ id: i + 1 })),
    );
    const first = await db.derived.verify(Order, { limit: 600, maxFindings: 3 });
    expect(first).toMatchObject({ rows: 1_024, found: { missing: 1_024 } });
    expect(first.findings).toHaveLength(3);
    const rest = await db.derived.verify(Order, { after: first.position });
    expect(rest).toMatchObject({ rows: 276, found: { missing: 276 } });
    expect(rest.position).toBeUndefined();

    const controller = new AbortController();
    let position = '';
    const stopped = db.derived.repair(Order, {
      signal: controller.signal,
      onProgress: (progress) => {
        ({ position } = progress);
        controller.abort(new Error('stopped'));
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    const continued = await db.derived.repair(Order, { after: position });
    expect(continued).toMatchObject({ rows: 788, repaired: 788 });
    await expectExactEntries(db, Order);
  });

  test('writes that are on their way are no findings', async () => {
    await orders().saveMany([1, 2, 3, 4].map((id) => order(id, { customer: `c${id}` })));
    let done = false;
    const write = async (seed: number): Promise<void> => {
      for (let i = seed; !done; i += 7) {
        const key = { tenant: 'acme', id: (i % 4) + 1 };
        if (i % 5 === 0) await orders().delete(key);
        else await orders().save(order(key.id, { status: `s${i % 3}`, email: `${key.id}@x` }));
      }
    };
    const writers = [write(1), write(2), write(3)];
    for (let round = 0; round < 10; round++)
      expect((await db.derived.verify(Order)).found).toEqual(none);
    for (let round = 0; round < 5; round++) await db.derived.repair(Order);
    done = true;
    await Promise.all(writers);
    await expectExactEntries(db, Order);
  });

  test('arguments that are wrong', async () => {
    class Other {}
    const { derived } = db;
    expect(await codeOf(derived.verify(Other as never))).toBe('INVALID_DECLARATION');
    await expect(derived.verify(Order, { index: 'byStats' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { entity: 'Order', property: 'index', fix: "did you mean 'byStatus'?" },
    });
    expect(await codeOf(derived.verify(Order, { after: 'rows:*' }))).toBe('INVALID_CURSOR');
    expect(await codeOf(derived.verify(Order, { after: 'entries.byX' }))).toBe('INVALID_CURSOR');
    expect(await codeOf(derived.verify(Order, { limit: 0 }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(derived.verify(Order, { inFlight: 2_000 }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(derived.verify(Order, { maxFinding: 1 } as never))).toBe(
      'INVALID_ARGUMENT',
    );
    expect(await codeOf(derived.rebuild(Order, 'byStats'))).toBe('INVALID_ARGUMENT');
  });
});
