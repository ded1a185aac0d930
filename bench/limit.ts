/** A read of one row costs the same however many rows there are. */
import { DataSet, deviceName, tenant } from './data-set.js';
import { interleave, type Variant } from './interleave.js';
import type { Results } from './results.js';
import { type Opened, openReadings } from './stores.js';

const calls = 500;

/** Newest row of a device, from a table of 1,000 rows and from the full one. */
export async function limitOne(
  data: DataSet,
  full: Opened,
  smallUrl: string,
  results: Results,
  engine: string,
): Promise<void> {
  const few = new DataSet(1000);
  const small = await openReadings(smallUrl);
  await small.readings.saveMany(few.slice(0, few.rows));
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
  const timings = await interleave([read('small', small, few), read('full', full, data)], 40, 10);
  await small.database.close();
  const reference = timings.get('small')!;
  results.addTiming(`limit-1.${engine}.1000-rows`, reference, 'us');
  results.addTiming(`limit-1.${engine}.${data.rows}-rows`, timings.get('full')!, 'us', {
    with: reference,
    of: '1000 rows',
    target: { kind: 'atMost', ratio: 2 },
  });
}
