/**
 * `rowsmith init`: what it writes and what it keeps. test/package tests that the project compiles
 * and runs.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPlugin } from '../../src/cli/commands/init/add-plugin.js';
import { isPublished } from '../../src/cli/version.js';
import { command } from '../support/command.js';
import { expectGolden } from '../support/golden.js';
import { writeFiles } from '../support/linked-package.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const files = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.\w+$/.test(name))
    .sort();

test('an empty folder becomes a project', async () => {
  const { status, out, err } = await command(folder, ['init', 'app']);
  expect([status, err]).toEqual([0, '']);
  const written = files();
  expect(written).toEqual([
    'app/.gitignore',
    'app/package.json',
    'app/rowsmith.config.ts',
    'app/src/entities/reading.ts',
    'app/src/main.ts',
    'app/tsconfig.json',
  ]);
  expectGolden(
    'cli-init.txt',
    [out.replaceAll(folder, '.'), ...written.map((name) => `--- ${name}\n${read(name)}`)].join(
      '\n',
    ),
  );
});

test('the first step works: npm is not asked for a version that it does not have', async () => {
  const step = async (): Promise<string | undefined> =>
    /Next:\n(?: {2}cd .*\n)? {2}(.*)/.exec((await command(folder, ['init', 'app'])).out)?.[1];
  const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
  expect(readme.includes('not on npm yet')).toBe(!isPublished);
  const first = await step();
  if (isPublished) expect(first).toBe('npm install');
  else expect(first).toMatch(/^npm install PATH\/rowsmith-[\d.]+\.tgz .*not on npm yet/);
  rmSync(join(folder, 'app'), { recursive: true });
  writeFiles(folder, { 'app/node_modules/rowsmith/package.json': '{}' });
  expect(await step()).toBe('npm install');
});

test('--decorators legacy sets the options in tsconfig.json', async () => {
  await command(folder, ['init', '--decorators', 'legacy']);
  expect(JSON.parse(read('tsconfig.json'))).toMatchObject({
    compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true },
  });
  expect(await command(folder, ['init', '--decorators', 'both'])).toMatchObject({
    status: 2,
    err: expect.stringContaining('standard or legacy'),
  });
});

test('existing files are kept, and package.json keeps its entries', async () => {
  const existing =
    '{\n\t"name": "mine",\n\t"scripts": {\n\t\t"start": "node mine.js"\n\t},\n\t"devDependencies": {\n\t\t"typescript": "5.9.3"\n\t},\n\t"other": [1]\n}\n';
  writeFiles(folder, { 'package.json': existing, 'tsconfig.json': '{}', 'src/main.ts': '// mine' });
  const { out } = await command(folder, ['init', '--json']);
  expect(JSON.parse(out)).toEqual({
    folder,
    written: ['.gitignore', 'rowsmith.config.ts', 'src/entities/reading.ts', 'package.json'],
    kept: ['tsconfig.json', 'src/main.ts'],
    added: [
      'scripts.generate',
      'dependencies.rowsmith',
      'devDependencies.@types/node',
      'devDependencies.esbuild',
    ],
    toEdit: [],
  });
  expect([read('tsconfig.json'), read('src/main.ts')]).toEqual(['{}', '// mine']);
  const now = read('package.json');
  expect(now).toMatch(
    /^\{\n\t"name": "mine",\n\t"scripts": \{\n\t\t"start": "node mine\.js",\n\t\t"generate": "rowsmith generate"\n\t\}/,
  );
  expect(JSON.parse(now)).toMatchObject({ devDependencies: { typescript: '5.9.3' }, other: [1] });
});

test('in a project, and with an invalid package.json, nothing is written', async () => {
  await command(folder, ['init']);
  const before = files().map((name) => read(name));
  expect(await command(folder, ['init'])).toMatchObject({
    status: 1,
    err: expect.stringContaining('already has a config'),
  });
  expect(files().map((name) => read(name))).toEqual(before);
  for (const text of ['{', '[]']) {
    writeFiles(folder, { 'other/package.json': text });
    expect(await command(folder, ['init', 'other'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('package.json'),
    });
    expect(readdirSync(join(folder, 'other'))).toEqual(['package.json']);
  }
});

test('a folder that cannot be created: an error, and nothing is left behind', async () => {
  writeFiles(folder, { 'a-file': 'x' });
  const result = await command(folder, ['init', 'a-file/below']);
  expect(result).toMatchObject({
    status: 1,
    err: expect.stringMatching(/a-file.*: A file could not be read or written\.\n/),
  });
  expect(existsSync(join(folder, 'a-file/below'))).toBe(false);
  expect(readdirSync(folder)).toEqual(['a-file']);
});

describe('with Vite or Vitest', () => {
  const uses = (...packages: readonly string[]): string => {
    const devDependencies = Object.fromEntries(packages.map((name) => [name, '*']));
    return JSON.stringify({ type: 'module', devDependencies });
  };

  test.each([
    ['Vite', ['vite'], ['vite.config.ts']],
    ['Vitest', ['vitest'], ['src/reading.test.ts', 'vitest.config.ts']],
    ['both', ['vite', 'vitest'], ['src/reading.test.ts', 'vite.config.ts']],
  ])('%s: a new config has the plugin', async (_title, packages, added) => {
    writeFiles(folder, { 'package.json': uses(...packages) });
    const { out } = await command(folder, ['init']);
    const [config] = added.slice(-1);
    expect(files().filter((name) => /test|vite/.test(name))).toEqual(added);
    expect(out).toContain(`new      ${config}: compiles decorators\n`);
    expect(read(config)).toContain('plugins: [rowsmith()]');
  });

  test('Vite compiles the program, and Vitest runs the test', async () => {
    writeFiles(folder, { 'package.json': uses('vite', 'vitest') });
    const { out } = await command(folder, ['init']);
    expect(JSON.parse(read('package.json'))).toMatchObject({
      scripts: {
        start: 'vite build --ssr src/main.ts --outDir dist/server && node dist/server/main.js',
        test: 'vitest run',
      },
    });
    expect(out).toMatch(/npm start .*\n {2}npm test +runs src\/reading.test.ts\n/);
  });

  const npmTest = 'echo "Error: no test specified" && exit 1';

  test.each([
    ["npm's placeholder is replaced", npmTest, 'vitest run'],
    ['a script of the user is kept', 'node --test', 'node --test'],
    ['so is one that runs more', `${npmTest} || true`, `${npmTest} || true`],
  ])('%s', async (_title, before, after) => {
    const json = { scripts: { test: before, lint: 'eslint' }, devDependencies: { vitest: '*' } };
    writeFiles(folder, { 'package.json': JSON.stringify(json) });
    const { out } = await command(folder, ['init']);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(scripts).toMatchObject({ test: after, lint: 'eslint' });
    expect(out.includes('scripts.test')).toBe(before !== after);
    // What the last lines say to run is what there is.
    expect(out.includes('  npm test ')).toBe(before !== after);
  });

  test('without Vitest there is no test to run, and the placeholder stays', async () => {
    writeFiles(folder, { 'package.json': JSON.stringify({ scripts: { test: npmTest } }) });
    const { out } = await command(folder, ['init']);
    expect(JSON.parse(read('package.json'))).toMatchObject({ scripts: { test: npmTest } });
    expect(out).not.toContain('npm test');
  });

  test('a section that is no object is named, and nothing is written', async () => {
    const before = JSON.stringify({ scripts: 'x' });
    writeFiles(folder, { 'package.json': before });
    const { status, err } = await command(folder, ['init']);
    expect([status, err]).toEqual([1, expect.stringContaining('scripts is not an object')]);
    expect(read('package.json')).toBe(before);
    expect(existsSync(join(folder, 'tsconfig.json'))).toBe(false);
  });

  test('an existing program gets no script', async () => {
    writeFiles(folder, { 'package.json': uses('vite'), 'src/main.ts': '// mine' });
    const { out } = await command(folder, ['init']);
    expect(JSON.parse(read('package.json')).scripts).toEqual({ generate: 'rowsmith generate' });
    expect(out).not.toContain('main.js');
  });

  test('an existing config is edited', async () => {
    writeFiles(folder, {
      'package.json': uses('vite'),
      'vite.config.ts':
        "import { defineConfig } from 'vite';\n\nexport default defineConfig({});\n",
    });
    const { out } = await command(folder, ['init']);
    expect(out).toContain('changed  vite.config.ts: compiles decorators\n');
    expect(read('vite.config.ts')).toBe(
      "import rowsmith from 'rowsmith/vite';\nimport { defineConfig } from 'vite';\n\nexport default defineConfig({ plugins: [rowsmith()] });\n",
    );
  });

  test('what to add to a config that cannot be edited is printed', async () => {
    const config = 'export default ({ mode }) => ({ base: mode });\n';
    writeFiles(folder, { 'package.json': uses('vitest'), 'vitest.config.js': config });
    const { out } = await command(folder, ['init']);
    expect(out).toContain(
      "Add the plugin that compiles decorators to vitest.config.js:\n  import rowsmith from 'rowsmith/vite';\n  plugins: [rowsmith()],\n",
    );
    expect(read('vitest.config.js')).toBe(config);
  });

  test.each([
    ['has the plugin', 'vite.config.ts', "import rowsmith from 'rowsmith/vite';"],
    ['imports a config that has it', 'vitest.config.ts', "import base from './vite.config';"],
  ])('a config that %s is kept', async (_title, name, line) => {
    const withPlugin = "import rowsmith from 'rowsmith/vite';\n";
    writeFiles(folder, { 'package.json': uses('vite', 'vitest'), 'vite.config.ts': withPlugin });
    writeFiles(folder, { [name]: `${line}\n` });
    const { out } = await command(folder, ['init', '--json']);
    const { written, toEdit } = JSON.parse(out) as { written: string[]; toEdit: unknown[] };
    expect([written.filter((path) => path.includes('vite')), toEdit]).toEqual([[], []]);
    expect(read(name)).toBe(`${line}\n`);
  });
});

describe('addPlugin', () => {
  const imported = "import rowsmith from 'rowsmith/vite';\n";

  test.each([
    [
      'no plugins',
      'export default { base: "/" };',
      'export default { plugins: [rowsmith()], base: "/" };',
    ],
    [
      'an empty list',
      'export default { plugins: [] };',
      'export default { plugins: [rowsmith()] };',
    ],
    [
      'a list',
      'export default { plugins: [vue()] };',
      'export default { plugins: [rowsmith(), vue()] };',
    ],
    [
      'a list of lines',
      'export default {\n  plugins: [\n    // Vue\n    vue(),\n  ],\n};',
      'export default {\n  plugins: [\n    rowsmith(),\n    // Vue\n    vue(),\n  ],\n};',
    ],
    [
      'an object of lines',
      'export default {\n  base,\n};',
      'export default {\n  plugins: [rowsmith()],\n  base,\n};',
    ],
    [
      'plugins of something else, a comment and a string',
      "export default { worker: { plugins: () => [] }, /* plugins: [ */ title: 'plugins: [' };",
      "export default { plugins: [rowsmith()], worker: { plugins: () => [] }, /* plugins: [ */ title: 'plugins: [' };",
    ],
  ])('adds it: %s', (_title, before, after) => {
    const isFirst = (text: string): string => `${imported}\n${text}`;
    expect(addPlugin(before)).toBe(isFirst(after));
  });

  test('takes quotes, semicolons and line ends from the first import', () => {
    expect(
      addPlugin(
        '/// <reference types="node" />\r\nimport {\r\n  a,\r\n} from "b"\r\nexport default {}\r\n',
      ),
    ).toBe(
      '/// <reference types="node" />\r\nimport rowsmith from "rowsmith/vite"\r\nimport {\r\n  a,\r\n} from "b"\r\nexport default { plugins: [rowsmith()] }\r\n',
    );
  });

  test.each([
    ['a function', 'export default defineConfig(() => ({}));'],
    ['a merge', 'export default mergeConfig(base, {});'],
    ['CommonJS', 'module.exports = {};'],
    ['a spread', 'export default { ...base };'],
    ['a computed key', 'export default { a, [key]: [] };'],
    ['a shorthand', 'export default { plugins };'],
    ['a quoted key', "export default { 'plugins': [] };"],
    ['plugins that are computed', 'export default { plugins: list() };'],
    ['a regular expression', 'export default { test: /[{]/ };'],
    ['a template with a value', 'export default { base: `${a}` };'],
    ['the name is taken', 'const rowsmith = 1; export default {};'],
    ['no end', 'export default { a: [ };'],
    ['two exports', 'export default {}; export default {};'],
  ])('leaves the config to its author: %s', (_title, text) => {
    expect(addPlugin(text)).toBeUndefined();
  });
});
