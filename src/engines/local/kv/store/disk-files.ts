/** The files of a store on disk: tables, manifests and the reserve. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { moveToNewName, removeQuietly } from '../directory/exclusive-name.js';
import {
  encodeFileHeader,
  fileHeaderBytes,
  newSalt,
  noSalt,
  tableKind,
} from '../directory/file-header.js';
import { manifestFile, reserveName, tableName, unfinishedName } from '../directory/file-names.js';
import { storageError } from '../directory/storage-error.js';
import { flushDirectory } from '../directory/sync-directory.js';
import { encodeManifest } from '../levels/manifest-text.js';
import { BlockCache } from '../tables/block-cache.js';
import { FileHandles, FileSource } from '../tables/file-source.js';
import { Table, type TableInfo } from '../tables/table.js';
import { TableWriter } from '../tables/table-writer.js';
import type { StoreFiles, StoreState, TableOutput } from './store-files.js';
import { turn } from './work-loop.js';

export interface FilesContext {
  readonly directory: string;
  readonly database: Uint8Array;
  readonly owner: number;
  readonly isDurable: boolean;
  /** Throws if another process owns the directory, or it is not there any more. */
  readonly check: () => void;
  /** Bytes of blocks in memory. */
  readonly cacheBytes: number;
}

const mebibyte = 1024 * 1024;
/** The reserve is a part of the tables, between these sizes; small databases have none. */
const reservePart = 1 / 8;
const minReserve = 4 * mebibyte;
const maxReserve = 32 * mebibyte;
const zeros = new Uint8Array(mebibyte);

export class DiskFiles implements StoreFiles {
  readonly handles: FileHandles;
  readonly #cache: BlockCache;
  readonly #context: FilesContext;
  #lastTable = 0;
  #lastManifest = 0;
  /** Names of manifests that the saved one replaces. */
  #oldManifests: string[] = [];
  /** Bytes of the reserve; undefined if that is not known. */
  #reserve: number | undefined = undefined;
  /** True while the name of a new table may not be flushed. */
  #hasNewNames = false;

  constructor(context: FilesContext) {
    this.#context = context;
    this.handles = FileHandles.ofOwner(context.check);
    this.#cache = new BlockCache(context.cacheBytes);
  }

  /** Manifests that the first one that is saved replaces. */
  set oldManifests(names: readonly string[]) {
    this.#oldManifests = [...names];
  }

  open(info: TableInfo): Table {
    const { directory, database } = this.#context;
    const source = new FileSource(directory, { ...info, database }, this.handles);
    return new Table(info, source.path, source, fileHeaderBytes, this.#cache);
  }

  create(): TableOutput {
    const { database, owner } = this.#context;
    const id = { owner, number: ++this.#lastTable };
    const salt = newSalt();
    const header = { kind: tableKind, database, ...id, salt, firstCommit: 0, previousSalt: noSalt };
    const writer = new TableWriter(encodeFileHeader(header), salt);
    const file = new OutputFile(join(this.#context.directory, tableName(id)), this.#context);
    this.#hasNewNames = true;
    return {
      writer,
      drain: () => file.write(writer.take()),
      finish: async () => {
        const summary = writer.finish();
        await file.write(writer.take());
        await file.end();
        return this.open({ ...summary, ...id, salt });
      },
      abort: () => file.abort(),
    };
  }

  async save(
    { levels, commit, segment, lastSegment }: StoreState,
    onName: () => void = () => undefined,
  ): Promise<void> {
    const { directory, database, owner, isDurable, check } = this.#context;
    const id = { owner, number: ++this.#lastManifest };
    const name = manifestFile(id);
    const path = join(directory, name);
    const log = { segment: segment!, lastSegment: lastSegment! };
    const text = encodeManifest({ ...id, database, isDurable, commit, ...log }, levels);
    try {
      if (isDurable && this.#hasNewNames) await flushDirectory(directory);
      this.#hasNewNames = false;
      await writeNew(unfinishedName(path), text, isDurable);
      check();
      onName();
      if (!moveToNewName(unfinishedName(path), path)) {
        check();
        throw new RowsmithError('STORAGE_FAILED', { file: path, ...faults.existingManifest });
      }
      this.#oldManifests.push(unfinishedName(name), name);
      if (isDurable) await flushDirectory(directory);
      check();
      this.#removeOld();
    } catch (error) {
      this.#removeUnfinished(path);
      throw storageError(error, path);
    }
    await this.#keepReserve([...levels.tables()].reduce((sum, { info }) => sum + info.bytes, 0));
  }

  get isSaved(): boolean {
    const name = this.#oldManifests.at(-1);
    return name === undefined || existsSync(join(this.#context.directory, name));
  }

  /**
   * A removal and the check before it are one turn: an owner that was stopped in between must not
   * remove files that somebody has put there since.
   */
  async remove(tables: readonly Table[]): Promise<void> {
    for (const table of tables) {
      table.close();
      try {
        this.#context.check();
        rmSync(join(this.#context.directory, tableName(table.info)), { force: true });
      } catch {
        // The next owner removes it.
      }
      await turn();
    }
  }

  #removeUnfinished(path: string): void {
    try {
      this.#context.check();
      removeQuietly(unfinishedName(path));
    } catch {
      // The next owner removes it.
    }
  }

  releaseReserve(): Promise<boolean> {
    const path = join(this.#context.directory, reserveName);
    try {
      this.#context.check();
      const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
      if (isThere) rmSync(path);
      this.#reserve = 0;
      return Promise.resolve(isThere);
    } catch {
      return Promise.resolve(false);
    }
  }

  close(): Promise<void> {
    this.handles.closeAll();
    try {
      this.#context.check();
      this.#removeOld();
    } catch {
      // The next owner removes them.
    }
    return Promise.resolve();
  }

  /** Removes all but the newest manifest; what cannot be removed is tried again. */
  #removeOld(): void {
    const { directory } = this.#context;
    const newest = this.#oldManifests.slice(-1);
    const left = this.#oldManifests
      .slice(0, -1)
      .filter((name) => !removeQuietly(join(directory, name)));
    this.#oldManifests = [...left, ...newest];
  }

  /** Makes the reserve as large as it should be, if there is space. */
  async #keepReserve(tableBytes: number): Promise<void> {
    const wanted = Math.min(maxReserve, Math.floor(tableBytes * reservePart));
    const path = join(this.#context.directory, reserveName);
    this.#reserve ??= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (wanted < minReserve || wanted < 2 * this.#reserve) return;
    try {
      // Attempts that fill the disk would make writes fail meanwhile.
      const { bavail, bsize } = await statfs(this.#context.directory);
      if (bavail * bsize < wanted - this.#reserve + minReserve) return;
      const handle = await open(path, 'a');
      try {
        for (let bytes = this.#reserve; bytes < wanted; bytes += zeros.length)
          await handle.write(zeros);
        this.#reserve = (await handle.stat()).size;
      } finally {
        await handle.close();
      }
    } catch {
      // The disk is full: space must not be kept from other files.
      await this.releaseReserve();
    }
  }
}

/** A table while it is written. */
class OutputFile {
  #handle: FileHandle | undefined = undefined;
  #position = 0;
  readonly #path: string;
  readonly #isDurable: boolean;

  constructor(path: string, { isDurable }: FilesContext) {
    this.#path = path;
    this.#isDurable = isDurable;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    try {
      for (const chunk of chunks) {
        this.#handle ??= await open(this.#path, 'wx');
        for (let at = 0; at < chunk.length;) {
          const { bytesWritten } = await this.#handle.write(
            chunk,
            at,
            chunk.length - at,
            this.#position + at,
          );
          at += bytesWritten;
        }
        this.#position += chunk.length;
      }
    } catch (error) {
      throw storageError(error, this.#path);
    }
  }

  async end(): Promise<void> {
    const handle = this.#handle!;
    this.#handle = undefined;
    try {
      try {
        if (this.#isDurable) await handle.datasync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw storageError(error, this.#path);
    }
  }

  async abort(): Promise<void> {
    const isCreated = this.#handle !== undefined || this.#position > 0;
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
    // Its name is this owner's: no other process has a file with it.
    if (isCreated) removeQuietly(this.#path);
  }
}

/** Writes a file under a name that a failed attempt may have left. */
async function writeNew(path: string, text: string, isDurable: boolean): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(text);
    if (isDurable) await handle.datasync();
  } finally {
    await handle.close();
  }
}

const faults = {
  existingManifest: {
    problem: 'there is a file with the name of the next manifest',
    fix: 'do not copy files into the directory of a database; close and open it again',
  },
} satisfies FaultTexts;
