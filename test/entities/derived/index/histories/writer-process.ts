/** A program that writes orders until it is killed: `writer-process URL HOST SEED SKEW_MILLIS`. */
import { open, RowsmithError } from '../../../../../src/index.js';
import { Order } from '../entities.js';
import { randomOf } from './faulty-storage.js';
import { operation, repairRound } from './programs.js';

async function main([url, emulatorHost, seed, skew]: readonly string[]): Promise<void> {
  const random = randomOf(Number(seed));
  const clock = (): number => Date.now() + Number(skew);
  const isLive = url.startsWith('bigtable:');
  const settings = isLive ? { bigtable: { emulatorHost } } : ({ durability: 'relaxed' } as const);
  const db = await open(url, { entities: [Order], clock, ...settings });
  process.stdout.write('ready\n');
  for (;;) {
    try {
      await Promise.all([operation(db, random), operation(db, random)]);
      // Not on disk: a repair is several requests, and leaves an entry where it is killed.
      if (isLive && random() < 0.05) await repairRound(db.engine, random);
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
    }
  }
}

void main(process.argv.slice(2));
