/**
 * Checks all types with TypeScript 7, the native compiler: sources, tests, examples, bench, demo and
 * the type tests. TypeScript 6, which builds the package, checks the sources and the type tests: what
 * users compile. Nothing else checks types: Jest and tsx only strip them.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const native = ['TypeScript 7', 'typescript7'];
const both = [['TypeScript 6', 'typescript'], native];
/** The whole repository, which nobody else compiles. */
const wholeProject = 'tsconfig.json';
const typeTests = join(root, 'test/types');
const projects = [
  'tsconfig.esm.json',
  'src/tools/studio/page/tsconfig.json',
  wholeProject,
  ...(existsSync(typeTests)
    ? readdirSync(typeTests)
        .filter((name) => /^tsconfig.*\.json$/.test(name))
        .map((name) => `test/types/${name}`)
    : []),
];

/**
 * @param {string} compiler @param {string} project @returns {Promise<{ code: number, output: string
 * }>}
 */
function check(compiler, project) {
  const bin = join(root, 'node_modules', compiler, 'bin/tsc');
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [bin, '-p', project, '--noEmit', '--pretty', 'false'], {
      cwd: root,
    });
    let output = '';
    child.stdout.on('data', (part) => {
      output += part;
    });
    child.stderr.on('data', (part) => {
      output += part;
    });
    child.on('error', fail);
    child.on('close', (code) => done({ code: code ?? 1, output }));
  });
}

let failed = false;
for (const project of projects) {
  const compilers = project === wholeProject ? [native] : both;
  const results = await Promise.all(compilers.map(([, name]) => check(name, project)));
  results.forEach(({ code, output }, i) => {
    console.log(`${code === 0 ? 'ok    ' : 'FAULTY'} ${compilers[i][0]}  ${project}`);
    if (code !== 0) {
      failed = true;
      console.log(output.trimEnd());
    }
  });
}
process.exit(failed ? 1 : 0);
