// Tests say themselves which servers they mean; the workers have this process' environment.
delete process.env.BIGTABLE_EMULATOR_HOST;

/**
 * swc compiles the tests; types are checked apart, by `npm run types` (jest's transforms strip them
 * unseen).
 */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/types/',
    '/test/compilers/cases/',
    '/test/package/cases/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.tmp/'],
  // Tests start compilers, engines and whole child processes, on machines of two busy cores. How
  // long that takes there says nothing: the time a test has is for one that hangs.
  maxWorkers: 2,
  testTimeout: 600_000,
  reporters: ['default', '<rootDir>/scripts/plain-reporter.cjs'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^rowsmith$': '<rootDir>/src/index.ts',
    '^rowsmith/decorators$': '<rootDir>/decorators/index.ts',
    '^rowsmith/storage$': '<rootDir>/src/storage.ts',
    '^rowsmith/config$': '<rootDir>/src/cli/define-config.ts',
    '^rowsmith/wire$': '<rootDir>/src/codegen/runtime/wire.ts',
    '^rowsmith/server$': '<rootDir>/src/server/index.ts',
    '^rowsmith/testing$': '<rootDir>/src/testing/index.ts',
    '^rowsmith/testing/jest$': '<rootDir>/src/testing/jest.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
};
