/** scope.deleteAll(): what it reports, how it ends when it is stopped, and what it refuses. */
import {
  Column,
  type DeleteAllReport,
  Entity,
  open,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import type { DeleteAllProgress } from '../../../../src/entities/repository/index.js';
import { everyKey } from '../../../../src/base/index.js';
import { collectRows } from '../../../../src/data/store/index.js';
import { faultyDatabase } from '../../../../src/tools/testing/index.js';
import { backEnds } from '../support/back-ends.js';
import {
  Alarm,
  Contract,
  Device,
  entities,
  followed,
  Partner,
  Reading,
  Spread,
} from './leaving-entities.js';
import { at, fill, owners, traces } from './leaving-rows.js';

/** What was found, as text. */
const lines = ({ parts }: DeleteAllReport): string[] =>
  parts.map(({ entity, kind, name, table, how, rows }) =>
    [entity, ...(name === undefined ? [kind] : [kind, name]), 'in', table, how, rows].join(' '),
  );

const expectedParts = [
  'Tenant rows in mixed rows 1',
  'Device rows in mixed rows 3',
  'Alarm rows in mixed rows 3',
  'Alarm index byNote in mixed_index follows 3',
  'Alarm index byCode in mixed_index follows 3',
  'Alarm index byPlace in places ranges 3',
  'Reading rows in readings ranges 3',
  'Reading index byPlace in codes ranges 3',
  'Reading index byCode in codes ranges 3',
  'Reading rollup daily in readings_rollup ranges 1',
  'Sale rows in sales ranges 3',
  'Sale rollup own in sales_rollup ranges 3',
  'Visit rows in visits rows 3',
  'Visit rollup ofPlace in visits_rollup follows 0',
  'Spread rows in spread ranges 0',
  'Author rows in authors ranges 1',
  'Author marks in authors_copies ranges 0',
  'Post rows in posts ranges 3',
  'Post index byAuthor in places ranges 3',
  'Partner rows in partners rows 1',
  'Partner marks in partners_copies rows 0',
  'Contract rows in contracts rows 3',
  'Contract index byPartner in contracts_index follows 3',
];

@Entity({ table: 'stays', families: { s: {} } })
class Stay {
  static readonly key = rowKey('tenant', 'at');
  static readonly rollups = rollups({
    daily: { by: ['tenant', { time: 'at', every: '1d' }], values: { total: { sum: 'price' } } },
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('timestamp') at!: Date;
  @Column('s', 'int64') price?: bigint;
}

describe.each(backEnds)('on $name', ({ open: opening }) => {
  test('a tenant leaves', async () => {
    const { db, close } = await opening(entities);
    await fill(db);
    const scope = db.scope({ tenant: 'acme' });
    const planned = await scope.deleteAll({ dryRun: true });
    expect(lines(planned)).toEqual(expectedParts);
    expect(planned.rows).toBe(24);
    expect(await db.repository(Device).prefix({ tenant: 'acme' }).count()).toBe(3);

    const progress: DeleteAllProgress[] = [];
    const report = await scope.deleteAll({ onProgress: (each) => void progress.push(each) });
    expect(report).toEqual(planned);
    const stored = planned.parts.filter(({ how }) => how !== 'follows');
    const total = stored.reduce((sum, { rows }) => sum + rows, 0);
    expect(progress.at(-1)).toEqual({ deleted: total, total });

    // The region's key has the literal 'acme'; the contracts of other tenants name their partner.
    expect(await traces(db, 'acme')).toEqual([
      expect.stringMatching(/^contracts a\b/),
      expect.stringMatching(/^contracts acme2\b/),
      expect.stringMatching(/^contracts_index /),
      expect.stringMatching(/^contracts_index /),
      expect.stringMatching(/^mixed acme#d1#r#/),
    ]);
    const contracts = await db.repository(Contract).prefix({ tenant: 'acme2' }).all();
    expect(contracts.map(({ name }) => name)).toEqual([undefined, 'partner acme2', 'partner a']);
    for (const entity of followed) expect((await db.derived.verify(entity)).findings).toEqual([]);
    expect((await scope.deleteAll()).rows).toBe(0);
    await close();
  });

  // Live, such a row keeps its version and the tokens of its rollups for a day.
  test('a row that was deleted by itself, and counted in a rollup, is not counted again', async () => {
    const { db, close } = await opening([Stay]);
    const stays = db.repository(Stay);
    await stays.save(stays.create({ tenant: 'acme', at: at(1), price: 3n }));
    const foreign = Buffer.from('foreign');
    const cell = { kind: 'setCell', family: 's', qualifier: foreign, timestamp: 0 } as const;
    const mutations = [{ ...cell, value: foreign }];
    await db.engine.mutateRow('stays', { key: Buffer.from('acme#'), mutations });
    const scope = db.scope({ tenant: 'acme' });
    const [rows] = (await scope.deleteAll()).parts;
    expect(rows).toMatchObject({ kind: 'rows', how: 'rows', rows: 1 });
    expect((await scope.deleteAll()).parts.map((each) => each.rows)).toEqual([0, 0]);
    await close();
  });
});

describe('a call that was stopped', () => {
  test('by a signal is finished by the next one', async () => {
    const db = await open('memory:', { entities });
    await fill(db);
    const scope = db.scope({ tenant: 'acme' });
    const reason = new Error('stop');
    let calls = 0;
    for (let stopAt = 1; ; stopAt++) {
      const abort = new AbortController();
      let seen = 0;
      calls++;
      const onProgress = (): void => {
        if (++seen === stopAt) abort.abort(reason);
      };
      try {
        await scope.deleteAll({ signal: abort.signal, onProgress });
        if (seen < stopAt) break;
      } catch (error) {
        expect(error).toBe(reason);
      }
    }
    expect(calls).toBeGreaterThan(3);
    expect(await traces(db, 'acme')).toHaveLength(5);
    for (const entity of followed) expect((await db.derived.verify(entity)).findings).toEqual([]);
    await db.close();
  });

  test('before rows of an entity were deleted leaves what follows from them', async () => {
    const db = await faultyDatabase('memory:', { entities });
    await fill(db);
    db.faults.failWrite({ table: 'contracts', code: 'PERMISSION_DENIED' });
    const scope = db.scope({ tenant: 'acme' });
    await expect(scope.deleteAll()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await db.repository(Contract).prefix({ tenant: 'acme' }).count()).toBe(3);
    db.faults.clear();
    await scope.deleteAll();
    expect(await traces(db, 'acme')).toHaveLength(5);
    await db.close();
  });
});

test('where ranges may not be dropped, rows are deleted one by one', async () => {
  const db = await faultyDatabase('memory:', { entities });
  await fill(db);
  const isDrop = ({ call }: { readonly call: string }): boolean => call === 'dropRowRange';
  db.faults.failWrite({ match: isDrop, code: 'PERMISSION_DENIED' });
  const report = await db.scope({ tenant: 'acme' }).deleteAll();
  expect(lines(report)).toEqual(
    expectedParts.map((line) => line.replace(/ranges ([1-9])/, 'rows $1')),
  );
  expect(await traces(db, 'acme')).toHaveLength(5);
  await db.close();
});

test('a row that no entity declares is kept, and ranges of other shards are dropped', async () => {
  const db = await open('memory:', { entities });
  const spread = db.repository(Spread);
  for (const tenant of owners)
    for (const device of ['a', 'b', 'c', 'd', 'e', 'f'])
      await spread.save(spread.create({ tenant, device, n: 1, note: 'x' }));
  const beside = spread.model.key.encode({ tenant: 'acme', device: 'a', n: 1 });
  const key = Buffer.concat([beside, Buffer.from([0, 1, 120])]);
  const value = Buffer.from('foreign');
  const cell = { kind: 'setCell', family: 'm', qualifier: value, timestamp: 0, value } as const;
  await db.engine.mutateRow('spread', { key, mutations: [cell] });
  const report = await db.scope({ tenant: 'acme' }).deleteAll();
  expect(lines(report)).toContain('Spread rows in spread both 6');
  expect(await spread.scanAll().count()).toBe(12);
  const plan = { table: 'spread', ranges: [everyKey], reversed: false };
  expect(await collectRows(db.engine.readRows(plan))).toHaveLength(13);
  await db.close();
});

test('a tenant that is null, and scopes of several segments', async () => {
  const db = await open('memory:', { entities });
  await fill(db);
  const readings = db.repository(Reading);
  await readings.save(readings.create({ tenant: null, device: 'd1', at: at(1), value: 1n }));
  expect((await db.scope({ tenant: null }).deleteAll()).rows).toBe(1);
  expect(await readings.scanAll().count()).toBe(9);
  const scope = db.scope({ tenant: 'acme' }).scope({ device: 'd1' });
  const report = await scope.deleteAll();
  expect(report.parts.map(({ entity }) => entity)).not.toContain('Tenant');
  expect(await db.repository(Device).prefix({ tenant: 'acme' }).keysOnly().all()).toEqual([
    { tenant: 'acme', device: 'd2' },
    { tenant: 'acme', device: 'd3' },
  ]);
  expect(await db.repository(Alarm).prefix({ tenant: 'acme' }).count()).toBe(2);
  // A bucket of a day counts other hours as well.
  const hour = await db.scope({ tenant: 'acme', at: at(2) }).deleteAll();
  expect(lines(hour)).toContain('Reading rollup daily in readings_rollup follows 0');
  expect(hour.rows).toBe(1);
  const [day] = await readings.rollup('daily').prefix({ tenant: 'acme' }).all();
  expect(day).toMatchObject({ count: 2, total: 4n });
  await db.close();
});

test('copies that are due elsewhere are written before their marks are removed', async () => {
  const db = await open('memory:', { entities, copies: 'manual' });
  await fill(db);
  await db.derived.propagate(Partner);
  const partners = db.repository(Partner);
  await partners.save(partners.create({ tenant: 'acme', device: 'd', name: 'renamed' }));
  await partners.save(partners.create({ tenant: 'a', device: 'd', name: 'kept' }));
  await db.scope({ tenant: 'acme' }).deleteAll();
  const contracts = await db.repository(Contract).prefix({ tenant: 'a' }).all();
  expect(contracts.map(({ name }) => name)).toEqual([undefined, 'partner acme2', 'partner a']);
  const pending = [];
  for await (const { key } of db.derived.pending(Partner)) pending.push(key);
  expect(pending).toEqual([{ tenant: 'a', device: 'd' }]);
  await db.close();
});

@Entity({ table: 'numbered', families: { m: {} } })
class Numbered {
  static readonly key = rowKey('tenant', 'n');
  @Segment('uint', { max: 99 }) tenant!: number;
  @Segment('uint', { max: 99 }) n!: number;
  @Column('m', 'string') note?: string;
}

describe('wrong calls', () => {
  const message = {
    property: expect.any(String),
    problem: expect.any(String),
    fix: expect.any(String),
  };
  test.each([
    ['another option', { dryrun: true }, 'dryrun'],
    ['no boolean', { dryRun: 'yes' }, 'dryRun'],
    ['no function', { onProgress: 5 }, 'onProgress'],
    ['no signal', { signal: {} }, 'signal'],
    ['no object', 'all', 'options'],
  ])('%s', async (_name, options, property) => {
    const db = await open('memory:', { entities });
    await fill(db);
    await expect(db.scope({ tenant: 'acme' }).deleteAll(options as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { ...message, property },
    });
    expect(await db.repository(Device).prefix({ tenant: 'acme' }).count()).toBe(3);
    await db.close();
  });

  test('segments that no key begins with', async () => {
    const db = await open('memory:', { entities });
    const wrong: readonly Readonly<Record<string, string>>[] = [
      { device: 'd' },
      { region: 'eu' },
      { tenant: 'acme', region: 'eu' },
    ];
    for (const values of wrong)
      await expect(db.scope(values).deleteAll()).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { ...message, property: Object.keys(values)[0] },
      });
    await db.close();
  });

  test('a value of another type than an entity declares: nothing is deleted', async () => {
    const db = await open('memory:', { entities: [...entities, Numbered] });
    await fill(db);
    await expect(db.scope({ tenant: 'acme' }).deleteAll()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { ...message, entity: 'Numbered', property: 'tenant' },
    });
    expect(await db.repository(Device).prefix({ tenant: 'acme' }).count()).toBe(3);
    await db.close();
  });

  test('a value that one entity cannot hold has no rows of it', async () => {
    const db = await open('memory:', { entities });
    const scope = db.scope({ tenant: 'x'.repeat(21) });
    expect(await scope.deleteAll()).toEqual({ rows: 0, parts: [] });
    await db.close();
  });
});
