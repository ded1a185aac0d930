/**
 * Imports go one way. A layer imports only the layers listed for it, and only through their
 * index.ts; folders inside a layer, and files, form no cycle; a vendor's package appears in one
 * place. Held by reading the import declarations of src/ and decorators/.
 */
import {
  faultsOf,
  groups,
  importLines,
  layerOf,
  layers,
  readSources,
  targetOf,
} from './layer-rules.js';

test('imports of src/ and decorators/ go one way', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(20);
  expect(faultsOf(sources)).toEqual([]);
});

test('the rules let groups import only groups below them', () => {
  const rank = (layer: string): number =>
    groups.findIndex((group) => layer === group || layer.startsWith(`${group}/`));
  const upward = Object.entries(layers).flatMap(([from, allowed]) =>
    allowed
      .filter((to) => from !== 'decorators' && rank(to) > rank(from))
      .map((to) => `${from} -> ${to}`),
  );
  expect(upward).toEqual([]);
});

/** The layers that the entry points load, without what they load later. */
function loadedLayers(...entryPoints: string[]): readonly string[] {
  const sources = readSources();
  const loaded = new Set(entryPoints);
  for (const path of loaded)
    for (const { specifier, typeOnly, dynamic } of importLines(path, sources.get(path)!))
      if (!typeOnly && !dynamic && specifier.startsWith('.')) loaded.add(targetOf(path, specifier));
  return [...new Set([...loaded].map(layerOf))].sort();
}

test('`rowsmith serve` loads only what it serves with, because loading is most of its start', () => {
  expect(loadedLayers('src/cli/main.ts', 'src/cli/commands/serve.ts')).toEqual([
    'base',
    'cli',
    'data/cell',
    'data/store',
    'engines',
    'engines/protocol',
    'server',
  ]);
});

test('importing rowsmith does not load the API of Bigtable, tools, the server and the command', () => {
  const loaded = loadedLayers('src/index.ts');
  expect(loaded).toContain('entities/repository');
  const later = ['cli', 'engines/bigtable', 'engines/local', 'engines/protocol', 'server'];
  const isLater = (layer: string): boolean => later.includes(layer) || layer.startsWith('tools');
  expect(loaded.filter(isLater)).toEqual([]);
});

describe('a wrong import is caught', () => {
  const files = {
    'src/base/index.ts': 'export class E {}',
    'src/data/key/index.ts': "import { E } from '../../base/index.js'; export const k = E;",
    'src/data/cell/index.ts': 'export const c = 1;',
    'src/data/cell/scalar.ts': 'export const s = 1;',
    'src/engines/local/read/filter/regex.ts': "export const r = () => import('re2js');",
    'src/engines/local/index.ts': "export * from './read/filter/regex.js';",
    'src/engines/open-engine.ts': "export const o = () => import('./local/read/filter/regex.js');",
    'src/engines/index.ts': "export * from './open-engine.js';",
    'src/entities/repository/index.ts': "export * from '../../engines/index.js';",
    'decorators/entity.ts': "import 'reflect-metadata'; export const d = 1;",
    'src/index.ts':
      "export * from './entities/repository/index.js'; export { d } from '../decorators/entity.js';",
  };
  const withFiles = (more: Readonly<Record<string, string>>): readonly string[] =>
    faultsOf(new Map(Object.entries({ ...files, ...more })));

  test('the sound tree has none', () => expect(withFiles({})).toEqual([]));

  test.each<[what: string, path: string, text: string, fault: string]>([
    [
      'upward',
      'src/base/index.ts',
      "import { k } from '../data/key/index.js'; export const b = k;",
      "'base' must not import 'data/key'",
    ],
    [
      'upward, types only',
      'src/base/index.ts',
      "import type { k } from '../data/key/index.js'; export type B = typeof k;",
      "'base' must not import 'data/key'",
    ],
    [
      'by a re-export',
      'src/base/more.ts',
      "export * from '../data/cell/index.js';",
      "'base' must not import 'data/cell'",
    ],
    [
      'by import()',
      'src/base/more.ts',
      "export const later = () => import('../data/cell/index.js');",
      "'base' must not import 'data/cell'",
    ],
    [
      'by an import type',
      'src/base/more.ts',
      "export type T = import('../data/cell/index.js').C;",
      "'base' must not import 'data/cell'",
    ],
    [
      'sideways',
      'src/data/key/more.ts',
      "import { c } from '../cell/index.js'; export const m = c;",
      "'data/key' must not import 'data/cell'",
    ],
    [
      'past the index of a layer',
      'src/data/store/more.ts',
      "import { s } from '../cell/scalar.js'; s;",
      "import 'data/cell' through its index.ts",
    ],
    [
      'the index of its own layer',
      'src/data/key/more.ts',
      "import { k } from './index.js'; k;",
      'imports the index of its own layer',
    ],
    [
      'an engine outside open',
      'src/entities/repository/save.ts',
      "export const e = () => import('../../engines/local/index.js');",
      "'entities/repository' must not import 'engines/local'",
    ],
    [
      'an engine at once',
      'src/engines/open-engine.ts',
      "import { s } from './local/index.js'; s;",
      "'engines' must not import 'engines/local'",
    ],
    [
      'keys in an engine',
      'src/engines/local/x.ts',
      "import type { k } from '../../data/key/index.js'; export type X = typeof k;",
      "'engines/local' must not import 'data/key'",
    ],
    [
      'the entry point from inside',
      'src/data/key/more.ts',
      "import '../../index.js';",
      "'data/key' must not import 'index'",
    ],
    [
      'from an unknown layer',
      'src/shared/x/y.ts',
      "import '../../base/index.js';",
      "'shared/x' is not a layer",
    ],
    [
      'without an extension',
      'src/data/key/more.ts',
      "import '../../base/index';",
      'lacks its .js extension',
    ],
    [
      'of a file that is not there',
      'src/data/key/more.ts',
      "import './gone.js';",
      'leads to no file',
    ],
    [
      're2js elsewhere',
      'src/engines/open-engine.ts',
      "import 're2js';",
      "'re2js' may be imported only in",
    ],
    [
      're2js at once',
      'src/engines/local/read/filter/regex.ts',
      "import { RE2JS } from 're2js'; export const r = RE2JS;",
      "'re2js' may be imported only by await import()",
    ],
    [
      'class-validator at once',
      'src/entities/mapping/v.ts',
      "import { validate } from 'class-validator'; validate;",
      'only by await import()',
    ],
    [
      'grpc-js at once',
      'src/server/s.ts',
      "import { Server } from '@grpc/grpc-js'; Server;",
      'only by await import()',
    ],
    [
      'storage in the protocol',
      'src/engines/protocol/p.ts',
      "import { s } from '../local/index.js'; s;",
      "'engines/protocol' must not import 'engines/local'",
    ],
    [
      'a package we do not have',
      'src/data/key/more.ts',
      "import _ from 'lodash'; _;",
      'not a package that rowsmith depends on',
    ],
    [
      'a computed require',
      'src/data/key/more.ts',
      'export const r = (n: string) => require(n);',
      "'(computed)' may be imported only in",
    ],
  ])('%s', (_what, path, text, fault) => {
    expect(withFiles({ [path]: text })).toEqual(
      expect.arrayContaining([expect.stringContaining(fault)]),
    );
  });

  test('a cycle of files', () => {
    const faults = withFiles({
      'src/data/key/a.ts': "import './b.js';",
      'src/data/key/b.ts': "export * from './a.js';",
    });
    expect(faults).toContain('cycle: src/data/key/a.ts -> src/data/key/b.ts -> src/data/key/a.ts');
  });

  test('a cycle of folders, though no file is in one', () => {
    const faults = withFiles({
      'src/data/key/kinds/a.ts': "import type { C } from '../codec/c.js'; export type A = C;",
      'src/data/key/codec/c.ts': 'export type C = 1;',
      'src/data/key/codec/d.ts': "import type { A } from '../kinds/a.js'; export type D = A;",
    });
    expect(faults).toEqual(['folders: data/key/kinds -> data/key/codec -> data/key/kinds']);
  });

  test('a cycle of types', () => {
    const faults = withFiles({
      'src/data/key/a.ts': "import type { B } from './b.js'; export type A = B;",
      'src/data/key/b.ts': "import { type A } from './a.js'; export type B = A;",
    });
    expect(faults).toEqual(['cycle: src/data/key/a.ts -> src/data/key/b.ts -> src/data/key/a.ts']);
  });
});

test('engines are wrapped by stages, and by nothing else', () => {
  const engines = [
    'src/data/store/stage/stage.ts',
    'src/engines/bigtable/live-engine.ts',
    'src/engines/local/local-engine.ts',
    'src/tools/testing/faults/faulty-engine.ts',
  ];
  const found = [...readSources()]
    .filter(([, text]) => /\bimplements Engine\b|\bnew Proxy\(engine\b/.test(text))
    .map(([path]) => path);
  expect(found.sort()).toEqual(engines);
});

/** Names that two files export, because both are what a reader expects there. */
const sharedNames: readonly string[] = [
  // The root loads the rules when they are first applied.
  'lint',
  // Values of a table of encodings, used as `text`, `list`.
  'bytes',
  'list',
  'mapOf',
  'text',
  // Public types of different entry points.
  'RowSource',
];

test('a name is exported by one file of the library', () => {
  const files = new Map<string, string[]>();
  for (const [path, text] of [...readSources()].filter(([path]) => !path.startsWith('src/cli/')))
    for (const [, name] of text.matchAll(
      /^export (?:abstract |async )?(?:class|const|function\*?|interface|type) (\w+)/gm,
    ))
      files.set(name, [...(files.get(name) ?? []), path]);
  const repeated = [...files]
    .filter(([name, paths]) => new Set(paths).size > 1 && !sharedNames.includes(name))
    .map(([name, paths]) => `${name}: ${[...new Set(paths)].join(', ')}`);
  expect(repeated).toEqual([]);
});
