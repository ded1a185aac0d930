/** Writes a reading of two devices for each ten minutes of three hours. */
import { open } from 'rowsmith';
import { Hourly, Reading } from './entities.js';

await using db = await open('bigtable://demo/plant', { entities: [Reading, Hourly] });
await db.admin.apply();

const start = Date.UTC(2026, 10, 28, 9);
const readings = db.repository(Reading);
const rows = ['boiler', 'pump'].flatMap((device, d) =>
  Array.from({ length: 18 }, (_, n) =>
    readings.create({ device, at: new Date(start + n * 600_000), temperature: 20 + 10 * d + n }),
  ),
);
await readings.saveMany(rows);
console.log(`wrote ${rows.length} readings`);
