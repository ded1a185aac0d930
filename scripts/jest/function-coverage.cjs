/**
 * Which functions of `src/` and `decorators/` a test file executes in its worker, as a line of JSON in
 * the file FUNCTION_COVERAGE: by source, where they begin in the TypeScript, as `line:column` from 0.
 * A source without functions was only loaded. scripts/mutants/coverage.mjs reads it.
 */
const { appendFileSync, readFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { SourceMap } = require('node:module');
const { join, relative } = require('node:path');
const { fileURLToPath } = require('node:url');

const output = process.env.FUNCTION_COVERAGE;
// What tests run has other suites.
delete process.env.FUNCTION_COVERAGE;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Where functions begin in the TypeScript, by script and by offset in what V8 has compiled. */
const starts = new Map();

/**
 * @param {string} rootDir @param {string} testPath
 * @param {(file: string) => { code: string, codeStart: number, mapFile: string } | undefined}
 *   compiledFrom What the script of a source is compiled from, and where it begins in the script.
 *   Undefined if Jest has compiled it in its own way.
 */
exports.recordFunctions = (rootDir, testPath, compiledFrom) => {
  /** @type {Record<string, string[]>} */
  const functions = {};
  for (const { scriptId, url, functions: counted } of executedSinceLast()) {
    const source = sourceOf(rootDir, url);
    if (source === undefined) continue;
    const known = starts.get(scriptId) ?? new Map();
    starts.set(scriptId, known);
    const offsets = counted
      .filter(({ ranges }) => ranges[0].count > 0)
      .map(({ ranges }) => ranges[0].startOffset);
    if (offsets.length === 0) continue;
    const from = compiledFrom(join(rootDir, source));
    if (from === undefined) continue;
    if (offsets.some((offset) => !known.has(offset))) addStarts(known, offsets, from);
    functions[source] = offsets.map((offset) => known.get(offset)).filter(Boolean);
  }
  const path = relative(rootDir, testPath).replaceAll('\\', '/');
  appendFileSync(output, `${JSON.stringify({ path, functions })}\n`);
};

/** What V8 has counted since the last call. */
function executedSinceLast() {
  let scripts = [];
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error;
    scripts = answer.result;
  });
  return scripts;
}

/** @param {string} rootDir @param {string} url */
function sourceOf(rootDir, url) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  const path = relative(rootDir, file).replaceAll('\\', '/');
  return /^(src|decorators)\//.test(path) ? path : undefined;
}

/** Functions that the compiler has added have no place of their own in the source map. */
function addStarts(known, offsets, { code, codeStart, mapFile }) {
  const map = new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8')));
  for (const offset of offsets) {
    const at = offset - codeStart;
    // V8 counts the module itself as well. The map has the name of a static method after `async`.
    const places = code.startsWith('async ', at) ? [at, at + 'async '.length] : [at];
    known.set(offset, at < 0 ? undefined : firstOriginal(map, code, places));
  }
}

function firstOriginal(map, code, places) {
  for (const place of places) {
    const before = code.slice(0, place).split('\n');
    const [line, column] = [before.length - 1, before.at(-1).length];
    const entry = map.findEntry(line, column);
    if (entry.generatedLine === line && entry.generatedColumn === column)
      return `${entry.originalLine}:${entry.originalColumn}`;
  }
  return undefined;
}
