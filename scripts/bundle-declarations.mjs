/**
 * Bundles declarations: one file for each entry point, and files of what several of them share, so
 * that a class has one identity in all of them. The compiler of a user's program reads 20 files
 * instead of 330, and none of what no entry point names.
 */
import { rmSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/**
 * What entry points import for no name of their own, because the compiler names only types of files
 * that it sees, and modules that a declaration extends. Rollup would leave them out.
 */
const emptyImport = /^(?:export type|import type) \{\s*\} from ['"][^'"]+['"];$/gm;

/** Libraries of the language that a declaration needs, for programs without the types of Node. */
const libraryReference = /^\/\/\/ <reference lib="[^"]+".*\/>$/gm;

/**
 * @param {string} from A folder with the declarations as they are emitted.
 * @param {string} to The folder for the bundled ones.
 * @param {readonly string[]} entryPoints Names of sources: `src/index.ts`.
 */
export async function bundleDeclarations(from, to, entryPoints) {
  const names = entryPoints.map((path) => path.replace(/\.ts$/, ''));
  const bundle = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(from, `${name}.d.ts`)])),
    plugins: [dts(), keepEmptyImports(from), keepLibraryReferences()],
    external: (id) => !/^[./]/.test(id),
    onwarn: (warning) => {
      // Names that no entry point exports: test/package has the compiler name every result.
      if (!/references private shared type exports/.test(warning.message))
        throw new Error(`bundling declarations: ${warning.message}`);
    },
  });
  await bundle.write({
    dir: to,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `src/declarations/${name.replace(/\.d$/, '')}.d.ts`,
    // Hovers and errors show the names of declarations; files of chunks show them, too.
    minifyInternalExports: false,
    hoistTransitiveImports: false,
  });
  await bundle.close();
  rmSync(from, { recursive: true });
}

/** @param {string} from @returns {import('rollup').Plugin} */
function keepEmptyImports(from) {
  return {
    name: 'keep-empty-imports',
    renderChunk(code, { isEntry, name }) {
      if (!isEntry) return null;
      const source = readFileSync(join(from, `${name}.d.ts`), 'utf8');
      const kept = source.match(emptyImport) ?? [];
      return kept.length === 0 ? null : `${code}\n${kept.join('\n')}\n`;
    },
  };
}

/** @returns {import('rollup').Plugin} */
function keepLibraryReferences() {
  return {
    name: 'keep-library-references',
    renderChunk(code, { moduleIds }) {
      const found = moduleIds.flatMap(
        (id) => readFileSync(id, 'utf8').match(libraryReference) ?? [],
      );
      return found.length === 0 ? null : `${[...new Set(found)].join('\n')}\n${code}`;
    },
  };
}
