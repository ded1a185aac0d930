/** Runs generators on a project, and says which programs in other languages are outdated. */
import { type Generator, generators } from '../../tools/codegen/index.js';
import { changesOf, generatedBefore, manifestName, type Output } from '../../tools/output/index.js';
import { declarationVersions, type Lock, reservedOf } from '../../tools/schema/index.js';
import type { Project } from './load-project.js';

/** What generators depend on besides the project. */
export interface GeneratorSettings {
  /** The lock file of the project. */
  readonly lock: Lock;
  readonly unsafeWriters: boolean;
}

/** The files of the generators, by name. */
export async function runGenerators(
  chosen: readonly Generator[],
  project: Project,
  { lock, unsafeWriters }: GeneratorSettings,
): Promise<Output> {
  const output = new Map<string, Awaited<ReturnType<Generator['generate']>>>();
  for (const generator of chosen)
    output.set(
      generator.name,
      await generator.generate({
        models: project.models,
        views: project.views,
        url: project.url,
        reserved: (name) => reservedOf(lock, name),
        lockVersion: declarationVersions(lock, project.models),
        unsafeWriters,
      }),
    );
  return output;
}

/** All generators; generators for languages only if the folder has their files. */
export function usualGenerators(folder: string): readonly Generator[] {
  const before = generatedBefore(folder);
  return generators.filter(({ name, language }) => language === undefined || before.has(name));
}

/**
 * Paths in the output folder of programs in other languages that differ from what the entities
 * would give, with or without unsafe writers.
 */
export async function outdatedPrograms(project: Project, lock: Lock): Promise<readonly string[]> {
  const folder = project.output;
  const chosen = usualGenerators(folder).filter(({ language }) => language !== undefined);
  if (chosen.length === 0) return [];
  const outdated = async (unsafeWriters: boolean): Promise<readonly string[]> => {
    const output = await runGenerators(chosen, project, { lock, unsafeWriters });
    return changesOf(folder, output)
      .map(({ path }) => path)
      .filter((path) => path !== manifestName);
  };
  const plain = await outdated(false);
  if (plain.length === 0) return plain;
  const unsafe = await outdated(true);
  return unsafe.length < plain.length ? unsafe : plain;
}
