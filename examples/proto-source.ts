/** A .proto file as the source of a packed message. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEntity, fromProto, open, packed, rowKey } from 'rowsmith';
import { describeEntity } from 'rowsmith/tools';

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
try {
  const file = join(folder, 'telemetry.proto');
  writeFileSync(
    file,
    `
    syntax = "proto3";
    package telemetry;
    message Status { optional string firmware = 1; optional int64 uptime_ms = 2; repeated int32 alarms = 3; }
  `,
  );

  const Reading = defineEntity(
    class Reading {
      device = '';
      status?: object;
    },
    {
      table: 'telemetry',
      families: { s: {} },
      key: rowKey('device'),
      segments: { device: { kind: 'string', maxLength: 32 } },
      columns: { status: packed('s', fromProto(file, 'Status')) },
    },
  );
  await using db = await open('memory:', { entities: [Reading] });
  console.log(String(describeEntity(Reading)));

  const readings = db.repository(Reading);
  await readings.save(
    readings.create({
      device: 'd1',
      status: { firmware: '1.2', uptime_ms: 90_000n, alarms: [3, 7] },
    }),
  );
  const read = await readings.get({ device: 'd1' });
  console.log({ ...read?.status });
  assert.deepEqual({ ...read?.status }, { firmware: '1.2', uptime_ms: 90_000n, alarms: [3, 7] });
} finally {
  rmSync(folder, { recursive: true });
}
