/**
 * The live engine, here against rowsmith's own server: creates tables with an explicit call, and
 * logs retries.
 */
import assert from 'node:assert/strict';
import { Column, Entity, maxVersions, open, rowKey, Segment } from 'rowsmith';
import { startServer } from 'rowsmith/server';
import { openEngine } from 'rowsmith/storage';
import { FaultyEngine } from 'rowsmith/testing';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
class Reading {
  static readonly key = rowKey('device', 'n');
  @Segment('string', { maxLength: 32 }) device!: string;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('m', 'double') value?: number;
}

const engine = new FaultyEngine(await openEngine('memory:'));
const server = await startServer(engine);
const lines: string[] = [];
const db = await open('bigtable://my-project/my-instance', {
  entities: [Reading],
  bigtable: { emulatorHost: server.address }, // not needed for Cloud Bigtable
  observe: { log: (line) => lines.push(line) },
});
try {
  console.log(
    'missing:',
    (await db.admin.plan()).map(({ kind }) => kind),
  );
  await db.admin.apply();

  const readings = db.repository(Reading);
  await readings.saveMany(
    Array.from({ length: 100 }, (_, n) => readings.create({ device: 'd1', n, value: n / 2 })),
  );

  // The scan fails after 40 rows and is resumed at row 41, without an effect on the caller.
  engine.faults.failRead({ afterRows: 40, times: 1 });
  const rows = await readings.prefix({ device: 'd1' }).all();
  assert.deepEqual(
    rows.map(({ n }) => n),
    Array.from({ length: 100 }, (_, n) => n),
  );
  console.log(lines.join('\n'));
} finally {
  await db.close();
  await server.close();
  await engine.close();
}
