/** Memory used by a `for await` over all rows. */
import type { Reading } from './reading.js';
import type { Results } from './results.js';
import type { Opened } from './stores.js';

/** Rows between two measurements of the memory in use, including garbage. */
const measureEvery = 1000;
const liveSamples = 10;
/** Live memory that grows by at most this between tenths of the rows counts as constant. */
const maxGrowthMegabytes = 2;

/** Streams all rows. Memory is the JavaScript heap and the buffers outside of it. */
export async function streamAll(disk: Opened, rows: number, results: Results): Promise<void> {
  const liveEvery = Math.floor(rows / liveSamples);
  const live: number[] = [];
  collect();
  let peak = 0;
  let seen = 0;
  let battery = 0;
  let micros = 0;
  let started = performance.now();
  for await (const reading of disk.readings.scanAll() as AsyncIterable<Reading>) {
    battery += reading.status!.battery!;
    if (++seen % measureEvery !== 0) continue;
    micros += (performance.now() - started) * 1000;
    peak = Math.max(peak, inUse());
    if (seen % liveEvery === 0) {
      collect();
      live.push(inUse());
    }
    started = performance.now();
  }
  if (seen !== rows || !(battery > 0))
    throw new Error(`The stream returned ${seen} of ${rows} rows.`);
  // The first tenth is not compared: code is compiled and caches are filled.
  const growth = Math.max(...live.slice(1)) - live[0];
  results.add({ name: 'stream.time', value: micros / seen, unit: 'us/row' });
  const flat = {
    ratio: Math.max(0, growth) / maxGrowthMegabytes,
    of: `${maxGrowthMegabytes} MB is flat`,
    target: { kind: 'atMost', ratio: 1 },
  } as const;
  results.add({
    name: 'stream.memory.live-growth',
    value: growth,
    unit: 'MB',
    ...flat,
    min: Math.min(...live),
    max: Math.max(...live),
  });
  results.add({ name: 'stream.memory.peak', value: peak - Math.min(...live), unit: 'MB' });
}

function inUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

function collect(): void {
  if (globalThis.gc === undefined) throw new Error('Run node with --expose-gc.');
  globalThis.gc();
}
