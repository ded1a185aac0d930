/** Where derived rows are measured: each back end that `--only` names, one after the other. */
import { join } from 'node:path';
import { type Database, type EntityClass, open } from '../../src/index.js';
import { scratchDirectory } from '../stores.js';
import { startEmulator, startProgram } from '../wire/processes.js';

/** Measures in memory, on disk, and live to our server and Google's emulator. Closes nothing. */
export async function measureBackEnds(
  entities: readonly EntityClass[],
  wants: (name: string) => boolean,
  measure: (name: string, db: Database) => Promise<void>,
): Promise<void> {
  if (wants('memory')) await measure('memory', await open('memory:', { entities }));
  if (wants('disk'))
    await measure('disk', await open(`file:${join(scratchDirectory(), 'data')}`, { entities }));
  for (const server of ['ours', 'emulator']) {
    if (!wants(server)) continue;
    const running =
      server === 'ours'
        ? await startProgram('server-process', 'ours', 'memory')
        : await startEmulator();
    if (running === undefined) {
      console.error("Google's emulator is not on this machine and is not measured.");
      continue;
    }
    const bigtable = { emulatorHost: running.address };
    const db = await open('bigtable://p/i', { entities, bigtable });
    await db.admin.apply();
    await measure(server, db);
    await running.stop();
  }
}
