/**
 * The same program with all common compilers: legacy and standard decorators, with and without
 * emitted types. All must print the same. The library is compiled once; each compiler compiles only
 * the fixtures.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync as swc, type Options as SwcOptions } from '@swc/core';
import { transformSync as esbuild } from 'esbuild';
import * as tsJest from 'ts-jest';
import type { fixtures } from './workspace.js';
import { configOf, createWorkspace, root, run } from './workspace.js';

type Fixture = (typeof fixtures)[number];
type Compile = (fixture: Fixture) => Promise<string>;

let folder = '';
let remove = (): void => {};
beforeAll(async () => {
  ({ folder, remove } = await createWorkspace());
});
afterAll(() => remove());

const golden = (name: string): string =>
  readFileSync(join(root, `test/golden/${name}.txt`), 'utf8');
const source = (fixture: Fixture): string => readFileSync(join(folder, `${fixture}.ts`), 'utf8');

/** Writes the output of a compiler to a file and runs it. */
function runCode(compiler: string, fixture: Fixture, code: string): Promise<string> {
  const file = join(folder, `${fixture}.${compiler.replace(/\W+/g, '-')}.cjs`);
  writeFileSync(file, code);
  return run(folder, process.execPath, file);
}

/** Compiles both fixtures in one run, with type checking: type errors fail here. */
function tsc(typescript: string, legacy: boolean): Compile {
  const outDir = `${typescript}-${legacy ? 'legacy' : 'standard'}`;
  let emitted: Promise<string> | undefined;
  return async (fixture) => {
    emitted ??= run(
      folder,
      process.execPath,
      join(root, 'node_modules', typescript, 'bin/tsc'),
      '-p',
      configOf(legacy),
      '--outDir',
      outDir,
    );
    await emitted;
    return run(folder, process.execPath, join(folder, outDir, `${fixture}.js`));
  };
}

function withSwc(name: string, transform: NonNullable<SwcOptions['jsc']>['transform']): Compile {
  return (fixture) =>
    runCode(
      name,
      fixture,
      swc(source(fixture), {
        filename: `${fixture}.ts`,
        configFile: false,
        swcrc: false,
        module: { type: 'commonjs' },
        jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022', transform },
      }).code,
    );
}

function withEsbuild(legacy: boolean): Compile {
  return (fixture) =>
    runCode(
      `esbuild-${legacy}`,
      fixture,
      esbuild(source(fixture), {
        loader: 'ts',
        format: 'cjs',
        target: 'es2022',
        tsconfigRaw: { compilerOptions: legacy ? { experimentalDecorators: true } : {} },
      }).code,
    );
}

const tsx =
  (legacy: boolean): Compile =>
  (fixture) =>
    run(
      folder,
      process.execPath,
      join(root, 'node_modules/tsx/dist/cli.mjs'),
      '--tsconfig',
      configOf(legacy),
      `${fixture}.ts`,
    );

const tsNode: Compile = (fixture) =>
  run(
    folder,
    process.execPath,
    join(root, 'node_modules/ts-node/dist/bin.js'),
    '--transpile-only',
    '--project',
    configOf(true),
    `${fixture}.ts`,
  );

/** The transformer of ts-jest, without jest. */
const withTsJest: Compile = (fixture) => {
  const { createTransformer } = tsJest.default as unknown as {
    createTransformer(options: object): {
      process(source: string, file: string, options: object): { code: string };
    };
  };
  const transformer = createTransformer({
    tsconfig: join(folder, configOf(true)),
    diagnostics: false,
  });
  const file = join(folder, `${fixture}.ts`);
  const config = {
    rootDir: folder,
    cwd: folder,
    testMatch: [],
    testRegex: [],
    extensionsToTreatAsEsm: [],
    globals: {},
    transform: [],
    moduleFileExtensions: ['ts', 'js'],
  };
  const { code } = transformer.process(source(fixture), file, {
    config,
    transformerConfig: {},
    supportsStaticESM: false,
    cacheFS: new Map(),
  });
  return runCode('ts-jest', fixture, code);
};

/** The output of `unnamed` depends on whether the compiler emits property types. */
const compilers: readonly (readonly [name: string, emitsTypes: boolean, compile: Compile])[] = [
  ['legacy: tsc 6', true, tsc('typescript', true)],
  ['legacy: tsc 7', true, tsc('typescript7', true)],
  ['legacy: tsc 5.9', true, tsc('typescript59', true)],
  ['legacy: ts-node', true, tsNode],
  ['legacy: ts-jest', true, withTsJest],
  [
    'legacy: swc with decoratorMetadata',
    true,
    withSwc('swc-metadata', { legacyDecorator: true, decoratorMetadata: true }),
  ],
  ['legacy: swc', false, withSwc('swc-legacy', { legacyDecorator: true })],
  ['legacy: tsx', false, tsx(true)],
  ['legacy: esbuild', false, withEsbuild(true)],
  ['standard: tsc 6', false, tsc('typescript', false)],
  ['standard: tsc 7', false, tsc('typescript7', false)],
  ['standard: tsc 5.9', false, tsc('typescript59', false)],
  ['standard: tsx', false, tsx(false)],
  ['standard: esbuild', false, withEsbuild(false)],
  ['standard: swc 2022-03', false, withSwc('swc-2022-03', { decoratorVersion: '2022-03' })],
  [
    'standard: swc 2023-11',
    false,
    withSwc('swc-2023-11', { decoratorVersion: '2023-11' as '2022-03' }),
  ],
];

describe.each(compilers)('%s', (_name, emitsTypes, compile) => {
  test('prints the same description', async () => {
    expect(await compile('telemetry')).toBe(golden('telemetry'));
  });

  test(
    emitsTypes
      ? 'kinds are inferred from design:type'
      : 'faults describe what to write if no type is emitted',
    async () => {
      expect(await compile('unnamed')).toBe(golden(emitsTypes ? 'unnamed' : 'unnamed-faults'));
    },
  );
});
