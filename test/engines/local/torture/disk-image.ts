/**
 * What a power loss can leave of recorded calls. The rules of POSIX apply, which are harsher than
 * most file systems: without a flush of the file, any of its writes may be lost or only some of
 * their sectors written, in any order; without a flush of the directory, any of its changes of names
 * since then may be lost. After a failed flush, what it should have written may be
 * lost even if a later one succeeds.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from './random.js';
import type { ShimRecord } from './shim.js';

/** Disks write sectors completely or not at all. */
const sectorBytes = 512;

interface Change {
  readonly offset: number;
  /** Undefined for a change of the size to `offset`. */
  readonly bytes?: Buffer;
  /** `lost`: its flush failed. */
  state: 'pending' | 'durable' | 'lost';
}

/** Contents of a file: what is durable, and the changes after it. */
class FileState {
  #durable = Buffer.alloc(0);
  #size = 0;
  #changes: Change[] = [];

  change(change: Change): void {
    this.#changes.push(change);
    this.fold();
  }

  /** After a flush. */
  flush(succeeded: boolean): void {
    for (const change of this.#changes)
      if (change.state === 'pending') change.state = succeeded ? 'durable' : 'lost';
    this.fold();
  }

  /** The contents after a power loss. */
  afterPowerLoss(fate: Fate): Buffer {
    const file = new FileState();
    file.#durable = Buffer.from(this.#durable.subarray(0, this.#size));
    file.#size = this.#size;
    for (const change of this.#changes) {
      if (change.state === 'durable') file.#apply(change);
      else for (const part of fate.survivors(change)) file.#apply(part);
    }
    return file.#durable.subarray(0, file.#size);
  }

  /** Applies the changes that are durable and that no other one precedes. */
  fold(): void {
    let count = 0;
    while (this.#changes[count]?.state === 'durable') this.#apply(this.#changes[count++]);
    this.#changes.splice(0, count);
  }

  #apply({ offset, bytes }: Change): void {
    const end = offset + (bytes?.length ?? 0);
    if (end > this.#durable.length) {
      const longer = Buffer.alloc(Math.max(end, this.#durable.length * 2));
      this.#durable.copy(longer, 0, 0, this.#size);
      this.#durable = longer;
    }
    if (bytes === undefined) this.#durable.fill(0, Math.min(end, this.#size));
    else bytes.copy(this.#durable, offset);
    this.#size = bytes === undefined ? end : Math.max(this.#size, end);
  }
}

/** How many of the unflushed changes survive a power loss. */
export type Survival = 'all' | 'none' | 'some';

/** Which unflushed changes survive a power loss. */
export class Fate {
  readonly #random: Random;
  readonly mode: Survival;

  constructor(random: Random, mode?: Survival) {
    this.#random = random;
    this.mode = mode ?? random.oneOf(['all', 'none', 'some', 'some', 'some', 'some']);
  }

  /** The changes of names of a directory that survive: the first ones, or any. */
  names<T>(changes: readonly T[]): readonly T[] {
    if (this.mode === 'all') return changes;
    if (this.mode === 'none') return [];
    if (this.#random.chance(0.5)) return changes.slice(0, this.#random.below(changes.length + 1));
    return changes.filter(() => this.#random.chance(0.5));
  }

  /** The parts of a change that are written. */
  survivors(change: Change): Change[] {
    const { offset, bytes } = change;
    if (this.mode === 'all') return [change];
    if (this.mode === 'none' || this.#random.chance(0.35)) return [];
    if (bytes === undefined || this.#random.chance(0.5)) return [change];
    const parts: Change[] = [];
    for (let start = 0; start < bytes.length;) {
      const end = Math.min(bytes.length, start + sectorBytes - ((offset + start) % sectorBytes));
      if (this.#random.chance(0.5))
        parts.push({ offset: offset + start, bytes: bytes.subarray(start, end), state: 'pending' });
      start = end;
    }
    return parts;
  }
}

/** A file, or a directory. */
type Entry = FileState | 'directory';
/** Changes of names that happen together: entries of paths, undefined for removed ones. */
type Renaming = readonly (readonly [path: string, entry: Entry | undefined])[];

/** The state of a directory and a disk under it, after some of the recorded calls. */
export class DiskImage {
  readonly #files = new Map<bigint, FileState>();
  /** As processes see them. */
  readonly #names = new Map<string, Entry>();
  readonly #durableNames = new Map<string, Entry>();
  /** Changes of names that were not flushed, by directory. */
  readonly #pending = new Map<string, Renaming[]>();
  /** Makes the last write durable, if it was a synchronous one; a loss may come before its end. */
  #finishWrite: (() => void) | undefined;

  apply(record: ShimRecord): void {
    this.#finishWrite?.();
    this.#finishWrite = undefined;
    const { kind, inode, offset, bytes, synced, directory } = record;
    const [first, second] = kind === 'write' ? [] : bytes.toString().split('\0');
    switch (kind) {
      case 'open':
        if (!record.created) return;
        this.#files.set(inode, new FileState());
        return this.#rename([[first, this.#files.get(inode)!]]);
      case 'write':
        return this.#write(this.#file(inode), { offset, bytes, state: 'pending' }, synced);
      case 'truncate':
        return this.#file(inode).change({ offset, state: 'pending' });
      case 'sync':
      case 'syncFailed':
        if (!directory) return this.#file(inode).flush(kind === 'sync');
        return kind === 'sync' ? this.#flushNames(first) : undefined;
      case 'mkdir':
        return this.#rename([[first, 'directory']]);
      case 'link':
        return this.#rename([[second, this.#names.get(first)!]]);
      case 'rename':
        return this.#rename([
          [second, this.#names.get(first)!],
          [first, undefined],
        ]);
      case 'unlink':
        return this.#rename([[first, undefined]]);
      case 'line':
    }
  }

  /**
   * Writes what a power loss leaves into an empty directory, and returns the files and sizes. By
   * default `random` also decides how many unflushed changes survive.
   */
  writeAfterPowerLoss(target: string, random: Random, survival?: Survival): string {
    const fate = new Fate(random, survival);
    const names = new Map(this.#durableNames);
    for (const renamings of this.#pending.values())
      for (const renaming of fate.names(renamings)) setEntries(names, renaming);
    const contents = new Map<FileState, Buffer>();
    const written: string[] = [];
    const folders = new Set<string>();
    // Directories sort before what is in them.
    for (const [path, entry] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const parent = parentOf(path);
      if (parent !== '' && !folders.has(parent)) continue;
      if (entry === 'directory') {
        folders.add(path);
        mkdirSync(join(target, path));
        continue;
      }
      if (!contents.has(entry)) contents.set(entry, entry.afterPowerLoss(fate));
      writeFileSync(join(target, path), contents.get(entry)!);
      written.push(`${path} of ${contents.get(entry)!.length}`);
    }
    return `${fate.mode} unflushed changes kept: ${written.join(', ') || 'no files'}`;
  }

  #file(inode: bigint): FileState {
    const file = this.#files.get(inode);
    if (file === undefined) throw new Error(`The file ${inode} was not created while recording`);
    return file;
  }

  #write(file: FileState, change: Change, synced: boolean): void {
    file.change(change);
    if (!synced) return;
    this.#finishWrite = () => {
      change.state = 'durable';
      file.fold();
    };
  }

  #rename(renaming: Renaming): void {
    setEntries(this.#names, renaming);
    const folder = parentOf(renaming[0][0]);
    const pending = this.#pending.get(folder) ?? [];
    this.#pending.set(folder, pending);
    pending.push(renaming);
  }

  #flushNames(folder: string): void {
    for (const renaming of this.#pending.get(folder) ?? [])
      setEntries(this.#durableNames, renaming);
    this.#pending.delete(folder);
  }
}

function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

function setEntries(names: Map<string, Entry>, renaming: Renaming): void {
  for (const [path, entry] of renaming) {
    if (entry === undefined) names.delete(path);
    else names.set(path, entry);
  }
}
