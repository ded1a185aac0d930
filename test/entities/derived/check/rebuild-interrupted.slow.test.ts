/** Builds of an index that are stopped, and beside other programs. */
import type { Database } from '../../../../src/index.js';
import { IndexStates } from '../../../../src/entities/derived/index.js';
import { slowBackEnds } from '../../repository/support/back-ends.js';
import { Order } from '../index/entities.js';
import { codeOf, compareEntries, expectExactEntries } from '../index/stored-entries.js';
import { buildSuite, key, pageAndMore, plainRows } from './build-suite.js';
import { forgetStates, otherProgram, savePlain } from './plain-rows.js';

describe.each(slowBackEnds)('$name', ({ open }) => {
  const { database, orders, indexNamed, assertReady } = buildSuite(open);
  let db: Database;
  beforeEach(() => void (db = database()));

  test('a build that is stopped is continued by another program', async () => {
    await forgetStates(db, Order);
    await savePlain(db, plainRows(pageAndMore));
    const controller = new AbortController();
    const stopped = db.derived.rebuild(Order, 'byCustomer', {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await codeOf(assertReady('byCustomer'))).toBe('INDEX_NOT_READY');
    const other = otherProgram(db, [Order]);
    const report = await other.derived.rebuild(Order, 'byCustomer');
    expect(report).toMatchObject({ ready: true, resumed: true, rows: pageAndMore - 512 });
    await assertReady('byCustomer');
    const { byCustomer } = await compareEntries(db, Order);
    expect(byCustomer.stored).toEqual(byCustomer.expected);
  });

  test('beside writers, each row has its entries at the end', async () => {
    await forgetStates(db, Order);
    await savePlain(db, plainRows(200));
    let done = false;
    let writes = 0;
    const write = async (seed: number): Promise<void> => {
      for (let i = seed; !done; i += 3) {
        const id = ((i * 7_919) % 220) + 1;
        const choice = i % 4;
        if (choice === 0) await orders().delete(key(id));
        else if (choice === 1) await orders().patch(key(id), { status: `s${i % 5}` });
        else if (choice === 2) await orders().patch(key(id), { customer: `w${i % 5}` });
        else
          await orders().save(
            orders().create({ ...key(id), status: 'new', placedAt: new Date(i), total: 1n }),
          );
        writes++;
      }
    };
    const writers = [0, 1, 2].map(write);
    for (const name of ['byStatus', 'byEmail', 'byCustomer'])
      expect(await db.derived.rebuild(Order, name)).toMatchObject({ ready: true });
    done = true;
    await Promise.all(writers);
    expect(writes).toBeGreaterThan(10);
    await expectExactEntries(db, Order);
    expect((await db.derived.verify(Order)).findings).toEqual([]);
  });

  test('a duplicate that was found before a stop is not forgotten', async () => {
    await forgetStates(db, Order);
    const last = pageAndMore + 1;
    await savePlain(db, [...plainRows(pageAndMore), { id: last, email: '0@x' }].reverse());
    await savePlain(db, [{ id: 2, email: '0@x' }]);
    const controller = new AbortController();
    const stopped = db.derived.rebuild(Order, 'byEmail', {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    await orders().delete(key(last));
    const report = await db.derived.rebuild(Order, 'byEmail');
    expect(report).toMatchObject({ ready: false, resumed: true, found: { duplicate: 0 } });
    expect(await codeOf(assertReady('byEmail'))).toBe('INDEX_NOT_READY');
  });

  test('while another program begins the same build, the first one stops', async () => {
    await savePlain(db, plainRows(pageAndMore));
    const other = new IndexStates(db.engine);
    let began = false;
    const { model } = orders();
    const build = db.derived.rebuild(Order, 'byStatus', {
      onProgress: () => {
        if (began) return;
        began = true;
        void other
          .remove(indexNamed('byStatus'))
          .then(() => other.begin(model, indexNamed('byStatus')));
      },
    });
    expect(await codeOf(build)).toBe('CONTENTION');
    expect(await codeOf(assertReady('byStatus'))).toBe('INDEX_NOT_READY');
  });
});
