/**
 * Imports go one way. A layer imports only the layers listed for it, and those through their
 * index.ts; the folders inside a layer form no cycle; a vendor's package appears in one place; at
 * run time no file imports itself. Held by reading the import declarations of src/ and decorators/.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');

/**
 * What each layer may import besides itself, lowest layers first. ARCHITECTURE.md draws the same
 * picture. A layer that is not listed here does not exist yet: add it first.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  base: ['errors'],
  bytes: ['errors', 'base'],
  key: ['errors', 'base', 'bytes'],
  cell: ['errors', 'base', 'bytes'],
  store: ['errors', 'base', 'bytes'],
  text: ['errors', 'base', 'cell', 'key'],
  model: ['errors', 'base', 'bytes', 'key', 'cell', 'store', 'text'],
  mapping: ['errors', 'base', 'bytes', 'key', 'cell', 'model', 'store'],
  query: ['errors', 'base', 'bytes', 'key', 'cell', 'model', 'store'],
  lint: ['errors', 'base', 'key', 'model', 'store'],
  decorators: ['errors', 'base', 'bytes', 'key', 'cell', 'model'],
  protocol: ['errors', 'base', 'bytes', 'cell', 'store'],
  engines: ['errors', 'base', 'store'],
  'engines/local': ['errors', 'base', 'bytes', 'store'],
  'engines/bigtable': ['errors', 'base', 'bytes', 'cell', 'store', 'protocol'],
  observe: ['errors', 'base', 'bytes', 'store', 'heat'],
  heat: ['errors', 'base', 'bytes', 'key', 'model', 'store'],
  derived: ['errors', 'base', 'bytes', 'key', 'cell', 'model', 'store', 'mapping', 'query'],
  repository: [
    'derived',
    'errors',
    'base',
    'bytes',
    'key',
    'cell',
    'model',
    'store',
    'mapping',
    'query',
    'derived',
    'observe',
    'heat',
    'engines',
    'lint',
  ],
  codegen: ['errors', 'base', 'bytes', 'key', 'cell', 'model', 'store', 'protocol'],
  schema: ['errors', 'base', 'bytes', 'key', 'cell', 'model', 'store'],
  transfer: [
    'errors',
    'base',
    'bytes',
    'key',
    'cell',
    'model',
    'store',
    'mapping',
    'query',
    'derived',
    'repository',
    'schema',
    'text',
  ],
  simulate: ['errors', 'base', 'bytes', 'key', 'model', 'store', 'query', 'repository', 'heat'],
  vite: ['errors'],
  server: ['errors', 'base', 'bytes', 'store', 'protocol', 'engines', 'heat'],
  testing: [
    'errors',
    'base',
    'bytes',
    'model',
    'store',
    'mapping',
    'query',
    'repository',
    'engines',
  ],
};
/** Files above every layer: the entry points, and the command, which may import all of them. */
const above = /^(src\/(index|storage)\.ts|src\/cli\/.*|decorators\/index\.ts)$/;

/**
 * Where a package may appear, and whether only as `await import()`, so that it is not loaded unless
 * it is needed.
 */
const vendors: Readonly<Record<string, { readonly where: RegExp; readonly lazily: boolean }>> = {
  lmdb: { where: /^src\/engines\/local\/kv\/disk\//, lazily: true },
  'sorted-btree': { where: /^src\/engines\/local\/kv\/memory-store\.ts$/, lazily: true },
  re2js: { where: /^src\/engines\/local\/read\/regex[^/]*\.ts$/, lazily: true },
  '@google-cloud/bigtable': { where: /^src\/engines\/bigtable\/channel\//, lazily: true },
  '@opentelemetry/api': { where: /^src\/observe\//, lazily: true },
  commander: { where: /^src\/cli\/parsing\//, lazily: false },
  'hdr-histogram-js': { where: /^src\/simulate\/load\//, lazily: true },
  esbuild: { where: /^src\/(cli|vite)\//, lazily: true },
  // The user's own modules, and the user's own compiler.
  '(computed)': { where: /^src\/cli\/project\/load-module\.ts$/, lazily: true },
  typescript: {
    where: /^src\/cli\/(project\/type-emitter|commands\/doctor\/decorators)\.ts$/,
    lazily: true,
  },
  protobufjs: { where: /^src\/codegen\/proto-source\//, lazily: true },
  '@grpc/grpc-js': { where: /^src\/server\//, lazily: true },
  'class-validator': { where: /^src\/mapping\//, lazily: true },
  'reflect-metadata': { where: /^decorators\//, lazily: false },
};

interface ImportLine {
  readonly specifier: string;
  /** Erased at run time: `import type`, `export type`, or only type names in the braces. */
  readonly typeOnly: boolean;
  /** `await import()` or `require()`. */
  readonly dynamic: boolean;
}
type Sources = ReadonlyMap<string, string>;

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) {
    return (
      node.isTypeOnly ||
      (node.exportClause !== undefined &&
        ts.isNamedExports(node.exportClause) &&
        node.exportClause.elements.length > 0 &&
        node.exportClause.elements.every((name) => name.isTypeOnly))
    );
  }
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  return (
    clause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((name) => name.isTypeOnly)
  );
}

/**
 * All imports of a file: declarations, re-exports, `import()`, `import('x').T`
 * types, require.
 */
function importLines(path: string, text: string): readonly ImportLine[] {
  const found: ImportLine[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier !== undefined
    ) {
      found.push({
        specifier: (node.moduleSpecifier as ts.StringLiteral).text,
        typeOnly: isTypeOnly(node),
        dynamic: false,
      });
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      found.push({
        specifier: (node.argument.literal as ts.StringLiteral).text,
        typeOnly: true,
        dynamic: false,
      });
    } else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(node.expression) && node.expression.text === 'require'))
    ) {
      const [argument] = node.arguments;
      const specifier =
        argument !== undefined && ts.isStringLiteralLike(argument) ? argument.text : '(computed)';
      found.push({ specifier, typeOnly: false, dynamic: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** `src/key/codec/x.ts` -> `key`, `src/errors.ts` -> `errors`, `src/engines/local/x.ts` -> `engines/local`. */
function layerOf(path: string): string {
  const parts = path.split('/');
  if (parts[0] !== 'src') return parts[0];
  if (parts[1] === 'engines' && parts.length > 3) return `engines/${parts[2]}`;
  return parts[1].replace(/\.ts$/, '');
}
const targetOf = (path: string, specifier: string): string =>
  posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');

function vendorFault(path: string, line: ImportLine): string | undefined {
  if (line.specifier.startsWith('node:')) return undefined;
  const name = line.specifier
    .split('/')
    .slice(0, line.specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const rule = vendors[name];
  if (rule === undefined)
    return `${path}: '${line.specifier}' is not a package that rowsmith depends on`;
  if (!rule.where.test(path))
    return `${path}: '${name}' may be imported only in ${rule.where.source}`;
  if (rule.lazily && !line.typeOnly && !line.dynamic)
    return `${path}: '${name}' may be imported only by await import()`;
  return undefined;
}

/** Inside a layer, files import each other, never their own index. */
function ownIndexFault(path: string, target: string): string | undefined {
  if (posix.basename(target) !== 'index.ts' || above.test(path)) return undefined;
  return `${path}: imports the index of its own layer`;
}

function layerFault(path: string, line: ImportLine, sources: Sources): string | undefined {
  if (!line.specifier.endsWith('.js'))
    return `${path}: '${line.specifier}' lacks its .js extension`;
  const target = targetOf(path, line.specifier);
  if (!sources.has(target))
    return `${path}: '${line.specifier}' leads to no file of src/ or decorators/`;
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === to) return ownIndexFault(path, target);
  const isInterface = target === `src/${to}/index.ts` || target === `src/${to}.ts`;
  // An engine that is not opened is not loaded, and neither are the types of its packages.
  const opens = from === 'engines' && (line.dynamic || line.typeOnly);
  if (!isInterface && to !== 'decorators' && !line.dynamic && !opens)
    return `${path}: import '${to}' through its index.ts (${line.specifier})`;
  if (above.test(path)) return undefined;
  if (layers[from] === undefined) return `${path}: '${from}' is not a layer`;
  if (layers[from].includes(to) || opens) return undefined;
  return `${path}: '${from}' must not import '${to}' (${line.specifier})`;
}

/** The cycles of a graph that a depth-first search finds. */
function cyclesIn(nodes: Iterable<string>, next: (node: string) => Iterable<string>): string[][] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[][] = [];
  const walk = (node: string, trail: readonly string[]): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      found.push([...trail.slice(trail.indexOf(node)), node]);
      return;
    }
    state.set(node, 'open');
    for (const each of next(node)) walk(each, [...trail, node]);
    state.set(node, 'done');
  };
  for (const node of nodes) walk(node, []);
  return found;
}

/** Files that import each other while modules load; dynamic imports and types come later or never. */
function fileCycles(sources: Sources): readonly string[] {
  const loads = (path: string): string[] =>
    importLines(path, sources.get(path) ?? '')
      .filter((line) => !line.typeOnly && !line.dynamic && line.specifier.startsWith('.'))
      .map((line) => targetOf(path, line.specifier));
  return cyclesIn(sources.keys(), loads).map((cycle) => `cycle: ${cycle.join(' -> ')}`);
}

/**
 * A folder inside a layer as one node, a file directly in the layer as its own: `key/kinds`,
 * `cell/utf8.ts`.
 */
function groupOf(path: string): string {
  const layer = layerOf(path);
  const rest = path.replace(/^src\//, '').slice(layer.length + 1);
  const folder = posix.dirname(rest);
  return `${layer}/${folder === '.' ? rest : folder}`;
}

/** Folders of one layer that import each other, types included. */
function folderCycles(sources: Sources): readonly string[] {
  const arrows = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    for (const line of importLines(path, text)) {
      if (!line.specifier.startsWith('.')) continue;
      const target = targetOf(path, line.specifier);
      const [from, to] = [groupOf(path), groupOf(target)];
      if (layerOf(path) !== layerOf(target) || from === to) continue;
      const set = arrows.get(from) ?? new Set();
      arrows.set(from, set.add(to));
    }
  }
  const next = (group: string): Iterable<string> => arrows.get(group) ?? [];
  return cyclesIn(arrows.keys(), next)
    .filter((cycle) => cycle.some((group) => !group.endsWith('.ts')))
    .map((cycle) => `folders: ${cycle.join(' -> ')}`);
}

function faultsOf(sources: Sources): readonly string[] {
  const faults = [...sources].flatMap(([path, text]) =>
    importLines(path, text).map((line) => {
      if (line.specifier.startsWith('.')) return layerFault(path, line, sources);
      return vendorFault(path, line);
    }),
  );
  return [
    ...faults.filter((fault) => fault !== undefined),
    ...fileCycles(sources),
    ...folderCycles(sources),
  ];
}

function readSources(): Sources {
  const sources = new Map<string, string>();
  for (const folder of ['src', 'decorators']) {
    for (const name of readdirSync(join(root, folder), {
      recursive: true,
      encoding: 'utf8',
    }).sort()) {
      if (name.endsWith('.ts'))
        sources.set(`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8'));
    }
  }
  return sources;
}

test('imports of src/ and decorators/ go one way', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(20);
  expect(faultsOf(sources)).toEqual([]);
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
    'bytes',
    'cell',
    'cli',
    'engines',
    'errors',
    'protocol',
    'server',
    'store',
  ]);
});

test('importing rowsmith does not load the API of Bigtable, lint, the server and the command', () => {
  const loaded = loadedLayers('src/index.ts');
  expect(loaded).toContain('repository');
  const later = ['cli', 'engines/bigtable', 'engines/local', 'lint', 'protocol', 'server', 'vite'];
  expect(later.filter((layer) => loaded.includes(layer))).toEqual([]);
});

describe('a wrong import is caught', () => {
  const files = {
    'src/errors.ts': 'export class E {}',
    'src/bytes/index.ts': "import { E } from '../errors.js'; export const b = E;",
    'src/key/index.ts': "import { b } from '../bytes/index.js'; export const k = b;",
    'src/cell/index.ts': 'export const c = 1;',
    'src/cell/scalar.ts': 'export const s = 1;',
    'src/engines/local/kv/disk/disk-store.ts': "export const s = () => import('lmdb');",
    'src/engines/local/index.ts': "export * from './kv/disk/disk-store.js';",
    'src/engines/open-engine.ts': "export const o = () => import('./local/kv/disk/disk-store.js');",
    'src/engines/index.ts': "export * from './open-engine.js';",
    'src/repository/index.ts': "export * from '../engines/index.js';",
    'decorators/entity.ts': "import 'reflect-metadata'; export const d = 1;",
    'src/index.ts':
      "export * from './repository/index.js'; export { d } from '../decorators/entity.js';",
  };
  const withFiles = (more: Readonly<Record<string, string>>): readonly string[] =>
    faultsOf(new Map(Object.entries({ ...files, ...more })));

  test('the sound tree has none', () => expect(withFiles({})).toEqual([]));

  test.each<[what: string, path: string, text: string, fault: string]>([
    [
      'upward',
      'src/bytes/index.ts',
      "import { k } from '../key/index.js'; export const b = k;",
      "'bytes' must not import 'key'",
    ],
    [
      'upward, types only',
      'src/bytes/index.ts',
      "import type { k } from '../key/index.js'; export type B = typeof k;",
      "'bytes' must not import 'key'",
    ],
    [
      'by a re-export',
      'src/bytes/more.ts',
      "export * from '../cell/index.js';",
      "'bytes' must not import 'cell'",
    ],
    [
      'by import()',
      'src/bytes/more.ts',
      "export const later = () => import('../cell/index.js');",
      "'bytes' must not import 'cell'",
    ],
    [
      'by an import type',
      'src/bytes/more.ts',
      "export type T = import('../cell/index.js').C;",
      "'bytes' must not import 'cell'",
    ],
    [
      'sideways',
      'src/key/more.ts',
      "import { c } from '../cell/index.js'; export const m = c;",
      "'key' must not import 'cell'",
    ],
    [
      'past the index of a layer',
      'src/store/more.ts',
      "import { s } from '../cell/scalar.js'; s;",
      "import 'cell' through its index.ts",
    ],
    [
      'the index of its own layer',
      'src/key/more.ts',
      "import { k } from './index.js'; k;",
      'imports the index of its own layer',
    ],
    [
      'an engine outside open',
      'src/repository/save.ts',
      "export const e = () => import('../engines/local/index.js');",
      "'repository' must not import 'engines/local'",
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
      "import type { k } from '../../key/index.js'; export type X = typeof k;",
      "'engines/local' must not import 'key'",
    ],
    [
      'the entry point from inside',
      'src/key/more.ts',
      "import '../index.js';",
      "'key' must not import 'index'",
    ],
    [
      'from an unknown layer',
      'src/shared/x.ts',
      "import '../errors.js';",
      "'shared' is not a layer",
    ],
    [
      'without an extension',
      'src/key/more.ts',
      "import '../bytes/index';",
      'lacks its .js extension',
    ],
    ['of a file that is not there', 'src/key/more.ts', "import './gone.js';", 'leads to no file'],
    [
      'lmdb elsewhere',
      'src/engines/open-engine.ts',
      "import 'lmdb';",
      "'lmdb' may be imported only in",
    ],
    [
      'lmdb at once',
      'src/engines/local/kv/disk/disk-store.ts',
      "import { open } from 'lmdb'; export const s = open;",
      "'lmdb' may be imported only by await import()",
    ],
    [
      'class-validator at once',
      'src/mapping/v.ts',
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
      'src/protocol/p.ts',
      "import { s } from '../engines/local/index.js'; s;",
      "'protocol' must not import 'engines/local'",
    ],
    [
      'a package we do not have',
      'src/key/more.ts',
      "import _ from 'lodash'; _;",
      'not a package that rowsmith depends on',
    ],
    [
      'a computed require',
      'src/key/more.ts',
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
      'src/key/a.ts': "import './b.js';",
      'src/key/b.ts': "export * from './a.js';",
    });
    expect(faults).toContain('cycle: src/key/a.ts -> src/key/b.ts -> src/key/a.ts');
  });

  test('a cycle of folders, though no file is in one', () => {
    const faults = withFiles({
      'src/key/kinds/a.ts': "import type { C } from '../codec/c.js'; export type A = C;",
      'src/key/codec/c.ts': 'export type C = 1;',
      'src/key/codec/d.ts': "import type { A } from '../kinds/a.js'; export type D = A;",
    });
    expect(faults).toEqual(['folders: key/kinds -> key/codec -> key/kinds']);
  });

  test('types of one folder may name each other', () => {
    const faults = withFiles({
      'src/key/a.ts': "import type { B } from './b.js'; export type A = B;",
      'src/key/b.ts': "import { type A } from './a.js'; export type B = A;",
    });
    expect(faults).toEqual([]);
  });
});

test('engines are wrapped by stages, and by nothing else', () => {
  const engines = [
    'src/engines/bigtable/live-engine.ts',
    'src/engines/local/local-engine.ts',
    'src/store/stage.ts',
    'src/testing/faults/faulty-engine.ts',
  ];
  const found = [...readSources()]
    .filter(([, text]) => /\bimplements Engine\b|\bnew Proxy\(engine\b/.test(text))
    .map(([path]) => path);
  expect(found.sort()).toEqual(engines);
});
