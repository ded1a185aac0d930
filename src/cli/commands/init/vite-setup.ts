/**
 * Sets up rowsmith/vite in a project with Vite or Vitest, which do not compile standard decorators.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from '../../../tools/output/index.js';
import { addPlugin } from './add-plugin.js';
import { isListed } from './package-json.js';

/** In the order in which Vite and Vitest look for their configs. */
const extensions = ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'];

/** What a user adds to a config that cannot be edited. */
export const pluginLines = ["import rowsmith from 'rowsmith/vite';", 'plugins: [rowsmith()],'];

/** Which of the two a project uses, and what sets up the plugin. */
export interface ViteSetup {
  readonly usesVite: boolean;
  readonly usesVitest: boolean;
  readonly changes: readonly FileChange[];
  /** Configs that the user has to edit. */
  readonly manual: readonly string[];
}

/** Plans the plugin for the project in a folder. `json` is the content of its package.json. */
export function planViteSetup(home: string, json: Readonly<Record<string, unknown>>): ViteSetup {
  const viteConfig = findConfig(home, 'vite');
  const vitestConfig = findConfig(home, 'vitest');
  const usesVitest = isListed(json, 'vitest') || vitestConfig !== undefined;
  const usesVite = isListed(json, 'vite') || (viteConfig !== undefined && !usesVitest);
  const setup = { usesVite, usesVitest, changes: [] as FileChange[], manual: [] as string[] };
  if (viteConfig !== undefined) editConfig(home, viteConfig, setup);
  else if (usesVite) setup.changes.push(newFile('vite.config.ts', viteText));
  // Vitest reads vite.config too, unless there is a vitest.config.
  if (vitestConfig !== undefined) editConfig(home, vitestConfig, setup);
  else if (usesVitest && viteConfig === undefined && !usesVite)
    setup.changes.push(newFile('vitest.config.ts', vitestText));
  return setup;
}

const viteText = `import { defineConfig } from 'vite';
import rowsmith from 'rowsmith/vite';

export default defineConfig({
  // Compiles decorators: Vite leaves standard ones as they are, and Node cannot run them.
  plugins: [rowsmith()],
});
`;

const vitestText = `import { defineConfig } from 'vitest/config';
import rowsmith from 'rowsmith/vite';

export default defineConfig({
  // Compiles decorators: Vitest leaves standard ones as they are, and Node cannot run them.
  plugins: [rowsmith()],
  // Without dist/, where tsc writes compiled tests.
  test: { include: ['src/**/*.test.ts'] },
});
`;

function findConfig(home: string, name: 'vite' | 'vitest'): string | undefined {
  return extensions
    .map((extension) => `${name}.config.${extension}`)
    .find((file) => existsSync(join(home, file)));
}

/** The change that creates a file. */
export function newFile(path: string, text: string): FileChange {
  return { path, state: 'missing', before: undefined, after: Buffer.from(text) };
}

function editConfig(
  home: string,
  path: string,
  { changes, manual }: { readonly changes: FileChange[]; readonly manual: string[] },
): void {
  const before = readFileSync(join(home, path));
  const text = before.toString();
  // A Vitest config that imports Vite's config gets its plugins.
  if (text.includes('rowsmith/vite') || /['"][^'"]*\/vite\.config(\.\w+)?['"]/.test(text)) return;
  const edited = addPlugin(text);
  if (edited === undefined) manual.push(path);
  else changes.push({ path, state: 'different', before, after: Buffer.from(edited) });
}
