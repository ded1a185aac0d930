/** Deleting what a query finds: exactly these rows, one by one or as dropped ranges. */
import {
  Column,
  type Database,
  Entity,
  literal,
  type RowQuery,
  rowKey,
  Segment,
  table,
} from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';
import { openWatched } from '../support/watched.js';

const logs = table('logs', { families: { m: {}, n: {} } });

@Entity({ table: logs })
class Log {
  static readonly key = rowKey(literal('log'), 'tenant', 'source', 'n');
  @Segment('string') tenant!: string;
  @Segment('string') source!: string;
  @Segment('uint', { max: 999 }) n!: number;
  @Column('m', 'string') text!: string;
  @Column('n', 'string') note?: string;
}

/** Its keys lie between the keys of logs. */
@Entity({ table: logs })
class Alert {
  static readonly key = rowKey(
    literal('log'),
    'tenant',
    literal('alert'),
    'source',
    'n',
    literal('x'),
  );
  @Segment('string') tenant!: string;
  @Segment('string') source!: string;
  @Segment('uint', { max: 999 }) n!: number;
  @Column('m', 'string') text!: string;
}

type LogQuery = RowQuery<Log, typeof Log.key>;
const keyOf = ({ tenant, source, n }: Log): string => `${tenant}/${source}/${n}`;
const all = ['a', 'a2', 'b'].flatMap((tenant) =>
  ['s', 't'].flatMap((source) => [0, 1, 2, 3].map((n) => ({ tenant, source, n, text: 'x' }))),
);

describe.each(backEnds)('on $name', (backEnd) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => ({ db, close } = await backEnd.open([Log, Alert])));
  afterAll(() => close());

  const queries: [string, (root: ReturnType<typeof repository>) => LogQuery][] = [
    ['a prefix', (root) => root.prefix({ tenant: 'a' })],
    ['a deeper prefix', (root) => root.prefix({ tenant: 'a', source: 's' })],
    ['several prefixes', (root) => root.oneOf('tenant', ['a', 'b', 'none'])],
    ['a bound', (root) => root.prefix({ tenant: 'a', source: 's' }).since('n', 2)],
    ['a limit', (root) => root.prefix({ tenant: 'a' }).limit(3)],
    ['the last ones', (root) => root.prefix({ tenant: 'a' }).reverse().limit(3)],
    ['the first of each', (root) => root.firstPer('tenant')],
    ['no row', (root) => root.prefixes([])],
  ];
  function repository() {
    return db.repository(Log);
  }

  test.each(queries)('%s', async (_title, query) => {
    const found = repository();
    for (const dropRanges of [false, true]) {
      await found.saveMany(all.map((each) => found.create(each)));
      await db
        .repository(Alert)
        .save(db.repository(Alert).create({ tenant: 'a', source: 's', n: 1, text: 'kept' }));
      const gone = (await query(found).all()).map(keyOf);
      const result = await query(found).delete({ dropRanges });
      // Keys of alerts lie in the ranges of logs.
      expect(result).toEqual({ deleted: gone.length, failed: 0, failures: [], dropped: false });
      const left = all.map((each) => keyOf(each as Log)).filter((key) => !gone.includes(key));
      expect((await found.scanAll().all()).map(keyOf).sort()).toEqual(left.sort());
      expect(await db.repository(Alert).scanAll().count()).toBe(1);
    }
  });
});

describe.each(backEnds)('alone in the table, on $name', (backEnd) => {
  test('whole prefixes are dropped, others are not', async () => {
    const { db, close } = await backEnd.open([Log]);
    const found = db.repository(Log);
    const fill = () => found.saveMany(all.map((each) => found.create(each)));
    await fill();
    const dropped = await found.oneOf('tenant', ['a', 'b']).delete({ dropRanges: true });
    expect(dropped).toEqual({ deleted: 16, failed: 0, failures: [], dropped: true });
    expect((await found.scanAll().all()).map(({ tenant }) => tenant)).toEqual(Array(8).fill('a2'));
    await fill();
    const bounded = found.prefix({ tenant: 'a', source: 's' }).since('n', 1);
    expect(await bounded.delete({ dropRanges: true })).toMatchObject({
      deleted: 3,
      dropped: false,
    });
    // A row that no entity of this program knows.
    const foreign = new Uint8Array(Buffer.from('log#a2#s#not a number'));
    const cell = {
      family: 'n',
      qualifier: new Uint8Array(),
      timestamp: 0n,
      value: new Uint8Array(),
    };
    await db.engine.mutateRow('logs', { key: foreign, mutations: [{ kind: 'setCell', ...cell }] });
    const mixed = await found.prefix({ tenant: 'a2' }).delete({ dropRanges: true });
    expect(mixed).toEqual({ deleted: 8, failed: 0, failures: [], dropped: false });
    const stream = db.engine.readRows({
      table: 'logs',
      ranges: [{ start: foreign }],
      reversed: false,
    });
    const page = await stream.next();
    expect(page?.nextRow()).toBe(true);
    await stream.close();
    await close();
  });
});

test('progress, an aborted signal, and wrong uses', async () => {
  const { db } = await openWatched([Log]);
  const found = db.repository(Log);
  await found.saveMany(all.map((each) => found.create(each)));
  const seen: number[] = [];
  const onProgress = ({ written }: { written: number }): unknown => seen.push(written);
  await found.prefix({ tenant: 'a' }).delete({ batchRows: 3, onProgress });
  expect(seen.at(-1)).toBe(8);
  const signal = AbortSignal.abort(new Error('enough'));
  for (const dropRanges of [false, true]) {
    const query = found.prefix({ tenant: 'b' });
    await expect(query.delete({ signal, dropRanges })).rejects.toThrow('enough');
    await expect(query.signal(signal).delete({ dropRanges })).rejects.toThrow('enough');
  }
  const wrong = [
    found.scanAll().select('note').delete(),
    found.scanAll().keysOnly().delete(),
    found.scanAll().asOf(new Date()).delete(),
    found.scanAll().delete({ dropRanges: 'yes' as never }),
    found.scanAll().delete({ dropRange: true } as never),
  ];
  for (const call of wrong)
    await expect(call).rejects.toMatchObject({
      code: expect.stringMatching(/^INVALID/) as string,
      details: { entity: 'Log', fix: expect.any(String) as string },
    });
  expect(await found.scanAll().count()).toBe(16);
  await db.close();
});
