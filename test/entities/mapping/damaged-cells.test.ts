import { type Database, open, type Repository, RowsmithError } from '../../../src/index.js';
import { full, Thing } from './entities.js';
import { keysOf, latin1 } from './stored.js';

let db: Database;
let things: Repository<typeof Thing>;

beforeEach(async () => {
  db = await open('memory:', { entities: [Thing] });
  things = db.repository(Thing);
});
afterEach(() => db.close());

describe('damaged cells', () => {
  const key = { id: 'x#' };

  beforeEach(async () => {
    await things.save(things.create({ ...full, id: 'x#' }));
    const [row] = await things.scanAll().keysOnly().all();
    expect(row).toEqual(key);
  });

  test.each([
    ['b', 'text', 'text', Uint8Array.of(0xff)],
    ['b', 'bool', 'bool', Uint8Array.of(2)],
    ['b', 'int32', 'int32', Uint8Array.of(1)],
    ['b', 'int32', 'int32', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0)],
    ['b', 'double', 'double', new Uint8Array(0)],
    ['b', 'date', 'date', Buffer.from('yesterday')],
    ['b', 'm', 'json', Buffer.from('{')],
    ['d', 'position', 'position.lat', Uint8Array.of(0x09, 1, 2)],
    ['d', 'custom', 'custom', Uint8Array.of(1)],
    ['d', 'plain', 'plain', Uint8Array.of(1)],
    ['f', 'history', 'history', Uint8Array.of(1, 2, 3)],
    ['h', 'a', 'scores', Uint8Array.of(1)],
    ['h', '\xff', 'scores', Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1)],
  ])('in %s:%s are reported with all details', async (family, qualifier, property, value) => {
    const [encoded] = await keysOf(db.engine, 'things');
    await db.engine.mutateRow('things', {
      key: encoded,
      mutations: [
        {
          kind: 'setCell',
          family,
          qualifier: latin1(qualifier),
          timestamp: 9e15,
          value: new Uint8Array(value),
        },
      ],
    });
    const error = (await things.get(key).catch((thrown: unknown) => thrown)) as RowsmithError;
    expect(error).toBeInstanceOf(RowsmithError);
    expect(error).toMatchObject({
      code: 'DAMAGED_CELL',
      message: 'A stored cell cannot be decoded as the type of its column.',
      details: {
        entity: 'Thing',
        property,
        table: 'things',
        key: 'x$23',
        keyHex: '78243233',
        column: `${family}:${qualifier.replace('\xff', '\\xff')}`,
        problem: expect.any(String) as string,
        fix: expect.any(String) as string,
      },
    });
    await expect(things.scanAll().all()).rejects.toMatchObject({ code: 'DAMAGED_CELL' });
    expect(await things.exists(key)).toBe(true);
    expect(await things.scanAll().count()).toBe(1);
  });

  test('are also reported by history and append', async () => {
    const [encoded] = await keysOf(db.engine, 'things');
    await db.engine.mutateRow('things', {
      key: encoded,
      mutations: [
        {
          kind: 'setCell',
          family: 'b',
          qualifier: latin1('text'),
          timestamp: 9e15,
          value: Uint8Array.of(0xff),
        },
      ],
    });
    const damagedCell = {
      code: 'DAMAGED_CELL',
      details: { property: 'text', key: 'x$23', column: 'b:text' },
    };
    await expect(things.history(key, 'text')).rejects.toMatchObject(damagedCell);
    await expect(things.append(key, { text: 'more' })).rejects.toMatchObject(damagedCell);
    await db.engine.mutateRow('things', {
      key: encoded,
      mutations: [
        {
          kind: 'setCell',
          family: 'd',
          qualifier: latin1('plain'),
          timestamp: 9e15,
          value: Uint8Array.of(1),
        },
      ],
    });
    await expect(things.increment(key, 'plain')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });
});
