/**
 * "Imports go one way" (DESIGN.md), held to by reading the import lines of src/ and decorators/. A
 * room may import the rooms listed for it and itself, nothing else; a vendor's package appears in
 * one place; at run time no file imports itself in a circle.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');

/**
 * What each room may import besides itself. A room that is not listed does not exist yet: name its
 * place here first.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  bytes: ['errors'],
  key: ['errors', 'bytes'],
  cell: ['errors', 'bytes'],
  store: ['errors', 'bytes'],
  model: ['errors', 'bytes', 'key', 'cell', 'store'],
  mapping: ['errors', 'bytes', 'key', 'cell', 'model', 'store'],
  query: ['errors', 'bytes', 'key', 'cell', 'model', 'store'],
  engines: ['errors', 'bytes', 'store'],
  decorators: ['errors', 'bytes', 'key', 'cell', 'model'],
  repository: ['errors', 'bytes', 'key', 'cell', 'model', 'store', 'mapping', 'query', 'observe'],
  'engines/bigtable': ['errors', 'bytes', 'cell', 'store', 'protocol'],
  observe: ['errors', 'bytes', 'store'],
  codegen: ['errors', 'bytes', 'key', 'cell', 'model', 'store', 'protocol'],
  schema: ['errors', 'bytes', 'key', 'cell', 'model', 'store'],
  transfer: [
    'errors',
    'bytes',
    'key',
    'cell',
    'model',
    'store',
    'mapping',
    'query',
    'repository',
    'schema',
  ],
  protocol: ['errors', 'bytes', 'cell', 'store'],
  server: ['errors', 'bytes', 'store', 'protocol'],
  testing: ['errors', 'bytes', 'model', 'store', 'mapping', 'query', 'repository'],
};
/** Files that stand above every room: the front door and the command line name them all. */
const above = /^(src\/index\.ts|src\/cli\/.*|decorators\/index\.ts)$/;
/** The one file of repository/ and of server/ that may name concrete engines. */
const opener = /^src\/(repository|server)\/open(-[a-z-]+)?\.ts$/;

/**
 * Where a package may appear, and whether only as `await import()`, so that nobody pays for it who
 * does not need it.
 */
const vendors: Readonly<Record<string, { readonly where: RegExp; readonly lazily: boolean }>> = {
  lmdb: { where: /^src\/engines\/local\/disk-store[^/]*\.ts$/, lazily: false },
  'sorted-btree': { where: /^src\/engines\/local\/memory-store[^/]*\.ts$/, lazily: false },
  re2js: { where: /^src\/engines\/local\/regex[^/]*\.ts$/, lazily: false },
  '@google-cloud/bigtable': { where: /^src\/engines\/bigtable\//, lazily: true },
  '@opentelemetry/api': { where: /^src\/observe\//, lazily: true },
  esbuild: { where: /^src\/cli\//, lazily: true },
  // The user's own modules, and the user's own compiler.
  '(computed)': { where: /^src\/cli\/project\/load-module\.ts$/, lazily: true },
  typescript: { where: /^src\/cli\/project\/type-emitter\.ts$/, lazily: true },
  protobufjs: { where: /^src\/codegen\//, lazily: true },
  '@grpc/grpc-js': { where: /^src\/server\//, lazily: true },
  'class-validator': { where: /^src\/mapping\//, lazily: true },
  'reflect-metadata': { where: /^decorators\//, lazily: false },
};

interface ImportLine {
  readonly specifier: string;
  /** Gone at run time: `import type`, `export type`, or only type names in the braces. */
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
 * Every import of a file, wherever it stands: declarations, re-exports, `import()`, `import('x').T`
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

/**
 * `src/key/text.ts` -> `key`, `src/errors.ts` -> `errors`, `decorators/entity.ts` -> `decorators`;
 * the live engine speaks the protocol, so it is a room of its own.
 */
function roomOf(path: string): string {
  const parts = path.split('/');
  if (path.startsWith('src/engines/bigtable/')) return 'engines/bigtable';
  return parts[0] === 'src' ? parts[1].replace(/\.ts$/, '') : parts[0];
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
    return `${path}: '${line.specifier}' is not a package that rowsmith stands on`;
  if (!rule.where.test(path))
    return `${path}: '${name}' may be imported only in ${rule.where.source}`;
  if (rule.lazily && !line.typeOnly && !line.dynamic)
    return `${path}: '${name}' may be imported only by await import()`;
  return undefined;
}

function roomFault(path: string, line: ImportLine, sources: Sources): string | undefined {
  if (!line.specifier.endsWith('.js'))
    return `${path}: '${line.specifier}' lacks its .js extension`;
  const target = targetOf(path, line.specifier);
  if (!sources.has(target))
    return `${path}: '${line.specifier}' leads to no file of src/ or decorators/`;
  if (above.test(path)) return undefined;
  const [from, to] = [roomOf(path), roomOf(target)];
  if (from === to) return undefined;
  if (allowed[from] === undefined)
    return `${path}: the room '${from}' has no place in the order of imports`;
  if (allowed[from].includes(to) || (to.startsWith('engines') && opener.test(path)))
    return undefined;
  return `${path}: '${from}' must not import '${to}' (${line.specifier})`;
}

/**
 * The circles of files that import each other while modules load; dynamic imports and types come
 * later or never.
 */
function circles(sources: Sources): readonly string[] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push(`circle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    state.set(path, 'open');
    for (const line of importLines(path, sources.get(path) ?? '')) {
      if (!line.typeOnly && !line.dynamic && line.specifier.startsWith('.'))
        walk(targetOf(path, line.specifier), [...trail, path]);
    }
    state.set(path, 'done');
  };
  for (const path of sources.keys()) walk(path, []);
  return found;
}

function faultsOf(sources: Sources): readonly string[] {
  const faults = [...sources].flatMap(([path, text]) =>
    importLines(path, text).map((line) =>
      line.specifier.startsWith('.') ? roomFault(path, line, sources) : vendorFault(path, line),
    ),
  );
  return [...faults.filter((fault) => fault !== undefined), ...circles(sources)];
}

function readSources(): Sources {
  const sources = new Map<string, string>();
  for (const room of ['src', 'decorators']) {
    for (const name of readdirSync(join(root, room), {
      recursive: true,
      encoding: 'utf8',
    }).sort()) {
      if (name.endsWith('.ts'))
        sources.set(`${room}/${name}`, readFileSync(join(root, room, name), 'utf8'));
    }
  }
  return sources;
}

test('imports of src/ and decorators/ go one way', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(20);
  expect(faultsOf(sources)).toEqual([]);
});

describe('a wrong import is caught', () => {
  const files = {
    'src/errors.ts': 'export class E {}',
    'src/bytes/index.ts': "import { E } from '../errors.js'; export const b = E;",
    'src/key/text.ts': "import { b } from '../bytes/index.js'; export const k = b;",
    'src/cell/scalar.ts': 'export const c = 1;',
    'src/engines/local/kv/disk/disk-store.ts':
      "import { open } from 'lmdb'; export const s = open;",
    'src/repository/database/open.ts':
      "export const o = () => import('../engines/local/disk-store.js');",
    'decorators/entity.ts': "import 'reflect-metadata'; export const d = 1;",
    'src/index.ts':
      "export * from './repository/open.js'; export { d } from '../decorators/entity.js';",
  };
  const withFiles = (more: Readonly<Record<string, string>>): readonly string[] =>
    faultsOf(new Map(Object.entries({ ...files, ...more })));

  test('the sound tree has none', () => expect(withFiles({})).toEqual([]));

  test.each([
    [
      'upward',
      { 'src/bytes/index.ts': "import { k } from '../key/text.js'; export const b = k;" },
      "'bytes' must not import 'key'",
    ],
    [
      'upward, types only',
      {
        'src/bytes/index.ts': "import type { k } from '../key/text.js'; export type B = typeof k;",
      },
      "'bytes' must not import 'key'",
    ],
    [
      'by a re-export',
      { 'src/bytes/more.ts': "export * from '../cell/scalar.js';" },
      "'bytes' must not import 'cell'",
    ],
    [
      'by import()',
      { 'src/bytes/more.ts': "export const later = () => import('../cell/scalar.js');" },
      "'bytes' must not import 'cell'",
    ],
    [
      'by an import type',
      { 'src/bytes/more.ts': "export type T = import('../cell/scalar.js').C;" },
      "'bytes' must not import 'cell'",
    ],
    [
      'sideways',
      { 'src/key/more.ts': "import { c } from '../cell/scalar.js'; export const m = c;" },
      "'key' must not import 'cell'",
    ],
    [
      'an engine outside open',
      { 'src/repository/save.ts': "import { s } from '../engines/local/disk-store.js'; s;" },
      "'repository' must not import 'engines'",
    ],
    [
      'meaning in an engine',
      {
        'src/engines/local/x.ts':
          "import type { k } from '../../key/text.js'; export type X = typeof k;",
      },
      "'engines' must not import 'key'",
    ],
    [
      'the door from inside',
      { 'src/key/more.ts': "import '../index.js';" },
      "'key' must not import 'index'",
    ],
    [
      'from an unknown room',
      { 'src/shared/x.ts': "import '../errors.js';" },
      "'shared' has no place",
    ],
    [
      'without an extension',
      { 'src/key/more.ts': "import '../bytes/index';" },
      'lacks its .js extension',
    ],
    [
      'of a file that is not there',
      { 'src/key/more.ts': "import './gone.js';" },
      'leads to no file',
    ],
    [
      'lmdb elsewhere',
      { 'src/repository/database/open.ts': "import 'lmdb';" },
      "'lmdb' may be imported only in",
    ],
    [
      'class-validator at once',
      { 'src/mapping/v.ts': "import { validate } from 'class-validator'; validate;" },
      'only by await import()',
    ],
    [
      'grpc-js at once',
      { 'src/server/s.ts': "import { Server } from '@grpc/grpc-js'; Server;" },
      'only by await import()',
    ],
    [
      'storage in the protocol',
      { 'src/protocol/p.ts': "import { s } from '../engines/local/disk-store.js'; s;" },
      "'protocol' must not import 'engines'",
    ],
    [
      'a package we do not have',
      { 'src/key/more.ts': "import _ from 'lodash'; _;" },
      'not a package that rowsmith stands on',
    ],
    [
      'a computed require',
      { 'src/key/more.ts': 'export const r = (n: string) => require(n);' },
      "'(computed)' may be imported only in",
    ],
    [
      'a circle',
      { 'src/key/a.ts': "import './b.js';", 'src/key/b.ts': "export * from './a.js';" },
      'circle: src/key/a.ts -> src/key/b.ts -> src/key/a.ts',
    ],
  ])('%s', (_what, more, fault) => {
    expect(withFiles(more as Readonly<Record<string, string>>)).toEqual(
      expect.arrayContaining([expect.stringContaining(fault)]),
    );
  });

  test('types may go round inside a room', () => {
    const faults = withFiles({
      'src/key/a.ts': "import type { B } from './b.js'; export type A = B;",
      'src/key/b.ts': "import { type A } from './a.js'; export type B = A;",
    });
    expect(faults).toEqual([]);
  });
});
