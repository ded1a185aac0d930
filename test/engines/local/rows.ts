/** The smallest store: a directory and a log of rows without tables, for tests of both. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PairArena } from '../../../src/engines/local/kv/buffer/pair-arena.js';
import {
  findDatabase,
  openDirectory,
  type OpenDirectory,
} from '../../../src/engines/local/kv/directory/database-directory.js';
import type { DiskTuning } from '../../../src/engines/local/kv/directory/disk-tuning.js';
import {
  manifestName,
  parseManifestName,
} from '../../../src/engines/local/kv/directory/file-names.js';
import { syncDirectory } from '../../../src/engines/local/kv/directory/sync-directory.js';
import { Log } from '../../../src/engines/local/kv/log/log.js';
import type { SegmentId } from '../../../src/engines/local/kv/log/log-record.js';
import { recoverLog } from '../../../src/engines/local/kv/log/recover-log.js';

/** Open rows. */
export class Rows {
  readonly opened: OpenDirectory;
  readonly log: Log;
  readonly rows: Map<string, string>;

  constructor(opened: OpenDirectory, log: Log, rows: Map<string, string>) {
    this.opened = opened;
    this.log = log;
    this.rows = rows;
  }

  put(key: string, value = 'v'): void {
    const arena = new PairArena();
    arena.begin();
    arena.append(Buffer.from(key), Buffer.from(value));
    this.log.append(arena.finish(), false);
    this.rows.set(key, value);
  }

  async close(): Promise<void> {
    this.log.close();
    await this.opened.release();
  }
}

/** Opens the rows of a directory as its owner. */
export async function openRows(path: string, tuning?: DiskTuning): Promise<Rows> {
  const opened = await openDirectory(path, { durability: 'durable', tuning });
  try {
    const rows = new Map<string, string>();
    const { database, owner, isNew } = opened;
    const context = {
      directory: opened.path,
      database,
      owner,
      isDurable: true,
      check: () => opened.check(),
    };
    let previous;
    if (!isNew) previous = await readLog(opened, rows);
    const log = Log.create(context, {
      previous: previous?.found,
      nextCommit: previous?.found.nextCommit ?? 1,
    });
    const first = previous?.first ?? log.rotate();
    const manifest = { ...first, salt: Buffer.from(first.salt).toString('hex') };
    writeFileSync(join(opened.path, manifestName({ owner, number: 1 })), JSON.stringify(manifest), {
      flag: 'wx',
      flush: true,
    });
    syncDirectory(opened.path);
    opened.created();
    return new Rows(opened, log, rows);
  } catch (error) {
    await opened.withdraw();
    throw error;
  }
}

/** The rows of a directory, without claiming it. */
export async function readRows(path: string): Promise<string[]> {
  const rows = new Map<string, string>();
  await readLog(findDatabase(path), rows);
  return [...rows.keys()];
}

async function readLog(
  { path, database }: { path: string; database: Uint8Array },
  rows: Map<string, string>,
): Promise<{ first: SegmentId; found: Awaited<ReturnType<typeof recoverLog>> }> {
  const [{ owner, number }] = readdirSync(path)
    .map(parseManifestName)
    .filter((id) => id !== undefined)
    .sort((a, b) => b.owner - a.owner);
  const text = readFileSync(join(path, manifestName({ owner, number })), 'utf8');
  const record = JSON.parse(text) as SegmentId & { salt: string };
  const first = { ...record, salt: new Uint8Array(Buffer.from(record.salt, 'hex')) };
  const found = await recoverLog({ directory: path, database }, first, {
    pair: (key, value) =>
      void rows.set(Buffer.from(key).toString(), Buffer.from(value!).toString()),
    range: () => undefined,
    commitEnd: () => undefined,
  });
  return { first, found };
}
