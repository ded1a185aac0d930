/** The names in CHANGELOG.md: the new ones are exported, and the old ones are not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

/** The exported names by entry point. */
const exported = new Map(
  readFileSync(join(root, 'test/golden/entry-points.txt'), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [entryPoint, ...names] = section.trim().split('\n');
      return [entryPoint, names.map((name) => name.replace(/^(value|type ) /, ''))] as const;
    }),
);
const everyName = [...exported.values()].flat();

/** The rows of the table whose first title is given, as the code in each cell. */
function rows(heading: string, title: string): readonly (readonly string[])[][] {
  const section = changelog.slice(changelog.indexOf(heading));
  const start = section.indexOf(`| ${title} |`);
  const table = section.slice(start).split('\n\n')[0].split('\n').slice(2);
  return table.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code)),
  );
}

test('a renamed export exists under its new name, and no longer under its old one', () => {
  const renamed = rows('Renamed exports:', 'Entry point');
  expect(renamed.length).toBeGreaterThan(5);
  for (const [[entryPoint], [before], [after]] of renamed) {
    expect(exported.get(entryPoint)).toContain(after);
    expect(everyName).not.toContain(before);
  }
});

test('a moved export exists in its new entry point, and no longer in the old one', () => {
  const moved = rows('Exports that moved', 'New entry point');
  expect(moved.flatMap(([, names]) => names).length).toBeGreaterThan(40);
  for (const [[entryPoint], names] of moved) {
    expect(exported.get(entryPoint)).toEqual(expect.arrayContaining([...names]));
    expect(exported.get('rowsmith')!.filter((name) => names.includes(name))).toEqual([]);
  }
});

test('a removed export exists nowhere', () => {
  const [list] = changelog.slice(changelog.indexOf('### Removed')).split('They are parts');
  const removed = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).slice(1);
  expect(removed.length).toBeGreaterThan(20);
  expect(everyName.filter((name) => removed.includes(name))).toEqual([]);
});
