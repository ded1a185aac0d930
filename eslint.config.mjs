/**
 * Rules that catch faults, not taste: nothing here moves a space. Types are known to the rules
 * (typescript-eslint over tsconfig.json).
 */
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  {
    ignores: [
      'dist/',
      '.tmp/',
      'docs/',
      'coverage/',
      'node_modules/',
      'demo-data/',
      'bench/.data/',
      'examples/*/generated/',
      // Programs that must not compile, or that other compilers judge: they are data of their
      // tests.
      'test/types/',
      'test/compile-errors/',
      'test/compilers/cases/',
      'test/package/cases/',
      'test/installs/cases/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/tools/studio/page/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-debugger': 'error',
      'no-dupe-else-if': 'error',
      'no-duplicate-case': 'error',
      'no-fallthrough': 'error',
      'no-loss-of-precision': 'error',
      'no-self-assign': 'error',
      'no-self-compare': 'error',
      'no-sparse-arrays': 'error',
      'no-template-curly-in-string': 'error',
      'no-unsafe-finally': 'error',
      'no-unsafe-optional-chaining': 'error',
      'no-useless-catch': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'use-isnan': 'error',
      'valid-typeof': 'error',
      // Prettier breaks lines at 100 columns; what it cannot break (text) ends at 120.
      'max-len': [
        'error',
        {
          code: 120,
          comments: 100,
          ignoreUrls: true,
          ignoreRegExpLiterals: true,
          ignorePattern: 'eslint-disable',
        },
      ],
      'max-lines': ['error', 400],
      'no-nested-ternary': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ObjectExpression > SpreadElement > :matches(ConditionalExpression, LogicalExpression)',
          message:
            'Set the property to undefined, or build the object in an if: no conditional spreads.',
        },
        {
          selector:
            ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"], TSParameterProperty)[accessibility="private"]',
          message: 'Write #name.',
        },
        {
          // Much faster than the rule naming-convention.
          selector:
            'VariableDeclaration[kind="const"] > VariableDeclarator > Identifier.id[name=/._/]',
          message: 'Constants are camelCase.',
        },
        {
          selector: 'MemberExpression[object.name=/^(test|it)$/][property.name="concurrent"]',
          message: 'Tests of a file run one after the other (scripts/jest/sequential-storage.cjs).',
        },
      ],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-array-delete': 'error',
      '@typescript-eslint/no-base-to-string': 'error',
      '@typescript-eslint/no-deprecated': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-implied-eval': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-misused-spread': 'error',
      '@typescript-eslint/no-redundant-type-constituents': 'error',
      '@typescript-eslint/no-this-alias': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
      '@typescript-eslint/restrict-plus-operands': 'error',
      // `return` without `await` inside try/finally closes what the call still reads.
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/unbound-method': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx', 'decorators/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 80, skipComments: true, skipBlankLines: true }],
      'no-console': 'error',
    },
  },
  {
    // Property tests draw the same cases in every run, so that a failure is due to the change.
    files: ['test/**/*.ts'],
    ignores: ['test/support/fast-check.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'fast-check',
              message: 'Take it from test/support/fast-check.js, which sets the seed.',
            },
          ],
        },
      ],
    },
  },
  {
    // A decorator is applied to classes and properties of any type: `any` is the edge here.
    files: ['decorators/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Tests do on purpose what a program should not: wrong types, odd values, long tables.
    files: ['test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts', 'demo/**/*.ts', 'scripts/**/*.ts'],
    rules: {
      'max-len': [
        'error',
        {
          code: 120,
          ignoreUrls: true,
          ignoreRegExpLiterals: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
        },
      ],
      'max-lines': 'off',
      'no-template-curly-in-string': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Tables of cases are beside the suites.
    files: ['test/**/*.test.ts'],
    rules: { 'max-lines': ['error', 400] },
  },
);
