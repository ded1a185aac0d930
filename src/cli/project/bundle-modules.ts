/**
 * Loads the user's TypeScript modules without a build step: esbuild bundles them into one temporary
 * file. Packages stay outside, so that `rowsmith` is the one of the project. Each module keeps its
 * own import.meta.url and __dirname.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { configError } from './config-fault.js';
import { type Exports, loadFrom, loadModule } from './load-module.js';
import { type Transpile, typeEmitter } from './type-emitter.js';

/** Loaded modules. */
export interface Bundled {
  /** The exports of each module, in the order of the files. */
  readonly modules: readonly Exports[];
  /** The user's files in the bundle; absolute. */
  readonly sources: readonly string[];
}

let loads = 0;

/**
 * Loads modules together, so that a class they share is one class. Calls `onSources` before the
 * modules run. Throws INVALID_CONFIG with the position of the error in the sources.
 */
export async function bundleModules(
  files: readonly string[],
  folder: string,
  onSources: (sources: readonly string[]) => void,
): Promise<Bundled> {
  const modules = join(folder, 'node_modules');
  // In a folder from which the same packages are resolved as from the config.
  const home = existsSync(modules) ? join(modules, '.cache/rowsmith') : folder;
  const temporary = join(home, `.rowsmith-${process.pid}-${loads++}.mjs`);
  const { code, sources } = await bundle(files, folder, temporary);
  onSources(sources);
  try {
    mkdirSync(home, { recursive: true });
    writeFileSync(temporary, code);
  } catch (cause) {
    const problem = 'the modules are bundled into this file, which cannot be written';
    throw new RowsmithError(
      'FILE_FAILED',
      { file: temporary, ...faults.unwritableFolder(problem) },
      { cause },
    );
  }
  try {
    // Must be set before the import, so that stacks name the lines of the sources.
    process.setSourceMapsEnabled(true);
    const loaded = await loadModule(temporary);
    return { modules: files.map((_, i) => loaded[`module${i}`] as Exports), sources };
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Names of constants that replace import.meta.url, __dirname and __filename in the bundle. */
const positionNames = {
  url: 'rowsmithModuleUrl',
  folder: 'rowsmithModuleFolder',
  file: 'rowsmithModuleFile',
} as const;

async function bundle(
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
        'import.meta.url': positionNames.url,
        'import.meta.dirname': positionNames.folder,
        'import.meta.filename': positionNames.file,
        __dirname: positionNames.folder,
        __filename: positionNames.file,
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
    throw buildError(error, files[0], folder);
  }
}

/** The project's esbuild, or the one installed beside rowsmith. */
async function loadEsbuild(file: string, folder: string): Promise<typeof Esbuild> {
  try {
    return ((await loadFrom(folder, 'esbuild')) ?? (await import('esbuild'))) as typeof Esbuild;
  } catch (cause) {
    const problem = 'TypeScript is loaded by esbuild, which cannot be loaded';
    throw new RowsmithError(
      'MISSING_PACKAGE',
      {
        file,
        ...faults.withoutEsbuild(problem),
      },
      { cause },
    );
  }
}

/** Defines `require`, which CommonJS sources call and ES modules do not have. */
function requireBanner(folder: string): string {
  const config = pathToFileURL(join(folder, 'rowsmith.config.js')).href;
  return (
    `import { createRequire as rowsmithCreateRequire } from 'node:module'; ` +
    `const require = rowsmithCreateRequire(${JSON.stringify(config)});`
  );
}

const loaders: Readonly<Record<string, Esbuild.OnLoadResult['loader']>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
};

/** An esbuild plugin: each file knows its own path, and emits types if its tsconfig asks for it. */
function userFiles(transpile: Transpile): Esbuild.Plugin {
  return {
    name: 'rowsmith',
    setup(build) {
      build.onResolve(
        { filter: /^\.{1,2}\/(.*\/)?rowsmith\.numbers(\.[jt]s)?$/ },
        unwrittenNumbers,
      );
      build.onLoad({ filter: /.*/, namespace: 'rowsmith-unwritten' }, () => ({ contents: '' }));
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        const { text, changed } = await transpile(path);
        const resolveDir = dirname(path);
        const usesPosition = text.includes('import.meta') || /__(dirname|filename)\b/.test(text);
        if (!usesPosition && !changed) return undefined;
        const contents = usesPosition ? withPosition(text, path) : text;
        return { contents, loader: changed ? 'js' : loaders[extname(path)], resolveDir };
      });
    },
  };
}

/** `check --update` writes rowsmith.numbers.ts: the import may be there before the file. */
function unwrittenNumbers({
  path,
  resolveDir,
}: Esbuild.OnResolveArgs): Esbuild.OnResolveResult | undefined {
  const file = join(resolveDir, path.replace(/(\.[jt]s)?$/, ''));
  if (existsSync(`${file}.ts`) || existsSync(`${file}.js`)) return undefined;
  return { path: file, namespace: 'rowsmith-unwritten' };
}

/** Defines the position of the module in its first line, so that line numbers stay the same. */
function withPosition(text: string, path: string): string {
  const values = {
    [positionNames.url]: pathToFileURL(path).href,
    [positionNames.folder]: dirname(path),
    [positionNames.file]: path,
  };
  const constants = Object.entries(values)
    .map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`)
    .join(' ');
  return `${constants} ${text.replace(/^#!/, '//')}`;
}

/** The first error of esbuild, such as a syntax error or an import that cannot be resolved. */
function buildError(error: unknown, file: string, folder: string): unknown {
  const [first] = (error as Partial<Esbuild.BuildFailure>).errors ?? [];
  if (first === undefined) return error;
  const { location, text } = first;
  const position =
    location === null
      ? file
      : `${join(folder, location.file)}:${location.line}:${location.column + 1}`;
  return configError(position, { problem: text, fix: buildFix(text) }, error);
}

function buildFix(text: string): string {
  if (text.startsWith('Could not resolve'))
    return 'correct the path of the import, relative to the file that contains it';
  return 'correct the line; tsc --noEmit reports details';
}

const faults = {
  unwritableFolder: (problem: string) => ({ problem, fix: 'make the folder writable' }),
  withoutEsbuild: (problem: string) => ({
    problem,
    fix:
      'npm install -D esbuild; or write the config and the entities in JavaScript ' +
      '(defineEntity)',
  }),
} satisfies FaultTexts;
