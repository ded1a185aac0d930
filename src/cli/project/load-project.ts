/** Loads a project: its config, the entities the config names, and their models. */
import { dirname, resolve } from 'node:path';
import { absoluteUrl } from '../../engines/index.js';
import { type Fault, isRowsmithError, RowsmithError, type FaultTexts } from '../../base/index.js';
import type { LintOptions } from '../../tools/lint/index.js';
import { setProtoFolder } from '../../entities/proto/index.js';
import {
  buildModels,
  declarationOf,
  type Constructor,
  type EntityClass,
  type EntityModel,
} from '../../entities/model/index.js';

import type { Workload } from '../../tools/simulate/index.js';
import type { RowsmithConfig, TableSettings } from '../define-config.js';
import { bundleModules } from './bundle-modules.js';
import { checkConfig } from './check-config.js';
import { configError } from './config-fault.js';
import { findConfig } from './find-config.js';
import { findFiles } from './glob.js';
import { loadError } from './load-error.js';
import { type Exports, isTypeScript, loadModule } from './load-module.js';
import { declarationPosition } from './source-position.js';

/** A loaded project. */
export interface Project {
  /** The config file; absolute. */
  readonly file: string;
  /** The folder of the config file. */
  readonly folder: string;
  readonly entities: readonly EntityClass[];
  /** In the order of `entities`. */
  readonly models: readonly EntityModel[];
  /** The authorized views of the entities. */
  readonly views: readonly EntityModel[];
  /** `url` of the config; a `file:` url is absolute. */
  readonly url: string | undefined;
  /** Folder of generated files; absolute. */
  readonly output: string;
  /** The lock file, which may not exist; absolute. */
  readonly lock: string;
  /** The setting `lint`. */
  readonly lint: LintOptions | undefined;
  /** The setting `tables`; empty if there is none. */
  readonly tables: Readonly<Record<string, TableSettings>>;
  /** The user's files that were loaded; absolute. */
  readonly sources: readonly string[];
  readonly workloads: readonly Workload[];
  /** The setting `seed`; absolute. */
  readonly seed: string | undefined;
}

/**
 * Called with the classes and the lock file before the models are built: `check` assigns field
 * numbers then.
 */
export type BeforeBuild = (entities: readonly EntityClass[], lock: string) => void;

/**
 * Loads the project of a folder. Throws INVALID_CONFIG, MISSING_PACKAGE, and INVALID_DECLARATION
 * with the file and line of each fault.
 */
export async function loadProject(
  { folder, config }: { readonly folder: string; readonly config: string | undefined },
  beforeBuild?: BeforeBuild,
): Promise<Project> {
  const file = findConfig(folder, config);
  const home = dirname(file);
  setProtoFolder(home);
  const { settings, entities: declared, sources } = await loadEntities(file, home);
  const entities = declared.filter((each) => !isView(each));
  const lock = resolve(home, settings.lock ?? 'rowsmith.lock.json');
  beforeBuild?.(entities, lock);
  // Together: an entity is no entity of the project if only its views are exported.
  const built = buildWithPositions(declared, sources);
  return {
    file,
    folder: home,
    entities,
    models: built.filter(({ view }) => view === undefined),
    views: built.filter(({ view }) => view !== undefined),
    url: settings.url === undefined ? undefined : absoluteUrl(settings.url, home),
    output: resolve(home, settings.output ?? 'generated'),
    lock,
    lint: settings.lint,
    tables: settings.tables ?? {},
    sources,
    workloads: settings.workloads ?? [],
    seed: settings.seed === undefined ? undefined : resolve(home, settings.seed),
  };
}

interface LoadedEntities {
  readonly settings: RowsmithConfig;
  readonly entities: readonly EntityClass[];
  /** The user's files that may hold declarations. */
  readonly sources: readonly string[];
}

async function loadEntities(file: string, home: string): Promise<LoadedEntities> {
  const { modules, sources } = await loadModules([file], home);
  const settings = checkConfig(file, modules[0]);
  const files = entityFiles(file, settings);
  if (files.length === 0)
    return { settings, entities: collectEntities(file, settings, [], []), sources };
  // Loads the config again with the modules: a class that both use must be one class.
  const all = await loadModules([file, ...files], home);
  const reloaded = checkConfig(file, all.modules[0]);
  const entities = collectEntities(file, reloaded, files, all.modules.slice(1));
  return { settings: reloaded, entities, sources: all.sources };
}

/** Modules, and the user's files that they consist of. */
export interface Loaded {
  readonly modules: readonly Exports[];
  readonly sources: readonly string[];
}

/** Loads files together; esbuild is needed only if one of them is TypeScript. */
export async function loadModules(files: readonly string[], folder: string): Promise<Loaded> {
  let sources = files;
  try {
    if (!files.some(isTypeScript))
      return { modules: await Promise.all(files.map(loadModule)), sources: files };
    return await bundleModules(files, folder, (found) => {
      sources = found;
    });
  } catch (error) {
    throw loadError(error, files, sources, folder);
  }
}

/** The files that globs of the config match, without the config itself. */
function entityFiles(file: string, { entities }: RowsmithConfig): readonly string[] {
  const globs = entities.filter((entity) => typeof entity === 'string');
  const files = new Set(globs.flatMap((glob) => matchingFiles(file, glob)));
  files.delete(file);
  return [...files];
}

function matchingFiles(file: string, glob: string): string[] {
  const found = findFiles(dirname(file), glob);
  if (found.length > 0) return found;
  throw configError(file, faults.missingFiles(glob, file));
}

/** Entities of the config and of the modules, each once. */
function collectEntities(
  file: string,
  { entities }: RowsmithConfig,
  files: readonly string[],
  modules: readonly Exports[],
): readonly EntityClass[] {
  const named = entities.filter((entity) => typeof entity !== 'string');
  const exported = modules.flatMap((module) => Object.values(module).filter(isEntity));
  const all = [...new Set([...named, ...exported])];
  if (all.length > 0) return all;
  if (files.length === 0) throw configError(file, faults.emptyEntities);
  const problem =
    files.length === 1
      ? 'the module exports no entity'
      : `none of the ${files.length} modules that the config names exports an entity`;
  throw configError(files[0], faults.missingEntities(problem));
}

function isEntity(value: unknown): value is EntityClass {
  if (typeof value !== 'function') return false;
  return isView(value) || declarationOf(value as Constructor).entity !== undefined;
}

function isView(value: unknown): boolean {
  return declarationOf(value as Constructor).view !== undefined;
}

/** Builds the models; faults get the position of their class or property. */
export function buildWithPositions(
  entities: readonly EntityClass[],
  sources: readonly string[],
): readonly EntityModel[] {
  try {
    return buildModels(entities);
  } catch (error) {
    if (!isRowsmithError(error) || error.details.faults === undefined) throw error;
    const found = error.details.faults.map((fault: Fault) => ({
      ...fault,
      file: declarationPosition(sources, fault.entity, fault.property),
    }));
    throw new RowsmithError(
      error.code,
      { ...error.details, faults: found },
      { cause: error.cause },
    );
  }
}

const faults = {
  missingFiles: (glob: string, file: string) => ({
    problem: `entities: no file matches '${glob}'`,
    fix: `correct the path, relative to ${dirname(file)}; **/ matches folders of any depth`,
  }),
  emptyEntities: {
    problem: 'entities is empty',
    fix: "name the classes, or the modules that export them: entities: ['./src/entities/*.ts']",
  },
  missingEntities: (problem: string) => ({
    problem,
    fix: 'export the classes that have @Entity or are created by defineEntity',
  }),
} satisfies FaultTexts;
