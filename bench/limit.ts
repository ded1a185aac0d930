/** Reading one row must cost the same with any number of rows. */
import { DataSet, deviceName, tenant } from './data-set.js';
import { interleave, type Variant } from './interleave.js';
import type { Results } from './results.js';
import { type Opened, openReadings } from './stores.js';

const calls = 500;

/** Reads the newest row of a device, from a table of 1,000 rows and from the full table. */
export async function limitOne(
  data: DataSet,
  full: Opened,
  smallUrl: string,
  results: Results,
  engine: string,
): Promise<void> {
  const smallData = new DataSet(1000);
  const small = await openReadings(smallUrl);
  await small.readings.saveMany(smallData.slice(0, smallData.rows));
  const read = (name: string, { readings }: Opened, { devices }: DataSet): Variant => ({
    name,
    async run() {
      for (let i = 0; i < calls; i++) {
        const rows = await readings
          .prefix({ tenant, device: deviceName((i * 7919) % devices) })
          .limit(1)
          .all();
        if (rows.length !== 1) throw new Error(`A read of one row gave ${rows.length}.`);
      }
      return calls;
    },
  });
  const timings = await interleave(
    [read('small', small, smallData), read('full', full, data)],
    40,
    10,
  );
  await small.database.close();
  const reference = timings.get('small')!;
  results.addTiming(`limit-1.${engine}.1000-rows`, reference, 'us');
  results.addTiming(`limit-1.${engine}.${data.rows}-rows`, timings.get('full')!, 'us', {
    with: reference,
    of: '1000 rows',
    target: { kind: 'atMost', ratio: 2 },
  });
}
