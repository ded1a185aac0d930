/**
 * Creates a database, writes to it and compacts it. After that, or after a failure, writes a last
 * row, and ends without closing the database.
 */
import type { Engine } from '../../../../src/storage.js';
import type { Durability } from '../../../../src/data/store/index.js';
import { openSmall } from './open-small.js';
import { ensureTable, table, writeOf } from './rows.js';
import { codeOf, say } from './workload.js';

export interface ResumeOptions {
  readonly directory: string;
  /** The row that is written first; none in a process that follows a killed one. */
  readonly firstKey?: string | undefined;
  /** Written last. */
  readonly lastKey: string;
  /** Whether the database is closed and opened again before the last row is written. */
  readonly reopens: boolean;
  /** Maximum size of a value. */
  readonly maxBytes: number;
  readonly durability: Durability;
}

export async function writeAndResume(options: ResumeOptions): Promise<void> {
  const { firstKey, lastKey, reopens, maxBytes } = options;
  let engine: Engine | undefined;
  try {
    engine = await openTable(options);
    if (firstKey !== undefined) {
      await write(engine, firstKey, maxBytes);
      await engine.compact();
    }
  } catch (error) {
    say(`failed ${codeOf(error)}`);
  }
  if (reopens || engine === undefined) {
    await engine?.close().catch((error: unknown) => say(`failed ${codeOf(error)}`));
    engine = await openTable(options);
  }
  await write(engine, lastKey, maxBytes);
  process.exit();
}

async function openTable({ directory, durability }: ResumeOptions): Promise<Engine> {
  const engine = await openSmall(directory, { durability });
  await ensureTable(engine);
  return engine;
}

async function write(engine: Engine, key: string, maxBytes: number): Promise<void> {
  say(`t ${key} 1`);
  await engine.mutateRow(table, writeOf(key, 1, maxBytes));
  say(`a ${key} 1`);
}
