/**
 * `open`: the one module that chooses a storage engine by URL. Each engine is loaded only when it
 * is opened.
 */
import { checkOptions, valueText } from '../../base/index.js';
import {
  type EngineOptions,
  engineOptions,
  openEngineOf,
  parseEngineUrl,
} from '../../engines/index.js';
import { invalidArgument } from '../../errors.js';
import {
  buildModels,
  type EntityClass,
  type EntityModel,
  storedModels,
} from '../../model/index.js';
import { IndexStates, probeConditionalWrites } from '../../derived/index.js';
import type { AccessRecorder } from '../../heat/index.js';
import { reportRetry, type ObserveOptions, createEngineWrapper } from '../../observe/index.js';
import { CellClock, type Engine } from '../../store/index.js';
import type { UnreadableRowPolicy } from '../read/entity-pages.js';
import { Database, type DatabaseParts, type OpenDatabase } from './database.js';
import { checkTables, type SchemaMode, syncTables } from './schema-sync.js';

/** Options of `open`. */
export interface OpenOptions<Opened extends EntityClass = EntityClass> extends EngineOptions {
  /**
   * The entity classes to read and write; at least one. Their declarations are checked together.
   */
  readonly entities: readonly Opened[];
  /** Embedded databases only: which changes of stored tables `open` may make; default `add`. */
  readonly schema?: SchemaMode;
  /** Whether class-validator rules of the entities are checked before writes; default true. */
  readonly validate?: boolean;
  /**
   * What to do with rows in a shared table whose key matches none of `entities`: `skip` (default),
   * `throw` FOREIGN_KEY, or a function that is called with that error, after which the row is
   * skipped.
   */
  readonly onForeignRow?: UnreadableRowPolicy;
  /**
   * What to do with rows that have a cell its column cannot decode: `throw` DAMAGED_CELL (default),
   * `skip` the row, or a function that is called with that error, after which the row is skipped.
   */
  readonly onDamagedCell?: UnreadableRowPolicy;
  /** Spans, metrics, a call log and slow scan warnings; default: none, at no cost. */
  readonly observe?: ObserveOptions;
  /** Records which rows are read and written, for heat maps; default: nothing is recorded. */
  readonly record?: AccessRecorder;
}

/**
 * Opens a database by URL:
 *
 * - `memory:` is lost when it is closed.
 * - `file:./directory` is stored on disk. The directory is created if missing.
 * - `bigtable://project/instance?appProfile=name` connects to Cloud Bigtable.
 *
 * In memory and on disk, declared tables and families that do not exist are created, unless
 * `readOnly` is set. A live database is neither changed nor inspected; use `db.admin` to create
 * what is missing. If an entity has indexes, its app profile must allow conditional writes.
 *
 * Rejects with INVALID_DECLARATION (listing every fault of every entity), INVALID_ARGUMENT,
 * SCHEMA_CONFLICT, NOT_A_DATABASE, FORMAT_TOO_NEW, DATABASE_IN_USE, or FAILED_PRECONDITION.
 */
export async function open<Opened extends EntityClass>(
  url: string,
  options: OpenOptions<Opened>,
): Promise<OpenDatabase<Opened>> {
  return new Database(await openParts(url, options));
}

/**
 * The parts of an open database, for databases that change some of them. Timestamps follow the
 * clock of the options unless `givenClock` issues them.
 */
export async function openParts(
  url: string,
  options: OpenOptions,
  givenClock?: CellClock,
): Promise<DatabaseParts> {
  const models = buildModels(checkEntities(options));
  checkOptions('open()', options, openOptions);
  checkChoices(options);
  const isLive = parseEngineUrl(url).kind === 'live';
  const observed = await createEngineWrapper(options.observe, isLive ? 'gcp.bigtable' : 'rowsmith');
  const cellClock = givenClock ?? new CellClock(options.clock ?? Date.now);
  const engine = await openEngineOf(url, options, { onRetry: reportRetry, cellClock });
  try {
    if (!isLive) await prepareTables(engine, models, options);
    else if (options.readOnly !== true)
      await probeConditionalWrites(engine, models, appProfileOf(url));
  } catch (error) {
    await engine.close();
    throw error;
  }
  return {
    url,
    engine: options.record?.wrap(engine) ?? engine,
    observed,
    models,
    cellClock,
    validate: options.validate ?? true,
    onForeignRow: options.onForeignRow ?? 'skip',
    onDamagedCell: options.onDamagedCell ?? 'throw',
    isLive,
    hideExpired: isLive && options.gc === 'onRead' ? (options.clock ?? Date.now) : undefined,
  };
}

/** The app profile that the url names. */
function appProfileOf(url: string): string | undefined {
  return /[?&]appProfile=([^&]+)/.exec(url)?.[1];
}

async function prepareTables(
  engine: Engine,
  models: readonly EntityModel[],
  { readOnly, schema = 'add' }: OpenOptions,
): Promise<void> {
  const stored = storedModels(models);
  if (readOnly === true) {
    await checkTables(engine, stored);
    return;
  }
  await syncTables(engine, stored, schema);
  await new IndexStates(engine).prepare(models);
}

function checkEntities(options: OpenOptions | undefined): readonly EntityClass[] {
  if (Array.isArray(options?.entities) && options.entities.length > 0)
    return options.entities as readonly EntityClass[];
  throw invalidArgument(
    'entities',
    'no entities were given',
    'open(url, { entities: [Reading, ...] })',
  );
}

const openOptions = [
  'entities',
  'schema',
  'validate',
  'onForeignRow',
  'onDamagedCell',
  'observe',
  'record',
  ...engineOptions,
];

const choices: Readonly<Partial<Record<keyof OpenOptions, readonly unknown[]>>> = {
  schema: ['add', 'apply'],
  gc: ['onRead', 'lazy', 'manual'],
  durability: ['durable', 'relaxed'],
  verify: [true, false],
  readOnly: [true, false],
  validate: [true, false],
  onForeignRow: ['skip', 'throw'],
  onDamagedCell: ['skip', 'throw'],
};
const takesFunction: ReadonlySet<string> = new Set(['onForeignRow', 'onDamagedCell']);

/** Rejects values that only JavaScript can pass: a misspelt one must not act as the default. */
function checkChoices(options: OpenOptions): void {
  for (const [name, allowed] of Object.entries(choices)) {
    const value: unknown = options[name as keyof OpenOptions];
    if (value === undefined || allowed.includes(value)) continue;
    if (typeof value === 'function' && takesFunction.has(name)) continue;
    throw invalidArgument(
      name,
      `${name} is ${valueText(value)}`,
      `use one of ${allowed.map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }
  if (options.readOnly === true && options.schema === 'apply')
    throw invalidArgument(
      'schema',
      "schema is 'apply', and readOnly is true",
      'leave out one of them: a database that is only read is not changed',
    );
  if (options.record !== undefined && typeof options.record?.wrap !== 'function')
    throw invalidArgument(
      'record',
      `record is ${valueText(options.record)}`,
      'give a recorder: recordAccess(), or recordAccess({ file })',
    );
  if (options.clock === undefined || typeof options.clock === 'function') return;
  throw invalidArgument('clock', 'clock is not a function', 'give a function like Date.now');
}
