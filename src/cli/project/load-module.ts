/**
 * Imports of computed names: the user's modules, and packages as the user's project resolves them.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/** The default export; in a CommonJS module compiled from ES syntax it is nested once more. */
export function defaultExport(module: Exports): unknown {
  const exported = module.default as
    { readonly __esModule?: unknown; readonly default?: unknown } | null | undefined;
  if (exported?.__esModule === true) return exported.default;
  return exported;
}

/** Whether the file needs esbuild to be loaded. */
export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

/** Imports a file of the user. */
export function loadModule(file: string): Promise<Exports> {
  return import(pathToFileURL(file).href) as Promise<Exports>;
}

/**
 * Imports a package as a file of the folder would; undefined if it is not installed. For a CommonJS
 * package this is `module.exports`.
 */
export async function loadFrom(folder: string, name: string): Promise<unknown> {
  let found: string;
  try {
    found = createRequire(`${folder}/`).resolve(name);
  } catch {
    return undefined;
  }
  const { default: whole, ...names } = await loadModule(found);
  return whole ?? names;
}
