/** Values at the edges of conditions and bounds: infinities, null, and a row at the end of a bound. */
import { Column, type Database, Entity, open, rowKey, Segment } from '../../../../src/index.js';

@Entity({ table: 'measured', families: { m: {} } })
class Measured {
  static readonly key = rowKey('id');
  @Segment('int', { width: 3 }) id!: number;
  @Column('m', 'double') double?: number;
  @Column('m', 'float') float?: number;
  @Column('m', 'int64') whole?: bigint;
}

@Entity({ table: 'placed', families: { m: {} }, keyFormat: 'ordered' })
class Placed {
  static readonly key = rowKey('area', 'name', 'n');
  @Segment('string') area!: string;
  @Segment('string', { nullable: true }) name!: string | null;
  @Segment('int') n!: number;
  @Column('m', 'int32') value?: number;
}

let db: Database;
beforeEach(async () => void (db = await open('memory:', { entities: [Measured, Placed] })));
afterEach(() => db.close());

const numbers = [-Infinity, -1, -0, 0, 1, Infinity, NaN];

/** The values of `numbers` that a condition finds, in both columns. */
async function found(condition: object): Promise<readonly (number | undefined)[]> {
  const all = db.repository(Measured).scanAll();
  const doubles = await all.where({ double: condition }).all();
  const floats = await all.where({ float: condition }).all();
  expect(floats.map(({ id }) => id)).toEqual(doubles.map(({ id }) => id));
  return doubles.map(({ double }) => double);
}

test('conditions on numbers find infinities, and no NaN', async () => {
  const rows = db.repository(Measured);
  await rows.saveMany(
    numbers.map((number, id) => rows.create({ id, double: number, float: number })),
  );
  expect(await found({ above: 0 })).toEqual([1, Infinity]);
  expect(await found({ above: 1 })).toEqual([Infinity]);
  expect(await found({ atLeast: Infinity })).toEqual([Infinity]);
  expect(await found({ atLeast: 0 })).toEqual([-0, 0, 1, Infinity]);
  expect(await found({ below: 0 })).toEqual([-Infinity, -1]);
  expect(await found({ below: -1 })).toEqual([-Infinity]);
  expect(await found({ atMost: -Infinity })).toEqual([-Infinity]);
  expect(await found({ atMost: 0 })).toEqual([-Infinity, -1, -0, 0]);
});

test('conditions on integers find the first and the last', async () => {
  const rows = db.repository(Measured);
  const integers = [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n];
  await rows.saveMany(integers.map((whole, id) => rows.create({ id, whole })));
  const wholes = async (condition: object): Promise<unknown> =>
    (await rows.scanAll().where({ whole: condition }).all()).map(({ whole }) => whole);
  expect(await wholes({ above: 0n })).toEqual([integers[3]]);
  expect(await wholes({ atLeast: integers[3] })).toEqual([integers[3]]);
  expect(await wholes({ below: 0n })).toEqual([integers[0], -1n]);
  expect(await wholes({ atMost: integers[0] })).toEqual([integers[0]]);
});

test('a segment that is null is none of the values, and fails each comparison', async () => {
  const rows = db.repository(Placed);
  await rows.saveMany(
    [null, 'a', 'b'].map((name, n) => rows.create({ area: 'x', name, n, value: n })),
  );
  const names = async (condition: object): Promise<unknown> =>
    (await rows.prefix({ area: 'x' }).where({ name: condition }).all()).map(({ name }) => name);
  expect(await names({ noneOf: ['a'] })).toEqual(['b']);
  expect(await names({ oneOf: ['a', null] })).toEqual([null, 'a']);
  expect(await names({ oneOf: ['a'] })).toEqual(['a']);
  expect(await names({ atMost: 'a' })).toEqual(['a']);
  expect(await names({ above: 'a' })).toEqual(['b']);
});

test('from the end, a row at an exclusive bound does not hide the rows before it', async () => {
  const rows = db.repository(Placed);
  const all = ['a', 'b', 'c'].flatMap((name) =>
    Array.from({ length: 6 }, (_, n) => rows.create({ area: 'x', name, n, value: n })),
  );
  await rows.saveMany(all);
  const last = rows.prefix({ area: 'x' }).firstPer('name').reverse();
  const found = async (to: number): Promise<unknown> =>
    (await last.until('n', to).all()).map(({ name, n }) => [name, n]);
  for (const to of [1, 3, 5, 6])
    expect(await found(to)).toEqual([
      ['c', to - 1],
      ['b', to - 1],
      ['a', to - 1],
    ]);
  expect(await found(0)).toEqual([]);
});
