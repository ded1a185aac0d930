/**
 * Opens a database by url: the one place that names concrete engines, each loaded only when it is
 * opened.
 */
import { valueText } from '../../base/index.js';
/**
 * Opens a database by url: the one place that names concrete engines, each loaded only when it is
 * opened.
 */
import { type EngineOptions, openRetryingEngine, parseEngineUrl } from '../../engines/index.js';
import { RowsmithError } from '../../errors.js';
import { buildModels, type EntityClass } from '../../model/index.js';
import { noteRetry, type ObserveOptions, observing } from '../../observe/index.js';
import { cellClock } from './clock.js';
import { Database } from './database.js';
import type { UnreadableRowPolicy } from '../read/entity-pages.js';
import { type SchemaMode, syncTables } from './schema-sync.js';

/** How to open a database. */
export interface OpenOptions extends EngineOptions {
  /**
   * The entity classes this program reads and writes. Their declarations are checked, all together.
   */
  readonly entities: readonly EntityClass[];
  /** Embedded only: what may be changed in stored tables; default `add`. */
  readonly schema?: SchemaMode;
  /** Check class-validator's rules before writes, where entities carry any; default true. */
  readonly validate?: boolean;
  /** Rows of a shared table whose key belongs to no entity given here: default `skip`. */
  readonly onForeignRow?: UnreadableRowPolicy;
  /**
   * Rows with a cell that its column cannot read: default `throw`. A function is told, and the row
   * is left out.
   */
  readonly onDamagedCell?: UnreadableRowPolicy;
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
  const isLive = parseEngineUrl(url).kind === 'live';
  const observed = await observing(options.observe, isLive ? 'gcp.bigtable' : 'rowsmith');
  const engine = await openRetryingEngine(url, options, noteRetry);
  try {
    if (!isLive) await syncTables(engine, models, options.schema ?? 'add');
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
    onForeignRow: options.onForeignRow ?? 'skip',
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
    onForeignRow: ['skip', 'throw'],
    onDamagedCell: ['skip', 'throw'],
  };
  for (const [name, allowed] of Object.entries<readonly unknown[]>(choices)) {
    const value: unknown = options[name as keyof OpenOptions];
    const asks =
      typeof value === 'function' && (name === 'onForeignRow' || name === 'onDamagedCell');
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
