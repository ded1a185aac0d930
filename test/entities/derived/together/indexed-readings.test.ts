/** Rows with indexes and rollups. */
import { Readable } from 'node:stream';
import type { Database } from '../../../../src/index.js';
import { importRows } from '../../../../src/tools/transfer/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { codeOf } from '../index/stored-entries.js';
import { IndexedReading } from './tickets.js';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 1, 0, minutes));

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const readings = () => db.repository(IndexedReading);
  const reading = (minutes: number, rest: Partial<IndexedReading> = {}): IndexedReading =>
    readings().create({ device: 'd', at: at(minutes), value: 1n, note: 'x', ...rest });
  const hours = async () =>
    (await readings().rollup('hourly').scanAll().all()).map(({ count, total }) => [count, total]);
  const noted = async (note: string) => {
    const rows = await readings().index('byNote').prefix({ note }).all();
    const covered = await readings().index('byNote').covered().prefix({ note }).all();
    expect(covered.map(({ at: time }) => time)).toEqual(rows.map(({ at: time }) => time));
    return rows.map((each) => each.at.getUTCHours() * 60 + each.at.getUTCMinutes());
  };

  beforeEach(async () => {
    opened = await open([IndexedReading]);
    ({ db } = opened);
  });
  afterEach(async () => {
    expect((await db.derived.verify(IndexedReading)).findings).toEqual([]);
    expect(await db.derived.rollups.verify(IndexedReading)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await opened.close();
  });

  test('save, insert and patch', async () => {
    await readings().save(reading(1));
    await readings().insert(reading(2, { value: 5n }));
    await readings().save(reading(1, { value: 3n }));
    expect(await codeOf(readings().insert(reading(2)))).toBe('ROW_EXISTS');
    expect(await hours()).toEqual([[2, 8n]]);
    await readings().patch({ device: 'd', at: at(1) }, { value: 1n });
    expect(await hours()).toEqual([[2, 6n]]);
    // Columns that no rollup reads may change, in an index or not.
    await readings().patch({ device: 'd', at: at(1) }, { note: 'y' });
    await readings().patch({ device: 'd', at: at(1) }, { remark: 'r' });
    await readings().patch({ device: 'd', at: at(2) }, { serial: 's' });
    expect(await noted('x')).toEqual([2]);
    expect(await noted('y')).toEqual([1]);
    expect(await hours()).toEqual([[2, 6n]]);
    // A patch may create the row.
    await readings().patch({ device: 'd', at: at(70) }, { note: 'x', remark: 'new' });
    await readings().patch({ device: 'd', at: at(80) }, { remark: 'new' });
    expect(await noted('x')).toEqual([2, 70]);
    expect((await hours()).map(([count]) => count)).toEqual([2, 2]);
  });

  test('what is rejected is not counted', async () => {
    await readings().save(reading(1, { serial: 's' }));
    expect(await codeOf(readings().save(reading(2, { serial: 's' })))).toBe('UNIQUE_VIOLATION');
    expect(await codeOf(readings().insert(reading(3, { serial: 's' })))).toBe('UNIQUE_VIOLATION');
    expect(await codeOf(readings().patch({ device: 'd', at: at(4) }, { serial: 's' }))).toBe(
      'UNIQUE_VIOLATION',
    );
    const many = await readings().saveMany([reading(5, { serial: 's' }), reading(6)]);
    expect(many.failures.map(({ error }) => error.code)).toEqual(['UNIQUE_VIOLATION']);
    expect(await hours()).toEqual([[2, 2n]]);
    expect(await noted('x')).toEqual([1, 6]);
    // A value that is free again, and a row that is gone.
    await readings().delete({ device: 'd', at: at(1) });
    await readings().save(reading(2, { serial: 's', value: 7n }));
    expect(await hours()).toEqual([[2, 8n]]);
    expect(await noted('x')).toEqual([2, 6]);
  });

  test('many rows', async () => {
    const all = [1, 2, 61, 62].map((minutes) => reading(minutes, { serial: `${minutes}` }));
    expect((await readings().saveMany(all)).failures).toEqual([]);
    const patched = await readings().patchMany([
      { key: { device: 'd', at: at(1) }, changes: { note: 'y' } },
      { key: { device: 'd', at: at(3) }, changes: { note: 'y', value: 4n } },
    ]);
    expect(patched.failures).toEqual([]);
    const again = await readings().saveMany([all[0], reading(4)]);
    expect(again.failures).toEqual([]);
    expect(await hours()).toEqual([
      [4, 7n],
      [2, 2n],
    ]);
    expect(await noted('y')).toEqual([3]);
    expect(await noted('x')).toEqual([1, 2, 4, 61, 62]);
    await readings().deleteMany([1, 61].map((minutes) => ({ device: 'd', at: at(minutes) })));
    expect(await hours()).toEqual([
      [3, 6n],
      [1, 1n],
    ]);
    expect(await noted('x')).toEqual([2, 4, 62]);
  });

  test('writers at the same time', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        codeOf(readings().save(reading(i % 4, { serial: `${i % 3}` }))),
      ),
    );
    expect(outcomes).toContain('resolved');
    const rows = await readings().scanAll().all();
    expect(await hours()).toEqual([[rows.length, BigInt(rows.length)]]);
    const serials = rows.map(({ serial }) => serial);
    expect(new Set(serials).size).toBe(rows.length);
  });

  test('import', async () => {
    const importLines = (...lines: object[]) =>
      importRows(
        db.engine,
        readings().model,
        Readable.from([Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]),
        { format: 'jsonl', maxRejected: 10 },
      );
    const line = (minutes: number, rest: object = {}) => ({
      device: 'd',
      at: at(minutes).toJSON(),
      value: '2',
      note: 'x',
      ...rest,
    });
    expect(await importLines(line(1, { serial: 's' }), line(2), line(61))).toMatchObject({
      written: 3,
    });
    expect(await importLines(line(1), line(3, { serial: 's' }), line(4))).toMatchObject({
      written: 2,
      rejected: 1,
    });
    expect(await hours()).toEqual([
      [3, 6n],
      [1, 2n],
    ]);
    expect(await noted('x')).toEqual([1, 2, 4, 61]);
  });

  test('import into a scope', async () => {
    const { model } = db.scope({ device: 'd' }).repository(IndexedReading);
    const text = JSON.stringify({ at: at(1).toJSON(), value: '2', note: 'x' });
    const result = await importRows(db.engine, model, Readable.from([Buffer.from(text)]), {
      format: 'jsonl',
    });
    expect(result).toMatchObject({ written: 1 });
    expect(await hours()).toEqual([[1, 2n]]);
    expect(await noted('x')).toEqual([1]);
  });

  test('a row of which only cells of ours are left is new', async () => {
    const key = { device: 'd', at: at(1) };
    const { model } = readings();
    // As garbage collection leaves it: the row stays counted.
    const dropCells = () =>
      db.engine.mutateRow(model.table.name, {
        key: model.key.encode(key),
        mutations: [{ kind: 'deleteFromFamily', family: 'm' }],
      });
    for (const write of [
      () => readings().save(reading(1)),
      async () => expect((await readings().saveMany([reading(1)])).failures).toEqual([]),
      () => readings().insert(reading(1)),
    ]) {
      await write();
      await dropCells();
      expect(await readings().get(key)).toBeUndefined();
    }
    expect(await hours()).toEqual([[3, 3n]]);
    await db.derived.repair(IndexedReading);
    await db.derived.rollups.repair(IndexedReading);
  });
});
