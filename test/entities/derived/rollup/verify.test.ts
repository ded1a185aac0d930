import { type Database, type RollupDifference, type RollupReport } from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { Order, Reading } from './rollup-entities.js';

const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 5, h));

/** Rows written without the wrappers, as by a writer that stopped before it counted them. */
async function writeUncounted(db: Database, count: number, device = 'd'): Promise<void> {
  const { model } = db.repository(Reading);
  const temperature = model.columns.find(({ property }) => property === 'temperature')!;
  await db.engine.mutateRows(
    'readings',
    Array.from({ length: count }, (_, i) => ({
      key: model.key.encode({ tenant: 'a', device, at: hour(i) }),
      mutations: [
        {
          kind: 'setCell' as const,
          family: 'm',
          qualifier: Buffer.from('temperature'),
          timestamp: 0,
          value: temperature.codec.encode(i),
        },
      ],
    })),
  );
}

describe.each(backEnds)('verify, repair and rebuild: $name', ({ name, open }) => {
  test('a rollup that is added to a table with rows is built from them', async () => {
    const { db, close } = await open([Reading]);
    await writeUncounted(db, 30);
    const hourly = db.repository(Reading).rollup('hourly');
    expect(await db.derived.rollups.verify(Reading, { name: 'hourly' })).toMatchObject({
      rows: 30,
      compared: 30,
      missing: 30,
    });
    expect(await hourly.scanAll().count()).toBe(0);

    const part = { prefix: { tenant: 'a', device: 'd' }, since: hour(2), until: hour(4) };
    expect(await db.derived.rollups.rebuild(Reading, 'hourly', part)).toMatchObject({
      rows: 2,
      missing: 2,
      repaired: 2,
    });
    expect((await hourly.scanAll().all()).map(({ at, avg }) => [at, avg])).toEqual([
      [hour(3), 3],
      [hour(2), 2],
    ]);
    expect(await db.derived.rollups.rebuild(Reading, 'hourly')).toMatchObject({
      missing: 28,
      repaired: 28,
    });
    expect(await db.derived.rollups.rebuild(Reading, 'daily')).toMatchObject({
      missing: 2,
      repaired: 2,
    });
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({
      rows: 60,
      compared: 32,
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });

  test('differences are reported by kind and repaired', async () => {
    const { db, close } = await open([Reading]);
    const readings = db.repository(Reading);
    await readings.saveMany(
      [1, 2, 3].map((h) =>
        readings.create({ tenant: 'a', device: 'd', at: hour(h), temperature: h }),
      ),
    );
    // Google's emulator has no aggregate but sum: what was added last is the maximum.
    if (name.includes('emulator')) await db.derived.rollups.repair(Reading);
    const { rows } = readings.model.rollups[0];
    const bucket = (h: number, device = 'd'): Uint8Array =>
      rows.key.encode({ tenant: 'a', device, at: hour(h) });
    const add = { kind: 'addToCell', family: '_sum', timestamp: 0, input: 1n } as const;
    const counted = [{ ...add, qualifier: Buffer.from('_rows') }];
    await db.engine.mutateRow('readings_rollup', { key: bucket(1), mutations: counted });
    await db.engine.mutateRow('readings_rollup', {
      key: bucket(2),
      mutations: [{ kind: 'deleteFromRow' }],
    });
    await db.engine.mutateRow('readings_rollup', { key: bucket(9, 'gone'), mutations: counted });

    const found: RollupDifference[] = [];
    const onDifference = (difference: RollupDifference): void => void found.push(difference);
    const report = await db.derived.rollups.verify(Reading, { name: 'hourly', onDifference });
    expect(report).toMatchObject({ missing: 1, orphan: 1, wrong: 1, repaired: 0 });
    found.sort((a, b) => Number(a.key.at) - Number(b.key.at));
    expect(found.map(({ kind, name, key, repaired }) => [kind, name, key.at, repaired])).toEqual([
      ['wrong', 'hourly', hour(1), false],
      ['missing', 'hourly', hour(2), false],
      ['orphan', 'hourly', hour(9), false],
    ]);
    expect(await db.derived.rollups.repair(Reading, { name: 'hourly' })).toMatchObject({
      missing: 1,
      orphan: 1,
      wrong: 1,
      repaired: 3,
      busy: 0,
    });
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });

  test('progress is reported at the end, also of few rows', async () => {
    const { db, close } = await open([Reading]);
    await writeUncounted(db, 3);
    const seen: RollupReport[] = [];
    const onProgress = (report: RollupReport): void => void seen.push(report);
    await db.derived.rollups.verify(Reading, { name: 'hourly', onProgress });
    expect(seen.map(({ rows, missing }) => [rows, missing])).toContainEqual([3, 3]);
    await close();
  });

  test('a run that was stopped is continued', async () => {
    const { db, close } = await open([Reading]);
    await writeUncounted(db, 600);
    const abort = new AbortController();
    let after: string | undefined;
    const onProgress = (report: RollupReport): void => {
      after = report.after;
      abort.abort(new Error('stopped'));
    };
    await expect(
      db.derived.rollups.rebuild(Reading, 'hourly', { onProgress, signal: abort.signal }),
    ).rejects.toThrow('stopped');
    const rest = await db.derived.rollups.rebuild(Reading, 'hourly', { after });
    expect(rest.missing).toBeLessThan(600);
    expect(rest.missing).toBeGreaterThan(0);
    expect(await db.derived.rollups.verify(Reading, { name: 'hourly' })).toMatchObject({
      compared: 600,
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });

  test('arguments', async () => {
    const { db, close } = await open([Reading, Order]);
    const rejected = { code: 'INVALID_ARGUMENT', details: { entity: 'Reading' } };
    const calls: (() => Promise<unknown>)[] = [
      () => db.derived.rollups.rebuild(Reading, 'hourlyy'),
      () => db.derived.rollups.verify(Reading, { name: 'nope' }),
      () => db.derived.rollups.verify(Reading, { nmae: 'hourly' } as object),
      () => db.derived.rollups.verify(Reading, { prefix: { device: 'd' } }),
      () => db.derived.rollups.verify(Reading, { prefix: { other: 'd' } }),
      () => db.derived.rollups.verify(Reading, { since: 5 as unknown as Date }),
      () => db.derived.rollups.verify(Reading, { name: 'hourly', after: 'x' }),
      () => db.derived.rollups.verify(Reading, { after: '1:00' }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(rejected);
    expect(() => db.repository(Reading).rollup('hourl' as 'hourly')).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ fix: "did you mean 'hourly'?" }) as unknown,
      }),
    );
    await close();
  });
});
