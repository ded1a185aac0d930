/**
 * The installed package with Vite 8 and Vitest 4: a project that `rowsmith init` creates runs with
 * both kinds of decorators, through the plugin of rowsmith/vite.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProcessResult, root, run } from '../support/built-package.js';
import { installedProject } from '../support/installed-project.js';
import { writeFiles } from '../support/linked-package.js';

const tools = ['vite', 'vitest', 'esbuild', 'typescript', '@types/node'];

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-vite-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function npm(project: string, ...args: readonly string[]): ProcessResult {
  return run(project, 'npm', args, { NO_COLOR: '1' });
}

/** A project of a Vite user, in which `rowsmith init` has run. */
function initProject(files: Readonly<Record<string, string>>, options: readonly string[]): string {
  const project = mkdtempSync(join(scratch, 'init-'));
  installedProject(project, files, tools);
  const { status, output } = run(project, 'node_modules/.bin/rowsmith', ['init', ...options]);
  if (status !== 0) throw new Error(output);
  return project;
}

const packageJson = (type: string, ...packages: readonly string[]): string =>
  JSON.stringify({
    type,
    devDependencies: Object.fromEntries(packages.map((name) => [name, '*'])),
  });

/** The package.json of `npm init -y`, with a test script that fails, and Vitest. */
function npmInit(): string {
  const folder = mkdtempSync(join(scratch, 'npm-'));
  for (const args of [
    ['init', '-y'],
    ['pkg', 'set', 'devDependencies.vitest=*'],
  ]) {
    const { status, output } = npm(folder, ...args);
    if (status !== 0) throw new Error(output);
  }
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  expect(text).toContain('no test specified');
  return text;
}

interface InitCase {
  readonly title: string;
  readonly files: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly options: readonly string[];
}
const existingConfig = `import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [{ name: 'mine' }],
});
`;

describe.each<InitCase>([
  {
    title: 'Vite and Vitest, standard decorators',
    files: { 'package.json': packageJson('module', 'vite', 'vitest') },
    options: [],
  },
  {
    title: 'Vite and Vitest, legacy decorators, with a config and CommonJS',
    files: {
      'package.json': packageJson('commonjs', 'vite', 'vitest'),
      'vite.config.ts': existingConfig,
    },
    options: ['--decorators', 'legacy'],
  },
  {
    title: 'Vitest alone, standard decorators',
    files: { 'package.json': packageJson('module', 'vitest') },
    options: [],
  },
  {
    // `npm test` kept npm's script, which fails.
    title: 'Vitest alone, after npm init -y',
    files: () => ({ 'package.json': npmInit() }),
    options: [],
  },
])('rowsmith init: $title', ({ files, options }) => {
  let project = '';
  beforeAll(() => {
    project = initProject(typeof files === 'function' ? files() : files, options);
  });

  test('npm start saves and queries', () => {
    const { status, output } = npm(project, 'start', '--silent');
    expect(output).toContain('12 rows written, 0 failed\n2026-01-01T05:00:00.000Z 6.5 75\n');
    expect(status).toBe(0);
    expect(existsSync(join(project, 'data/rowsmith.json'))).toBe(true);
  });

  test('npm test passes', () => {
    const { status, output } = npm(project, 'test', '--silent');
    expect(output).toMatch(/Tests +1 passed \(1\)/);
    expect(status).toBe(0);
  });

  test('tsc accepts the config, the program and the test', () => {
    const config = { extends: './tsconfig.json', include: ['src', '*.config.ts'] };
    writeFiles(project, { 'tsconfig.all.json': JSON.stringify(config) });
    const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.all.json', '--noEmit'];
    expect(run(project, process.execPath, tsc)).toEqual({ status: 0, output: '' });
  });
});

describe('rowsmith/vite', () => {
  /** Prints which kind of decorators it was compiled to. */
  const main = `
    function kind(_target: unknown, context: unknown): void {
      console.log(typeof context === 'object' ? 'standard' : 'legacy');
    }
    class Reading {
      @kind
      value!: string;
    }
    new Reading();`;
  const legacy = '{ "compilerOptions": { "experimentalDecorators": true } }';
  let project = '';
  beforeAll(() => {
    project = mkdtempSync(join(scratch, 'plugin-'));
    const guide = readFileSync(join(root, 'docs/guide/bundlers.md'), 'utf8');
    const [, config] = /^```typescript\n([\s\S]*?)^```$/m.exec(guide) ?? [];
    installedProject(project, { 'vite.config.ts': config }, tools);
  });

  /** The output of the program in a folder with these files, compiled by Vite. */
  function outputOf(
    files: Readonly<Record<string, string>>,
    options: readonly string[] = ['--config', 'vite.config.ts'],
  ): string {
    const folder = mkdtempSync(join(project, 'src-'));
    writeFiles(folder, { 'main.ts': main, ...files });
    const vite = ['node_modules/vite/bin/vite.js', 'build', folder, '--ssr', 'main.ts'];
    const built = run(project, process.execPath, [...vite, ...options]);
    if (built.status !== 0) throw new Error(built.output);
    return run(folder, process.execPath, ['dist/main.mjs']).output;
  }

  test.each<[title: string, files: Readonly<Record<string, string>>, dialect: string]>([
    ['no tsconfig.json', {}, 'standard'],
    ['a tsconfig.json', { 'tsconfig.json': '{}' }, 'standard'],
    [
      'a tsconfig.json without fields of classes',
      { 'tsconfig.json': '{ "compilerOptions": { "useDefineForClassFields": false } }' },
      'standard',
    ],
    ['experimentalDecorators', { 'tsconfig.json': legacy }, 'legacy'],
    [
      'experimentalDecorators by extends',
      { 'tsconfig.json': '{ "extends": "./tsconfig.base.json" }', 'tsconfig.base.json': legacy },
      'legacy',
    ],
    [
      'experimentalDecorators by references, as in new Vite projects',
      {
        'tsconfig.json':
          '{ "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "./tsconfig.app.json" }] }',
        'tsconfig.node.json': '{ "include": ["vite.config.ts"] }',
        'tsconfig.app.json': legacy.replace(/ \}$/, ', "include": ["*.ts"] }'),
      },
      'legacy',
    ],
  ])('%s', (_title, files, dialect) => {
    expect(outputOf(files)).toBe(`${dialect}\n`);
  });

  test('Vite alone leaves standard decorators; when this fails, the plugin is no longer needed', () => {
    const files = { 'tsconfig.json': '{ "compilerOptions": { "target": "ES2022" } }' };
    const output = outputOf(files, []);
    expect(output).toMatch(/@kind value;[\s\S]*SyntaxError/);
  });

  test('without esbuild the build fails and asks for it', () => {
    rmSync(join(project, 'node_modules/esbuild'));
    expect(() => outputOf({})).toThrow(/npm install -D esbuild/);
  });
});
