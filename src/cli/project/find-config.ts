/** Where a project's config is. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RowsmithError } from '../../errors.js';
import { configFault } from './config-fault.js';

/** Names of a config, in the order in which they are looked for. */
export const configNames = ['ts', 'mts', 'js', 'mjs', 'cjs'].map(
  (extension) => `rowsmith.config.${extension}`,
);

/** The config that `--config` names, or the first one in the folder or the nearest one above it. */
export function findConfig(folder: string, named: string | undefined): string {
  if (named !== undefined) {
    if (isFile(named)) return named;
    throw configFault(
      named,
      'there is no such file',
      'name the config after --config, or leave the option out to look for one upward from this folder',
    );
  }
  for (let at = folder; ; at = dirname(at)) {
    const found = configNames.map((name) => join(at, name)).find(isFile);
    if (found !== undefined) return found;
    if (dirname(at) === at) break;
  }
  throw new RowsmithError('INVALID_CONFIG', {
    directory: folder,
    problem: `there is no ${configNames[0]} (or mts, js, mjs, cjs) here or in a folder above`,
    fix: 'rowsmith init writes one; --config FILE names one that lies elsewhere',
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
