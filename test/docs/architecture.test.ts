/**
 * ARCHITECTURE.md is the map of this tree: every room on it is there, every room there is on it,
 * and its counts are right.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evolutionRules } from '../../src/schema/index.js';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const map = text
  .slice(text.indexOf('```\nsrc/') + 4, text.indexOf('## Which way imports go'))
  .split('\n');
const folders = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name)
    .sort();
/** The first words of the lines with this indent. */
const named = (indent: string): string[] =>
  map.flatMap((line) => new RegExp(`^${indent}([\\w./-]+)(?:  |$)`).exec(line)?.[1] ?? []);

test('the rooms of src', () => {
  const rooms = named('  ').map((name) => name.replace(/\/$/, ''));
  const there = [
    ...folders('src').flatMap((room) =>
      room === 'engines' ? folders('src/engines').map((engine) => `engines/${engine}`) : [room],
    ),
    'errors.ts',
    'index.ts',
  ];
  expect(rooms.sort()).toEqual(there.sort());
});

test('the folders beside it', () => {
  expect(named('').length).toBeGreaterThan(8);
  expect(named('').filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

test('the folders of test that mirror no room', () => {
  const at = map.findIndex((line) => line.startsWith('test/'));
  const listed = [...`${map[at]} ${map[at + 1]}`.matchAll(/ ([\w-]+)\/(?=[ ,])/g)].map(
    ([, name]) => name,
  );
  const mirrored = [...folders('src'), 'decorators', 'demo'];
  expect(listed.filter((name) => name !== 'engines').sort()).toEqual(
    folders('test')
      .filter((name) => !mirrored.includes(name))
      .sort(),
  );
});

test('files and folders that it names are there', () => {
  const rooms = ['', 'src/', 'test/', 'scripts/'];
  const paths = [...text.matchAll(/\b((?:[\w-]+\/)+[\w.-]*\w\.(?:ts|md|mjs|json))\b/g)].map(
    ([, path]) => path,
  );
  expect(paths.length).toBeGreaterThan(15);
  expect(
    paths.filter((path) => !rooms.some((room) => existsSync(join(root, room + path)))),
  ).toEqual([]);
});

test('as many rules of evolution as it says', () => {
  expect(Number(/\((\d+) rules, each with its case\)/.exec(text)?.[1])).toBe(
    Object.keys(evolutionRules).length,
  );
});

test('as many compilers as it says', () => {
  const source = readFileSync(join(root, 'test/compilers/compilers.test.ts'), 'utf8');
  const compilers =
    source.match(/^\s+'(?:legacy|standard): |^ {2}\['(?:legacy|standard): /gm) ?? [];
  expect(text).toContain({ 15: 'fifteen', 16: 'sixteen', 17: 'seventeen' }[compilers.length]!);
});
