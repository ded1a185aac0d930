/** Reads by key of some properties, of some versions, and as of a time. */
import {
  Column,
  ColumnMap,
  type Database,
  entriesOf,
  Entity,
  entryCountOf,
  maxVersions,
  rowKey,
  Segment,
  type Version,
  Versions,
} from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';

@Entity({
  table: 'sensors',
  families: { m: { gc: maxVersions(5) }, n: {}, h: { gc: maxVersions(5) }, t: {}, u: {} },
  cellTimestamp: 'at',
})
class Sensor {
  static readonly key = rowKey('site', 'id');
  @Segment('string') site!: string;
  @Segment('uint', { max: 99 }) id!: number;
  @Column('m', 'timestamp') at?: Date;
  @Column('m', 'double') value?: number;
  @Column('n', 'string') note?: string;
  @Versions('h', 'double') past?: Version<number>[];
  @ColumnMap('t', 'int32') tags?: Map<string, number>;
  // Another kind of keys: the types of parts of one map must not be inferred from the other.
  @ColumnMap('u', 'int32', { qualifiers: 'timestamp' }) times?: Map<Date, number>;
}

const time = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));

describe.each(backEnds)('on $name', (backEnd) => {
  let db: Database;
  let close: () => Promise<void>;
  const key = { site: 'a', id: 1 };
  const bare = { site: 'a', id: 2 };
  beforeAll(async () => {
    ({ db, close } = await backEnd.open([Sensor]));
    const sensors = db.repository(Sensor);
    await sensors.save(
      sensors.create({
        ...key,
        at: time(1),
        value: 1,
        note: 'first',
        past: [3, 2, 1].map((hour) => ({ at: time(hour), value: hour })),
        tags: new Map([
          ['a', 1],
          ['b', 2],
        ]),
      }),
    );
    await sensors.patch(key, { at: time(2), value: 2 });
    await sensors.save(sensors.create({ ...bare, at: time(5), note: 'no value' }));
  });
  afterAll(() => close());

  test('select reads these properties, also of rows without them', async () => {
    const sensors = db.repository(Sensor);
    const value: { site: string; id: number; value?: number } | undefined = await sensors.get(key, {
      select: ['value'],
    });
    expect(value).toEqual({ ...key, value: 2 });
    expect(value).not.toBeInstanceOf(Sensor);
    expect(await sensors.get(bare, { select: ['past', 'value'] })).toEqual(bare);
    expect(await sensors.get({ site: 'b', id: 1 }, { select: ['value'] })).toBeUndefined();
    const parts = await sensors.get(key, { select: ['note', entryCountOf('tags')] });
    expect(parts).toEqual({ ...key, note: 'first', tags: 2 });
    const [some, none, missing] = await sensors.getMany([key, bare, { site: 'c', id: 1 }], {
      select: ['note', entriesOf('tags', { from: 'b' })],
    });
    expect(some).toEqual({ ...key, note: 'first', tags: new Map([['b', 2]]) });
    expect(none).toMatchObject({ ...bare, note: 'no value' });
    expect(missing).toBeUndefined();
  });

  test('versions limits the versions, asOf hides later cells', async () => {
    const sensors = db.repository(Sensor);
    const newest = await sensors.get(key, { versions: 1 });
    expect(newest?.past).toEqual([{ at: time(3), value: 3 }]);
    expect(await sensors.get(key, { asOf: time(1) })).toMatchObject({
      value: 1,
      note: 'first',
      past: [{ at: time(1), value: 1 }],
    });
    const [then, later] = await sensors.getMany([key, bare], { asOf: time(1), select: ['value'] });
    expect([then, later]).toEqual([{ ...key, value: 1 }, undefined]);
    expect(await sensors.exists(bare, { asOf: time(4) })).toBe(false);
    expect(await sensors.exists(bare, { asOf: time(5) })).toBe(true);
    expect(await sensors.get(bare, { asOf: new Date(0) })).toBeUndefined();
  });

  test('results that lack what is stored cannot be saved', async () => {
    const sensors = db.repository(Sensor);
    for (const options of [{ asOf: time(1) }, { versions: 1 }]) {
      const read = await sensors.get(key, options);
      await expect(sensors.save(read!)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      const [same] = await sensors.getMany([key], options);
      await expect(sensors.save(same!)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    const selected = await sensors.get(key, { select: ['value'] });
    await expect(sensors.save(selected as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect((await sensors.get(key))?.past).toHaveLength(3);
  });

  test.each([
    [{ select: [] }, 'INVALID_QUERY'],
    [{ select: 'value' }, 'INVALID_ARGUMENT'],
    [{ select: null }, 'INVALID_ARGUMENT'],
    [{ select: ['valeu'] }, 'INVALID_QUERY'],
    [{ select: [5] }, 'INVALID_QUERY'],
    [{ versions: 0 }, 'INVALID_ARGUMENT'],
    [{ asOf: 'yesterday' }, 'INVALID_ARGUMENT'],
    [{ asof: time(1) }, 'INVALID_ARGUMENT'],
    [{ limit: 1 }, 'INVALID_ARGUMENT'],
  ])('%j is refused', async (options, code) => {
    const sensors = db.repository(Sensor);
    const details = { entity: 'Sensor', fix: expect.any(String) as string };
    await expect(sensors.get(key, options as never)).rejects.toMatchObject({ code, details });
    await expect(sensors.getMany([key], options as never)).rejects.toMatchObject({ code, details });
    if ('asOf' in options)
      await expect(sensors.exists(key, options as never)).rejects.toMatchObject({ code, details });
  });
});
