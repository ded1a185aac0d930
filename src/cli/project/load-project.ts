/** A project: its config, and the entities the config names, loaded and checked. */
import { absoluteUrl } from '../../engines/index.js';
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { RowsmithError, type Fault } from '../../errors.js';
import { seeProtosFrom } from '../../codegen/index.js';
import {
  buildModels,
  declarationOf,
  type Constructor,
  type EntityClass,
  type EntityModel,
} from '../../model/index.js';
import { isRowsmithError } from '../../protocol/index.js';
import type { RowsmithConfig } from '../define-config.js';
import { bundleModules } from './bundle-modules.js';
import { checkConfig } from './check-config.js';
import { configFault } from './config-fault.js';
import { findConfig } from './find-config.js';
import { filesOf } from './glob.js';
import { type Exports, loadModule } from './load-module.js';
import { sourcePlace, stackPlace } from './source-place.js';

/** What verbs work on. */
export interface Project {
  /** The config file. */
  readonly file: string;
  /** Its folder. */
  readonly folder: string;
  readonly entities: readonly EntityClass[];
  /** In the order of `entities`. */
  readonly models: readonly EntityModel[];
  /** Of the config; a `file:` url is absolute. */
  readonly url: string | undefined;
  /** Folder of generated files; absolute. */
  readonly output: string;
  /** The lock file; absolute, there or not. */
  readonly lock: string;
}

/**
 * Sees the classes before their models are built, with the lock file: `check` assigns numbers of
 * fields there.
 */
export type BeforeBuild = (entities: readonly EntityClass[], lock: string) => void;

/**
 * Loads the project of a folder. Throws INVALID_CONFIG, MISSING_PACKAGE, and INVALID_DECLARATION
 * whose faults name file and line.
 */
export async function loadProject(
  { folder, config }: { readonly folder: string; readonly config: string | undefined },
  beforeBuild?: BeforeBuild,
): Promise<Project> {
  const file = findConfig(folder, config);
  const home = dirname(file);
  seeProtosFrom(home);
  const first = await load([file], home);
  const settings = checkConfig(file, first.modules[0]);
  const patterns = settings.entities.filter((entity) => typeof entity === 'string');
  const files = [...new Set(patterns.flatMap((pattern) => filesOfPattern(file, pattern)))].filter(
    (found) => found !== file,
  );
  // Once more, with the modules: a class that the config and a module share must be one class.
  const all = files.length === 0 ? first : await load([file, ...files], home);
  const named = files.length === 0 ? settings : checkConfig(file, all.modules[0]);
  const entities = entitiesOf(file, named, files, all.modules.slice(1));
  const lock = resolve(home, settings.lock ?? 'rowsmith.lock.json');
  beforeBuild?.(entities, lock);
  return {
    file,
    folder: home,
    entities,
    models: build(entities, all.sources),
    url: settings.url === undefined ? undefined : absoluteUrl(settings.url, home),
    output: resolve(home, settings.output ?? 'generated'),
    lock,
  };
}

interface Loaded {
  readonly modules: readonly Exports[];
  /** The user's files that may hold declarations. */
  readonly sources: readonly string[];
}

/** Loads files as they are where all are JavaScript: then esbuild is not needed. */
async function load(files: readonly string[], folder: string): Promise<Loaded> {
  let sources = files;
  try {
    if (!files.some((file) => /\.[cm]?tsx?$/.test(file)))
      return { modules: await Promise.all(files.map(loadModule)), sources: files };
    return await bundleModules(files, folder, (found) => {
      sources = found;
    });
  } catch (error) {
    throw isRowsmithError(error) &&
      (error.code === 'INVALID_CONFIG' || error.code === 'MISSING_PACKAGE')
      ? error
      : loadFault(error, files, sources, folder);
  }
}

/** A module that throws while it loads. */
function loadFault(
  error: unknown,
  files: readonly string[],
  sources: readonly string[],
  folder: string,
): RowsmithError {
  const place = stackPlace(error, sources) ?? files[0];
  if (isRowsmithError(error))
    return new RowsmithError(error.code, { file: place, ...error.details }, { cause: error });
  const { message, code } = error as { message?: unknown; code?: unknown };
  const text =
    typeof message === 'string'
      ? message.replaceAll(/ imported from .*\.rowsmith-.*$/gm, '')
      : String(error);
  if (code === 'ERR_MODULE_NOT_FOUND') {
    const name = /'([^']+)'/.exec(text)?.[1] ?? 'the package';
    const importer = sources.find(
      (source) =>
        readFileSync(source, 'utf8').includes(`'${name}'`) ||
        readFileSync(source, 'utf8').includes(`"${name}"`),
    );
    return configFault(
      importer ?? place,
      text,
      `npm install ${name}, in ${relative(process.cwd(), folder) || 'this folder'}`,
      error,
    );
  }
  // The linker's word on a bundle has no place in the sources.
  const lacking = /does not provide an export named '([^']+)'/.exec(text)?.[1];
  if (lacking !== undefined) {
    const importer = sources.find((source) =>
      new RegExp(`import[^;]*\\b${lacking.replaceAll('$', '\\$')}\\b`).test(
        readFileSync(source, 'utf8'),
      ),
    );
    return configFault(
      importer ?? place,
      `it throws while it loads: ${text}`,
      'correct the name in the import',
      error,
    );
  }
  // A class that is used before its module has run: a ReferenceError, or undefined where the class
  // became a variable.
  const early = /before initialization|of undefined|undefined is not/.test(text);
  return configFault(
    place,
    `it throws while it loads: ${text}`,
    early
      ? 'in a circle of imports a class is undefined until its module has run: give it as a function, @Packed(family, () => Message), or break the circle'
      : 'a module of entities must load by itself, without a database or a setting that only the program has',
    error,
  );
}

function filesOfPattern(file: string, pattern: string): string[] {
  const found = filesOf(dirname(file), pattern);
  if (found.length > 0) return found;
  throw configFault(
    file,
    `entities: '${pattern}' names no file`,
    `correct the path, from ${dirname(file)}; **/ stands for folders of any depth`,
  );
}

function entitiesOf(
  file: string,
  { entities }: RowsmithConfig,
  files: readonly string[],
  modules: readonly Exports[],
): readonly EntityClass[] {
  const exported = modules.flatMap((module) => Object.values(module).filter(isEntity));
  const all = [
    ...new Set([...entities.filter((entity) => typeof entity !== 'string'), ...exported]),
  ];
  if (all.length > 0) return all;
  if (files.length === 0)
    throw configFault(
      file,
      'entities is empty',
      "name the classes, or the modules that export them: entities: ['./src/entities/*.ts']",
    );
  const problem =
    files.length === 1
      ? 'the module exports no entity'
      : `none of the ${files.length} modules that the config names exports an entity`;
  throw configFault(
    files[0],
    problem,
    'export the classes that carry @Entity, or that defineEntity gives',
  );
}

function isEntity(value: unknown): value is EntityClass {
  return typeof value === 'function' && declarationOf(value as Constructor).entity !== undefined;
}

/** Builds the models; faults get the place of their class or property. */
function build(
  entities: readonly EntityClass[],
  sources: readonly string[],
): readonly EntityModel[] {
  try {
    return buildModels(entities);
  } catch (error) {
    if (!isRowsmithError(error) || error.details.faults === undefined) throw error;
    const faults = error.details.faults.map((fault: Fault) => ({
      ...fault,
      file: sourcePlace(sources, fault.entity, fault.property),
    }));
    throw new RowsmithError(error.code, { ...error.details, faults }, { cause: error.cause });
  }
}
