/** FORMAT.md is the specification of what indexes and copies store: it is written so, and read so later. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  literal,
  type Database,
  open,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import { IndexStates } from '../../../src/entities/derived/index.js';
import { everyKey } from '../../../src/base/index.js';
import { type Cell, collectRows, type Mutation } from '../../../src/data/store/index.js';
import { faultyDatabase } from '../../../src/tools/testing/index.js';

const document = readFileSync(join(__dirname, '../../../src/entities/derived/FORMAT.md'), 'utf8');

@Entity({ table: 'people', families: { m: {} } })
class Person {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byName: indexOn('name').including('city'),
    byEmail: uniqueIndexOn('email'),
  });
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') city?: string;
}

@Entity({ table: 'towns', families: { m: {} } })
class Town {
  static readonly key = rowKey(literal('town'), 'id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'visits', families: { m: {} } })
class Visit {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byTown: indexOn('townId') });
  static readonly copies = copies({ townName: copyOf(() => Town, 'name', { id: 'townId' }) });
  @Segment('string') id!: string;
  @Column('m', 'string') townId?: string;
  @Column('m', 'string') townName?: string;
}

/** The cells that a section documents, such as `_e:k`. */
function documented(section: string): string[] {
  const text = document.split(/^## /m).find((each) => each.startsWith(section))!;
  return [...text.matchAll(/^\| `(_[a-z]+:[^`]*)` \|/gm)].map(([, cell]) => cell);
}

/** The cells of a table by row, as they are named in the document. */
async function stored(table: string): Promise<Record<string, Record<string, string>>> {
  const db = await open('memory:', { entities: [Person] });
  const people = db.repository(Person);
  await people.save(people.create({ id: 'p1', name: 'Ann', email: 'a@b.c', city: 'Rome' }));
  const rows = await collectRows(
    db.engine.readRows({ table, ranges: [everyKey], reversed: false }),
  );
  await db.close();
  return Object.fromEntries(
    rows.map(({ key, cells }) => [
      Buffer.from(key).toString(),
      Object.fromEntries(
        cells.map(({ family, qualifier, value }) => [
          `${family}:${Buffer.from(qualifier).toString()}`,
          Buffer.from(value).toString(),
        ]),
      ),
    ]),
  );
}

// The ids are part of the format: if one of these changes, every stored entry is lost.
const byName = 'byName.6d34f660';
const byEmail = 'byEmail.4607be77';

test('entries', async () => {
  const rows = await stored('people_index');
  expect(Object.keys(rows)).toEqual([
    `${byEmail}#a@b.c`,
    `${byName}#Ann#p1`,
    `index-states#${byEmail}`,
    `index-states#${byName}`,
  ]);
  expect(documented('Entries')).toEqual(['_e:', '_e:k', '_c:PROPERTY']);
  expect(rows[`${byName}#Ann#p1`]).toEqual({
    '_e:': expect.any(String) as string,
    '_c:city': 'Rome',
  });
  expect(rows[`${byEmail}#a@b.c`]).toEqual({ '_e:': expect.any(String) as string, '_e:k': 'p1' });
});

test('rows that have entries', async () => {
  const { p1 } = await stored('people');
  const entries = await stored('people_index');
  expect(documented('Rows that have entries or rollups')).toEqual(['_v:', '_t:ID', '_r:ID']);
  expect(Object.keys(p1).sort()).toEqual(
    [`_t:${byEmail}`, `_t:${byName}`, '_v:', 'm:city', 'm:email', 'm:name'].sort(),
  );
  expect(p1['_v:']).toBe(p1[`_t:${byName}`]);
  expect(entries[`${byName}#Ann#p1`]['_e:']).toMatch(/^[\w-]{12}\.[a-z0-9]+\.\d+$/);
});

test('versions are kept for a day, tokens of rollups for seven', async () => {
  const db = await faultyDatabase('memory:', { entities: [Use] });
  const tables = await db.engine.listTables();
  const { families } = tables.find(({ name }) => name === 'uses')!;
  const days = (family: string): unknown => {
    const gc = families.get(family)?.gc;
    return gc?.kind === 'maxAge' ? gc.micros / 86_400_000_000 : gc;
  };
  expect([days('_v'), days('_r')]).toEqual([1, 7]);
  await db.close();
});

test('states', async () => {
  const rows = await stored('people_index');
  const state = rows[`index-states#${byName}`];
  expect(Object.keys(state).sort()).toEqual(documented('States of indexes').sort());
  expect(state).toMatchObject({
    '_s:': 'ready',
    '_s:e': 'Person',
    '_s:p': '',
    '_s:t': 'people',
    '_s:u': '0',
    '_s:v': '1',
  });
});

describe('marks', () => {
  const set = (qualifier: string, value: Buffer): Mutation => ({
    kind: 'setCell',
    family: '_m',
    qualifier: Buffer.from(qualifier),
    timestamp: 0,
    value,
  });

  test('are written before a source', async () => {
    const db = await open('memory:', { entities: [Town, Visit], copies: 'manual' });
    const before = Date.now();
    await db.repository(Town).save(db.repository(Town).create({ id: 'rome', name: 'Rome' }));
    const plan = { table: 'towns_copies', ranges: [everyKey], reversed: false };
    const [{ key, cells }] = await collectRows(db.engine.readRows(plan));
    expect(Buffer.from(key).toString()).toMatch(/^town#rome#[\w-]{12}\.[a-z0-9]+\.\d+$/);
    expect(documented('Marks of rows')).toEqual(['_m:s', '_m:p', '_m:d']);
    expect(cells).toMatchObject([{ family: '_m', qualifier: Buffer.from('s'), timestamp: 0n }]);
    const since = Number(Buffer.from(cells[0].value).readBigInt64BE() / 1000n);
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(Date.now());
    await db.close();
  });

  test('that the first release stored are continued', async () => {
    const db = await open('memory:', { entities: [Town, Visit] });
    const visits = db.repository(Visit);
    await visits.saveMany(['1', '2', '3'].map((id) => visits.create({ id, townId: 'rome' })));
    const since = Buffer.alloc(8);
    since.writeBigInt64BE(1_763_800_000_000_000n);
    const done = Buffer.alloc(8);
    done.writeDoubleBE(1);
    const [{ id }] = visits.model.indexes;
    const last = Buffer.from(`${id}#rome#1`).toString('base64url');
    await db.engine.mutateRow('towns_copies', {
      key: Buffer.from('town#rome#token'),
      mutations: [set('s', since), set('p', Buffer.from(`Visit/${id}:${last}`)), set('d', done)],
    });
    const pending = [];
    for await (const each of db.derived.pending(Town)) pending.push(each);
    expect(pending).toEqual([{ key: { id: 'rome' }, since: new Date(1_763_800_000_000), done: 1 }]);
    expect(await db.derived.propagate(Town)).toEqual({ sources: 1, rows: 2 });
    await db.close();
  });
});

@Entity({ table: 'uses', families: { m: {} } })
class Use {
  static readonly key = rowKey('meter', 'at');
  static readonly rollups = rollups({
    daily: {
      by: ['meter', { time: 'at', every: '1d' }],
      values: {
        watts: { sum: 'watts' },
        low: { min: 'watts' },
        high: { max: 'watts' },
        opening: { first: 'note' },
        closing: { last: 'note' },
      },
    },
  });
  @Segment('string') meter!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int32') watts?: number;
  @Column('m', 'string') note?: string;
}

describe('rollups', () => {
  const at = new Date(Date.UTC(2026, 0, 1, 1));
  const row = Buffer.from('m#1767229200000').toString('base64url');
  const cellsOf = async (db: Database, table: string): Promise<readonly Cell[]> => {
    const rows = await collectRows(
      db.engine.readRows({ table, ranges: [everyKey], reversed: false }),
    );
    expect(rows).toHaveLength(1);
    return rows[0].cells;
  };
  const nameOf = ({ family, qualifier }: Cell): string => `${family}:${utf8(qualifier)}`;
  const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

  test('a bucket, its marks, and the token of the row', async () => {
    const db = await faultyDatabase('memory:', { entities: [Use] });
    const uses = db.repository(Use);
    await uses.save(uses.create({ meter: 'm', at, watts: 5, note: 'n' }));
    const settled = await cellsOf(db, 'uses_rollup');
    const cells = documented('Rows of rollups');
    const families = [...new Set(cells.map((cell) => cell.slice(0, cell.indexOf(':'))))];
    for (const cell of settled) expect(families).toContain(cell.family);
    expect(settled.map(nameOf)).toEqual(expect.arrayContaining(['_sum:_rows', '_state:r']));
    for (const { family, timestamp } of settled) {
      if (family === '_last') expect(timestamp).toBe(BigInt(at.getTime()) * 1000n);
      if (['_sum', '_min', '_max'].includes(family)) expect(timestamp).toBe(0n);
    }
    const { key } = (
      await collectRows(
        db.engine.readRows({ table: 'uses_rollup', ranges: [everyKey], reversed: false }),
      )
    )[0];
    expect(utf8(key)).toBe('daily.86400s#m#1767225600000');

    // A mark that is not settled.
    db.faults.failWrite({ table: 'uses_rollup', nth: 2, times: 2 });
    await uses.patch({ meter: 'm', at }, { watts: 6, note: 'o' });
    db.faults.clear();
    const mark = (await cellsOf(db, 'uses_rollup')).find(({ family }) => family === '_mark')!;
    const own = await cellsOf(db, 'uses');
    const token = own.find(({ family }) => family === '_r')!;
    expect(utf8(token.qualifier)).toBe('daily.86400s');
    const [, order, name] = /^(\d+) (.+)$/.exec(utf8(token.value))!;
    expect(utf8(mark.qualifier)).toBe(name);
    const text = (value: string): string => Buffer.from(value).toString('base64url');
    expect(JSON.parse(utf8(mark.value))).toEqual({
      row,
      order: Number(order),
      time: at.getTime(),
      cells: expect.arrayContaining([
        ['_sum', 'sum:watts/0', '5', '6'],
        ['_min', 'min:watts/0', '5', '6'],
        ['_last', 'last:note', text('n'), text('o')],
      ]) as unknown,
    });
    await db.close();
  });

  test('a mark that the first release stored is settled', async () => {
    const db = await open('memory:', { entities: [Use] });
    const uses = db.repository(Use);
    await uses.save(uses.create({ meter: 'm', at, watts: 5 }));
    const set = (family: string, qualifier: string, value: string): Mutation => ({
      kind: 'setCell',
      family,
      qualifier: Buffer.from(qualifier),
      timestamp: -1,
      value: Buffer.from(value),
    });
    const time = at.getTime();
    const change = { row, order: 7, time, cells: [['_sum', 'sum:watts/0', null, '3']] };
    await db.engine.mutateRow('uses_rollup', {
      key: Buffer.from('daily.86400s#m#1767225600000'),
      mutations: [set('_mark', 'abc.1.0', JSON.stringify(change))],
    });
    const daily = uses.rollup('daily');
    // Its write was not made, and then it was.
    expect((await daily.get({ meter: 'm', at }))?.watts).toBe(5);
    await db.engine.mutateRow('uses', {
      key: Buffer.from('m#1767229200000'),
      mutations: [set('_r', 'daily.86400s', '7 abc.1.0')],
    });
    expect((await daily.get({ meter: 'm', at }))?.watts).toBe(8);
    expect((await daily.get({ meter: 'm', at }))?.watts).toBe(8);
    await db.close();
  });
});

describe('a state that the first release stored', () => {
  const write = async (cells: Record<string, string>): Promise<string> => {
    const db = await open('memory:', { entities: [Person] });
    const people = db.repository(Person);
    await people.save(people.create({ id: 'p1', name: 'Ann' }));
    const mutations = Object.entries(cells).map(([cell, value]): Mutation => {
      const qualifier = Buffer.from(cell.slice(3));
      return { kind: 'setCell', family: '_s', qualifier, timestamp: 0, value: Buffer.from(value) };
    });
    const key = Buffer.from(`index-states#${byName}`);
    await db.engine.mutateRow('people_index', {
      key,
      mutations: [{ kind: 'deleteFromRow' }, ...mutations],
    });
    try {
      await new IndexStates(db.engine).assertReady(people.model, people.model.indexes[0]);
      return 'ready';
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await db.close();
    }
  };
  const version1 = {
    '_s:b': '0123456789ab',
    '_s:e': 'Person',
    '_s:p': '',
    '_s:t': 'people',
    '_s:u': '0',
    '_s:v': '1',
  };

  test.each([
    [{ '_s:': 'ready', ...version1 }, 'ready'],
    [{ '_s:': 'building', ...version1, '_s:p': 'rows:cDE' }, 'INDEX_NOT_READY'],
    [{ '_s:': 'ready', ...version1, '_s:v': '2' }, 'FORMAT_TOO_NEW'],
  ])('%j is %s', async (cells, expected) => {
    expect(await write(cells)).toBe(expected);
  });

  test('a build continues from its position', async () => {
    const db = await open('memory:', { entities: [Person] });
    const people = db.repository(Person);
    await people.saveMany(['p1', 'p2'].map((id) => people.create({ id, name: 'Ann' })));
    const set = (qualifier: string, value: string): Mutation => ({
      kind: 'setCell',
      family: '_s',
      qualifier: Buffer.from(qualifier),
      timestamp: 0,
      value: Buffer.from(value),
    });
    await db.engine.mutateRow('people_index', {
      key: Buffer.from(`index-states#${byName}`),
      mutations: [set('', 'building'), set('p', 'rows:cDE')],
    });
    const report = await db.derived.rebuild(Person, 'byName');
    expect(report).toMatchObject({ resumed: true, rows: 1, entries: 2, ready: true });
    await db.close();
  });
});
