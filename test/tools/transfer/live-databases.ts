/** Live databases for these tests, and rows that reveal lost or repeated writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open } from '../../../src/index.js';
import type { Engine } from '../../../src/storage.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { type BigtableServer, startServer } from '../../../src/server/index.js';
import { exportRows } from '../../../src/tools/transfer/index.js';
import { liveUrl } from '../../engines/bigtable/live-backends.js';
import { dump } from './everything.js';
import { New, Row } from './live-process.js';

/** Closes what a test has opened; called in reverse order. */
export const ending: (() => Promise<unknown>)[] = [];

/** Calls and empties `ending`. */
export async function endAll(): Promise<void> {
  for (const end of ending.splice(0).reverse()) await end();
}

/** Our server over an empty database. */
export async function ourServer(): Promise<{
  readonly storage: Engine;
  readonly server: BigtableServer;
}> {
  const storage = await openMemoryEngine();
  const server = await startServer(storage, { instance: 'projects/p/instances/instance-1' });
  ending.push(
    () => storage.close(),
    () => server.close({ graceMs: 200 }),
  );
  return { storage, server };
}

/** A live database; `apply` creates the tables. */
export async function liveDatabase(
  entities: Parameters<typeof open>[1]['entities'],
  address: string,
  apply = false,
): Promise<Database> {
  const db = await open(liveUrl, { entities, bigtable: { emulatorHost: address, connections: 1 } });
  ending.push(() => db.close());
  if (apply) await db.admin.apply();
  return db;
}

/** The model of Row. */
export const model = buildModel(Row);

/**
 * Lines with counters of both kinds, and without timestamps, so that a line imported twice with
 * different timestamps is detected.
 */
export function linesOf(count: number): string {
  return Array.from({ length: count }, (_, id) =>
    JSON.stringify({ id, text: `row ${id}`, plain: String(id), added: String(-id), versions: 'v' }),
  ).join('\n');
}

/** Expects that every line was written once: its values, with one cell in each column. */
export async function expectAll(engine: Engine, count: number, folder: string): Promise<void> {
  const cells = await dump({ engine } as Database, 'rows');
  expect(cells).toHaveLength(4 * count);
  const file = join(folder, 'imported.jsonl');
  await exportRows(engine, model, file, { format: 'jsonl', plain: true });
  const rows = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .sort((a, b) => (a.id as number) - (b.id as number));
  expect(rows).toEqual(
    Array.from({ length: count }, (_, id) => ({
      id,
      text: `row ${id}`,
      plain: String(id),
      added: String(-id),
      versions: 'v',
    })),
  );
}

/** Expects that the rows of the new class match the lines, and that no old row is left. */
export async function expectMoved(address: string, count: number): Promise<void> {
  const moved = await (await liveDatabase([New], address)).repository(New).scanAll().all();
  expect(
    moved
      .sort((a, b) => a.id - b.id)
      .map(({ id, text, plain, added, versions }) => ({ id, text, plain, added, versions })),
  ).toEqual(
    Array.from({ length: count }, (_, id) => ({
      id,
      text: `row ${id}`,
      plain: BigInt(id),
      added: BigInt(-id),
      versions: 'v',
    })),
  );
  expect(await (await liveDatabase([Row], address)).repository(Row).scanAll().count()).toBe(0);
}
