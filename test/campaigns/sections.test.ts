/** The sections of .ci/run: their budgets, and what they run. sections.slow.test.ts runs some. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

const script = readFileSync(join(root, '.ci/run'), 'utf8');
test('every section has a budget, and so has the whole run: 50 minutes', () => {
  const lines = script.split('\n').filter((line) => /^(section|together)\b/.test(line));
  const budgets = lines.map((line) =>
    Number(/^(?:section [a-z-]+|together) (\d+) /.exec(line)?.[1]),
  );
  expect(budgets.length).toBeGreaterThan(8);
  for (const budget of budgets) expect(budget).toBeGreaterThan(0);
  expect(Math.max(...budgets)).toBeLessThanOrEqual(1200);
  expect(script).toMatch(/^whole 3000$/m);
});

test('npm test and CI run the suites of every project of Jest', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts).toMatchObject({
    test: 'jest --ignoreProjects slow',
    'test:slow': 'jest --selectProjects slow',
    'test:languages': 'jest --config scripts/jest/languages.mjs',
  });
  expect(script).toMatch(/^section tests \d+ npm test$/m);
  expect(script).toMatch(/^section slow \d+ npm run --silent test:slow$/m);
  expect(script).toMatch(/^section languages \d+ npm run --silent test:languages$/m);
});

test('every npm script that CI runs exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = [...script.matchAll(/npm run --silent ([\w:-]+)/g)].map((match) => match[1]);
  expect(names).toEqual(expect.arrayContaining(['test:nodes', 'test:installs', 'test:all']));
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

test('the programs of CI have one of each kind', () => {
  const output = execFileSync(process.execPath, ['scripts/installs.mjs', '--list', '--ci'], {
    cwd: root,
    encoding: 'utf8',
  });
  const names = output.split('\n').map((line) => line.split(' ')[0]);
  for (const kind of [
    'jest30-ts-jest',
    'jest30-js',
    'vitest4',
    'node-test',
    'next16',
    'nest11',
    'modules-node10',
    'modules-node16',
    'modules-nodenext',
    'modules-bundler',
    'decorators-legacy',
    'decorators-2018-09',
    'decorators-standard',
  ])
    expect(names).toContain(kind);
});
