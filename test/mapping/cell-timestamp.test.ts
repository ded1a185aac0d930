import {
  Column,
  type Database,
  Entity,
  maxVersions,
  open,
  rowKey,
  Segment,
} from '../../src/index.js';
import { Thing } from './entities.js';
import { cellsOf } from './stored.js';

@Entity({ table: 'events', families: { m: { gc: maxVersions(5) } }, cellTimestamp: 'at' })
class Event {
  static readonly key = rowKey('source', 'at');
  @Segment('string') source!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') text?: string;
}

@Entity({ table: 'edited', families: { m: { gc: maxVersions(5) } }, cellTimestamp: 'changed' })
class Edited {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'timestamp') changed?: Date;
  @Column('m', 'string') text?: string;
}

let db: Database;

beforeEach(async () => {
  db = await open('memory:', { entities: [Event, Edited] });
});
afterEach(() => db.close());

describe('the timestamp of cells', () => {
  test('is the clock in whole milliseconds, and never goes back', async () => {
    let time = 1000.7;
    const clocked = await open('memory:', { entities: [Thing], clock: () => time });
    const repository = clocked.repository(Thing);
    await repository.patch({ id: 'x' }, { text: 'first' });
    time = 500;
    await repository.patch({ id: 'x' }, { text: 'second' });
    expect(await repository.history({ id: 'x' }, 'text')).toEqual([
      { at: new Date(1000), value: 'second' },
    ]);
    await clocked.close();
  });

  test('is the named segment, so that a repeated write replaces the cell', async () => {
    const events = db.repository(Event);
    const event = events.create({ source: 's', at: new Date(5000), text: 'x' });
    await events.save(event);
    await events.save(event);
    await events.patch({ source: 's', at: new Date(5000) }, { text: 'y' });
    expect(await cellsOf(db.engine, 'events')).toEqual(['m:text@5000']);
    expect(await events.get({ source: 's', at: new Date(5000) })).toEqual({
      source: 's',
      at: new Date(5000),
      text: 'y',
    });
  });

  test('may be after the year 2255, when microseconds exceed safe integers', async () => {
    const events = db.repository(Event);
    const far = new Date(Date.UTC(2262, 0, 1));
    await events.save(events.create({ source: 's', at: far, text: 'far' }));
    expect(await cellsOf(db.engine, 'events')).toEqual([`m:text@${far.getTime()}`]);
    expect(
      await events
        .scanAll()
        .asOf(new Date(far.getTime() - 1))
        .all(),
    ).toEqual([]);
    expect(await events.scanAll().asOf(far).count()).toBe(1);
  });

  test('is the named column, which must have a value', async () => {
    const edited = db.repository(Edited);
    await edited.save(edited.create({ id: 'e', changed: new Date(7000), text: 'x' }));
    expect(await cellsOf(db.engine, 'edited')).toEqual(['m:changed@7000', 'm:text@7000']);
    const missing = { code: 'INVALID_VALUE', details: { entity: 'Edited', property: 'changed' } };
    await expect(edited.save(edited.create({ id: 'e', text: 'y' }))).rejects.toMatchObject(missing);
    await expect(edited.patch({ id: 'e' }, { text: 'y' })).rejects.toMatchObject(missing);
    await expect(
      edited.patch({ id: 'e' }, { text: 'y', changed: new Date(-5) }),
    ).rejects.toMatchObject(missing);
    await edited.patch({ id: 'e' }, { text: 'y', changed: new Date(8000) });
    expect(await edited.get({ id: 'e' })).toEqual({ id: 'e', changed: new Date(8000), text: 'y' });
  });
});
