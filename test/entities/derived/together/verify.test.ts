/** One check of all that follows from the rows of an entity. */
import { Column, type Database, Entity, rowKey, Segment } from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { Reading } from '../rollup/rollup-entities.js';
import { codeOf, storedEntries } from '../index/stored-entries.js';
import { IndexedReading, Ticket } from './tickets.js';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 1, 0, minutes));

@Entity({ table: 'plain', families: { m: {} } })
class Plain {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
}

describe.each(backEnds)('$name', ({ open: start }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const readings = () => db.repository(IndexedReading);

  beforeEach(async () => {
    opened = await start([IndexedReading, Reading, Ticket, Plain]);
    ({ db } = opened);
    await readings().saveMany(
      [0, 60, 120].map((minutes) =>
        readings().create({
          device: 'd',
          at: at(minutes),
          value: 1n,
          note: 'x',
          serial: `${minutes}`,
        }),
      ),
    );
  });
  afterEach(() => opened.close());

  async function damage(): Promise<void> {
    const { model } = readings();
    const [{ entry }] = await storedEntries(db.engine, model);
    await db.engine.mutateRow('indexed_index', {
      key: Buffer.from(entry.key, 'latin1'),
      mutations: [{ kind: 'deleteFromRow' }],
    });
    const { rows } = model.rollups[0];
    for (const hour of [0, 1])
      await db.engine.mutateRow(rows.table.name, {
        key: rows.key.encode({ device: 'd', at: at(hour * 60) }),
        mutations: [{ kind: 'deleteFromRow' }],
      });
  }

  test('finds the faults of indexes and of rollups, and repairs them', async () => {
    await damage();
    const differences: string[] = [];
    const phases = new Set<string>();
    const report = await db.derived.verify(IndexedReading, {
      maxFindings: 1,
      onDifference: ({ kind, name }) => differences.push(`${kind} ${name}`),
      onProgress: ({ phase }) => phases.add(phase),
    });
    expect(report).toMatchObject({
      found: { missing: 1 },
      repaired: 0,
      rollups: { rows: 3, compared: 3, missing: 2, orphan: 0, wrong: 0, repaired: 0 },
    });
    expect(report.rollups!.differences).toMatchObject([{ kind: 'missing', name: 'hourly' }]);
    expect(differences).toEqual(['missing hourly', 'missing hourly']);
    expect([...phases]).toEqual(['rows', 'entries', 'rollups']);

    const one = await db.derived.verify(IndexedReading, { index: 'byNote' });
    expect(one).toMatchObject({ found: { missing: 1 }, rollups: undefined });

    expect(await db.derived.repair(IndexedReading)).toMatchObject({
      repaired: 1,
      rollups: { missing: 2, repaired: 2 },
    });
    expect(await db.derived.verify(IndexedReading)).toMatchObject({
      found: { missing: 0 },
      rollups: { missing: 0 },
    });
  });

  test('of an entity with rollups alone', async () => {
    const plain = db.repository(Reading);
    await plain.save(plain.create({ tenant: 't', device: 'd', at: at(0), temperature: 1 }));
    expect(await db.derived.verify(Reading)).toMatchObject({
      rows: 0,
      entries: 0,
      findings: [],
      // Two rollups. Each reads the row.
      rollups: { rows: 2, compared: 2, missing: 0, differences: [] },
    });
    await expect(db.derived.verify(Plain)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { problem: 'the entity declares no index, no rollup and no required column' },
    });
    expect(await codeOf(db.derived.verify(Reading, { index: 'byNote' }))).toBe('INVALID_ARGUMENT');
  });

  test('with what to call for a rollup, and with an invalid Date', async () => {
    const name = 'hourly' as never;
    await expect(db.derived.rebuild(IndexedReading, name)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        problem: "there is no index 'hourly'",
        fix: expect.stringContaining('derived.rollups.verify, repair or rebuild'),
      },
    });
    const until = new Date(NaN);
    await expect(
      db.derived.rollups.rebuild(IndexedReading, 'hourly', { until }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { problem: 'until is an invalid Date' },
    });
  });

  test('continues where a limit stopped it', async () => {
    await damage();
    let after: string | undefined;
    let missing = 0;
    const positions: string[] = [];
    do {
      const report = await db.derived.verify(IndexedReading, { limit: 1, after });
      missing += report.found.missing + (report.rollups?.missing ?? 0);
      after = report.position;
      if (after !== undefined) positions.push(after);
    } while (after !== undefined);
    expect(missing).toBe(3);
    expect(positions[positions.length - 1]).toBe('rollups.hourly');
    for (const wrong of ['rollups.daily', 'rollupsx'])
      expect(await codeOf(db.derived.verify(IndexedReading, { after: wrong }))).toBe(
        'INVALID_CURSOR',
      );
    // As from `rollups.verify`.
    expect(await codeOf(db.derived.verify(IndexedReading, { after: 'rollups.hourly:zz' }))).toBe(
      'INVALID_ARGUMENT',
    );
    expect(
      await codeOf(db.derived.verify(IndexedReading, { index: 'byNote', after: 'rollups' })),
    ).toBe('INVALID_CURSOR');
    expect(await codeOf(db.derived.verify(Reading, { after: 'rows' }))).toBe('INVALID_CURSOR');
  });
});
