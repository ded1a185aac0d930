/**
 * Project references of tsconfig.json. esbuild ignores them, while Vite reads them, and new Vite
 * projects have all their options in referenced files (tsconfig.app.json).
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

/**
 * The first config that the nearest tsconfig.json references and that includes the file; undefined
 * if there is none, so that the nearest tsconfig.json applies. `exclude` is not read.
 */
export function referencedConfig(path: string): string | undefined {
  const nearest = nearestConfig(dirname(path));
  if (nearest === undefined) return undefined;
  const folder = dirname(nearest);
  return [...listOf(nearest, 'references').matchAll(/"path"\s*:\s*"([^"]+)"/g)]
    .map(([, reference]) => resolve(folder, reference))
    .map((config) => (config.endsWith('.json') ? config : join(config, 'tsconfig.json')))
    .find((config) => existsSync(config) && includes(config, path));
}

function nearestConfig(folder: string): string | undefined {
  const file = join(folder, 'tsconfig.json');
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestConfig(parent);
}

/** The text of a list in a tsconfig, which may have comments; empty if it has no such list. */
function listOf(config: string, name: 'references' | 'include' | 'files'): string {
  const list = new RegExp(`"${name}"\\s*:\\s*\\[([^\\]]*)`).exec(readFileSync(config, 'utf8'));
  return list?.[1] ?? '';
}

/** Whether `include` and `files` cover the file; patterns count up to their first
 * wildcard. */
function includes(config: string, path: string): boolean {
  const lists = listOf(config, 'include') + listOf(config, 'files');
  const patterns = [...lists.matchAll(/"([^"]+)"/g)].map(([, pattern]) => pattern);
  if (patterns.length === 0) patterns.push('.');
  // Vite's paths have slashes on Windows too.
  const file = resolve(path);
  return patterns.some((pattern) => {
    const start = resolve(dirname(config), pattern.replace(/[^/]*[*?].*$/, ''));
    return file === start || file.startsWith(start.endsWith(sep) ? start : start + sep);
  });
}
