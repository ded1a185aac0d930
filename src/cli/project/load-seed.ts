/** Loads the seed of a project: a function that writes rows. */
import { dirname } from 'node:path';
import { valueText, type FaultTexts } from '../../base/index.js';
import type { Database } from '../../entities/repository/index.js';
import { UsageError } from '../command.js';
import { inputFile } from '../files.js';
import { configError } from './config-fault.js';
import { defaultExport } from './load-module.js';
import { loadModules, type Project } from './load-project.js';

/** Writes rows. Called with the seed of its random numbers, and with a signal that stops it. */
export type SeedFunction = (
  db: Database,
  options: { readonly seed: number; readonly signal: AbortSignal },
) => unknown;

/** A seed that was loaded. */
export interface Seed {
  /** Absolute. */
  readonly file: string;
  readonly run: SeedFunction;
}

/** The seed of a file, or of the config. Throws UsageError, FILE_FAILED and INVALID_CONFIG. */
export async function loadSeed(
  project: Pick<Project, 'file' | 'seed'>,
  folder: string,
  name: string | undefined,
): Promise<Seed> {
  const given = name ?? project.seed;
  if (given === undefined) throw new UsageError(faults.noSeed(project.file));
  const file = inputFile(folder, given);
  const { modules } = await loadModules([file], dirname(file));
  const run = defaultExport(modules[0]);
  const kind = typeof run === 'function' ? unusualKind(run) : valueText(run);
  if (kind === undefined) return { file, run: run as SeedFunction };
  throw configError(file, faults.notAFunction(kind));
}

/** What a call would not run; undefined for a usual function. */
function unusualKind(given: object): string | undefined {
  const text = Function.prototype.toString.call(given);
  if (/^class\b/.test(text)) return 'a class';
  return Object.prototype.toString.call(given).includes('Generator') ? 'a generator' : undefined;
}

const faults = {
  noSeed: (file: string) => ({
    problem: 'no seed was given',
    fix: `name a file that exports a function, or set seed: './seed.ts' in ${file}`,
  }),
  notAFunction: (given: string) => ({
    problem: `its default export is ${given}, not a function`,
    fix: 'export default async function seed(db, { seed }) { ... }, in CommonJS module.exports = ...',
  }),
} satisfies FaultTexts;
