import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  column,
  type Database,
  defineEntity,
  Entity,
  intersection,
  maxAge,
  maxVersions,
  open,
  rowKey,
  Segment,
  union,
  type GcRule,
} from '../../../src/index.js';
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

describe.each(['memory', 'disk'])('a row with cells that have expired already, %s', (storage) => {
  const now = Date.UTC(2026, 10, 20);
  const day = 86_400_000;
  const expiring = (gc: GcRule, more: Record<string, { gc?: GcRule }> = {}) =>
    defineEntity(
      class Log {
        id = '';
        at = new Date(0);
        text?: string;
        other?: string;
      },
      {
        table: 'logs',
        families: { m: { gc }, o: {}, ...more },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: {
          at: column('m', 'timestamp'),
          text: column('m', 'string'),
          other: column('o', 'string'),
        },
        cellTimestamp: 'at',
      },
    );
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-expired-'));
  let opened = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const openWith = (entity: ReturnType<typeof expiring>) =>
    open(storage === 'memory' ? 'memory:' : `file:${join(folder, String(opened++))}`, {
      entities: [entity],
      clock: () => now,
    });
  const aged = (entity: ReturnType<typeof expiring>, days: number, other?: string) =>
    Object.assign(new entity(), {
      id: `${days}`,
      at: new Date(now - days * day),
      text: 'x',
      other,
    });

  test.each<[string, GcRule, string]>([
    ['maxAge', maxAge('30d'), 'maxage=30d'],
    ['a union', union(maxVersions(3), maxAge('30d')), '(maxversions=3 || maxage=30d)'],
    ['an intersection', intersection(maxAge('1d'), maxAge('30d')), '(maxage=1d && maxage=30d)'],
  ])('insert rejects it and names %s; save accepts it', async (_name, gc, rule) => {
    const entity = expiring(gc);
    const expired = await openWith(entity);
    const logs = expired.repository(entity);
    await expect(logs.insert(aged(entity, 31))).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      details: {
        entity: 'Log',
        property: 'at',
        family: 'm',
        problem: `the newest cell of the row would have the timestamp 2026-10-20T00:00:00.000Z, and the rule ${rule} of family 'm' would collect it at once`,
      },
    });
    expect(await logs.scanAll().count()).toBe(0);
    await logs.save(aged(entity, 31));
    expect(await logs.scanAll().count()).toBe(0);
    // At the limit, and with a cell in a family that keeps it.
    await logs.insert(aged(entity, 30));
    await logs.insert(aged(entity, 40, 'kept'));
    expect((await logs.scanAll().all()).map(({ id }) => id)).toEqual(['30', '40']);
    await expired.close();
  });

  test('a conditional write rejects it, and what it would have replaced stays', async () => {
    const entity = expiring(maxAge('30d'));
    const expired = await openWith(entity);
    const logs = expired.repository(entity);
    const rejected = { code: 'INVALID_VALUE', details: { entity: 'Log', family: 'm' } };
    const visible = aged(entity, 1);
    await logs.save(visible);
    const late = Object.assign(aged(entity, 31), { id: visible.id });
    const condition = { if: { equals: { text: 'x' } } };
    await expect(logs.save(late, condition)).rejects.toMatchObject(rejected);
    const { id, at } = late;
    await expect(logs.patch({ id }, { at, text: 'late' }, condition)).rejects.toMatchObject(
      rejected,
    );
    expect(await logs.get({ id })).toEqual(visible);
    await logs.patch({ id }, { at, other: 'kept' }, condition);
    expect((await logs.get({ id }))?.other).toBe('kept');
    await expired.close();
  });

  test('a rule that keeps the newest cell rejects nothing', async () => {
    const entity = expiring(intersection(maxAge('30d'), maxVersions(1)));
    const kept = await openWith(entity);
    await kept.repository(entity).insert(aged(entity, 400));
    expect(await kept.repository(entity).scanAll().count()).toBe(1);
    await kept.close();
  });
});
