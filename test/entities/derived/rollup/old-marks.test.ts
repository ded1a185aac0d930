/** Marks that are so old that storage may have forgotten whether their writes were made. */
import {
  Column,
  Entity,
  maxAge,
  maxVersions,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { everyKey } from '../../../../src/base/index.js';
import type { CheckAndMutate } from '../../../../src/data/store/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { type TestDatabase, testDatabase } from '../../../../src/tools/testing/index.js';
import { DelegatingEngine } from '../../../support/delegating-engine.js';
import { programOver } from '../../../support/program.js';

const daily = {
  daily: {
    by: ['device', { time: 'at', every: '1d' }],
    values: { count: 'count', total: { sum: 'value' }, high: { max: 'value' } },
  },
} as const;

@Entity({ table: 'kept', families: { m: { gc: maxVersions(1) } } })
class Kept {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups(daily);
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int32') value?: number;
}

@Entity({ table: 'expiring', families: { m: { gc: maxAge('1h') } } })
class Expiring {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups(daily);
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int32') value?: number;
}

const start = Date.UTC(2026, 0, 1);
const bucket = { device: 'd', at: new Date(start) };
const entities = [Kept, Expiring] as const;

/** Two rows that are counted, one that still has its mark, and a mark without a row. */
async function leaveMarks(db: TestDatabase, entity: (typeof entities)[number]): Promise<void> {
  const rows = db.repository(entity);
  const { table } = rows.model.rollups[0].rows;
  const save = (hour: number, value: number): Promise<void> =>
    rows.save(rows.create({ device: 'd', at: new Date(start + hour), value }));
  await save(0, 1);
  await save(1, 2);
  db.faults.failWrite({ table: table.name, nth: 2, times: 2 });
  await save(2, 4);
  db.faults.clear();
  db.faults.failWrite({ table: rows.model.table.name });
  db.faults.failWrite({ table: table.name, nth: 2, times: Infinity });
  await expect(save(3, 8)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  db.faults.clear();
  expect(await marksIn(db, table.name)).toBe(2);
}

/** Calls `before` once, before the next commit of a row. */
class Interrupted extends DelegatingEngine {
  static before: (() => Promise<unknown>) | undefined;

  override async checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    const { before } = Interrupted;
    if (table === 'kept') Interrupted.before = undefined;
    if (table === 'kept') await before?.();
    return super.checkAndMutateRow(table, check);
  }
}

async function marksIn(db: Pick<TestDatabase, 'engine'>, table: string): Promise<number> {
  const stream = db.engine.readRows({ table, ranges: [everyKey], reversed: false });
  let marks = 0;
  for (let page = await stream.next(); page !== undefined; page = await stream.next())
    while (page.nextRow()) while (page.nextCell()) if (page.family === '_mark') marks++;
  await stream.close();
  return marks;
}

test('a write that is refused and then made leaves no mark of the attempt', async () => {
  const storage = await openMemoryEngine();
  const first = programOver(new Interrupted(storage), [Kept]);
  const second = programOver(storage, [Kept]);
  await first.admin.apply();
  const key = { device: 'd', at: new Date(start) };
  await second.repository(Kept).patch(key, { value: 1 });
  const writing = first.repository(Kept);
  Interrupted.before = () => second.repository(Kept).patch(key, { value: 2 });
  await writing.patch(key, { value: 3 });
  expect(Interrupted.before).toBeUndefined();
  expect(await marksIn(first, 'kept_rollup')).toBe(0);
  expect(await writing.rollup('daily').get(bucket)).toMatchObject({ count: 1, total: 3 });
});

const after = ['6d', '9d'] as const;

test.each(after)('%s: a bucket that can be computed is computed', async (age) => {
  const db = await testDatabase([Kept], { now: start });
  await leaveMarks(db, Kept);
  db.clock.advance(age);
  expect(await db.derived.rollups.repair(Kept)).toMatchObject({ busy: 0 });
  expect(await marksIn(db, 'kept_rollup')).toBe(0);
  expect(await db.repository(Kept).rollup('daily').get(bucket)).toMatchObject({
    count: 3,
    total: 7,
    high: 4,
  });
  expect(await db.derived.rollups.verify(Kept)).toMatchObject({ wrong: 0, missing: 0, orphan: 0 });
  await db.close();
});

test.each(after)(
  '%s: of a bucket past its retention, marks are settled as storage knows',
  async (age) => {
    const db = await testDatabase([Expiring], { now: start });
    await leaveMarks(db, Expiring);
    db.clock.advance(age);
    expect(await db.derived.rollups.repair(Expiring)).toMatchObject({ expired: 1, repaired: 0 });
    expect(await marksIn(db, 'expiring_rollup')).toBe(0);
    // After seven days it is not known any more that the third row was written.
    expect(await db.repository(Expiring).rollup('daily').get(bucket)).toMatchObject({
      count: age === '6d' ? 3 : 2,
      total: age === '6d' ? 7 : 3,
    });
    await db.close();
  },
);
