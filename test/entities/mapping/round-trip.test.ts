import {
  Column,
  ColumnMap,
  type Database,
  Entity,
  open,
  type Repository,
  rowKey,
  Segment,
  type Version,
  Versions,
} from '../../../src/index.js';
import { full, Position, Thing } from './entities.js';
import { cellsOf, latin1 } from './stored.js';
import fc from '../../support/fast-check.js';

@Entity({ table: 'defaults', families: { m: {}, t: {}, h: {} } })
class Defaults {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string = 'default';
  @ColumnMap('t', 'string') tags: Map<string, string> = new Map([['default', 'yes']]);
  @Versions('h', 'double') history: Version<number>[] = [{ at: new Date(1), value: 1 }];
}

let db: Database;
let things: Repository<typeof Thing>;

beforeEach(async () => {
  db = await open('memory:', { entities: [Thing, Defaults] });
  things = db.repository(Thing);
});
afterEach(() => db.close());

test('every kind of column is read as it was saved', async () => {
  await things.save(things.create(full));
  const read = await things.get({ id: 'full' });
  expect(read).toBeInstanceOf(Thing);
  expect(read).toEqual(things.create(full));
  expect(read?.position).toBeInstanceOf(Position);
  await things.increment({ id: 'full' }, 'plain', 7n);
  await things.increment({ id: 'full' }, 'added', 5n);
  await things.increment({ id: 'full' }, 'added', -2n);
  expect(await things.get({ id: 'full' })).toEqual({ ...full, plain: 7n, added: 3n });
});

test('values that are read own their memory', async () => {
  await things.save(things.create(full));
  const first = await things.get({ id: 'full' });
  first?.bytes?.fill(9);
  first?.scores?.clear();
  expect(await things.get({ id: 'full' })).toEqual(full);
});

test('any subset of columns is read back, with any other cells in the row', async () => {
  const columns = Object.keys(full).filter((name) => name !== 'id') as (keyof typeof full)[];
  const families = ['a', 'b', 'c', 'd', 'e', 'g', 'i', 'k'];
  const otherCell = fc.record({
    family: fc.constantFrom(...families),
    qualifier: fc.constantFrom(
      '',
      '\x00',
      '\x00\xfe',
      'a',
      'bool!',
      'c',
      'doublf',
      'n',
      'positioN',
      'zz',
      '\xff',
    ),
    at: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(columns, { minLength: 1 }),
      fc.array(otherCell, { maxLength: 8 }),
      async (names, otherCells) => {
        const entity = Object.fromEntries([
          ['id', 'x'],
          ...names.map((name) => [name, full[name]]),
        ]) as unknown as Thing;
        await things.delete({ id: 'x' });
        await things.insert(things.create(entity));
        if (otherCells.length > 0) {
          await db.engine.mutateRow('things', {
            key: latin1('x'),
            mutations: otherCells.map(({ family, qualifier, at }) => ({
              kind: 'setCell',
              family,
              qualifier: latin1(qualifier),
              timestamp: at * 1000,
              value: latin1('unmapped'),
            })),
          });
        }
        expect(await things.get({ id: 'x' })).toEqual(entity);
        expect(
          await things
            .scanAll()
            .select(...names)
            .all(),
        ).toEqual([entity]);
      },
    ),
    { numRuns: 60 },
  );
});

test('the newest cell is the value, older cells are its history', async () => {
  for (const [i, value] of ['one', 'two', 'three'].entries()) {
    await db.engine.mutateRow('things', {
      key: latin1('x'),
      mutations: [
        {
          kind: 'setCell',
          family: 'b',
          qualifier: latin1('text'),
          timestamp: (i + 1) * 1000,
          value: latin1(value),
        },
        {
          kind: 'setCell',
          family: 'h',
          qualifier: latin1('score'),
          timestamp: (i + 1) * 1000,
          value: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, i),
        },
        {
          kind: 'setCell',
          family: 'b',
          qualifier: latin1('uint32'),
          timestamp: (i + 1) * 1000,
          value: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, i),
        },
      ],
    });
  }
  expect(await things.get({ id: 'x' })).toEqual({
    id: 'x',
    text: 'three',
    uint32: 2,
    scores: new Map([['score', 2]]),
  });
  expect((await things.history({ id: 'x' }, 'text')).map(({ value }) => value)).toEqual([
    'three',
    'two',
    'one',
  ]);
});

describe('saving', () => {
  test('replaces the mapped columns, but not counters and unmapped columns', async () => {
    await things.save(things.create(full));
    await things.increment({ id: 'full' }, 'plain', 7n);
    await things.increment({ id: 'full' }, 'added', 5n);
    await db.engine.mutateRow('things', {
      key: latin1('full'),
      mutations: ['a', 'b', 'k'].map((family) => ({
        kind: 'setCell',
        family,
        qualifier: latin1('unmapped'),
        timestamp: 1000,
        value: latin1('kept'),
      })),
    });
    await things.save(things.create({ id: 'full', text: 'only' }));
    expect(await things.get({ id: 'full' })).toEqual({
      id: 'full',
      text: 'only',
      plain: 7n,
      added: 5n,
    });
    expect(
      (await cellsOf(db.engine, 'things')).filter((cell) => cell.includes('unmapped')),
    ).toEqual(['a:unmapped@1', 'b:unmapped@1', 'k:unmapped@1']);
  });

  test('null and undefined are both absent', async () => {
    await things.save(things.create(full));
    await things.save(
      Object.assign(things.create({ id: 'full', int32: 1 }), {
        text: null,
        bytes: undefined,
        json: null,
        scores: undefined,
        history: null,
      }),
    );
    expect(await things.get({ id: 'full' })).toEqual({ id: 'full', int32: 1 });
  });

  test('an empty map, an empty history and null entries are absent too', async () => {
    await things.save(things.create(full));
    await things.save(
      Object.assign(things.create({ id: 'full', int32: 1 }), {
        scores: new Map([['a', null]]),
        history: [],
      }),
    );
    expect(await things.get({ id: 'full' })).toEqual({ id: 'full', int32: 1 });
  });

  test('save and insert reject an entity without values', async () => {
    for (const empty of [
      { id: 'e' },
      { id: 'e', scores: new Map() },
      { id: 'e', history: [] },
      { id: 'e', text: null },
      { id: 'e', plain: 5n },
    ]) {
      for (const write of ['save', 'insert'] as const) {
        await expect(things[write](Object.assign(new Thing(), empty))).rejects.toMatchObject({
          code: 'EMPTY_ROW',
          details: { entity: 'Thing', fix: expect.any(String) as string },
        });
      }
    }
    expect(await cellsOf(db.engine, 'things')).toEqual([]);
  });

  test('a read returns what is stored, and not what the class assigns to new entities', async () => {
    const defaults = db.repository(Defaults);
    await defaults.save(
      Object.assign(new Defaults(), {
        id: 'd',
        text: undefined,
        tags: new Map([['a', 'b']]),
        history: [{ at: new Date(5), value: 5 }],
      }),
    );
    await defaults.save(
      Object.assign(new Defaults(), { id: 'e', text: 'x', tags: new Map(), history: [] }),
    );
    const read = await defaults.scanAll().all();
    expect(read).toEqual([
      {
        id: 'd',
        tags: new Map([['a', 'b']]),
        history: [{ at: new Date(5), value: 5 }],
      },
      { id: 'e', text: 'x' },
    ]);
    expect(read[0]).toBeInstanceOf(Defaults);
    expect(await defaults.scanAll().select('text', 'tags', 'history').all()).toEqual(read);
    await defaults.saveMany(read);
    expect(await defaults.scanAll().all()).toEqual(read);
  });
});
