/**
 * The packed package, installed into empty ESM and CommonJS projects: without install scripts,
 * without lmdb, and with the projects that `rowsmith init` creates.
 */
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

/** Opens the url of its argument, and prints `opened`, or the code of the error and its fix. */
function openProgram(form: (typeof forms)[number]): string {
  const load = {
    esm: "const { openEngine } = await import('rowsmith/storage');",
    cjs: "const { openEngine } = require('rowsmith/storage');",
  };
  return `(async () => {
    ${load[form]}
    const opened = openEngine(process.argv[2]).then((engine) => engine.close());
    console.log(await opened.then(() => 'opened', ({ code, details }) => code + ' ' + details.fix));
  })();`;
}

describe('install scripts', () => {
  /** Packages with a script that npm runs at installation. */
  function packagesWithScripts(modules: string): readonly string[] {
    const hooks = ['preinstall', 'install', 'postinstall'];
    const packages = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(name),
    );
    return packages
      .map((name) => JSON.parse(readFileSync(join(modules, name), 'utf8')) as InstalledPackage)
      .filter(({ scripts }) => hooks.some((hook) => scripts?.[hook] !== undefined))
      .map(({ name }) => name)
      .sort();
  }
  interface InstalledPackage {
    readonly name: string;
    readonly scripts?: Readonly<Record<string, string>>;
  }

  test('the guide denies the install scripts of all packages that have one', () => {
    const names = packagesWithScripts(join(scratch, 'esm/node_modules'));
    expect(names).toEqual(['lmdb', 'msgpackr-extract']);
    const guide = readFileSync(join(root, 'docs/guide/engines.md'), 'utf8');
    const denied = /^allowBuilds:\n((?: {2}\S+: false\n)+)/m.exec(guide)?.[1] ?? '';
    expect(denied.match(/[\w-]+(?=:)/g)).toEqual(names);
  });

  test('memory: and file: work after npm install --ignore-scripts', () => {
    // installPackage(), which all of these tests use, passes --ignore-scripts.
    const project = mkdtempSync(join(scratch, 'no-scripts-'));
    installedProject(project, { 'open.cjs': openProgram('cjs') });
    for (const url of ['memory:', 'file:./data'])
      expect(run(project, process.execPath, ['open.cjs', url]).output).toBe('opened\n');
  });
});

describe.each(forms)('%s: lmdb cannot be loaded', (form) => {
  /** Runs the program in a copy of the project without this package. */
  function openWithout(name: string, url: string): string {
    const project = mkdtempSync(join(scratch, `without-${form}-`));
    const file = form === 'esm' ? 'open.mjs' : 'open.cjs';
    installedProject(project, { [file]: openProgram(form) });
    rmSync(join(project, 'node_modules', name), { recursive: true });
    return run(project, process.execPath, [file, url]).output;
  }

  test('the package is missing: memory: works, and file: asks for it', () => {
    expect(openWithout('lmdb', 'memory:')).toBe('opened\n');
    expect(openWithout('lmdb', 'file:./data')).toBe('MISSING_PACKAGE npm install lmdb\n');
  });

  test('its native addon is missing, as after npm install --omit=optional', () => {
    expect(openWithout('@lmdb', 'file:./data')).toMatch(
      /^MISSING_PACKAGE .*npm install --include=optional/,
    );
  });
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
    for (const name of ['rowsmith', 'lmdb', 'reflect-metadata'])
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
