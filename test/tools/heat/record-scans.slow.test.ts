/** Recordings of long scans. */
import { open } from '../../../src/index.js';
import { recordAccess } from '../../../src/tools/index.js';
import { DeviceFirst } from './support/entities.js';

test('scans of any length are sampled evenly over their rows', async () => {
  await using recorder = recordAccess();
  await using db = await open('memory:', {
    entities: [DeviceFirst],
    observe: { record: recorder },
  });
  const readings = db.repository(DeviceFirst);
  const rows = Array.from({ length: 20_000 }, (_, n) =>
    readings.create({ device: String(n).padStart(5, '0'), at: new Date(0), value: n }),
  );
  await readings.saveMany(rows);
  recorder.flush();
  const windows = 5;
  for (let window = 0; window < windows; window++, recorder.flush())
    for (let scan = 0; scan < 10; scan++) for await (const _ of readings.scanAll());
  const [access] = recorder.log().tables;
  const scanned = access.windows.flatMap(({ samples }) =>
    samples.filter(({ kind }) => kind === 'scan'),
  );
  const counts = new Array<number>(4).fill(0);
  for (const { key } of scanned)
    counts[Math.floor(Number(Buffer.from(key).toString().slice(0, 5)) / 5000)]++;
  const mean = scanned.length / 4;
  expect(scanned.length).toBeGreaterThan(windows * 700);
  expect(scanned.length).toBeLessThan(windows * 2048);
  // Rows are chosen in some 60 pages of each scanned window: five standard deviations.
  for (const count of counts) expect(Math.abs(count / mean - 1)).toBeLessThan(0.55);
  const counted = access.windows.reduce((sum, each) => sum + each.reads, 0);
  expect(Math.abs(counted / (windows * 10 * 20_000) - 1)).toBeLessThan(0.4);
});
