/** ARCHITECTURE.md lists every layer, and draws and names only what exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups, layers as allowed } from '../layer-rules.js';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const folders = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);
/** Groups that are one layer each. */
const whole = ['base', 'server', 'cli'];
const layers = folders('src').flatMap((group) =>
  whole.includes(group) ? [group] : folders(`src/${group}`).map((name) => `${group}/${name}`),
);

/** The layers that arrows lead to, directly and through other layers. */
function reachable(arrows: readonly (readonly string[])[], from: string): readonly string[] {
  const found = new Set<string>();
  const follow = (layer: string): void => {
    for (const [start, end] of arrows) {
      if (start !== layer || found.has(end)) continue;
      found.add(end);
      follow(end);
    }
  };
  follow(from);
  return [...found];
}

test('the table of layers lists every layer', () => {
  const table = text.slice(text.indexOf('| Layer |'), text.indexOf('Entry points'));
  const listed = [...table.matchAll(/^\| `([\w./]+?)\/?` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...layers, 'engines', 'decorators'].sort());
});

test('the groups are listed in the order of the rules', () => {
  const section = text.slice(text.indexOf('## Groups'), text.indexOf('```mermaid'));
  const listed = [...section.matchAll(/^- `(\w+)`:/gm)].map(([, name]) => name);
  expect(listed).toEqual([...groups]);
  expect([...listed].sort()).toEqual(folders('src').sort());
});

test('the picture shows the imports that are allowed', () => {
  const arrows = [...text.matchAll(/^ {2}([\w/]+) --> ([\w/]+)$/gm)].map(([, from, to]) => [
    from,
    to,
  ]);
  expect(arrows.length).toBeGreaterThan(20);
  expect(arrows.filter(([from, to]) => !allowed[from].includes(to))).toEqual([]);
  const drawn = [...new Set(arrows.map(([from]) => from))];
  const missing = drawn.flatMap((from) =>
    allowed[from]
      .filter((to) => !reachable(arrows, from).includes(to))
      .map((to) => `${from} --> ${to}`),
  );
  expect(missing).toEqual([]);
});

test('the picture shows which engines are opened', () => {
  const opened = [...text.matchAll(/^ {2}engines -\. opens \.-> ([\w/]+)$/gm)].map(([, to]) => to);
  const opener = readFileSync(join(root, 'src/engines/open-engine.ts'), 'utf8');
  const imported = [...opener.matchAll(/import\('\.\/(\w+)\//g)].map(([, to]) => `engines/${to}`);
  expect(opened.sort()).toEqual([...new Set(imported)].sort());
});

test('the files that it names exist', () => {
  const paths = [
    ...text.matchAll(/\b((?:[\w-]+\/)+[\w.-]*\w\.(?:ts|md|mjs|json))\b/g),
    ...text.matchAll(/\]\(([^):]+)\)/g),
  ].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the folders of the repository that it names exist', () => {
  const section = text.slice(text.indexOf('## Beside the code'), text.indexOf('## Formats'));
  const named = [...section.matchAll(/`([\w/-]+)`/g)].map(([, path]) => path);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
