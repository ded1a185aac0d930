/**
 * esbuild emits no `design:type`. Where a tsconfig asks for it (experimentalDecorators with
 * emitDecoratorMetadata) and the project has a TypeScript with a JavaScript API (before 7), its
 * files are transpiled by that. Otherwise they stay as they are, and a property without a named
 * kind gets the error that says what to do.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type TypeScript from 'typescript';
import { loadFrom } from './load-module.js';

/** A file's text; `changed` where it is JavaScript now. */
export type Transpile = (
  path: string,
) => Promise<{ readonly text: string; readonly changed: boolean }>;

/**
 * A transpiler for the files of a project. TypeScript is loaded only when the first file needs it
 * (0.3 s).
 */
export async function typeEmitter(folder: string): Promise<Transpile> {
  let compiler: Promise<typeof TypeScript | undefined> | undefined;
  const options = new Map<string, TypeScript.CompilerOptions | undefined>();
  return async (path) => {
    const text = readFileSync(path, 'utf8');
    const config = /\.[cm]?tsx?$/.test(path) ? nearestConfig(dirname(path)) : undefined;
    if (config === undefined || !mayEmitTypes(config)) return { text, changed: false };
    const ts = await (compiler ??= loadCompiler(folder));
    if (ts === undefined) return { text, changed: false };
    if (!options.has(config)) options.set(config, emittingOptions(ts, config));
    const compilerOptions = options.get(config);
    return compilerOptions === undefined
      ? { text, changed: false }
      : {
          text: ts.transpileModule(text, { compilerOptions, fileName: path }).outputText,
          changed: true,
        };
  };
}

async function loadCompiler(folder: string): Promise<typeof TypeScript | undefined> {
  const loaded = (await loadFrom(folder, 'typescript')) as Partial<typeof TypeScript> | undefined;
  return typeof loaded?.transpileModule === 'function' ? (loaded as typeof TypeScript) : undefined;
}

function nearestConfig(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const config = join(at, 'tsconfig.json');
    if (existsSync(config)) return config;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * Whether reading it with TypeScript is worth its load time: it says so, or what it extends may.
 */
function mayEmitTypes(config: string): boolean {
  return /emitDecoratorMetadata|"extends"/.test(readFileSync(config, 'utf8'));
}

/**
 * The options to transpile with, as the tsconfig and what it extends have them; undefined where
 * types are not asked for.
 */
function emittingOptions(
  ts: typeof TypeScript,
  config: string,
): TypeScript.CompilerOptions | undefined {
  const { config: json } = ts.readConfigFile(config, (path) => ts.sys.readFile(path)) as {
    config?: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(
    json ?? {},
    { ...ts.sys, readDirectory: () => [] },
    dirname(config),
  );
  if (options.experimentalDecorators !== true || options.emitDecoratorMetadata !== true)
    return undefined;
  return {
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    useDefineForClassFields: options.useDefineForClassFields,
    // What the bundler reads; it lowers the rest.
    target: options.target ?? ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: options.verbatimModuleSyntax,
    jsx: options.jsx,
    inlineSourceMap: true,
    inlineSources: true,
  };
}
