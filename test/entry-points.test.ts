/**
 * The doors of the built package: what each exports, by the golden list, and what entering loads.
 * After a wanted change: UPDATE_GOLDEN=1 npx jest test/doors
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { buildPackage, root, run } from './support/built-package.js';
import { expectGolden } from './support/golden.js';

const doors = {
  rowsmith: 'src/index.ts',
  'rowsmith/decorators': 'decorators/index.ts',
  'rowsmith/storage': 'src/storage.ts',
  'rowsmith/config': 'src/cli/define-config.ts',
  'rowsmith/vite': 'src/vite/index.ts',
  'rowsmith/wire': 'src/codegen/runtime/wire.ts',
  'rowsmith/server': 'src/server/index.ts',
  'rowsmith/testing': 'src/testing/index.ts',
  'rowsmith/testing/jest': 'src/testing/jest.ts',
} as const;
type Door = keyof typeof doors;
const everyDoor = Object.entries(doors) as [Door, string][];

/** The entrances' whole dependencies: everything else waits until it is needed. */
const loadedByTheDoor: Readonly<Record<Door, readonly string[]>> = {
  rowsmith: ['reflect-metadata'],
  'rowsmith/decorators': ['reflect-metadata'],
  'rowsmith/storage': [],
  'rowsmith/config': [],
  'rowsmith/vite': [],
  'rowsmith/wire': [],
  'rowsmith/server': [],
  'rowsmith/testing': [],
  'rowsmith/testing/jest': [],
};

let folder = '';
beforeAll(() => {
  folder = buildPackage();
  // An ESM import reaches the load hook; what a CommonJS module requires in turn is only in the
  // cache of require.
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

interface Entered {
  /** Names that exist at run time, sorted. */
  readonly names: readonly string[];
  /** Packages other than rowsmith of which a file was loaded, sorted. */
  readonly packages: readonly string[];
  /** Files of rowsmith that were loaded. */
  readonly own: readonly string[];
}

function enter(door: Door, script: 'esm.mjs' | 'cjs.cjs'): Entered {
  const ran = run(folder, process.execPath, [script, door], {
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
    own: loaded.filter((path) => path.includes('/dist/')),
  };
}

/** Every name the compiler sees exported, types too. */
function declaredNames(file: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.esm.json'), (path) =>
    ts.sys.readFile(path),
  ) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const path = join(root, file);
  const program = ts.createProgram([path], options);
  const source = program.getSourceFile(path);
  const door =
    source === undefined ? undefined : program.getTypeChecker().getSymbolAtLocation(source);
  if (door === undefined) throw new Error(`${file} exports nothing`);
  return program
    .getTypeChecker()
    .getExportsOfModule(door)
    .map((symbol) => symbol.name);
}

/** A value is what exists at run time, whatever the declarations say. */
function exportedNames(door: Door, file: string): readonly string[] {
  const values = enter(door, 'esm.mjs').names;
  const names = [...new Set([...declaredNames(file), ...values])];
  return names.map((name) => `${values.includes(name) ? 'value' : 'type '} ${name}`).sort();
}

test('the exported names are those of the golden list', () => {
  const text = everyDoor
    .map(([door, file]) => `# ${door}\n${exportedNames(door, file).join('\n')}\n`)
    .join('\n');
  expectGolden('entry-points.txt', text);
});

describe.each(everyDoor)('%s', (door) => {
  test('gives the same names to import and to require', () => {
    const { names } = enter(door, 'cjs.cjs');
    expect(names.filter((name) => name !== '__esModule')).toEqual(enter(door, 'esm.mjs').names);
  });

  test.each(['esm.mjs', 'cjs.cjs'] as const)('%s loads no vendor before it is needed', (script) => {
    const entered = enter(door, script);
    expect(entered.packages).toEqual(loadedByTheDoor[door]);
    // The trace did see the package, in the one form that was asked for.
    expect(entered.own.length).toBeGreaterThan(0);
    expect(
      entered.own.filter((path) =>
        path.includes(script === 'esm.mjs' ? '/dist/cjs/' : '/dist/esm/'),
      ),
    ).toEqual([]);
  });
});
