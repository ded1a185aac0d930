/** The state of a directory that another process writes to, as far as it has been read. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../../../../base/index.js';
import { CommitPairs } from '../buffer/commit-pairs.js';
import { PairArena } from '../buffer/pair-arena.js';
import { SortedPairs } from '../buffer/sorted-pairs.js';
import type { FoundDatabase } from '../directory/database-directory.js';
import { fileHeaderBytes } from '../directory/file-header.js';
import { logName, manifestFile, tableName } from '../directory/file-names.js';
import type { Levels } from '../levels/levels.js';
import { type DatabaseManifest, levelsOf } from '../levels/manifest-text.js';
import { recordHeaderBytes, type SegmentId } from '../log/log-record.js';
import { readChain, readSegmentHeader } from '../log/recover-log.js';
import { SegmentReader } from '../log/segment-reader.js';
import { newestManifest } from '../store/open-disk-store.js';
import { BlockCache } from '../tables/block-cache.js';
import { FileHandles, FileSource } from '../tables/file-source.js';
import { Table, type TableInfo } from '../tables/table.js';

/** Pairs that are merged into the buffer at once. */
const maxMergedPairs = 1024;

/** The tables that were opened, which later states use too. */
export class OpenTables {
  readonly handles = FileHandles.ofReader();
  #tables = new Map<string, Table>();
  readonly #cache: BlockCache;
  readonly #database: FoundDatabase;

  constructor(database: FoundDatabase, cacheBytes: number) {
    this.#database = database;
    this.#cache = new BlockCache(cacheBytes);
  }

  /** Opens the tables of a manifest, and closes the rest. */
  open({ entries }: DatabaseManifest): (info: TableInfo) => Table {
    const { path, database } = this.#database;
    const tables = new Map<string, Table>();
    for (const { table: info } of entries) {
      const name = nameOf(info);
      let table = this.#tables.get(name) ?? tables.get(name);
      if (table === undefined) {
        const source = new FileSource(path, { ...info, database }, this.handles);
        table = new Table(info, source.path, source, fileHeaderBytes, this.#cache);
      }
      // Its file remains readable once it is open.
      table.check();
      tables.set(name, table);
    }
    const before = this.#tables;
    this.#tables = tables;
    this.release(before.values());
    return (info) => tables.get(nameOf(info))!;
  }

  /** Closes tables that neither the state nor a snapshot has. */
  release(tables: Iterable<Table>): void {
    for (const table of tables)
      if (table.pins === 0 && this.#tables.get(nameOf(table.info)) !== table) table.close();
  }
}

function nameOf(info: TableInfo): string {
  return `${tableName(info)} ${toHex(info.salt)}`;
}

/** A manifest and the log after it. */
export class FollowedState {
  levels: Levels;
  readonly pairs = new SortedPairs(new PairArena());
  readonly manifest: DatabaseManifest;
  #segment: SegmentId;
  /** End of what was read of the segment, and the number of the next commit. */
  #position = fileHeaderBytes;
  #nextCommit: number;
  readonly #directory: string;

  /** Reads the newest state of a directory. */
  constructor({ path, database }: FoundDatabase, tables: OpenTables) {
    this.#directory = path;
    this.manifest = newestManifest(path, database);
    this.levels = levelsOf(this.manifest, tables.open(this.manifest));
    const { segments } = readChain({ directory: path, database }, this.manifest.segment);
    this.#segment = segments[0];
    this.#nextCommit = segments[0].firstCommit;
    segments.forEach((segment, index) => {
      this.#begin(segment);
      this.#read(segments.at(index + 1)?.firstCommit ?? Infinity);
    });
  }

  /** True when there is more than what was read. */
  get isOld(): boolean {
    return this.#isReplaced() || this.#hasGrown() || this.#successor() !== undefined;
  }

  /**
   * Reads what was added to the log. Throws if the state cannot be continued: a newer manifest is
   * to be read then.
   */
  follow(): void {
    // Otherwise the state would remain old, and keep all pairs that are written from now on.
    if (this.#isReplaced()) throw new Error('there is a newer manifest');
    for (;;) {
      const next = this.#successor();
      this.#read(next?.firstCommit ?? Infinity);
      if (next === undefined) return;
      if (next.firstCommit !== this.#nextCommit) throw new Error('the log was continued elsewhere');
      this.#begin(next);
    }
  }

  #isReplaced(): boolean {
    const path = join(this.#directory, manifestFile(this.manifest));
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  }

  #begin(segment: SegmentId): void {
    this.#segment = segment;
    this.#position = fileHeaderBytes;
  }

  /** The segment that this owner has begun after the one that is read. */
  #successor(): SegmentId | undefined {
    const { owner, number, salt } = this.#segment;
    const path = join(this.#directory, logName({ owner, number: number + 1 }));
    const header = readSegmentHeader(path);
    if (header === undefined || header === 'missing') return undefined;
    return toHex(header.previousSalt) === toHex(salt) ? header : undefined;
  }

  #hasGrown(): boolean {
    const handle = openSync(join(this.#directory, logName(this.#segment)), 'r');
    try {
      // The end of the last record, which is not zero, and the header of the next one.
      const bytes = new Uint8Array(1 + recordHeaderBytes);
      const read = readSync(handle, bytes, 0, bytes.length, this.#position - 1);
      // What was read last was cut off, because its commit failed.
      if (read === 0) return true;
      return bytes.subarray(1).some((byte) => byte !== 0);
    } finally {
      closeSync(handle);
    }
  }

  #read(stop: number): void {
    let batch = new CommitPairs(this.pairs.arena);
    const merge = (): void => {
      batch.finish();
      this.pairs.merge(batch.refs, batch.slots);
      batch = new CommitPairs(this.pairs.arena);
    };
    const reader = new SegmentReader(
      join(this.#directory, logName(this.#segment)),
      this.#segment,
      {
        pair: (key, value) => batch.set(key, value),
        range: (start, end) => {
          merge();
          this.pairs.removeRange(start, end);
          this.levels = this.levels.without({ start: start.slice(), end: end.slice() });
        },
        commitEnd: () => {
          if (batch.size >= maxMergedPairs) merge();
        },
      },
      { position: this.#position, nextCommit: this.#nextCommit, isLive: true },
    );
    try {
      reader.read(stop);
    } finally {
      reader.close();
    }
    merge();
    this.#position = reader.end;
    this.#nextCommit = reader.nextCommit;
  }
}
