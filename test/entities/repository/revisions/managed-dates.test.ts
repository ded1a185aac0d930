/** @CreatedAt and @UpdatedAt, on every back end and under a test clock. */
import {
  Column,
  ColumnMap,
  Counter,
  CreatedAt,
  Entity,
  Revision,
  rowKey,
  Segment,
  aggregate,
  UpdatedAt,
} from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { backEnds } from '../support/back-ends.js';

@Entity({ table: 'notes', families: { m: {}, t: {}, a: aggregate('sum') } })
class Note {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
  @Counter('a') views?: bigint;
  @Counter('m') hits?: bigint;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
}

@Entity({ table: 'revised', families: { m: {} }, cellTimestamp: 'updatedAt' })
class Revised {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
  @Revision('m') revision?: string;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
}

describe.each(backEnds)('on $name', ({ open }) => {
  test('are set by writes, from the clock of the options', async () => {
    let now = Date.UTC(2026, 0, 1);
    const tick = (): Date => new Date((now += 1000));
    const { db, close } = await open([Note], { clock: () => now });
    const notes = db.repository(Note);
    const key = { id: 'a' };
    const times = async (): Promise<(Date | undefined)[]> => {
      const { createdAt, updatedAt } = (await notes.get(key))!;
      return [createdAt, updatedAt];
    };
    const created = tick();
    const note = notes.create({ ...key, text: 'x' });
    await notes.save(note);
    expect([note.createdAt, note.updatedAt]).toEqual([created, created]);
    expect(await times()).toEqual([created, created]);
    const read = (await notes.get(key))!;
    const writes: (() => Promise<unknown>)[] = [
      () => notes.save(read),
      () => notes.saveMany([read]),
      () => notes.patch(key, { text: 'y' }),
      () => notes.patch(key, { text: null }),
      () => notes.patch(key, { text: 'z' }),
      () => notes.patch(key, {}, { remove: ['text'], add: { views: 1n } }),
      () => notes.patchMany([{ key, changes: { text: 'a' } }]),
      () => notes.patchMany([{ key, changes: {}, remove: ['text'], add: { views: 1n } }]),
      () => notes.patch(key, { text: 'c' }, { if: { exists: true } }),
    ];
    for (const write of writes) {
      const at = tick();
      await write();
      expect(await times()).toEqual([created, at]);
    }
    expect(read.updatedAt!.getTime()).toBeGreaterThan(created.getTime());
    const last = await times();
    tick();
    await notes.increment(key, 'hits');
    await notes.increment(key, 'views');
    await notes.patch(key, {}, { add: { views: 1n } });
    await notes.append(key, { text: '!' });
    await notes.patch(key, { tags: new Map() });
    await notes.patch(key, {});
    await notes.patch(key, { text: 'no' }, { if: { exists: false } }).catch(() => undefined);
    expect(await times()).toEqual(last);

    // A new object replaces the row with every column: also the time of its creation.
    const replaced = tick();
    await notes.save(notes.create({ ...key, text: 'new' }));
    expect(await times()).toEqual([replaced, replaced]);
    // A given value is kept: rows that come from elsewhere have been created before.
    const given = new Date(Date.UTC(2020, 0, 1));
    const inserted = notes.create({ id: 'b', text: 'x', createdAt: given, updatedAt: given });
    await notes.insert(inserted);
    expect(await notes.get({ id: 'b' })).toMatchObject({ createdAt: given, updatedAt: replaced });
    expect(inserted.updatedAt).toEqual(replaced);
    // patch() cannot know whether it creates the row.
    await notes.patch({ id: 'c' }, { text: 'x' });
    expect((await notes.get({ id: 'c' }))!.createdAt).toBeUndefined();
    await close();
  });

  test('one of them can be the timestamp of the cells', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { db, close } = await open([Revised], { clock: () => now });
    const rows = db.repository(Revised);
    const row = rows.create({ id: 'a', text: 'x' });
    await rows.save(row);
    const created = row.createdAt;
    now += 5000;
    await rows.patch({ id: 'a' }, { text: 'y' });
    now += 5000;
    await rows.patch({ id: 'a' }, {}, { remove: ['text'] });
    await rows.patch({ id: 'a' }, { text: 'z' });
    const read = (await rows.get({ id: 'a' }))!;
    expect(read).toMatchObject({ text: 'z', createdAt: created, updatedAt: new Date(now) });
    expect((await rows.history({ id: 'a' }, 'text'))[0].at).toEqual(new Date(now));
    now += 5000;
    await rows.update({ id: 'a' }, (each) => void (each.text = 'last'));
    expect(await rows.get({ id: 'a' })).toMatchObject({
      text: 'last',
      createdAt: created,
      updatedAt: new Date(now),
    });
    await close();
  });
});

test('a test database sets them by its clock', async () => {
  const db = await testDatabase([Note], { now: new Date('2026-05-01T00:00:00Z') });
  const notes = db.repository(Note);
  const list = [notes.create({ id: 'a', text: 'x' }), notes.create({ id: 'b', text: 'y' })];
  await notes.saveMany(list);
  expect(list.map(({ createdAt }) => createdAt)).toEqual([db.clock.date(), db.clock.date()]);
  const [a] = list;
  db.clock.advance('1h');
  // The second save of an object that was not read keeps what the first has set.
  await notes.saveMany([a]);
  expect(await notes.get({ id: 'a' })).toMatchObject({
    createdAt: new Date('2026-05-01T00:00:00Z'),
    updatedAt: new Date('2026-05-01T01:00:00Z'),
  });
  await db.close();
});

test('an entity is as it was after its write failed', async () => {
  const db = await testDatabase([Note, Revised]);
  const notes = db.repository(Note);
  const revised = db.repository(Revised);
  for (const applied of [false, true]) {
    const note = notes.create({ id: 'a', text: 'x' });
    const row = revised.create({ id: 'a', text: 'x' });
    db.faults.failWrite({ applied });
    await expect(notes.save(note)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(revised.save(row)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await notes.saveMany([note])).failures).toHaveLength(1);
    db.faults.clear();
    expect([note.createdAt, note.updatedAt]).toEqual([undefined, undefined]);
    expect([row.createdAt, row.updatedAt, row.revision]).toEqual([undefined, undefined, undefined]);
  }
  // A frozen entity is written, and cannot hold what the library has set.
  const frozen = Object.freeze(notes.create({ id: 'f', text: 'x' }));
  await notes.save(frozen);
  expect(frozen.createdAt).toBeUndefined();
  expect(await notes.get({ id: 'f' })).toMatchObject({ text: 'x', createdAt: db.clock.date() });
  await db.close();
});
