/**
 * The page is a program for browsers: of the library it imports types of the protocol and the parts
 * of the heat map, its packages are bundled, and nothing in it makes markup of text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { cyclesIn, importLines, root } from '../../../layer-rules.js';

const folder = 'src/tools/studio/page';
const sources = new Map(
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')]),
);

const packages = /^(preact(\/hooks)?|@preact\/signals|@codemirror\/[\w-]+|@lezer\/highlight)$/;
const heatParts = /^src\/tools\/page\/browser\/[\w-]+\.(js|css)$/;

/** The file that an import leads to. */
function targetOf(path: string, specifier: string): string {
  const target = posix.join(posix.dirname(path), specifier);
  const written = [target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx')];
  return written.find((each) => sources.has(each)) ?? target;
}

test('imports only its own files, types of the protocol, and parts of the heat map', () => {
  expect(sources.size).toBeGreaterThan(40);
  const faults = [...sources].flatMap(([path, text]) =>
    importLines(path, text).flatMap(({ specifier, typeOnly }) => {
      if (!specifier.startsWith('.')) return packages.test(specifier) ? [] : [specifier];
      const target = targetOf(path, specifier);
      const isType = typeOnly && target.startsWith('src/tools/studio/protocol/');
      return sources.has(target) || isType || heatParts.test(target)
        ? []
        : [`${path}: ${specifier}`];
    }),
  );
  expect(faults).toEqual([]);
});

test('loads the editor and the heat map when they are first used', () => {
  const eager = [...sources].flatMap(([path, text]) =>
    importLines(path, text)
      .filter(({ specifier, dynamic, typeOnly }) => {
        const isLazy = /(code-editor|heat-parts)\.js$/.test(specifier);
        return isLazy && !dynamic && !typeOnly;
      })
      .map(({ specifier }) => `${path}: ${specifier}`),
  );
  expect(eager).toEqual([]);
});

test('files form no cycle', () => {
  const next = (path: string): string[] =>
    importLines(path, sources.get(path)!)
      .filter(({ specifier, dynamic }) => specifier.startsWith('.') && !dynamic)
      .map(({ specifier }) => targetOf(path, specifier))
      .filter((target) => sources.has(target));
  expect(cyclesIn(sources.keys(), next)).toEqual([]);
});

test('nothing makes markup or code of text', () => {
  const making =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\(|new Function/;
  expect([...sources].filter(([, text]) => making.test(text)).map(([path]) => path)).toEqual([]);
});
