/**
 * The one place that imports by a computed name: the user's modules, and packages as the user's
 * project resolves them.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/** Imports a file of the user's. */
export function loadModule(file: string): Promise<Exports> {
  return import(pathToFileURL(file).href) as Promise<Exports>;
}

/**
 * Imports a package as a file of this folder would; undefined where it is not installed. Its
 * default export is CommonJS's whole.
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
