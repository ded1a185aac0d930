/** update(): reads, changes, writes and repeats. No update is lost, whatever runs beside it. */
import {
  Column,
  type Database,
  Entity,
  open,
  Revision,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';

@Entity({ table: 'counts', families: { m: {} } })
class Count {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'double') value!: number;
  @Column('m', 'json') log?: number[];
  @Revision('m') revision?: string;
}

@Entity({ table: 'plain', families: { m: {} } })
class Unrevised {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'double') value!: number;
}

const openCounts = (db: Database) => db.repository(Count);
type Counts = ReturnType<typeof openCounts>;

describe.each(backEnds)('on $name', ({ name, open: opening }) => {
  let db: Database;
  let counts: Counts;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await opening([Count]));
    counts = openCounts(db);
  });
  afterAll(() => close());

  test('parallel updates of one row are all made', async () => {
    const key = { tenant: 't', id: 'parallel' };
    const writers = name.startsWith('live') ? 12 : 30;
    await counts.save(counts.create({ ...key, value: 0, log: [] }));
    let calls = 0;
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const done = await counts.update(
          key,
          (count) => {
            calls++;
            count.value++;
            count.log = [...count.log!, writer];
          },
          { attempts: 200 },
        );
        expect(done!.log!.at(-1)).toBe(writer);
      }),
    );
    const { value, log } = (await counts.get(key))!;
    expect(value).toBe(writers);
    expect([...log!].sort((a, b) => a - b)).toEqual(Array.from({ length: writers }, (_, i) => i));
    // There were conflicts: otherwise this has tested nothing.
    expect(calls).toBeGreaterThan(writers);
  });

  test('updates beside other writes of the row', async () => {
    const key = { tenant: 't', id: 'beside' };
    await counts.save(counts.create({ ...key, value: 0, log: [] }));
    const updates = Array.from({ length: 10 }, () =>
      counts.update(key, (count) => void count.value++, { attempts: 200 }),
    );
    const others = Array.from({ length: 10 }, async (_, n) => {
      if (n % 2 === 0) await counts.patch(key, { log: [n] });
      else await counts.patchMany([{ key, changes: { log: [n] } }]);
    });
    await Promise.all([...updates, ...others]);
    // A save of an older state would have set it back.
    expect(await counts.get(key)).toMatchObject({ value: 10, log: [expect.any(Number)] });
  });

  test('returns what was written, what is there, or undefined', async () => {
    const key = { tenant: 't', id: 'results' };
    let called = false;
    expect(await counts.update(key, () => void (called = true))).toBeUndefined();
    expect(called).toBe(false);
    await counts.save(counts.create({ ...key, value: 1 }));
    const updated = await counts.update(key, (count) => void (count.value = 2));
    expect(updated).toBeInstanceOf(Count);
    expect(updated).toEqual(await counts.get(key));
    const unchanged = await counts.update(key, (count) => {
      count.value = 3;
      return 'unchanged';
    });
    expect(unchanged!.value).toBe(3);
    expect(await counts.get(key)).toEqual(updated);
    const scoped = db.scope({ tenant: 't' }).repository(Count);
    await scoped.update({ id: 'results' }, (count) => void (count.value = 4));
    expect(await counts.get(key)).toMatchObject({ value: 4 });
    expect(await counts.update(updated!, (count) => void count.value++)).toMatchObject({
      value: 5,
    });
  });
});

// Where calls take effect in the order in which they are made.
describe.each(backEnds.filter(({ name }) => !name.startsWith('live')))(
  'on $name',
  ({ open: opening }) => {
    test('gives up after its attempts, and when it is aborted', async () => {
      const { db, close } = await opening([Count]);
      const counts = openCounts(db);
      const key = { tenant: 't', id: 'gives-up' };
      await counts.save(counts.create({ ...key, value: 1 }));
      let writes: Promise<unknown>[] = [];
      let calls = 0;
      const interfere = (count: Count): void => {
        calls++;
        count.value = -1;
        // Is sent before the update's own write.
        writes.push(counts.patch(key, { log: [calls] }));
      };
      const error: unknown = await counts
        .update(key, interfere, { attempts: 3 })
        .catch((reason: unknown) => reason);
      await Promise.all(writes);
      expect(error).toBeInstanceOf(RowsmithError);
      expect(error).toMatchObject({
        code: 'REVISION_CONFLICT',
        details: { entity: 'Count', attempts: 3, key: 't#gives-up', fix: expect.any(String) },
      });
      expect(calls).toBe(3);
      expect(await counts.get(key)).toMatchObject({ value: 1, log: [3] });
      const abort = new AbortController();
      const reason = new Error('enough');
      writes = [];
      const aborted = counts.update(
        key,
        (count) => {
          interfere(count);
          if (writes.length === 5) abort.abort(reason);
        },
        { attempts: 1000, signal: abort.signal },
      );
      await expect(aborted).rejects.toBe(reason);
      await Promise.all(writes);
      expect(writes).toHaveLength(5);
      expect(await counts.get(key)).toMatchObject({ value: 1 });
      await close();
    });
  },
);

describe('arguments', () => {
  test('are checked before anything is read or written', async () => {
    const db = await testDatabase([Count, Unrevised]);
    const counts = db.repository(Count);
    const key = { tenant: 't', id: 'a' };
    await counts.save(counts.create({ ...key, value: 1 }));
    const before = await counts.get(key);
    const untyped = counts as unknown as {
      update(key: unknown, change?: unknown, options?: unknown): Promise<unknown>;
    };
    const refused = async (
      run: Promise<unknown>,
      property: string,
      code = 'INVALID_ARGUMENT',
    ): Promise<void> => {
      await expect(run).rejects.toMatchObject({
        code,
        details: { problem: expect.any(String), fix: expect.any(String), property },
      });
      expect(await counts.get(key)).toEqual(before);
    };
    await refused(untyped.update(key), 'change');
    await refused(untyped.update(key, { value: 2 }), 'change');
    await refused(
      untyped.update(key, () => undefined, { attempts: 0 }),
      'attempts',
    );
    await refused(
      untyped.update(key, () => undefined, { attempts: 1001 }),
      'attempts',
    );
    await refused(
      untyped.update(key, () => undefined, { tries: 1 }),
      'tries',
    );
    await refused(
      untyped.update(5, () => undefined),
      'key',
      'INVALID_KEY',
    );
    await refused(
      untyped.update({ tenant: 't' }, () => undefined),
      'id',
      'INVALID_KEY',
    );
    for (const result of [false, 5, Promise.resolve(), Promise.reject(new Error('no'))])
      await refused(
        untyped.update(key, (count: Count) => {
          count.value = 9;
          return result;
        }),
        'change',
      );
    await refused(
      untyped.update(key, (count: Count) => {
        count.id = 'b';
      }),
      'tenant',
    );
    await expect(
      counts.update(key, () => {
        throw new RangeError('from change');
      }),
    ).rejects.toThrow(RangeError);
    await refused(
      counts.update(key, (count) => {
        count.value = 'x' as never;
      }),
      'value',
      'INVALID_VALUE',
    );
    await db.close();
  });

  test('an entity without a revision is refused: other writes could be overwritten', async () => {
    const db = await open('memory:', { entities: [Unrevised] });
    const rows = db.repository(Unrevised);
    await rows.save(rows.create({ id: 'a', value: 1 }));
    await expect(rows.update({ id: 'a' }, (row) => void row.value++)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      details: {
        entity: 'Unrevised',
        property: 'update',
        fix: expect.stringContaining('@Revision'),
      },
    });
    expect(await rows.get({ id: 'a' })).toMatchObject({ value: 1 });
    await db.close();
  });
});

describe('faults', () => {
  test('a write of unknown outcome is UNAVAILABLE, and is not repeated', async () => {
    const db = await testDatabase([Count]);
    const counts = openCounts(db);
    const key = { tenant: 't', id: 'a' };
    const count = counts.create({ ...key, value: 1 });
    await counts.save(count);
    const { revision } = count;
    for (const applied of [false, true]) {
      const fault = db.faults.failWrite({ applied, times: 1 });
      count.value = 2;
      await expect(counts.save(count)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      fault.clear();
      expect(count.revision).toBe(revision);
      expect(await counts.get(key)).toMatchObject({ value: applied ? 2 : 1 });
    }
    // The write was made: the row has another revision than the entity.
    const found = (await counts.get(key))!.revision;
    await expect(counts.save(count)).rejects.toMatchObject({
      code: 'REVISION_CONFLICT',
      details: { expected: revision, found },
    });
    for (const applied of [false, true]) {
      const fault = db.faults.failWrite({ applied, times: 1 });
      const before = (await counts.get(key))!.value;
      await expect(counts.update(key, (row) => void row.value++)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      fault.clear();
      expect((await counts.get(key))!.value).toBe(before + (applied ? 1 : 0));
    }
    const fault = db.faults.failWrite({ applied: true, times: 1 });
    const { failures } = await counts.saveMany([(await counts.get(key))!]);
    fault.clear();
    expect(failures).toMatchObject([{ mayBeWritten: true, error: { code: 'UNAVAILABLE' } }]);
    await db.close();
  });

  test('random interleavings with random delays lose nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1 << 30 }),
        fc.integer({ min: 2, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 16 }),
        async (seed, rows, targets) => {
          const db = await testDatabase([Count]);
          const counts = openCounts(db);
          const keys = Array.from({ length: rows }, (_, i) => ({ tenant: 't', id: `r${i}` }));
          await counts.saveMany(keys.map((key) => counts.create({ ...key, value: 0, log: [] })));
          db.faults.delay({ millis: [0, 3], seed });
          await Promise.all(
            targets.map((target, n) =>
              counts.update(
                keys[target % rows],
                (count) => {
                  count.value += 1;
                  count.log!.push(n);
                },
                { attempts: 500 },
              ),
            ),
          );
          db.faults.clear();
          for (const [i, key] of keys.entries()) {
            const mine = targets.flatMap((target, n) => (target % rows === i ? [n] : []));
            const { value, log } = (await counts.get(key))!;
            expect(value).toBe(mine.length);
            expect([...log!].sort((a, b) => a - b)).toEqual(mine);
          }
          await db.close();
        },
      ),
      { numRuns: 10 },
    );
  });
});

test('a hook that changes the key is no conflict, and writes nothing', async () => {
  @Entity({ table: 'moved', families: { m: {} } })
  class Moved {
    static readonly key = rowKey('id');
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('m', 'double') value!: number;
    @Revision('m') revision?: string;

    static beforeWrite(moved: Moved): void {
      if (moved.value > 1) moved.id = 'other';
    }
  }
  const db = await testDatabase([Moved]);
  const rows = db.repository(Moved);
  await rows.save(rows.create({ id: 'a', value: 1 }));
  let calls = 0;
  const updated = rows.update({ id: 'a' }, (row) => {
    calls++;
    row.value = 2;
  });
  await expect(updated).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { entity: 'Moved', problem: 'beforeWrite() changed the key of the entity' },
  });
  expect(calls).toBe(1);
  expect((await rows.scanAll().all()).map(({ id, value }) => [id, value])).toEqual([['a', 1]]);
  await db.close();
});
