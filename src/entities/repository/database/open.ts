/**
 * `open`: the one module that chooses a storage engine by URL. Each engine is loaded only when it
 * is opened.
 */
import { checkOptions, invalidArgument, valueText, type FaultTexts } from '../../../base/index.js';
import {
  type EngineOptions,
  engineOptions,
  openEngineOf,
  parseEngineUrl,
} from '../../../engines/index.js';
import type { CopyMode } from '../../derived/index.js';
import {
  buildModels,
  type EntityClass,
  type EntityModel,
  storedModels,
} from '../../model/index.js';
import { IndexStates, probeConditionalWrites } from '../../derived/index.js';
import { observationOf, type ObserveOptions, reportRetry } from '../../../engines/observe/index.js';
import { CellClock, type Engine } from '../../../data/store/index.js';
import type { UnreadableRowPolicy } from '../read/rows/entity-pages.js';
import { hasEnds } from '../read/rows/hide-expired.js';
import { Database, type DatabaseParts, type OpenDatabase } from './database.js';
import { warnOfFindings } from './lint-entities.js';
import { checkTables, type SchemaMode, syncTables } from './schema-sync.js';

/** Options of `open`. */
export interface OpenOptions<Opened extends EntityClass = EntityClass> extends EngineOptions {
  /**
   * The entity classes to read and write; at least one. Their declarations are checked together.
   */
  readonly entities: readonly Opened[];
  /**
   * The authorized view through which all requests go: `entities` must be views of this name
   * (`authorizedView`), and neither `db.engine` nor `db.admin` reaches their tables. Default: views
   * and entities may be mixed, and each repository uses its own.
   */
  readonly view?: string;
  /** Embedded databases only: which changes of stored tables `open` may make; default `add`. */
  readonly schema?: SchemaMode;
  /** Whether schemas and class-validator rules are checked before writes; default true. */
  readonly validate?: boolean;
  /**
   * What to do with rows in a shared table with a key that matches none of `entities`: `skip`
   * (default), `throw` FOREIGN_KEY, or a function that is called with that error, after which the
   * row is skipped.
   */
  readonly onForeignRow?: UnreadableRowPolicy;
  /**
   * What to do with rows that have a cell its column cannot decode, or a value that is not in
   * `oneOf`: `throw` DAMAGED_CELL (default), `skip` the row, or a function that is called with that
   * error, after which the row is skipped.
   */
  readonly onDamagedCell?: UnreadableRowPolicy;
  /**
   * The same for rows without a value of a `required` column, which other programs make, and
   * patches and increments of rows that do not exist: `throw` INCOMPLETE_ROW (default), `skip`, or
   * a function. Reads of some columns notice these alone; reads as of an earlier time notice none.
   */
  readonly onIncompleteRow?: UnreadableRowPolicy;
  /**
   * When copies of a value follow a write of it: before the write resolves (`awaited`, the
   * default), after it (`background`), or when `db.derived.propagate` is called (`manual`). However
   * it ends, the write leaves a mark until its copies are written.
   */
  readonly copies?: CopyMode;
  /**
   * Spans, metrics, a call log, slow scan warnings and a record of the rows that are used; default:
   * none, at no cost.
   */
  readonly observe?: ObserveOptions;
  /**
   * Whether `open` warns, once per process, of declarations that will lose data or make calls fail;
   * default true, but never if NODE_ENV is `production` or `test`. `rowsmith lint` finds more.
   */
  readonly lint?: boolean;
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
  return openDatabase(url, options, (parts) => new Database(parts));
}

/** Opens a database that `create` makes of its parts. */
export async function openDatabase<D extends Database>(
  url: string,
  options: OpenOptions,
  create: (parts: DatabaseParts) => D,
): Promise<D> {
  const parts = await openParts(url, options);
  if (options.lint !== false)
    await warnOfFindings(parts.models.filter(({ view }) => view === undefined));
  return create(parts);
}

/** The models of the entities. Throws INVALID_DECLARATION and INVALID_ARGUMENT. */
export function checkedModels(options: OpenOptions): readonly EntityModel[] {
  const models = buildModels(checkEntities(options));
  checkView(models, options.view);
  checkSources(models);
  return models;
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
  const models = checkedModels(options);
  checkOptions('open()', options, openOptions);
  checkChoices(options);
  const isLive = parseEngineUrl(url).kind === 'live';
  const observation = await observationOf(options.observe, isLive ? 'gcp.bigtable' : 'rowsmith');
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
    engine,
    observation,
    recorded: options.observe?.record?.stage(),
    models,
    cellClock,
    validate: options.validate ?? true,
    onForeignRow: options.onForeignRow ?? 'skip',
    onDamagedCell: options.onDamagedCell ?? 'throw',
    onIncompleteRow: options.onIncompleteRow,
    isLive,
    view: options.view,
    copies: options.copies,
    ...hiding(models, isLive, options),
  };
}

/** What reads hide that the engine does not: all expired cells, or rows that name their end. */
function hiding(
  models: readonly EntityModel[],
  isLive: boolean,
  { gc = isLive ? 'manual' : 'onRead', clock = Date.now }: OpenOptions,
): Pick<DatabaseParts, 'hideExpired' | 'hidden'> {
  if (gc === 'onRead') return isLive ? { hideExpired: clock, hidden: 'all' } : {};
  return hasEnds(models) ? { hideExpired: clock, hidden: 'named' } : {};
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
  throw invalidArgument('entities', faults.missingEntities);
}

/** With `view`, all entities must be views of its name. */
function checkView(models: readonly EntityModel[], view: unknown): void {
  if (view === undefined) return;
  const other = models.find((model) => model.view?.name !== view);
  if (other === undefined) return;
  throw invalidArgument('view', faults.notInView(valueText(view), other.name, other.view?.name), {
    entity: other.name,
  });
}

/** A write of a source that is not known here would leave its copies as they are. */
function checkSources(models: readonly EntityModel[]): void {
  for (const { name, copies = [] } of models)
    for (const { source } of copies) {
      if (models.some(({ entityClass }) => entityClass === source.entityClass)) continue;
      throw invalidArgument('entities', faults.missingSource(name, source.name), { entity: name });
    }
}

const openOptions = [
  'entities',
  'view',
  'schema',
  'validate',
  'onForeignRow',
  'onDamagedCell',
  'onIncompleteRow',
  'copies',
  'observe',
  'lint',
  ...engineOptions,
];

const choices: Readonly<Partial<Record<keyof OpenOptions, readonly unknown[]>>> = {
  schema: ['add', 'apply'],
  gc: ['onRead', 'lazy', 'manual'],
  durability: ['durable', 'relaxed'],
  verify: [true, false],
  readOnly: [true, false],
  validate: [true, false],
  lint: [true, false],
  onForeignRow: ['skip', 'throw'],
  onDamagedCell: ['skip', 'throw'],
  onIncompleteRow: ['skip', 'throw'],
  copies: ['awaited', 'background', 'manual'],
};
const takesFunction: ReadonlySet<string> = new Set([
  'onForeignRow',
  'onDamagedCell',
  'onIncompleteRow',
]);

/** Rejects values that only JavaScript can pass: a misspelt one must not act as the default. */
function checkChoices(options: OpenOptions): void {
  for (const [name, allowed] of Object.entries(choices)) {
    const value: unknown = options[name as keyof OpenOptions];
    if (value === undefined || allowed.includes(value)) continue;
    if (typeof value === 'function' && takesFunction.has(name)) continue;
    throw invalidArgument(
      name,
      faults.unknownValue(
        name,
        valueText(value),
        allowed.map((each) => JSON.stringify(each)).join(', '),
      ),
    );
  }
  if (options.readOnly === true && options.schema === 'apply')
    throw invalidArgument('schema', faults.applyWithReadOnly);
  if (options.clock === undefined || typeof options.clock === 'function') return;
  throw invalidArgument('clock', faults.notAFunction);
}

const faults = {
  missingEntities: {
    problem: 'no entities were given',
    fix: 'write open(url, { entities: [Reading, ...] })',
  },
  notInView: (view: string, name: string, own: string | undefined) => ({
    problem:
      own === undefined
        ? `${name} is an entity, and not a view ${view} of one`
        : `${name} is view '${own}', and not ${view}`,
    fix: `declare authorizedView(Entity, ${view}, { columns: [...] }) and open it, or leave view out`,
  }),
  missingSource: (name: string, sourceName: string) => ({
    problem: `${name} copies values of ${sourceName}, which is not among the entities`,
    fix: `write open(url, { entities: [..., ${sourceName}] })`,
    shell: { fix: `add ${sourceName} to entities of the config` },
  }),
  unknownValue: (name: string, given: string, list: string) => ({
    problem: `${name} is ${given}`,
    fix: `use one of ${list}`,
  }),
  applyWithReadOnly: {
    problem: "schema is 'apply', and readOnly is true",
    fix: 'leave out one of them: a database that is only read is not changed',
  },
  notAFunction: { problem: 'clock is not a function', fix: 'give a function like Date.now' },
} satisfies FaultTexts;
