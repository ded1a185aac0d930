/**
 * The entry points of the built package: the names they export, as in the golden file, and the
 * packages that importing them loads. To update: UPDATE_GOLDEN=1 npx jest test/entry-points
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { buildPackage, root, run } from './support/built-package.js';
import { expectGolden } from './support/golden.js';

const entryPoints = {
  rowsmith: 'src/index.ts',
  'rowsmith/storage': 'src/storage.ts',
  'rowsmith/tools': 'src/tools/index.ts',
  'rowsmith/types': 'src/types.ts',
  'rowsmith/config': 'src/cli/define-config.ts',
  'rowsmith/vite': 'src/tools/vite/index.ts',
  'rowsmith/nest': 'src/tools/nest/index.ts',
  'rowsmith/wire': 'src/wire.ts',
  'rowsmith/server': 'src/server/index.ts',
  'rowsmith/testing': 'src/tools/testing/index.ts',
  'rowsmith/testing/jest': 'src/tools/testing/jest.ts',
} as const;
type EntryPoint = keyof typeof entryPoints;
const allEntryPoints = Object.entries(entryPoints) as [EntryPoint, string][];

/** Packages that an import loads; all other packages are loaded when they are needed. */
const loadedPackages: Readonly<Record<EntryPoint, readonly string[]>> = {
  rowsmith: ['reflect-metadata'],
  'rowsmith/storage': [],
  'rowsmith/tools': [],
  'rowsmith/types': [],
  'rowsmith/config': [],
  'rowsmith/vite': [],
  // With the packages that these two load.
  'rowsmith/nest': [
    '@nestjs/common',
    '@nestjs/core',
    'fast-safe-stringify',
    'iterare',
    'load-esm',
    'path-to-regexp',
    'reflect-metadata',
    'rxjs',
    'tslib',
    'uid',
  ],
  'rowsmith/wire': [],
  'rowsmith/server': [],
  'rowsmith/testing': [],
  'rowsmith/testing/jest': [],
};

let folder = '';
beforeAll(() => {
  folder = buildPackage();
  // ESM imports call the load hook; modules that CommonJS requires are only in the cache of
  // require.
  writeFileSync(
    join(folder, 'hooks.mjs'),
    `
    import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      appendFileSync(process.env.TRACE, url + '\\n');
      return next(url, context);
    }`,
  );
  writeFileSync(
    join(folder, 'esm.mjs'),
    `
    import { createRequire, register } from 'node:module';
    import { readFileSync, writeFileSync } from 'node:fs';
    writeFileSync(process.env.TRACE, '');
    register('./hooks.mjs', import.meta.url);
    const names = Object.keys(await import(process.argv[2]));
    const loaded = [...readFileSync(process.env.TRACE, 'utf8').trim().split('\\n'), ...Object.keys(createRequire(import.meta.url).cache)];
    console.log(JSON.stringify({ names, loaded }));`,
  );
  writeFileSync(
    join(folder, 'cjs.cjs'),
    `
    const names = Object.keys(require(process.argv[2]));
    console.log(JSON.stringify({ names, loaded: Object.keys(require.cache) }));`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface ImportResult {
  /** Names that exist at run time, sorted. */
  readonly names: readonly string[];
  /** Packages other than rowsmith with a file that was loaded, sorted. */
  readonly packages: readonly string[];
  /** Files of rowsmith that were loaded. */
  readonly own: readonly string[];
}

type Script = 'esm.mjs' | 'cjs.cjs';
const results = new Map<string, ImportResult>();

/** Imports in a new process, once. */
function importIn(entryPoint: EntryPoint, script: Script): ImportResult {
  const key = `${entryPoint} ${script}`;
  const result = results.get(key) ?? runImport(entryPoint, script);
  results.set(key, result);
  return result;
}

function runImport(entryPoint: EntryPoint, script: Script): ImportResult {
  const ran = run(folder, process.execPath, [script, entryPoint], {
    TRACE: join(folder, `trace-${script}.txt`),
  });
  if (ran.status !== 0) throw new Error(ran.output);
  const { names, loaded } = JSON.parse(ran.output) as { names: string[]; loaded: string[] };
  const packages = loaded.flatMap(
    (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return {
    names: names.sort(),
    packages: [...new Set(packages)].sort(),
    own: loaded.filter((path) => path.includes('/dist/') && !path.includes('/node_modules/')),
  };
}

/** Every exported name of each entry point, including types. */
function allDeclaredNames(): ReadonlyMap<string, readonly string[]> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.esm.json'), (path) =>
    ts.sys.readFile(path),
  ) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = allEntryPoints.map(([, file]) => file);
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    options,
  );
  const checker = program.getTypeChecker();
  const namesOf = (file: string): readonly string[] => {
    const source = program.getSourceFile(join(root, file));
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (symbol === undefined) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(symbol).map(({ name }) => name);
  };
  return new Map(files.map((file) => [file, namesOf(file)]));
}

/** `value NAME` if the name exists at run time, otherwise `type  NAME`. */
function exportedNames(
  entryPoint: EntryPoint,
  declared: readonly string[] = [],
): readonly string[] {
  const values = importIn(entryPoint, 'esm.mjs').names;
  const names = [...new Set([...declared, ...values])];
  return names.map((name) => `${values.includes(name) ? 'value' : 'type '} ${name}`).sort();
}

test('the exported names match the golden file', () => {
  const declared = allDeclaredNames();
  const text = allEntryPoints
    .map(
      ([entryPoint, file]) =>
        `# ${entryPoint}\n${exportedNames(entryPoint, declared.get(file)).join('\n')}\n`,
    )
    .join('\n');
  expectGolden('entry-points.txt', text);
});

describe.each(allEntryPoints)('%s', (entryPoint) => {
  test('import and require return the same names', () => {
    const { names } = importIn(entryPoint, 'cjs.cjs');
    expect(names.filter((name) => name !== '__esModule')).toEqual(
      importIn(entryPoint, 'esm.mjs').names,
    );
  });

  test.each(['esm.mjs', 'cjs.cjs'] as const)(
    '%s loads no package before it is needed',
    (script) => {
      const loaded = importIn(entryPoint, script);
      expect(loaded.packages).toEqual(loadedPackages[entryPoint]);
      // The trace contains the package, in one module format only.
      expect(loaded.own.length).toBeGreaterThan(0);
      expect(
        loaded.own.filter((path) =>
          path.includes(script === 'esm.mjs' ? '/dist/cjs/' : '/dist/esm/'),
        ),
      ).toEqual([]);
    },
  );
});
