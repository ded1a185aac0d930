/** One save that is on the disk when it resolves, against one fdatasync of the same disk. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type DataSet, readingOf } from './data-set.js';
import { interleave } from './interleave.js';
import { progress, type Results } from './results.js';
import type { Opened } from './stores.js';

const rounds = 300;
const pageBytes = 8192;

/** Saves rows that are there already, one at a time, in turns with the overwriting and flushing of one page of a file. */
export async function measureSave(data: DataSet, disk: Opened, directory: string, results: Results): Promise<void> {
  const file = openSync(join(directory, 'flushed'), 'w');
  const page = Buffer.alloc(pageBytes, 1);
  // Written once, so that no flush has to make the file longer.
  for (let i = 0; i < 64; i++) writeSync(file, page, 0, pageBytes, i * pageBytes);
  fdatasyncSync(file);
  let done = 0;
  const timings = await interleave([
    {
      name: 'fdatasync',
      run(round) {
        writeSync(file, page, 0, pageBytes, (round % 64) * pageBytes);
        fdatasyncSync(file);
        return 1;
      },
    },
    {
      name: 'save',
      async run(round) {
        await disk.readings.save(readingOf((round * 7919) % data.devices, (round * 104_729) % data.perDevice));
        return 1;
      },
    },
  ], rounds, 20, () => progress(`saving: ${++done}`));
  closeSync(file);
  const floor = timings.get('fdatasync')!;
  results.addTiming('save.fdatasync', floor, 'us');
  results.addTiming('save.durable', timings.get('save')!, 'us', { with: floor, of: 'fdatasync', target: { kind: 'atMost', ratio: 3.5 } });
}
