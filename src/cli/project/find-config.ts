/** Finds the config of a project. */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { inputProblem } from '../files.js';
import { configError } from './config-fault.js';

/** Names of a config; in one folder the first that exists is used. */
export const configNames = ['ts', 'mts', 'js', 'mjs', 'cjs'].map(
  (extension) => `rowsmith.config.${extension}`,
);

/** The config that `--config` names, or else the nearest one in the folder or above it. */
export function findConfig(folder: string, named: string | undefined): string {
  if (named !== undefined) return namedConfig(folder, named);
  for (let at = folder; ; at = dirname(at)) {
    const found = configNames.map((name) => join(at, name)).find(isFile);
    if (found !== undefined) return found;
    if (dirname(at) === at) break;
  }
  throw new RowsmithError('INVALID_CONFIG', {
    directory: folder,
    ...faults.missingConfig,
  });
}

function namedConfig(folder: string, named: string): string {
  const path = resolve(folder, named);
  const problem = inputProblem(folder, named);
  if (problem === undefined) return path;
  throw configError(path, faults.unusableConfig(problem));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const faults = {
  missingConfig: {
    problem: `there is no ${configNames[0]} (or .mts, .js, .mjs, .cjs) here or in a folder above`,
    fix: 'run rowsmith init to create one, or give --config FILE for a config in another folder',
  },
  unusableConfig: (problem: string) => ({
    problem,
    fix: 'correct the path after --config, or leave out the option to search this folder and upward',
  }),
} satisfies FaultTexts;
