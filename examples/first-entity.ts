/** A first entity: declare it, save rows, query a range and print its plan. */
import assert from 'node:assert/strict';
import {
  Column,
  Entity,
  Field,
  maxAge,
  maxVersions,
  Message,
  open,
  Packed,
  rowKey,
  Segment,
} from 'rowsmith';

@Message('telemetry.Status')
class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptimeMs?: bigint;
}

@Entity({
  table: 'telemetry',
  families: { m: { gc: maxVersions(1) }, s: { gc: maxAge('30d') } },
})
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');

  @Segment('string', { maxLength: 32 }) tenant!: string;
  @Segment('string', { maxLength: 32 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // newest first

  @Column('m', 'double') temperature?: number;
  @Packed('s', () => Status) status?: Status;
}

await using db = await open('memory:', { entities: [Reading] });
const readings = db.repository(Reading);

const noon = Date.UTC(2026, 10, 20, 12);
for (let minute = 0; minute < 60; minute++) {
  const at = new Date(noon + minute * 60_000);
  await readings.save(
    readings.create({
      tenant: 'acme',
      device: 'd1',
      at,
      temperature: 20 + minute / 10,
      status: { firmware: '1.2', uptimeMs: BigInt(minute) },
    }),
  );
}

const device = readings.prefix({ tenant: 'acme', device: 'd1' });
const lastMinutes = device.since('at', new Date(noon + 57 * 60_000));
console.log(String(lastMinutes.explain()));
for await (const reading of lastMinutes)
  console.log(reading.at.toISOString(), reading.temperature, reading.status?.firmware);

assert.deepEqual(
  (await lastMinutes.all()).map((reading) => reading.temperature),
  [25.9, 25.8, 25.7],
);
assert.equal(await device.count(), 60);
assert.equal(lastMinutes.explain().fullScan, false);
const [newest] = await device.limit(1).all();
assert.ok(newest instanceof Reading && newest.status instanceof Status);
assert.equal(newest.status.uptimeMs, 59n);
