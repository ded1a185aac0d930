/** A reading has a separate cell in both layouts of the guide: rules keep its newest value. */
import {
  Column,
  ColumnMap,
  Entity,
  maxVersions,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';

const families = { m: { gc: maxVersions(1) } };

@Entity({ table: 'tall', families })
class Tall {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'wide', families })
class Wide {
  static readonly key = rowKey('device', 'hour');
  @Segment('string') device!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @ColumnMap('m', 'double', { qualifiers: 'timestamp' }) values?: Map<Date, number>;
}

test('maxVersions(1) keeps the newest value of every reading', async () => {
  const db = await open('memory:', { entities: [Tall, Wide] });
  const [tall, wide] = [db.repository(Tall), db.repository(Wide)];
  const times = [1, 2, 3].map((n) => new Date(n * 1000));
  for (const value of [1, 2])
    for (const at of times) {
      await tall.save(tall.create({ device: 'd', at, value }));
      await wide.patch({ device: 'd', hour: at }, { values: new Map([[at, value]]) });
    }
  const rows = await tall.prefix({ device: 'd' }).all();
  const expected = times.map((at) => [at, 2]);
  expect(rows.map(({ at, value }) => [at, value])).toEqual(expected);
  const row = await wide.get({ device: 'd', hour: times[0] });
  expect([...row!.values!]).toEqual(expected);
  await db.close();
});
