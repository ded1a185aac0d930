import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chosenSuites } from './scripts/jest/slow-suites.mjs';

// Tests start the servers that they use; workers inherit the environment of this process.
delete process.env.BIGTABLE_EMULATOR_HOST;

// Most objects of a test die young: with more room for them, V8 seldom copies them.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`.trim();

/**
 * Loads the client library, and grpc-js with it, from the installation in BIGTABLE_CLIENT: a folder
 * of `@google-cloud/bigtable` (scripts/node-matrix.mjs). grpc-js must be the client's own copy,
 * because credentials of another copy are not recognised.
 */
function otherClient() {
  const folder = process.env.BIGTABLE_CLIENT;
  if (folder === undefined) return {};
  const { resolve } = createRequire(join(folder, 'package.json'));
  return {
    // Version 7 has moved the protos to a package of their own.
    '^@google-cloud/bigtable/build/protos/protos\\.json$': resolve(
      '@google-cloud/bigtable-api/build/protos/protos.json',
    ),
    '^@google-cloud/bigtable$': resolve(folder),
    '^@google-cloud/bigtable/(.*)$': join(folder, '$1'),
    '^@grpc/grpc-js$': resolve('@grpc/grpc-js'),
  };
}

/** Compiles tests with swc; types are checked by `npm run types` (Jest's transforms strip them). */
const shared = {
  testEnvironment: 'node',
  runtime: '<rootDir>/scripts/jest/runtime.cjs',
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/types/',
    '/test/compilers/cases/',
    '/test/package/cases/',
    '/test/installs/cases/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.tmp/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^rowsmith$': '<rootDir>/src/index.ts',
    '^rowsmith/storage$': '<rootDir>/src/storage.ts',
    '^rowsmith/tools$': '<rootDir>/src/tools/index.ts',
    '^rowsmith/types$': '<rootDir>/src/types.ts',
    '^rowsmith/config$': '<rootDir>/src/cli/define-config.ts',
    '^rowsmith/wire$': '<rootDir>/src/wire.ts',
    '^rowsmith/server$': '<rootDir>/src/server/index.ts',
    '^rowsmith/testing$': '<rootDir>/src/tools/testing/index.ts',
    '^rowsmith/testing/jest$': '<rootDir>/src/tools/testing/jest.ts',
    '^rowsmith/vite$': '<rootDir>/src/tools/vite/index.ts',
    '^rowsmith/nest$': '<rootDir>/src/tools/nest/index.ts',
    ...otherClient(),
  },
  transform: {
    '^.+\\.ts$': compiled({ syntax: 'typescript', decorators: true }),
    // arktype is published as ES modules alone, which Jest cannot load on Node 20.
    'node_modules/(arktype|arkregex|@ark)/.+\\.js$': compiled({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: ['/node_modules/(?!(arktype|arkregex|@ark)/)'],
};

/** swc, to CommonJS. */
function compiled(parser) {
  const transform = { legacyDecorator: true, decoratorMetadata: true };
  return [
    '@swc/jest',
    { jsc: { parser, transform, target: 'es2022' }, module: { type: 'commonjs' } },
  ];
}

/** A suite: patterns below test/. */
export function suite(displayName, patterns) {
  return {
    ...shared,
    displayName,
    testMatch: patterns.map((pattern) => `<rootDir>/test/${pattern}`),
    globals: { backEndShare: 'usual' },
  };
}

/** Files of folders, by name, without the slow ones and those in need of other languages. */
const quick = (folders) => `${folders}/**/!(*.slow|*.languages).test.ts`;
const unit = ['base', 'data'];
const unitOfEntities = ['decorators', 'mapping', 'model', 'query'];
const engines = ['engines', 'fidelity'];

/** Slow suites, and those that repeat their tests on back ends (test/support/back-end-share.ts). */
function slowSuites() {
  const folder = fileURLToPath(new URL('test', import.meta.url));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.ts$/.test(name) && !/\.languages\.test\.ts$/.test(name))
    .filter(
      (name) =>
        /\.slow\.test\.ts$/.test(name) ||
        /\bbackEnds\b[^;]* from '[^']*\/([\w-]*back-ends|shop)\.js'/.test(
          readFileSync(join(folder, name), 'utf8'),
        ),
    )
    .map((name) => name.replaceAll('\\', '/'));
}

const slow = suite('slow', chosenSuites(slowSuites(), process.env));
// Tests run Jest as well, with other suites.
delete process.env.SLOW_PART;
delete process.env.WITHOUT_CAMPAIGNS;

/** CI runs suites once more, alone (.ci/sections.sh). */
const isRepeated = process.env.ONLY_SUITES !== undefined;

export default {
  // A test that takes longer has hung. Jest ignores the option in projects, and a campaign sets its own.
  testTimeout: 300_000,
  // One more than CI's machines have cores: tests wait for child processes, networks and clocks.
  maxWorkers: isRepeated ? 1 : 3,
  filter: isRepeated ? '<rootDir>/scripts/jest/only-suites.cjs' : undefined,
  // A worker that is replaced loads everything again, which takes two seconds of processor time. Test
  // files leave garbage, which V8 collects late, and little else: 150 MB after 40 files.
  workerIdleMemoryLimit: '1500MB',
  reporters: ['default', '<rootDir>/scripts/jest/plain-reporter.cjs'],
  projects: [
    suite('unit', [quick(`(${unit.join('|')})`), quick(`entities/(${unitOfEntities.join('|')})`)]),
    suite('engines', [quick(`(${engines.join('|')})`)]),
    suite('e2e', [
      quick(`!(${[...unit, ...engines, 'entities'].join('|')})`),
      quick(`entities/!(${unitOfEntities.join('|')})`),
      '!(*.slow|*.languages).test.ts',
    ]),
    // Whole matrices, repeated builds, torture, back ends: `npm run test:slow`, a section of .ci/run.
    { ...slow, globals: { ...slow.globals, backEndShare: 'rest' } },
  ],
};
