/**
 * `rowsmith init`: what it writes and what it keeps. test/package tests that the project compiles
 * and runs.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
