/**
 * TypeScript modules, as the user wrote them, loaded without a build step of the user's: esbuild
 * gathers them into one temporary file, packages left outside, so that `rowsmith` is the one of the
 * project. Each module keeps its own import.meta.url and __dirname.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';
import { RowsmithError } from '../../errors.js';
import { configFault } from './config-fault.js';
import { type Exports, loadFrom, loadModule } from './load-module.js';
import { type Transpile, typeEmitter } from './type-emitter.js';

/** What was loaded. */
export interface Bundled {
  /** The exports of each module, in the order in which they were asked for. */
  readonly modules: readonly Exports[];
  /** Every file of the user's that went in; absolute. */
  readonly sources: readonly string[];
}

let loads = 0;

/**
 * Loads modules together, so that a class they share is one class. `told` hears of the sources
 * before they run. Throws INVALID_CONFIG with the place of what is wrong in them.
 */
export async function bundleModules(
  files: readonly string[],
  folder: string,
  told: (sources: readonly string[]) => void,
): Promise<Bundled> {
  const cache = join(folder, 'node_modules');
  // Where the packages that the modules name are found as they are from the config.
  const home = existsSync(cache) ? join(cache, '.cache/rowsmith') : folder;
  const temporary = join(home, `.rowsmith-${process.pid}-${loads++}.mjs`);
  const { code, sources } = await gather(files, folder, temporary);
  told(sources);
  try {
    mkdirSync(home, { recursive: true });
    writeFileSync(temporary, code);
  } catch (cause) {
    const problem = 'the modules are gathered into this file, which cannot be written';
    throw new RowsmithError(
      'FILE_FAILED',
      { file: temporary, problem, fix: 'make the folder writable' },
      { cause },
    );
  }
  try {
    // Before the file is read, so that errors name the lines of the sources.
    process.setSourceMapsEnabled(true);
    const loaded = await loadModule(temporary);
    return { modules: files.map((_, i) => loaded[`module${i}`] as Exports), sources };
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function gather(
  files: readonly string[],
  folder: string,
  outfile: string,
): Promise<{ readonly code: string; readonly sources: readonly string[] }> {
  const { build } = await loadEsbuild(files[0], folder);
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: folder,
      stdin: {
        contents: files
          .map((file, i) => `export * as module${i} from ${JSON.stringify(file)};`)
          .join('\n'),
        resolveDir: folder,
        sourcefile: 'rowsmith-entry.mjs',
      },
      outfile,
      banner: { js: requireBanner(folder) },
      bundle: true,
      write: false,
      metafile: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      keepNames: true,
      sourcemap: 'inline',
      sourcesContent: false,
      logLevel: 'silent',
      charset: 'utf8',
      define: {
        'import.meta.url': placeNames.url,
        'import.meta.dirname': placeNames.folder,
        'import.meta.filename': placeNames.file,
        __dirname: placeNames.folder,
        __filename: placeNames.file,
      },
      plugins: [userFiles(await typeEmitter(folder))],
    });
    const sources = Object.keys(metafile.inputs)
      .filter(
        (name) =>
          !/^rowsmith-(entry\.mjs$|unwritten:)/.test(name) && !name.includes('node_modules/'),
      )
      .map((name) => join(folder, name));
    return { code: outputFiles[0].text, sources };
  } catch (error) {
    throw buildFault(error, files[0], folder);
  }
}

/**
 * The project's; else the one beside rowsmith, where the command is not installed in the project.
 */
async function loadEsbuild(file: string, folder: string): Promise<typeof Esbuild> {
  try {
    return ((await loadFrom(folder, 'esbuild')) ?? (await import('esbuild'))) as typeof Esbuild;
  } catch (cause) {
    const problem = 'TypeScript is loaded by esbuild, which cannot be loaded';
    throw new RowsmithError(
      'MISSING_PACKAGE',
      {
        file,
        problem,
        fix: 'npm install -D esbuild; or write the config and the entities in JavaScript (defineEntity)',
      },
      { cause },
    );
  }
}

/** CommonJS sources call require, which an ES module has not. */
function requireBanner(folder: string): string {
  return `import { createRequire as rowsmithCreateRequire } from 'node:module'; const require = rowsmithCreateRequire(${JSON.stringify(pathToFileURL(join(folder, 'rowsmith.config.js')).href)});`;
}

const placeNames = {
  url: 'rowsmithModuleUrl',
  folder: 'rowsmithModuleFolder',
  file: 'rowsmithModuleFile',
} as const;
const loaders: Readonly<Record<string, Esbuild.OnLoadResult['loader']>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
};

/**
 * Gives each file its own place, and the types of its properties where its tsconfig asks for them.
 */
function userFiles(transpile: Transpile): Esbuild.Plugin {
  return {
    name: 'rowsmith',
    setup(build) {
      // `check --update` writes this file; the import may well be there before it.
      build.onResolve(
        { filter: /^\.{1,2}\/(.*\/)?rowsmith\.numbers(\.[jt]s)?$/ },
        ({ path, resolveDir }) => {
          const file = join(resolveDir, path.replace(/(\.[jt]s)?$/, ''));
          return ['.ts', '.js'].some((extension) => existsSync(file + extension))
            ? undefined
            : { path: file, namespace: 'rowsmith-unwritten' };
        },
      );
      build.onLoad({ filter: /.*/, namespace: 'rowsmith-unwritten' }, () => ({ contents: '' }));
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        const transpiled = await transpile(path);
        if (
          !transpiled.text.includes('import.meta') &&
          !/__(dirname|filename)\b/.test(transpiled.text)
        ) {
          return transpiled.changed
            ? { contents: transpiled.text, loader: 'js', resolveDir: dirname(path) }
            : undefined;
        }
        const places = [
          [placeNames.url, pathToFileURL(path).href],
          [placeNames.folder, dirname(path)],
          [placeNames.file, path],
        ];
        // On the first line, so that the numbers of the lines stay.
        const contents = `${places.map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`).join(' ')} ${transpiled.text.replace(/^#!/, '//')}`;
        return {
          contents,
          loader: transpiled.changed ? 'js' : loaders[extname(path)],
          resolveDir: dirname(path),
        };
      });
    },
  };
}

/** What esbuild found: a syntax error, an import that leads nowhere. */
function buildFault(error: unknown, file: string, folder: string): unknown {
  const [first] = (error as Partial<Esbuild.BuildFailure>).errors ?? [];
  if (first === undefined) return error;
  const { location, text } = first;
  const place =
    location === null
      ? file
      : `${join(folder, location.file)}:${location.line}:${location.column + 1}`;
  const fix = text.startsWith('Could not resolve')
    ? 'correct the path of the import, from the file it stands in'
    : 'correct the line; tsc --noEmit tells more';
  return configFault(place, text, fix, error);
}
