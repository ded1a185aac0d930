/**
 * A telemetry store: an import, rollups by the hour, 30 days of retention, and a recording of where
 * the table is written. The service is in telemetry/store.ts.
 */
import assert from 'node:assert/strict';
import { open } from 'rowsmith';
import { recordAccess } from 'rowsmith/tools';
import { Reading } from './telemetry/entities.js';
import { TelemetryStore } from './telemetry/store.js';

const now = Date.UTC(2026, 10, 20, 12);
const clock = () => now;
const recorder = recordAccess({ clock });
await using db = await open('memory:', {
  entities: [Reading],
  clock,
  observe: { record: recorder },
});
const store = new TelemetryStore(db);
const readings = db.repository(Reading);
const hour = 3_600_000;

// A file from before. The reading of September has expired: only the rollup counts it. One line is
// damaged.
async function* file() {
  yield 'site,sensor,at,celsius\n';
  yield 'oslo,s1,2026-11-20T08:10:00Z,20.5\noslo,s1,2026-11-20T08:40:00Z,21.5\n';
  yield 'oslo,s1,2026-09-01T08:00:00Z,19\noslo,s1,yesterday,20\n';
}
const { written, rejected } = await store.importCsv(file());
console.log(`imported ${written}, rejected ${rejected}`);

// Readings as they arrive, of 40 sensors.
await store.record(
  Array.from({ length: 400 }, (_, n) =>
    readings.create({
      site: 'oslo',
      sensor: `s${1 + (n % 40)}`,
      at: new Date(now - hour + n * 1000),
      celsius: 18 + (n % 7),
    }),
  ),
);
assert.equal((await store.latest('oslo')).length, 40);
const hours = await store.hours({ site: 'oslo', sensor: 's1' }, new Date(now - 6 * hour));
assert.deepEqual(
  hours.map(({ at, count }) => [at.getUTCHours(), count]),
  [
    [11, 10],
    [8, 2],
  ],
);
assert.equal(hours[1].mean, 21);

// With the sensor before the time, the writes are spread over the table: no finding.
assert.deepEqual(recorder.findings({ entities: [Reading], nodes: 3 }), []);
