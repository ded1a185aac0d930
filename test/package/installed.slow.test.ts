/**
 * The packed package, installed into empty ESM and CommonJS projects: without native code, and with
 * the projects that `rowsmith init` creates.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from '../support/built-package.js';
import { installedProject } from '../support/installed-project.js';
import { visitStudioOf } from '../support/studio-visit.js';

const forms = ['esm', 'cjs'] as const;

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-installed-'));
  for (const form of forms) {
    const type = form === 'esm' ? 'module' : 'commonjs';
    const text = JSON.stringify({ name: `user-${form}`, private: true, type });
    installedProject(join(scratch, form), { 'package.json': text });
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('native code', () => {
  const hooks = ['preinstall', 'install', 'postinstall'];
  interface InstalledPackage {
    readonly name: string;
    readonly scripts?: Readonly<Record<string, string>>;
  }
  const files = (): readonly string[] =>
    readdirSync(join(scratch, 'esm/node_modules'), { recursive: true, encoding: 'utf8' });
  const packages = (): readonly InstalledPackage[] =>
    files()
      .filter((name) => /^(.+\/node_modules\/)?(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(name))
      .map((name) => readFileSync(join(scratch, 'esm/node_modules', name), 'utf8'))
      .map((text) => JSON.parse(text) as InstalledPackage);

  test('no installed file is a native addon, or makes npm build one', () => {
    // npm runs node-gyp in a package with this file, also without an install script.
    expect(files().filter((name) => /\.node$|(^|\/)binding\.gyp$/.test(name))).toEqual([]);
  });

  test('no installed package has an install script', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const names = packages().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['rowsmith', ...Object.keys(dependencies)]));
    const withScripts = packages().filter(({ scripts = {} }) =>
      hooks.some((hook) => hook in scripts),
    );
    expect(withScripts.map(({ name }) => name)).toEqual([]);
  });
});

/** Opens the url of its argument, and prints `opened` or the code of the error. */
const openProgram = {
  esm: program("const { openEngine } = await import('rowsmith/storage');"),
  cjs: program("const { openEngine } = require('rowsmith/storage');"),
};

function program(load: string): string {
  return `(async () => {
    ${load}
    const opened = openEngine(process.argv[2]).then((engine) => engine.close());
    console.log(await opened.then(() => 'opened', ({ code }) => code));
  })();`;
}

test.each(forms)('%s: memory: and file: work', (form) => {
  const project = join(scratch, form);
  const file = form === 'esm' ? 'open.mjs' : 'open.cjs';
  writeFileSync(join(project, file), openProgram[form]);
  for (const url of ['memory:', 'file:./opened'])
    expect(run(project, process.execPath, [file, url]).output).toBe('opened\n');
});

/** The first lines of output of the program that `rowsmith init` creates. */
const firstRun = `12 rows written, 0 failed
2026-01-01T05:00:00.000Z 6.5 75
2026-01-01T04:00:00.000Z 6 76
2026-01-01T03:00:00.000Z 5.5 77
`;

describe.each([
  ['standard decorators', [], 'module'],
  ['legacy decorators', ['--decorators', 'legacy'], 'module'],
  ['a CommonJS project', [], 'commonjs'],
] as const)('rowsmith init: %s', (title, options, type) => {
  let project = '';
  const rowsmith = (...args: readonly string[]) =>
    run(project, process.execPath, [join(scratch, 'esm/node_modules/.bin/rowsmith'), ...args]);
  beforeAll(() => {
    project = join(scratch, `init-${title.replaceAll(' ', '-')}`);
    mkdirSync(project);
    if (type === 'commonjs') writeFileSync(join(project, 'package.json'), '{ "type": "commonjs" }');
    const { status, output } = rowsmith('init', ...options);
    if (status !== 0) throw new Error(output);
    // As after `npm install`.
    const from = join(root, 'node_modules');
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
    for (const name of ['typescript', 'esbuild', '@types/node'])
      symlinkSync(join(from, name), join(project, 'node_modules', name));
    for (const name of ['rowsmith', 'reflect-metadata'])
      symlinkSync(join(scratch, 'esm/node_modules', name), join(project, 'node_modules', name));
  });

  test('compiles, saves and queries', () => {
    expect(
      run(project, process.execPath, ['node_modules/typescript/bin/tsc', '--pretty', 'false']),
    ).toEqual({ status: 0, output: '' });
    const { status, output } = run(project, process.execPath, ['dist/src/main.js']);
    expect({ status, printed: output.slice(0, firstRun.length) }).toEqual({
      status: 0,
      printed: firstRun,
    });
    // A second run saves and finds the same rows.
    expect(run(project, process.execPath, ['dist/src/main.js']).output).toBe(output);
  });

  test('describe and generate find its entities, and the generated files are up to date', () => {
    expect(rowsmith('describe')).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^Reading\n {2}table +telemetry\n/),
    });
    expect(rowsmith('generate')).toMatchObject({ status: 0 });
    expect(existsSync(join(project, 'generated'))).toBe(true);
    expect(rowsmith('generate', '--check')).toMatchObject({ status: 0 });
    const other = join(project, 'src/entities/reading.ts');
    writeFileSync(
      other,
      readFileSync(other, 'utf8').replace("table: 'telemetry'", "table: 'measured'"),
    );
    expect(rowsmith('describe', '--json').output).toContain('"table":"measured"');
  });
});

test('rowsmith studio serves the page that the package contains', async () => {
  const project = join(scratch, 'esm');
  writeFileSync(
    join(project, 'rowsmith.config.mjs'),
    `
    import { column, defineEntity, rowKey } from 'rowsmith';
    class Part {}
    const entity = defineEntity(Part, { table: 'parts', families: { p: {} }, key: rowKey('id'), segments: { id: 'string' }, columns: { name: column('p', 'string') } });
    export default { entities: [entity], url: 'file:./parts' };`,
  );
  const rowsmith = join(project, 'node_modules/.bin/rowsmith');
  const put = run(project, process.execPath, [rowsmith, 'put', 'Part', 'id=a', 'name=b', '--yes']);
  expect(put.status).toBe(0);
  const args = [rowsmith, 'studio', '--no-open', '--port', '0'];
  const child = spawn(process.execPath, args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { page, exit } = await visitStudioOf(child);
  expect(exit).toEqual([0, null]);
  expect(page).toMatchObject({ status: 200, scriptBytes: expect.any(Number) as number });
});

test('rowsmith describe finds entities declared with the CommonJS build', () => {
  const project = join(scratch, 'cjs');
  writeFileSync(
    join(project, 'rowsmith.config.cjs'),
    `
    const { column, defineEntity, rowKey } = require('rowsmith');
    const { defineConfig } = require('rowsmith/config');
    class Part {}
    module.exports = defineConfig({ entities: [defineEntity(Part, { table: 'parts', families: { p: {} }, key: rowKey('id'), segments: { id: 'string' }, columns: { name: column('p', 'string') } })] });`,
  );
  const { status, output } = run(project, process.execPath, [
    join(project, 'node_modules/.bin/rowsmith'),
    'describe',
    '--json',
  ]);
  expect(status).toBe(0);
  expect(JSON.parse(output)).toMatchObject([{ entity: 'Part', table: 'parts' }]);
});
