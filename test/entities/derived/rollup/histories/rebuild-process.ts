/**
 * A program that rebuilds the hourly rollup of readings until it is killed, and prints where the
 * call can be continued: `rebuild-process URL HOST`.
 */
import { open } from '../../../../../src/index.js';
import { Reading } from '../rollup-entities.js';

async function main([url, emulatorHost]: readonly string[]): Promise<void> {
  const settings = url.startsWith('bigtable:') ? { bigtable: { emulatorHost } } : {};
  const db = await open(url, { entities: [Reading], ...settings });
  await db.derived.rollups.rebuild(Reading, 'hourly', {
    onProgress: ({ after }) => {
      if (after !== undefined) process.stdout.write(`${after}\n`);
    },
  });
  await db.close();
}

void main(process.argv.slice(2));
