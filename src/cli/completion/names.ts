/**
 * The names of a project's entities for completion. Loading a project takes longer than anybody
 * waits for a completion, so its names are kept in a file beside the packages.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from '../project/load-project.js';
import { version } from '../version.js';

/** What completion knows of an entity. */
export interface EntityNames {
  readonly name: string;
  readonly table: string;
  readonly segments: readonly string[];
  readonly columns: readonly string[];
  readonly families: readonly string[];
  readonly patterns: readonly string[];
  readonly indexes: readonly string[];
  /** The segments of each index; absent in files of names that an earlier build has kept. */
  readonly indexSegments?: Readonly<Record<string, readonly string[]>>;
}

interface NamesFile {
  readonly version: string;
  /** Time of change of each source and its folder, in milliseconds since 1970. */
  readonly changed: Readonly<Record<string, number>>;
  readonly entities: readonly EntityNames[];
}

/** The names of a loaded project. */
export function namesOf({ models }: Pick<Project, 'models'>): readonly EntityNames[] {
  return models.map((model) => ({
    name: model.name,
    table: model.table.name,
    segments: model.segments.map(({ property }) => property),
    columns: model.columns.map(({ property }) => property),
    families: [...model.table.families.keys()],
    patterns: model.patterns.map(({ name }) => name),
    indexes: model.indexes.map(({ name }) => name),
    indexSegments: Object.fromEntries(
      model.indexes.map(({ name, entry }) => [name, entry.key.names]),
    ),
  }));
}

/**
 * The file of a config: in its folder, or in the nearest one above with packages, as in a workspace
 * that installs the packages of all its projects at its root. Undefined without packages.
 */
function namesFile(config: string): string | undefined {
  const home = dirname(config);
  for (let at = home; ; at = dirname(at)) {
    const packages = join(at, 'node_modules');
    if (statSync(packages, { throwIfNoEntry: false })?.isDirectory() === true) {
      const name = at === home ? 'names' : `names-${textHash(config)}`;
      return join(packages, `.cache/rowsmith/${name}.json`);
    }
    if (dirname(at) === at) return undefined;
  }
}

function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Names that were kept. */
export interface KeptNames {
  readonly entities: readonly EntityNames[];
  /** No source has changed since. */
  readonly fresh: boolean;
}

/** The kept names of the project; undefined if there are none. */
export function readNames(config: string): KeptNames | undefined {
  try {
    const file = namesFile(config);
    if (file === undefined) return undefined;
    const kept = JSON.parse(readFileSync(file, 'utf8')) as NamesFile;
    if (kept.version !== version() || !(config in kept.changed)) return undefined;
    const times = Object.entries(kept.changed);
    return {
      entities: kept.entities,
      fresh: times.every(([path, time]) => changedAt(path) === time),
    };
  } catch {
    return undefined;
  }
}

/** Keeps the names; does nothing if no folder has packages. */
export function writeNames(project: Project, startedAt: number): void {
  // A folder changes with each new file in it; the config's folder does often.
  const paths = new Set(
    project.sources.flatMap((source) =>
      source === project.file ? [source] : [source, dirname(source)],
    ),
  );
  const changed = Object.fromEntries([...paths].map((path) => [path, changedAt(path)]));
  // Sources that changed while they were loaded may have other names.
  if (Object.values(changed).some((time) => time === undefined || time >= startedAt)) return;
  const file = namesFile(project.file);
  if (file === undefined) return;
  const content: NamesFile = {
    version: version(),
    changed: changed as Readonly<Record<string, number>>,
    entities: namesOf(project),
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(content));
  renameSync(`${file}.${process.pid}`, file);
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
