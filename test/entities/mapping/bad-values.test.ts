import { type Database, open, type Repository } from '../../../src/index.js';
import { Thing } from './entities.js';
import { cellsOf } from './stored.js';

let db: Database;
let things: Repository<typeof Thing>;

beforeEach(async () => {
  db = await open('memory:', { entities: [Thing] });
  things = db.repository(Thing);
});
afterEach(() => db.close());

describe('values that cannot be stored are rejected with their path, and nothing is written', () => {
  test.each<[string, object]>([
    ['text', { text: 5 }],
    ['text', { text: 'lone \ud800' }],
    ['int32', { int32: 1.5 }],
    ['int32', { int32: 2 ** 31 }],
    ['uint32', { uint32: -1 }],
    ['int64', { int64: 5 }],
    ['int64', { int64: 2n ** 63n }],
    ['double', { double: '1' }],
    ['timestamp', { timestamp: new Date(NaN) }],
    ['date', { date: '2026-02-30' }],
    ['bytes', { bytes: [1, 2] }],
    ['json.deep[0]', { json: { deep: [1n] } }],
    ['position.lat', { position: { lat: 'north' } }],
    ['history', { history: new Map() }],
    [
      'history[1]',
      {
        history: [
          { at: new Date(1), value: 1 },
          { at: '2026', value: 1 },
        ],
      },
    ],
    ['history[0]', { history: [{ at: new Date(-1), value: 1 }] }],
    ['history[0]', { history: [null] }],
    [
      'history[1]',
      {
        history: [
          { at: new Date(1), value: 1 },
          { at: new Date(1), value: 2 },
        ],
      },
    ],
    ['history[0].value', { history: [{ at: new Date(1), value: 'x' }] }],
    ['track[0].value.lat', { track: [{ at: new Date(1), value: { lat: 'x' } }] }],
    ['scores', { scores: { a: 1 } }],
    [
      'scores["b"]',
      {
        scores: new Map<unknown, unknown>([
          ['a', 1],
          ['b', 'x'],
        ]),
      },
    ],
    ['scores', { scores: new Map([[5, 1]]) }],
    ['scores', { scores: new Map([['\udc00', 1]]) }],
    ['scores', { scores: new Map([['x'.repeat(16_385), 1]]) }],
  ])('%s of %j', async (path, bad) => {
    const entity = Object.assign(new Thing(), { id: 'bad', bool: true }, bad);
    for (const write of [
      () => things.save(entity),
      () => things.insert(entity),
      () => things.patch({ id: 'bad' }, bad),
    ]) {
      await expect(write()).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        details: {
          entity: 'Thing',
          property: path,
          problem: expect.any(String) as string,
          fix: expect.any(String) as string,
        },
      });
    }
    expect(await cellsOf(db.engine, 'things')).toEqual([]);
  });
});
