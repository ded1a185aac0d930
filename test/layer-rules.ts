/** The layers, and imports that go another way. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

export const root = join(__dirname, '..');

/** The groups of src/, lowest first: a group imports only groups before it. */
export const groups = ['base', 'data', 'engines', 'entities', 'tools', 'server', 'cli'] as const;

/**
 * What each layer may import besides itself and `base`, lowest layers first. ARCHITECTURE.md draws
 * the same picture. A layer that is not listed here does not exist yet: add it first.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  'data/key': [],
  'data/cell': [],
  'data/store': [],
  'data/text': ['data/cell', 'data/key'],
  engines: ['data/store'],
  'engines/local': ['data/store'],
  'engines/protocol': ['data/cell', 'data/store'],
  'engines/bigtable': ['data/cell', 'data/store', 'engines/protocol'],
  'engines/observe': ['data/store'],
  'entities/model': ['data/key', 'data/cell', 'data/store', 'data/text'],
  'entities/mapping': ['data/key', 'data/cell', 'data/store', 'entities/model'],
  'entities/query': ['data/key', 'data/cell', 'data/store', 'data/text', 'entities/model'],
  'entities/derived': [
    'data/key',
    'data/cell',
    'data/store',
    'entities/model',
    'entities/mapping',
    'entities/query',
  ],
  'entities/repository': [
    'data/key',
    'data/cell',
    'data/store',
    'engines',
    'engines/observe',
    'entities/model',
    'entities/mapping',
    'entities/query',
    'entities/derived',
  ],
  'entities/proto': ['data/cell', 'entities/model'],
  decorators: ['data/key', 'data/cell', 'entities/model'],
  'tools/lint': ['data/key', 'data/store', 'entities/model'],
  'tools/heat': ['data/key', 'data/store', 'entities/model'],
  'tools/codegen': [
    'data/key',
    'data/cell',
    'data/store',
    'engines/protocol',
    'entities/model',
    'entities/proto',
  ],
  'tools/values': ['data/key'],
  'tools/gc': ['data/store', 'entities/model'],
  'tools/output': ['tools/codegen'],
  'tools/pull': ['data/key', 'data/cell', 'data/store', 'entities/model'],
  'tools/schema': ['data/key', 'data/cell', 'data/store', 'entities/model'],
  'tools/rows': ['data/store', 'entities/model', 'entities/query', 'entities/repository'],
  'tools/transfer': [
    'data/key',
    'data/cell',
    'data/store',
    'data/text',
    'entities/model',
    'entities/mapping',
    'entities/query',
    'entities/derived',
    'entities/repository',
    'tools/schema',
  ],
  'tools/simulate': [
    'data/key',
    'data/store',
    'entities/model',
    'entities/query',
    'entities/repository',
    'tools/heat',
    'tools/values',
  ],
  'tools/page': ['tools/heat', 'tools/simulate'],
  'tools/conformance': ['data/store', 'engines', 'tools/values'],
  'tools/testing': [
    'data/cell',
    'data/key',
    'data/store',
    'engines',
    'entities/model',
    'entities/mapping',
    'entities/query',
    'entities/repository',
    'tools/values',
  ],
  'tools/studio': [
    'data/key',
    'data/cell',
    'data/store',
    'data/text',
    'engines',
    'engines/observe',
    'entities/model',
    'entities/mapping',
    'entities/query',
    'entities/repository',
    'tools/gc',
    'tools/heat',
    'tools/lint',
    'tools/page',
    'tools/rows',
    'tools/simulate',
    'tools/transfer',
  ],
  'tools/vite': [],
  'tools/nest': ['entities/model', 'entities/repository'],
  server: ['data/store', 'engines', 'engines/protocol', 'tools/heat'],
};

/** What lower layers know of tools: types, and rules that are loaded when they are first used. */
export const later: Readonly<Record<string, readonly string[]>> = {
  'engines/observe': ['tools/heat'],
  'entities/repository': ['tools/lint'],
};

/** Files above every layer: the entry points, and the command, which may import all of them. */
export const above =
  /^(src\/(index|storage|types|wire|tools\/index)\.ts|src\/cli\/.*|decorators\/index\.ts)$/;

/**
 * Where a package may appear, and whether only as `await import()`, so that it is not loaded unless
 * it is needed.
 */
export const vendors: Readonly<
  Record<string, { readonly where: RegExp; readonly lazily: boolean }>
> = {
  re2js: { where: /^src\/engines\/local\/read\/filter\/regex[^/]*\.ts$/, lazily: true },
  '@google-cloud/bigtable': { where: /^src\/engines\/bigtable\/channel\//, lazily: true },
  '@opentelemetry/api': { where: /^src\/engines\/observe\//, lazily: true },
  commander: { where: /^src\/cli\/parsing\//, lazily: false },
  'hdr-histogram-js': { where: /^src\/tools\/simulate\/load\//, lazily: true },
  esbuild: { where: /^src\/(cli|tools\/vite)\//, lazily: true },
  // The user's own modules, and the user's own compiler.
  '(computed)': { where: /^src\/cli\/project\/load-module\.ts$/, lazily: true },
  typescript: {
    where: /^src\/cli\/(project\/type-emitter|commands\/doctor\/decorators)\.ts$/,
    lazily: true,
  },
  '@nestjs/common': { where: /^src\/tools\/nest\//, lazily: false },
  '@nestjs/core': { where: /^src\/tools\/nest\//, lazily: false },
  rxjs: { where: /^src\/tools\/nest\//, lazily: false },
  protobufjs: { where: /^src\/(entities\/proto|server\/reflection)\//, lazily: true },
  '@grpc/grpc-js': { where: /^src\/(server\/|cli\/commands\/health\.ts$)/, lazily: true },
  'class-validator': { where: /^src\/entities\/mapping\//, lazily: true },
  'reflect-metadata': { where: /^decorators\//, lazily: false },
};

export interface ImportLine {
  readonly specifier: string;
  /** Erased at run time: `import type`, `export type`, or only type names in the braces. */
  readonly typeOnly: boolean;
  /** `await import()` or `require()`. */
  readonly dynamic: boolean;
}

export type Sources = ReadonlyMap<string, string>;

export function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
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

const latest = ts.ScriptTarget.Latest;

/** The imports of texts that were parsed. */
const parsed = new Map<string, readonly ImportLine[]>();

/**
 * All imports of a file: declarations, re-exports, `import()`, `import('x').T`
 * types, require. Several rules ask for the same file.
 */
export function importLines(path: string, text: string): readonly ImportLine[] {
  const lines = parsed.get(text) ?? parse(path, text);
  parsed.set(text, lines);
  return lines;
}

function parse(path: string, text: string): readonly ImportLine[] {
  const found: ImportLine[] = [];
  // Declarations are statements of the file; only these may be anywhere.
  const hasCalls = /\b(import|require)\s*\(/.test(text);
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
    if (node.kind === ts.SyntaxKind.SourceFile || hasCalls) ts.forEachChild(node, visit);
  };
  // Comments are not looked at.
  const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  visit(ts.createSourceFile(path, text, { languageVersion: latest, jsDocParsingMode }));
  return found;
}

/** Groups without layers inside: each is one layer. */
const whole = ['base', 'server', 'cli'];

/** `src/data/key/codec/x.ts` -> `data/key`, `src/base/errors.ts` -> `base`. */
export function layerOf(path: string): string {
  const parts = path.split('/');
  if (parts[0] !== 'src') return parts[0];
  if (parts.length > 3 && !whole.includes(parts[1])) return `${parts[1]}/${parts[2]}`;
  return parts[1].replace(/\.ts$/, '');
}

export const targetOf = (path: string, specifier: string): string =>
  posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');

export function vendorFault(path: string, line: ImportLine): string | undefined {
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
export function ownIndexFault(path: string, target: string): string | undefined {
  if (posix.basename(target) !== 'index.ts' || above.test(path)) return undefined;
  return `${path}: imports the index of its own layer`;
}

export function layerFault(path: string, line: ImportLine, sources: Sources): string | undefined {
  if (!line.specifier.endsWith('.js'))
    return `${path}: '${line.specifier}' lacks its .js extension`;
  const target = targetOf(path, line.specifier);
  if (!sources.has(target))
    return `${path}: '${line.specifier}' leads to no file of src/ or decorators/`;
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === to) return ownIndexFault(path, target);
  // Entry points are files of src/ itself.
  const isInterface = [`src/${to}/index.ts`, `src/${to}.ts`].includes(target);
  // An engine that is not opened is not loaded, and neither are the types of its packages.
  const opens = from === 'engines' && (line.dynamic || line.typeOnly);
  if (!isInterface && to !== 'decorators' && !line.dynamic && !opens)
    return `${path}: import '${to}' through its index.ts (${line.specifier})`;
  if (above.test(path)) return undefined;
  if (layers[from] === undefined) return `${path}: '${from}' is not a layer`;
  if (to === 'base' || layers[from].includes(to) || opens) return undefined;
  if ((line.dynamic || line.typeOnly) && later[from]?.includes(to)) return undefined;
  return `${path}: '${from}' must not import '${to}' (${line.specifier})`;
}

/** The cycles of a graph that a depth-first search finds. */
export function cyclesIn(
  nodes: Iterable<string>,
  next: (node: string) => Iterable<string>,
): string[][] {
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

/** Files that import each other, types included; dynamic imports come later. */
export function fileCycles(sources: Sources): readonly string[] {
  const loads = (path: string): string[] =>
    importLines(path, sources.get(path) ?? '')
      .filter((line) => !line.dynamic && line.specifier.startsWith('.'))
      .map((line) => targetOf(path, line.specifier));
  return cyclesIn(sources.keys(), loads).map((cycle) => `cycle: ${cycle.join(' -> ')}`);
}

/**
 * A folder inside a layer as one node, a file directly in the layer as its own: `key/kinds`,
 * `cell/utf8.ts`.
 */
export function groupOf(path: string): string {
  const layer = layerOf(path);
  const rest = path.replace(/^src\//, '').slice(layer.length + 1);
  const folder = posix.dirname(rest);
  return `${layer}/${folder === '.' ? rest : folder}`;
}

/** Folders of one layer that import each other, types included. */
export function folderCycles(sources: Sources): readonly string[] {
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

export function faultsOf(sources: Sources): readonly string[] {
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

/** The page of the studio is a program for browsers, with its own rules (page-imports.test.ts). */
const ofBrowsers = 'src/tools/studio/page/';

export function readSources(): Sources {
  const sources = new Map<string, string>();
  for (const folder of ['src', 'decorators']) {
    for (const name of readdirSync(join(root, folder), {
      recursive: true,
      encoding: 'utf8',
    }).sort()) {
      if (name.endsWith('.ts') && !`${folder}/${name}`.startsWith(ofBrowsers))
        sources.set(`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8'));
    }
  }
  return sources;
}
