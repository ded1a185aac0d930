/**
 * esbuild emits no `design:type` metadata. If a tsconfig asks for it (experimentalDecorators with
 * emitDecoratorMetadata) and the project has a TypeScript with a JavaScript API (before 7), that
 * TypeScript transpiles the files. Otherwise they stay unchanged, and a property without a named
 * kind gets an error with the fix.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type TypeScript from 'typescript';
import { isTypeScript, loadFrom } from './load-module.js';

/** A source file; `changed` if it was transpiled to JavaScript. */
export interface TranspiledFile {
  readonly text: string;
  readonly changed: boolean;
}

/** Reads a source file, transpiled if its tsconfig asks for metadata. */
export type Transpile = (path: string) => Promise<TranspiledFile>;

/** A transpiler for a project. TypeScript is loaded when the first file needs it (0.3 s). */
export async function typeEmitter(folder: string): Promise<Transpile> {
  let compiler: Promise<typeof TypeScript | undefined> | undefined;
  const optionsByConfig = new Map<string, TypeScript.CompilerOptions | undefined>();
  return async (path) => {
    const text = readFileSync(path, 'utf8');
    const unchanged = { text, changed: false };
    const config = isTypeScript(path) ? nearestConfig(dirname(path)) : undefined;
    if (config === undefined || !mayEmitTypes(config)) return unchanged;
    const ts = await (compiler ??= loadCompiler(folder));
    if (ts === undefined) return unchanged;
    if (!optionsByConfig.has(config)) optionsByConfig.set(config, emittingOptions(ts, config));
    const compilerOptions = optionsByConfig.get(config);
    if (compilerOptions === undefined) return unchanged;
    const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: path });
    return { text: outputText, changed: true };
  };
}

async function loadCompiler(folder: string): Promise<typeof TypeScript | undefined> {
  const loaded = (await loadFrom(folder, 'typescript')) as Partial<typeof TypeScript> | undefined;
  if (typeof loaded?.transpileModule !== 'function') return undefined;
  return loaded as typeof TypeScript;
}

function nearestConfig(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const config = join(at, 'tsconfig.json');
    if (existsSync(config)) return config;
    if (dirname(at) === at) return undefined;
  }
}

/** Without either setting the tsconfig need not be read with TypeScript, which is slow to load. */
function mayEmitTypes(config: string): boolean {
  return /emitDecoratorMetadata|"extends"/.test(readFileSync(config, 'utf8'));
}

/**
 * The transpiler options of the tsconfig and those it extends; undefined if they do not ask for
 * metadata.
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
    // esbuild reads the output and lowers it further.
    target: options.target ?? ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: options.verbatimModuleSyntax,
    jsx: options.jsx,
    inlineSourceMap: true,
    inlineSources: true,
  };
}
