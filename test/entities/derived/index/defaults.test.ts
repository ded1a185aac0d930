/** Indexes over columns with a default: an absent value is the default, for rows and for entries. */
import {
  Column,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';

interface Row {
  id: string;
  status: string;
  note?: string;
}

/** A class with this default of `status`. */
function classOf(
  value: string | undefined | (() => string),
  place: { qualifier?: string; alsoReads?: string[] } = {},
): EntityClass<Row> {
  @Entity({ table: 'rows', families: { m: {} } })
  class Described {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byStatus: indexOn('status') });
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('m', 'string', { ...place, default: value }) status!: string;
    @Column('m', 'string') note?: string;
  }
  return Described;
}

async function idOf(entity: EntityClass<Row>): Promise<string> {
  const db = await open('memory:', { entities: [entity], lint: false });
  const [{ id }] = await db.derived.list();
  await db.close();
  return id;
}

test('a default that is added to an indexed column makes another index', async () => {
  const ids = await Promise.all(
    [undefined, 'open', 'paid', () => 'open'].map((value) => idOf(classOf(value))),
  );
  expect(new Set(ids.slice(0, 3)).size).toBe(3);
  expect(ids[3]).toBe(ids[1]);
});

test('a column with a default that moves makes another index, unless its old cells are read', async () => {
  const id = await idOf(classOf('open'));
  // The rows that were written before have the default now, and entries with what they had.
  expect(await idOf(classOf('open', { qualifier: 's' }))).not.toBe(id);
  expect(await idOf(classOf('open', { qualifier: 's', alsoReads: ['status'] }))).toBe(id);
  expect(await idOf(classOf('open', { qualifier: 't', alsoReads: ['s', 'status'] }))).toBe(id);
});

test('a default that is not always the same is INVALID_DECLARATION', async () => {
  let calls = 0;
  for (const value of [() => `${calls++}`, () => Math.random().toString()])
    await expect(open('memory:', { entities: [classOf(value)] })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details: { faults: [{ property: 'indexes', problem: expect.stringContaining('default') }] },
    });
});

test('a default time that follows the clock is INVALID_DECLARATION', async () => {
  @Entity({ table: 'rows', families: { m: {} } })
  class Dated {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byTime: indexOn('at') });
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('m', 'timestamp', { default: () => new Date() }) at!: Date;
  }
  await expect(open('memory:', { entities: [Dated] })).rejects.toMatchObject({
    code: 'INVALID_DECLARATION',
  });
});

test('a default that throws is INVALID_DECLARATION', async () => {
  const broken = classOf(() => {
    throw new RangeError('no default');
  });
  await expect(open('memory:', { entities: [broken] })).rejects.toMatchObject({
    code: 'INVALID_DECLARATION',
    details: { faults: [{ problem: expect.stringContaining('no default') }] },
  });
});

test('covered columns have their defaults, as in rows', async () => {
  @Entity({ table: 'rows', families: { m: {} } })
  class Priced {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byStatus: indexOn('status').including('price') });
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('m', 'string') status?: string;
    @Column('m', 'double', { default: 9 }) price!: number;
  }
  const db = await testDatabase([Priced]);
  const rows = db.repository(Priced);
  await rows.patch({ id: '1' }, { status: 'open' });
  expect(await rows.get({ id: '1' })).toMatchObject({ price: 9 });
  const entries = rows.index('byStatus').covered().prefix({ status: 'open' });
  expect(await entries.all()).toEqual([{ status: 'open', id: '1', price: 9 }]);
  expect(await entries.select('price').all()).toEqual([{ status: 'open', id: '1', price: 9 }]);
  await db.close();
});
