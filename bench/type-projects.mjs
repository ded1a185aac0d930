/**
 * What Rowsmith costs `tsc` in a project with the types of Node: the built package, imported, and
 * with 50 entities and a repository of each, compared with an empty project. Prints JSON: files,
 * lines of declarations, types and instantiations, and seconds of processor time (the least of the
 * runs, because a busy machine only adds to it), also as a ratio to those of the empty project.
 *
 *     node bench/type-projects.mjs [--package FOLDER] [--runs 5] [--compiler typescript7]
 *
 * Without a folder it builds the package. Targets: 1.25 times to import it, 2 times with 50 entities.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { source } from './type-programs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const programs = {
  empty: 'export {};\n',
  import: "export { open } from 'rowsmith';\n",
  entities: source(50, []),
};
const modules = { nodenext: 'nodenext', bundler: 'esnext' };

const { values } = parseArgs({
  options: {
    compiler: { type: 'string', default: 'typescript' },
    package: { type: 'string' },
    runs: { type: 'string', default: '5' },
  },
});
const tsc = join(root, 'node_modules', values.compiler, 'bin/tsc');

/** @param {string} cwd @param {string[]} args */
function run(cwd, args) {
  // The shell prints the processor time of its children: a compiler may be a process of its own.
  const command = '"$@" && times';
  const child = spawnSync('sh', ['-c', command, 'sh', process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`${child.stdout}${child.stderr}`);
  return child.stdout;
}

/** @param {string} folder */
function builtPackage(folder) {
  if (values.package !== undefined) return resolve(values.package);
  run(root, ['scripts/build.mjs', folder, '--noCheck']);
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  return folder;
}

/** @param {string} folder @param {string} program @param {keyof typeof modules} resolution */
function writeProject(folder, program, resolution) {
  const compilerOptions = {
    target: 'es2022',
    lib: ['esnext'],
    module: modules[resolution],
    moduleResolution: resolution,
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(join(folder, `${program}.ts`), programs[program]);
  writeFileSync(
    join(folder, `${program}-${resolution}.json`),
    JSON.stringify({ compilerOptions, files: [`${program}.ts`] }),
  );
}

/** @param {string} folder @param {string} project */
function measure(folder, project) {
  const output = run(folder, [tsc, '-p', project, '--extendedDiagnostics']);
  const figure = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1]);
  const [, minutes, seconds] = /(\d+)m([\d.]+)s \S+\s*$/.exec(output) ?? [];
  return {
    files: figure('Files'),
    lines: figure('Lines of Definitions'),
    types: figure('Types'),
    instantiations: figure('Instantiations'),
    seconds: Number(minutes) * 60 + Number(seconds),
  };
}

mkdirSync(join(root, '.tmp'), { recursive: true });
const folder = mkdtempSync(join(root, '.tmp/type-projects-'));
try {
  mkdirSync(join(folder, 'node_modules'));
  mkdirSync(join(folder, 'built'));
  symlinkSync(builtPackage(join(folder, 'built')), join(folder, 'node_modules/rowsmith'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const results = [];
  for (const resolution of Object.keys(modules)) {
    for (const program of Object.keys(programs)) writeProject(folder, program, resolution);
    /** @type {Record<string, ReturnType<typeof measure>>} */
    const least = {};
    for (let i = 0; i < Number(values.runs); i++)
      for (const program of Object.keys(programs)) {
        const figures = measure(folder, `${program}-${resolution}.json`);
        const { seconds } = least[program] ?? figures;
        least[program] = { ...figures, seconds: Math.min(seconds, figures.seconds) };
      }
    for (const [program, figures] of Object.entries(least)) {
      const ratio = Number((figures.seconds / least.empty.seconds).toFixed(2));
      results.push({ resolution, program, ...figures, ratio });
    }
  }
  console.log(JSON.stringify(results, undefined, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
