/**
 * Compiles projects like `tsc -p`, one after the other in one process, which parses each declaration
 * file once: `compile-projects.mjs COMPILER TSCONFIG...`. Prints the errors by project as JSON.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const [, , compiler, ...projects] = process.argv;
const ts = createRequire(import.meta.url)(compiler);
const sources = new Map();
/** Declarations of the language and of Node without errors; no project changes them. */
const checkedPlatform = new Set();

/** A host that shares source files between all projects in which they are the same. */
function sharingHost(options) {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, settings, ...rest) => {
    const key = JSON.stringify([file, settings]);
    if (!sources.has(key)) sources.set(key, read(file, settings, ...rest));
    return sources.get(key);
  };
  return host;
}

function compile(project) {
  const { config, error } = ts.readConfigFile(project, (file) => readFileSync(file, 'utf8'));
  if (error !== undefined) return [error];
  const folder = dirname(project);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(fileNames, options, sharingHost(options));
  const { diagnostics } = program.emit();
  return [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSourceFiles().flatMap((source) => typeErrors(program, source)),
    ...diagnostics,
  ];
}

/** Checks the files of a project and of its packages, and the files of the platform once. */
function typeErrors(program, source) {
  if (checkedPlatform.has(source)) return [];
  const errors = program.getSemanticDiagnostics(source);
  const isPlatform =
    program.isSourceFileDefaultLibrary(source) || source.fileName.includes('/@types/node/');
  if (isPlatform && errors.length === 0) checkedPlatform.add(source);
  return errors;
}

const format = {
  getCanonicalFileName: (file) => file,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => '\n',
};
const results = projects.map((project) => [
  project,
  ts.formatDiagnostics(compile(project), format),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(results)));
