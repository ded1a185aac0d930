/** The levels of a store, and the manifest that names their tables. */
import type { Levels } from '../levels/levels.js';
import type { KeySpan, TableEntry } from '../levels/table-entry.js';
import type { SegmentId } from '../log/log-record.js';
import type { Table } from '../tables/table.js';
import type { StoreFiles } from './store-files.js';
import { stopped } from './work-loop.js';

/** Frees space on a full disk; false if there was nothing. */
type FreeSpace = () => boolean | Promise<boolean>;

/** How far the log is in tables: the last commit, and the segment with the next one. */
export interface LogPosition {
  readonly commit: number;
  readonly segment: SegmentId | undefined;
}

/** A change of the levels that a manifest must name before it is made. */
export interface LevelsChange {
  /** Is called twice, since ranges may be removed while the manifest is written. */
  readonly change: (levels: Levels) => Levels;
  readonly created: readonly Table[];
  readonly position?: LogPosition;
  /** Called in the turn of the change. */
  readonly onChange?: () => void;
}

export interface InstalledParts {
  readonly files: StoreFiles;
  /** Called when pairs have moved. */
  readonly onChange: () => void;
  /** The segment of the log that is being written. */
  readonly lastSegment: () => SegmentId | undefined;
  /** Frees space that the log has allocated. */
  readonly trimLog: () => boolean;
  /** Frees the space of the log's next segment, which is kept for removals. */
  readonly releaseLogReserve: () => boolean;
  /** Called once the log before a segment is not needed any more. */
  readonly onSaved: (segment: SegmentId | undefined) => void;
}

export class InstalledLevels {
  #levels: Levels;
  #position: LogPosition;
  /** True when the manifest does not say what is true. */
  #isDirty = false;
  /** Tables that no level has any more. */
  readonly #unused = new Set<Table>();
  /** The ranges that were removed while pieces of work run. */
  readonly #watching = new Set<KeySpan[]>();
  #isInstalling = false;
  readonly #parts: InstalledParts;

  constructor(parts: InstalledParts, levels: Levels, position: LogPosition) {
    this.#parts = parts;
    this.#levels = levels;
    this.#position = position;
  }

  get levels(): Levels {
    return this.#levels;
  }

  /** True if the manifest does not say what is true, or there are tables to remove. */
  get isDirty(): boolean {
    return this.#isDirty || [...this.#unused].some(isUnpinned);
  }

  get bytes(): number {
    const tables = new Set([...this.#levels.tables(), ...this.#unused]);
    return [...tables].reduce((sum, { info }) => sum + info.bytes, 0);
  }

  /** The ranges that are removed from now on, until `unwatch`. */
  watch(): KeySpan[] {
    const spans: KeySpan[] = [];
    this.#watching.add(spans);
    return spans;
  }

  unwatch(spans: KeySpan[]): void {
    this.#watching.delete(spans);
  }

  /** Applies a removal that is in the log. */
  removeRange(span: KeySpan): void {
    for (const spans of this.#watching) spans.push(span);
    const levels = this.#levels.without(span);
    if (levels !== this.#levels) this.#change(levels);
    // A table that is being installed may have such keys.
    else if (this.#isInstalling) this.#isDirty = true;
  }

  /** Moves entries to a deeper level. */
  move(entries: readonly TableEntry[], level: number): void {
    this.#change(this.#levels.withMoved(entries, level));
  }

  /**
   * Saves the manifest after a change, and makes the change. If there cannot be such a manifest,
   * the new tables are removed: work that fails must not fill the disk.
   */
  async install(change: LevelsChange): Promise<void> {
    const levels = change.change(this.#levels);
    let mayExist = false;
    this.#isInstalling = true;
    try {
      await this.#write(levels, change.position ?? this.#position, () => (mayExist = true));
      const isDirty = this.#isDirty;
      this.#apply(change);
      this.#isDirty = isDirty;
    } catch (error) {
      if (mayExist) this.#apply(change);
      else await this.#parts.files.remove(change.created);
      throw error;
    } finally {
      this.#isInstalling = false;
    }
    await this.#removeUnused(levels);
  }

  async save(): Promise<void> {
    const levels = this.#levels;
    await this.#write(levels, this.#position, () => undefined);
    await this.#removeUnused(levels);
  }

  /**
   * Works; where the disk is full, again with the space that is kept for it, or the space that the
   * log has allocated: enough for a table of removals. The next write of a row allocates it again.
   */
  attempt<T>(work: () => Promise<T>): Promise<T> {
    const { files, trimLog } = this.#parts;
    return attempt(work, [() => files.releaseReserve(), trimLog]);
  }

  /** A manifest frees space, so it may use the space that is kept for removals. */
  async #write(levels: Levels, position: LogPosition, onName: () => void): Promise<void> {
    const { files, trimLog, releaseLogReserve } = this.#parts;
    const state = { levels, ...position, lastSegment: this.#parts.lastSegment() };
    const wasDirty = this.#isDirty;
    this.#isDirty = false;
    try {
      await attempt(
        () => files.save(state, onName),
        [() => files.releaseReserve(), trimLog, releaseLogReserve],
      );
    } catch (error) {
      this.#isDirty ||= wasDirty;
      throw error;
    }
  }

  /** Removes what the manifest with these levels does not name. */
  async #removeUnused(levels: Levels): Promise<void> {
    const named = levels.tables();
    const unused = [...this.#unused].filter((table) => isUnpinned(table) && !named.has(table));
    for (const table of unused) this.#unused.delete(table);
    await this.#parts.files.remove(unused);
    this.#parts.onSaved(this.#position.segment);
  }

  #apply({ change, created, position, onChange }: LevelsChange): void {
    onChange?.();
    this.#change(change(this.#levels));
    const named = this.#levels.tables();
    for (const table of created) if (!named.has(table)) this.#unused.add(table);
    this.#position = position ?? this.#position;
  }

  #change(levels: Levels): void {
    const tables = levels.tables();
    for (const table of this.#levels.tables()) if (!tables.has(table)) this.#unused.add(table);
    this.#levels = levels;
    this.#isDirty = true;
    this.#parts.onChange();
  }
}

function isUnpinned({ pins }: Table): boolean {
  return pins === 0;
}

/** Works; where that fails, again each time something frees space. */
async function attempt<T>(work: () => Promise<T>, sources: readonly FreeSpace[]): Promise<T> {
  let failure: unknown;
  for (const free of [() => true, ...sources]) {
    if (!(await free())) continue;
    try {
      return await work();
    } catch (error) {
      failure = error;
      if (error === stopped) break;
    }
  }
  throw failure;
}
