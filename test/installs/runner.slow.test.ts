/** The runner of the matrix of installs: what it calls passed, failed and skipped. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

const script = join(root, 'scripts/installs.mjs');
const prints = (text: string): string => `node -e "console.log('${text}')"`;

interface Program {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly node?: number;
}
const usesPackage = `node -e "console.log(require('rowsmith'))"`;
const programs: Readonly<Record<string, Program>> = {
  passes: { scripts: { types: prints('checked'), test: usesPackage } },
  fails: { scripts: { test: 'echo the reason; exit 3' } },
  'wrong-types': { scripts: { types: 'echo wrong types; exit 1', test: usesPackage } },
  // A runner that finds no tests often succeeds.
  'no-tests': { scripts: { test: prints('0 tests') } },
  unreachable: {
    scripts: { test: usesPackage },
    dependencies: { 'rowsmith-no-such-package': '1.0.0' },
  },
  'newer-node': { scripts: { test: usesPackage }, node: 999 },
};

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-installs-'));
  for (const [name, { scripts, dependencies, node }] of Object.entries(programs))
    write(join('cases', name), {
      'package.json': { private: true, scripts, dependencies },
      'case.json': { title: `the program ${name}`, prints: '^the package$', node },
    });
  write('package', {
    'package.json': { name: 'rowsmith', version: '0.0.1', main: 'main.json' },
    'main.json': 'the package',
  });
  execFileSync('npm', ['pack', '--silent'], { cwd: join(scratch, 'package') });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function write(folder: string, files: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(scratch, folder), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(scratch, folder, name), JSON.stringify(content));
}

interface Result {
  readonly status: number | null;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly programs: readonly {
    readonly name: string;
    readonly state: string;
    readonly step?: string;
    readonly output?: string;
  }[];
  readonly shown: string;
}

/** Runs the matrix without a network: the address of the registry is one where nobody listens. */
function run(names: readonly string[], env: NodeJS.ProcessEnv = {}): Result {
  const tarball = join(scratch, 'package/rowsmith-0.0.1.tgz');
  const folders = ['--cases', join(scratch, 'cases'), '--into', join(scratch, 'into')];
  const args = [script, '--json', ...folders, '--tarball', tarball, ...names];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: {
      ...process.env,
      CI_REQUIRE_INSTALLS: '',
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retry_mintimeout: '1',
      npm_config_fetch_retry_maxtimeout: '1',
      ...env,
    },
  });
  return { ...(JSON.parse(stdout) as Result), status, shown: stderr };
}

const stateOf = ({ programs }: Result, name: string): unknown =>
  programs.find((program) => program.name === name);

test('a program that is installed, checked and tested has passed', () => {
  const result = run(['passes']);
  expect(result).toMatchObject({ status: 0, passed: 1, failed: 0, skipped: 0 });
});

test('programs fail with their step and its output', () => {
  const result = run(['passes', 'fails', 'wrong-types', 'no-tests']);
  expect(result).toMatchObject({ status: 1, passed: 1, failed: 3, skipped: 0 });
  const failed = (step: string, output: string): object => ({
    state: 'failed',
    step,
    output: expect.stringContaining(output) as string,
  });
  expect(stateOf(result, 'fails')).toMatchObject(failed('test', 'the reason'));
  expect(stateOf(result, 'wrong-types')).toMatchObject(failed('types', 'wrong types'));
  expect(stateOf(result, 'no-tests')).toMatchObject(failed('test', '0 tests'));
});

const cannotRun = ['unreachable', 'newer-node'];

test('what cannot be installed or run is skipped loudly', () => {
  const result = run(['passes', ...cannotRun]);
  expect(result).toMatchObject({ status: 0, passed: 1, failed: 0, skipped: 2 });
  expect(stateOf(result, 'unreachable')).toMatchObject({ state: 'skipped', step: 'install' });
  expect(stateOf(result, 'newer-node')).toMatchObject({ state: 'skipped', step: 'node' });
  expect(result.shown).toMatch(/^ +\d+ s SKIPPED .*unreachable/m);
  expect(result.shown).toMatch(/^SKIPPED, could not be installed: .*unreachable/m);
});

test('CI_REQUIRE_INSTALLS=1 turns what is skipped into failures', () => {
  const result = run(['passes', ...cannotRun], { CI_REQUIRE_INSTALLS: '1' });
  expect(result).toMatchObject({ status: 1, passed: 1, failed: 2, skipped: 0 });
  for (const name of cannotRun) expect(stateOf(result, name)).toMatchObject({ state: 'failed' });
  expect(result.shown).toContain('(CI_REQUIRE_INSTALLS=1)');
});

test('a program that does not exist is an error', () => {
  const folders = ['--cases', join(scratch, 'cases')];
  const { status, stderr } = spawnSync(process.execPath, [script, ...folders, 'nothing'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain("no program 'nothing': fails, ");
});

test('beyond the programs of CI there are the other runners, frameworks and ways to share a database', () => {
  const output = execFileSync(process.execPath, [script, '--list'], { encoding: 'utf8' });
  const others = output.split('\n').filter((line) => line !== '' && !/^\S+ +ci /.test(line));
  expect(others.map((line) => line.split(' ')[0])).toEqual([
    'cluster',
    'express',
    'fastify',
    'hono',
    'jest-esm',
    'jest29-ts-jest',
    'mocha-tsx',
    'nest12',
    'next15',
    'next16-dev',
    'node-watch',
    'swc-jest',
    'vite-ssr',
    'vitest3',
  ]);
});
