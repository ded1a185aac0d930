/** Opens engines by url. Only this module names concrete engines; each is loaded when needed. */
import { checkOptions } from '../base/index.js';
import { CellClock, type Durability, type Engine, type GcMode } from '../data/store/index.js';
import type { LiveSettings } from './bigtable/settings.js';
import { parseEngineUrl } from './engine-url.js';
import type { MemoryImage } from './local/open-memory-engine.js';
import { readOnly } from './read-only.js';

/** Options of an engine. */
export interface EngineOptions {
  /**
   * Returns milliseconds since 1970; default Date.now. Used for server timestamps and for the age
   * of cells.
   */
  readonly clock?: (() => number) | undefined;
  /**
   * When garbage collection rules take effect. `onRead` hides cells that the rules delete; with
   * `lazy` and `manual` they stay visible until they are collected. The default is `onRead` on
   * embedded databases, and `lazy` on live ones, which Bigtable collects within a week or so.
   * `onRead` on a live database hides cells from repositories, by the declared rules and the clock
   * of this program; `db.engine`, `openEngine`, increments and appends see all cells.
   */
  readonly gc?: GcMode | undefined;
  /**
   * On disk only: `durable` (default) resolves a write after it was flushed to the disk; `relaxed`
   * after it was handed to the operating system, so that a system crash may lose recent writes.
   */
  readonly durability?: Durability | undefined;
  /**
   * On disk only: whether `open` reads all files and verifies them, so that a damaged one is
   * reported as CORRUPT_DATA at once; default false. What is read is verified in any case.
   */
  readonly verify?: boolean | undefined;
  /**
   * Writes and changes of tables reject with UNSUPPORTED. On disk nothing in the directory is
   * created or changed, so that it may be open in another process; reads see its writes, and
   * need not be writable. Default false.
   */
  readonly readOnly?: boolean | undefined;
  /** Live only: credentials, connections and timeouts. */
  readonly bigtable?: LiveSettings | undefined;
}

/** The names of the options of an engine. */
export const engineOptions: readonly (keyof EngineOptions)[] = [
  'clock',
  'gc',
  'durability',
  'verify',
  'readOnly',
  'bigtable',
];

/** What a database adds to the options of its engine. */
export interface EngineContext {
  /** Live only. */
  readonly onRetry?: OnRetry;
  /** Embedded only: issues server timestamps, and continues from the newest one of the database. */
  readonly cellClock?: CellClock;
}

/** Called before each retry of a call, with the gRPC status of the failed attempt. */
export type OnRetry = (status: number) => void;

/**
 * Opens the engine of a url, without entities: `memory:`, `file:./directory` or
 * `bigtable://project/instance`. Close it when done. Throws INVALID_ARGUMENT for any other url,
 * MISSING_PACKAGE when the url's package cannot be loaded, and NOT_A_DATABASE, FORMAT_TOO_NEW or
 * DATABASE_IN_USE for a directory that cannot be opened.
 */
export async function openEngine(url: string, options: EngineOptions = {}): Promise<Engine> {
  checkOptions('openEngine()', options, engineOptions);
  return openEngineOf(url, options, { cellClock: new CellClock(options.clock ?? Date.now) });
}

/** openEngine for a database. */
export async function openEngineOf(
  url: string,
  options: EngineOptions,
  context: EngineContext,
): Promise<Engine> {
  const engine = await openWritable(url, options, context);
  if (options.readOnly !== true) return engine;
  const reader = readOnly(engine);
  const copies = diskEngines.get(engine);
  if (copies !== undefined) diskEngines.set(reader, copies);
  return reader;
}

/** Opens an engine that takes writes, except on disk if they are to be rejected. */
async function openWritable(
  url: string,
  options: EngineOptions,
  { onRetry, cellClock }: EngineContext,
): Promise<Engine> {
  const { clock, gc, durability, verify, readOnly, bigtable } = options;
  const target = parseEngineUrl(url);
  switch (target.kind) {
    case 'memory': {
      const { openMemoryEngine } = await import('./local/open-memory-engine.js');
      return openMemoryEngine({ clock, gc, cellClock });
    }
    case 'disk': {
      if (readOnly === true) {
        const { openReadOnlyEngine } = await import('./local/open-read-only-engine.js');
        return withCopies(await openReadOnlyEngine(target.directory, { clock, gc }));
      }
      const { openDiskEngine } = await import('./local/open-disk-engine.js');
      const settings = { clock, gc, durability, verify, cellClock };
      return withCopies(await openDiskEngine(target.directory, settings));
    }
    case 'live': {
      const { openLiveEngine } = await import('./bigtable/open-live-engine.js');
      const engine = await openLiveEngine(target.url, bigtable, onRetry);
      liveEngines.set(engine, engine);
      return engine;
    }
  }
}

function withCopies(engine: Engine & DiskCopies): Engine {
  diskEngines.set(engine, engine);
  return engine;
}

/** The live engines that may be written. */
const liveEngines = new WeakMap<Engine, { client(): Promise<object> }>();

/** What opens Google's own client of a live engine; undefined of any other engine. */
export function clientOf(engine: Engine): (() => Promise<object>) | undefined {
  const live = liveEngines.get(engine);
  return live && (() => live.client());
}

/** What a copy of a database on disk holds, or what was verified of one. */
export interface BackupSummary {
  /** Files with rows, and their bytes. */
  readonly tables: number;
  readonly bytes: number;
}

/** The copies of a database on disk. */
export interface DiskCopies {
  backup(directory: string, onStep: (fraction: number) => void): Promise<BackupSummary>;
  verify(onStep: (fraction: number) => void): Promise<BackupSummary>;
}

const diskEngines = new WeakMap<Engine, DiskCopies>();

/** What copies and verifies the files of an engine; undefined of an engine without files. */
export function copiesOf(engine: Engine): DiskCopies | undefined {
  return diskEngines.get(engine);
}

/** Opens a memory engine, empty or with the contents of an image. */
export async function openMemory(
  options: Pick<EngineOptions, 'clock' | 'gc'> & Pick<EngineContext, 'cellClock'>,
  image?: MemoryImage,
): Promise<Engine> {
  const { openMemoryEngine } = await import('./local/open-memory-engine.js');
  return openMemoryEngine(options, image);
}

/** Loads the function that copies a memory engine into an image. */
export async function loadMemoryImage(): Promise<(engine: Engine) => MemoryImage> {
  const { memoryImage } = await import('./local/open-memory-engine.js');
  return memoryImage;
}
