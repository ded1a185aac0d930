/** `npm run visited`: what single calls visit. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

interface VisitedCall {
  readonly name: string;
  readonly files: readonly {
    readonly path: string;
    readonly functions: readonly { readonly name: string; readonly calls: number }[];
  }[];
}

function visited(...args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, ['scripts/visited.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

function callsOf(...args: string[]): ReadonlyMap<string, VisitedCall> {
  const { calls } = JSON.parse(visited('--json', ...args).stdout) as { calls: VisitedCall[] };
  return new Map(calls.map((call) => [call.name, call]));
}

const filesIn = (call: VisitedCall | undefined, folder: string): number =>
  call!.files.filter(({ path }) => path.startsWith(folder)).length;

function functionsOf(call: VisitedCall | undefined): number {
  return call!.files.reduce((sum, { functions }) => sum + functions.length, 0);
}

test('a save in memory visits sources from the repository to the engine, and no initialisation', () => {
  const calls = callsOf();
  expect([...calls.keys()]).toEqual([
    'save',
    'save, index',
    'save, rollup',
    'get',
    'query',
    'query, index',
  ]);
  for (const { files } of calls.values())
    for (const { path, functions } of files) {
      expect(existsSync(join(root, path))).toBe(true);
      for (const { calls } of functions) expect(calls).toBeGreaterThan(0);
    }
  const save = calls.get('save');
  for (const folder of [
    'src/entities/repository/',
    'src/entities/mapping/',
    'src/data/key/',
    'src/engines/local/',
  ])
    expect(filesIn(save, folder)).toBeGreaterThan(0);
  for (const folder of [
    'src/entities/derived/',
    'src/entities/query/',
    'src/cli/',
    'src/server/',
    'src/tools/lint/',
  ])
    expect(filesIn(save, folder)).toBe(0);
  // Declarations are compiled when a database is opened.
  expect(filesIn(save, 'src/entities/model/build')).toBe(0);
  expect(functionsOf(save)).toBeGreaterThan(50);
  expect(functionsOf(save)).toBeLessThan(300);

  for (const name of ['save, index', 'save, rollup'])
    expect(functionsOf(calls.get(name))).toBeGreaterThan(functionsOf(save));
  expect(functionsOf(calls.get('query, index'))).toBeGreaterThan(functionsOf(calls.get('query')));
});

test('live, the functions of the server are not counted', () => {
  const save = callsOf('--live').get('save');
  expect(filesIn(save, 'src/engines/bigtable/')).toBeGreaterThan(0);
  for (const folder of ['src/engines/local/', 'src/server/']) expect(filesIn(save, folder)).toBe(0);
});

test('the table has a column for each call, and no colours where there is no terminal', () => {
  const { stdout, status } = visited();
  expect(status).toBe(0);
  const [heading, ...lines] = stdout.trimEnd().split('\n');
  expect(heading).toMatch(/^functions \/ files +save {2,}save, index {2,}save, rollup /);
  expect(lines.map((line) => line.trim().split(/ {2,}/).length)).toEqual(lines.map(() => 7));
  expect(stdout).not.toContain('\x1b');
  // The figures of the groups add up.
  const figure = (name: string): number =>
    Number(new RegExp(`^${name} +(\\d+) /`, 'm').exec(stdout)?.[1]);
  expect(figure('entities') + figure('shared') + figure('storage')).toBe(figure('all'));
});

test('--list names the functions of a call, and the calls if there is none of that name', () => {
  expect(visited('--list', 'save').stdout).toContain(
    'src/entities/repository/entity-repository.ts\n  save',
  );
  const unknown = visited('--list', 'load');
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toContain("no call 'load': save; save, index");
});
