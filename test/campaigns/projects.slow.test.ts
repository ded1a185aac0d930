/**
 * Every test file runs in `npm test`, in `npm run test:slow`, on its back ends in both, or in
 * `npm run test:languages`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../support/built-package.js';

/** Paths below test/ that Jest runs with these options. */
function listed(...options: readonly string[]): readonly string[] {
  return listedWith({}, ...options);
}

function listedWith(env: NodeJS.ProcessEnv, ...options: readonly string[]): readonly string[] {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const output = execFileSync(process.execPath, [jest, '--listTests', '--json', ...options], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const paths = JSON.parse(output.slice(output.indexOf('['))) as readonly string[];
  return paths.map((path) => relative(join(root, 'test'), path).replaceAll('\\', '/')).sort();
}

const quick = listed('--ignoreProjects', 'slow');
const slow = listed('--selectProjects', 'slow');
const languages = listed('--config', 'scripts/jest/languages.mjs');
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.test.ts') && !/^[a-z]+\/cases\//.test(name));

test('a file named .slow.test.ts is slow, one named .languages.test.ts needs a language, every other one is quick', () => {
  const isSlow = (name: string): boolean => name.endsWith('.slow.test.ts');
  const needsLanguage = (name: string): boolean => name.endsWith('.languages.test.ts');
  expect(quick).toEqual(files.filter((name) => !isSlow(name) && !needsLanguage(name)).sort());
  expect(slow).toEqual(expect.arrayContaining(files.filter(isSlow)));
  expect(languages).toEqual(files.filter(needsLanguage).sort());
  expect(languages).toContain('proxy/google-suite.languages.test.ts');
});

test('the parts of CI have each suite of other languages, most of them always', () => {
  const parts = [1, 2, 3, 4, 5, 6].map((part) =>
    listedWith({ LANGUAGES_PART: `${part}/6` }, '--config', 'scripts/jest/languages.mjs'),
  );
  expect([...new Set(parts.flat())].sort()).toEqual(languages);
  const always = languages.filter((name) => parts.every((part) => part.includes(name)));
  expect(always).toContain('proxy/google-suite.languages.test.ts');
  expect(languages.length - always.length).toBeGreaterThan(4);
  expect(always.length).toBeGreaterThan(15);
});

test('both run the suites that repeat their tests on every back end', () => {
  const both = slow.filter((name) => quick.includes(name));
  const importers = files.filter((name) => {
    const text = readFileSync(join(root, 'test', name), 'utf8');
    return /^import [^;]*\bbackEnds\b[^;]*\/([\w-]*back-ends|shop)\.js'/m.test(text);
  });
  expect(importers).toContain('entities/repository/query/where.test.ts');
  expect(importers).toContain('cli/rows/writes.test.ts');
  expect(importers).toContain('entities/repository/write/change-many.test.ts');
  expect(importers.filter((name) => !both.includes(name) && !name.includes('.slow.'))).toEqual([]);
});

test.each([
  ['disk', 'engines/disk.test.ts'],
  ['server and emulator', 'engines/bigtable/conformance.test.ts'],
  ['memory', 'engines/memory.test.ts'],
  ['package', 'package/packed.test.ts'],
])('npm test runs the real component: %s', (_component, name) => {
  expect(quick).toContain(name);
});

const partsOfCi = ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6'].map((SLOW_PART) =>
  listedWith({ SLOW_PART, WITHOUT_CAMPAIGNS: '1' }, '--selectProjects', 'slow'),
);

test('the six parts of CI have each slow suite once, except the suites of campaigns', () => {
  const all = partsOfCi.flat();
  expect(new Set(all).size).toBe(all.length);
  expect(slow).toEqual(expect.arrayContaining(all));
  const left = slow.filter((name) => !all.includes(name));
  // test/campaigns/list.test.ts: their slices have more cases.
  expect(left).toContain('differential/shard-1.slow.test.ts');
  expect(left.length).toBeLessThan(12);
  for (const part of partsOfCi) expect(part.length).toBeGreaterThan(slow.length / 9);
});

test('the heaviest suites exist, and go to different parts', () => {
  const text = readFileSync(join(root, 'scripts/jest/slow-suites.mjs'), 'utf8');
  const list = /const heavy = \[([^]*?)\]\.map/.exec(text)![1];
  const heavy = [...list.matchAll(/'([^']+)'/g)].map((match) => `${match[1]}.slow.test.ts`);
  expect(heavy.length).toBeGreaterThan(10);
  for (const [i, name] of heavy.entries())
    expect([name, partsOfCi.findIndex((part) => part.includes(name))]).toEqual([name, i % 6]);
});
