/**
 * Opens a database by url: the one place that names concrete engines, each loaded only when it is
 * opened.
 */
import { fileURLToPath } from 'node:url';
import { valueText } from '../../cell/index.js';
import type { LiveSettings } from '../../engines/bigtable/index.js';
import { RowsmithError } from '../../errors.js';
import { buildModels, type EntityClass } from '../../model/index.js';
import { noteRetry, type ObserveOptions, observing } from '../../observe/index.js';
import type { Engine } from '../../store/index.js';
import { type Clock, cellClock } from './clock.js';
import { Database } from './database.js';
import type { UnreadableRow } from '../read/entity-pages.js';
import { type SchemaMode, syncTables } from './schema-sync.js';

/** How to open a database. */
export interface OpenOptions {
  /**
   * The entity classes this program reads and writes. Their declarations are checked, all together.
   */
  readonly entities: readonly EntityClass[];
  /** Embedded only: what may be changed in stored tables; default `add`. */
  readonly schema?: SchemaMode;
  /** Milliseconds since 1970; default Date.now. */
  readonly clock?: Clock;
  /**
   * Embedded only: when garbage collection rules take effect. `onRead` (default) hides what they
   * would collect; `lazy` and `manual` leave it visible until it is collected.
   */
  readonly gc?: 'onRead' | 'lazy' | 'manual';
  /**
   * On disk only: `durable` (default) resolves writes when they are on the disk; `relaxed` when
   * they are written, so that a crash of the machine may lose the last ones.
   */
  readonly durability?: 'durable' | 'relaxed';
  /** Live only: credentials, connections, times allowed. */
  readonly bigtable?: LiveSettings;
  /**
   * On disk only: whether every page of the file is looked through first, so that a damaged file is
   * CORRUPT_DATA and nothing worse. Default: files of up to 64 MiB are; true costs as much as
   * reading the file. What the pages hold is checked whenever it is read.
   */
  readonly verify?: boolean;
  /** Check class-validator's rules before writes, where entities carry any; default true. */
  readonly validate?: boolean;
  /** Rows of a shared table whose key belongs to no entity given here: default `skip`. */
  readonly onForeignKey?: UnreadableRow;
  /**
   * Rows with a cell that its column cannot read: default `throw`. A function is told, and the row
   * is left out.
   */
  readonly onDamagedCell?: UnreadableRow;
  /**
   * Spans and metrics, a log of calls, warnings of slow scans; nothing by default, and then nothing
   * is in the way.
   */
  readonly observe?: ObserveOptions;
}

/**
 * Opens `memory:` (gone when closed) or `file:./directory` (on disk; made when missing) and creates
 * the declared tables and families that are not there yet; or connects to
 * `bigtable://project/instance?appProfile=name`, where nothing is changed or looked at: what is
 * missing there is created by `db.admin`. Throws INVALID_DECLARATION with all faults of all
 * entities, SCHEMA_CONFLICT, NOT_A_DATABASE, FORMAT_TOO_NEW, DATABASE_IN_USE.
 */
export async function open(url: string, options: OpenOptions): Promise<Database> {
  const models = buildModels(checkEntities(options));
  checkChoices(options);
  const observed = await observing(options.observe, isLive(url) ? 'gcp.bigtable' : 'rowsmith');
  const engine = await openEngine(url, options);
  try {
    if (!isLive(url)) await syncTables(engine, models, options.schema ?? 'add');
  } catch (error) {
    await engine.close();
    throw error;
  }
  return new Database({
    url,
    engine,
    observed,
    models,
    now: cellClock(options.clock ?? Date.now),
    validate: options.validate ?? true,
    onForeignKey: options.onForeignKey ?? 'skip',
    onDamagedCell: options.onDamagedCell ?? 'throw',
  });
}

function checkEntities(options: OpenOptions | undefined): readonly EntityClass[] {
  if (Array.isArray(options?.entities) && options.entities.length > 0)
    return options.entities as readonly EntityClass[];
  throw new RowsmithError('INVALID_ARGUMENT', {
    property: 'entities',
    problem: 'no entities were given',
    fix: 'open(url, { entities: [Reading, ...] })',
  });
}

/** Options that come from JavaScript: a misspelt one must not quietly mean something else. */
function checkChoices(options: OpenOptions): void {
  const choices = {
    schema: ['add', 'apply'],
    gc: ['onRead', 'lazy', 'manual'],
    durability: ['durable', 'relaxed'],
    verify: [true, false],
    validate: [true, false],
    onForeignKey: ['skip', 'throw'],
    onDamagedCell: ['skip', 'throw'],
  };
  for (const [name, allowed] of Object.entries<readonly unknown[]>(choices)) {
    const value: unknown = options[name as keyof OpenOptions];
    const asks =
      typeof value === 'function' && (name === 'onForeignKey' || name === 'onDamagedCell');
    if (value === undefined || asks || allowed.includes(value)) continue;
    throw new RowsmithError('INVALID_ARGUMENT', {
      property: name,
      problem: `${name} is ${valueText(value)}`,
      fix: `use one of ${allowed.map((each) => JSON.stringify(each)).join(', ')}`,
    });
  }
  if (options.clock === undefined || typeof options.clock === 'function') return;
  throw new RowsmithError('INVALID_ARGUMENT', {
    property: 'clock',
    problem: 'clock is not a function',
    fix: 'give a function like Date.now',
  });
}

function isLive(url: unknown): boolean {
  return typeof url === 'string' && url.startsWith('bigtable:');
}

/** The engine of a url, without looking at its tables: for tools that have no entities. */
export async function openEngine(
  url: unknown,
  { clock, gc, durability, verify, bigtable }: Omit<OpenOptions, 'entities'> = {},
): Promise<Engine> {
  if (url === 'memory:')
    return (await import('../../engines/local/index.js')).openMemoryEngine({ clock, gc });
  if (typeof url === 'string' && url.startsWith('file:') && url.length > 'file:'.length) {
    return (await import('../../engines/local/index.js')).openDiskEngine(directoryOf(url), {
      clock,
      gc,
      durability,
      verify,
    });
  }
  if (isLive(url))
    return (await import('../../engines/bigtable/index.js')).openLiveEngine(
      url as string,
      bigtable,
      noteRetry,
    );
  throw invalidUrl(url);
}

function invalidUrl(url: unknown, cause?: unknown): RowsmithError {
  const shown = typeof url === 'string' ? JSON.stringify(url) : typeof url;
  return new RowsmithError(
    'INVALID_ARGUMENT',
    {
      property: 'url',
      problem: `the url is ${shown}`,
      fix: `use 'memory:', 'file:./directory', 'file:///absolute/directory' or 'bigtable://project/instance'`,
    },
    { cause },
  );
}

/**
 * `file:./data`, `file:data`, `file:/var/data` and `file:///var/data` alike; percent escapes only
 * in the last form, as in any file URL.
 */
export function directoryOf(url: string): string {
  if (!url.startsWith('file://')) return url.slice('file:'.length);
  try {
    // Refuses `file://data`, where `data` would be a host and the directory the root of the disk.
    const directory = fileURLToPath(url);
    if (directory !== '/') return directory;
  } catch (cause) {
    throw invalidUrl(url, cause);
  }
  throw invalidUrl(url);
}
