/**
 * The names of a project's entities for completion. Loading a project takes longer than anybody
 * waits for a completion, so its names are kept in a file beside its packages.
 */
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

function namesFile(config: string): string {
  return join(dirname(config), 'node_modules/.cache/rowsmith/names.json');
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
    const kept = JSON.parse(readFileSync(namesFile(config), 'utf8')) as NamesFile;
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

/** Keeps the names; does nothing in a folder without packages. */
export function writeNames(project: Project, startedAt: number): void {
  // A folder changes with each new file in it; the one of the config does often.
  const paths = new Set(
    project.sources.flatMap((source) =>
      source === project.file ? [source] : [source, dirname(source)],
    ),
  );
  const changed = Object.fromEntries([...paths].map((path) => [path, changedAt(path)]));
  // Sources that changed while they were loaded may have other names.
  if (Object.values(changed).some((time) => time === undefined || time >= startedAt)) return;
  const file = namesFile(project.file);
  const content: NamesFile = {
    version: version(),
    changed: changed as Readonly<Record<string, number>>,
    entities: namesOf(project),
  };
  if (statSync(join(project.folder, 'node_modules'), { throwIfNoEntry: false }) === undefined)
    return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(content));
  renameSync(`${file}.${process.pid}`, file);
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
