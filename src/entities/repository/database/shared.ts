/**
 * Databases that are opened once a process. Bundlers evaluate a module once for each bundle, so a
 * constant of a module is not one of the process.
 */
import { resolve } from 'node:path';
import {
  assertSameVersion,
  invalidArgument,
  type PackageCopy,
  thisCopy,
  type FaultTexts,
} from '../../../base/index.js';
import { parseEngineUrl } from '../../../engines/index.js';
import { declarationDifferences, type EntityClass, type EntityModel } from '../../model/index.js';
import { Database, type DatabaseParts, type OpenDatabase } from './database.js';
import { checkedModels, openDatabase, type OpenOptions } from './open.js';

/** A database of the process, as all copies of the package see it. */
interface SharedEntry {
  readonly copy: PackageCopy;
  readonly models: readonly EntityModel[];
  readonly options: OptionValues;
  /** Classes that are equal to the models, with the names of the models. */
  readonly compared: WeakMap<object, string>;
  readonly database: Promise<Database>;
  /** Resolves when the database is closed; undefined before `close` is called. */
  closing?: Promise<void>;
}

type OptionValues = Readonly<Record<string, unknown>>;

/** A registered symbol, on the global object: one map for all bundles and copies of the package. */
const registryKey = Symbol.for('rowsmith.shared');
const holder = globalThis as { [registryKey]?: Map<string, SharedEntry> };
const registry = (holder[registryKey] ??= new Map<string, SharedEntry>());

/**
 * Opens a database once in this process: calls with the same URL resolve to the same database,
 * whichever bundle or copy of the package they come from. Cheap after the first call, so that
 * request handlers may call it. Closing the database closes it for all of them; the next call opens
 * it again.
 *
 * The calls must agree in entities, options and the version of the package. Otherwise they reject
 * with INVALID_ARGUMENT, which names the differences, or with VERSION_MISMATCH. If NODE_ENV is
 * `development`, a call with edited entities closes the database and opens it again; what was in
 * `memory:` is lost then. Functions and objects among the options are not compared. Rejects like
 * `open`.
 * @example export const database = () => shared('file:./data', { entities: [Note] });
 */
export async function shared<Opened extends EntityClass>(
  url: string,
  options: OpenOptions<Opened>,
): Promise<OpenDatabase<Opened>> {
  const key = keyOf(url);
  const entry = registry.get(key);
  if (entry === undefined) return start(key, url, options, Promise.resolve());
  assertSameVersion(entry.copy, faults.otherCopy(url));
  if (entry.closing !== undefined) return start(key, url, options, entry.closing);
  const differences = differencesFrom(entry, options);
  if (differences.length === 0) return entry.database;
  if (process.env['NODE_ENV'] !== 'development') throw differentError(url, differences);
  process.emitWarning(`${url} is opened again: ${differences.join('; ')}`, {
    type: 'RowsmithWarning',
    code: 'ROWSMITH_SHARED',
  });
  const closed = entry.database.then(
    (database) => database.close(),
    () => undefined,
  );
  return start(key, url, options, closed);
}

/** Registers the database before anything is awaited, so that concurrent calls share it. */
function start(
  key: string,
  url: string,
  options: OpenOptions,
  ready: Promise<void>,
): Promise<Database> {
  const models = checkedModels(options);
  const forget = (): void => {
    if (registry.get(key) === entry) registry.delete(key);
  };
  // The directory is in use until the database is closed; who closes it gets the error.
  const onClose = (closed: Promise<void>): void => {
    entry.closing ??= closed.then(forget, forget);
  };
  const database = ready.then(() =>
    openDatabase(url, options, (parts) => new SharedDatabase(parts, onClose)),
  );
  const entry: SharedEntry = {
    copy: thisCopy,
    models,
    options: comparedOptions(options),
    compared: new WeakMap(models.map(({ entityClass, name }) => [entityClass, name])),
    database,
  };
  registry.set(key, entry);
  database.catch(forget);
  return database;
}

class SharedDatabase extends Database {
  readonly #onClose: (closed: Promise<void>) => void;

  constructor(parts: DatabaseParts, onClose: (closed: Promise<void>) => void) {
    super(parts);
    this.#onClose = onClose;
  }

  override close(): Promise<void> {
    const closed = super.close();
    this.#onClose(closed);
    return closed;
  }
}

/** A directory has one key, however its URL is written. */
function keyOf(url: string): string {
  const parsed = parseEngineUrl(url);
  return parsed.kind === 'disk' ? `file:${resolve(parsed.directory)}` : url;
}

/** What differs from the call that opened the database. Throws like `open` for its arguments. */
function differencesFrom(entry: SharedEntry, options: OpenOptions): readonly string[] {
  const entities = isCompared(entry, options) ? [] : entityDifferences(entry, options);
  return [...entities, ...optionDifferences(entry.options, comparedOptions(options))];
}

function isCompared({ models, compared }: SharedEntry, options: OpenOptions | undefined): boolean {
  const entities: unknown = options?.entities;
  if (!Array.isArray(entities) || entities.length !== models.length) return false;
  const names = entities.map((each: object) => compared.get(each));
  return models.every(({ name }) => names.includes(name));
}

function entityDifferences(entry: SharedEntry, options: OpenOptions): readonly string[] {
  const models = checkedModels(options);
  if (namesOf(entry.models) !== namesOf(models))
    return [`entities: ${namesOf(entry.models)} and ${namesOf(models)}`];
  const found = models.flatMap((model) => {
    const opened = entry.models.find(({ name }) => name === model.name)!;
    return declarationDifferences(opened, model).map((each) => `${model.name}.${each}`);
  });
  if (found.length === 0)
    for (const { entityClass, name } of models) entry.compared.set(entityClass, name);
  return found;
}

function namesOf(models: readonly EntityModel[]): string {
  return models
    .map(({ name }) => name)
    .sort()
    .join(', ');
}

/** The options that are compared. */
function comparedOptions(options: OpenOptions): OptionValues {
  const simple = ['string', 'number', 'boolean'];
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => simple.includes(typeof value)),
  );
}

function optionDifferences(a: OptionValues, b: OptionValues): readonly string[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names
    .filter((name) => a[name] !== b[name])
    .map((name) => `${name}: ${String(a[name])} and ${String(b[name])}`);
}

function differentError(url: string, differences: readonly string[]): Error {
  return invalidArgument('entities', faults.differentOptions(url, differences.join('; ')), {
    differences,
  });
}

const faults = {
  otherCopy: (url: string) => ({ problem: `${url} was opened by` }),
  differentOptions: (url: string, list: string) => ({
    problem: `${url} is open in this process with other declarations or options: ${list}`,
    fix: 'write the call of shared() once, in a module that other modules import; restart the program after an edit',
  }),
} satisfies FaultTexts;
