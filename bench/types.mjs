/**
 * What the types cost the compiler: 20 entities of 3 segments and 10 columns, and calls of each, on
 * TypeScript 5.9, 6 and 7. Prints JSON: instantiations of types and seconds of checking, for the
 * declarations alone, with 13 calls of each entity that every program has, and with 20 further ones.
 * The exit code is 2 if a target is missed.
 *
 *     npm run bench:types [-- --entities 50] [-- --declarations FOLDER] [-- --forms]
 *
 * `--declarations` measures the declarations of another version, `--forms` each call alone, as the
 * first of its entity. `--max` replaces the targets, `--compiler typescript7` measures that one only.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { calls, moreCalls, source } from './type-programs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const allCompilers = ['typescript59', 'typescript', 'typescript7'];
/** Maximum numbers of instantiations for 20 entities. */
const targets = { declarations: 13_900, calls: 46_400, moreCalls: 115_000 };

/**
 * Runs Node; rejects with the output if it fails.
 *
 * @param {readonly string[]} args @param {string} cwd @returns {Promise<string>}
 */
function run(args, cwd) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...args], { cwd });
    let output = '';
    const add = (/** @type {Buffer} */ part) => {
      output += String(part);
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? done(output) : fail(new Error(output))));
  });
}

const tsc = (/** @type {string} */ compiler) => join(root, 'node_modules', compiler, 'bin/tsc');

/** @param {string} folder Where the module is compiled. @param {string} declarations Of Rowsmith. */
function writeConfig(folder, declarations) {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'es2024.string', 'esnext.disposable', 'esnext.decorators', 'decorators'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    noEmit: true,
    types: ['node'],
    paths: { rowsmith: [join(declarations, 'src/index.d.ts')] },
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

/**
 * @param {string} folder @param {string} compiler @param {number} entities
 * @param {readonly string[]} forms
 */
async function measure(folder, compiler, entities, forms) {
  writeFileSync(join(folder, 'program.ts'), source(entities, forms));
  const output = await run([tsc(compiler), '-p', '.', '--extendedDiagnostics'], folder);
  const figure = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1]);
  return { instantiations: figure('Instantiations'), checkSeconds: figure('Check time') };
}

const { values } = parseArgs({
  options: {
    compiler: { type: 'string', multiple: true, default: allCompilers },
    declarations: { type: 'string' },
    entities: { type: 'string', default: '20' },
    forms: { type: 'boolean', default: false },
    max: { type: 'string' },
  },
});
const entities = Number(values.entities);
mkdirSync(join(root, '.tmp'), { recursive: true });
const folder = mkdtempSync(join(root, '.tmp/types-'));
let missed = false;
try {
  const declarations = resolve(values.declarations ?? join(folder, 'rowsmith'));
  // TypeScript 7 emits the same declarations as 6, in a fifth of the time.
  if (values.declarations === undefined)
    await run(
      [
        tsc('typescript7'),
        '-p',
        'tsconfig.esm.json',
        '--emitDeclarationOnly',
        '--outDir',
        declarations,
      ],
      root,
    );
  writeConfig(folder, declarations);
  if (values.forms) await printForms();
  else await printTotals();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(missed ? 2 : 0);

async function printTotals() {
  const programs = {
    declarations: [],
    calls: Object.values(calls),
    moreCalls: [...Object.values(calls), ...Object.values(moreCalls)],
  };
  const results = [];
  for (const [program, forms] of Object.entries(programs))
    for (const compiler of values.compiler) {
      const figures = await measure(folder, compiler, entities, forms);
      const maxInstantiations = maxOf(program);
      if (maxInstantiations !== undefined && figures.instantiations > maxInstantiations)
        missed = true;
      results.push({ program, compiler, entities, ...figures, maxInstantiations });
    }
  console.log(JSON.stringify(results, undefined, 2));
}

/** @param {string} program @returns {number | undefined} */
function maxOf(program) {
  if (values.max !== undefined) return Number(values.max);
  return entities === 20 ? targets[program] : undefined;
}

/** Instantiations of an entity for each form alone. */
async function printForms() {
  const { instantiations: none } = await measure(folder, 'typescript', entities, []);
  const costs = {};
  for (const [name, form] of Object.entries({ ...calls, ...moreCalls })) {
    const { instantiations } = await measure(folder, 'typescript', entities, [form]);
    costs[name] = Math.round((instantiations - none) / entities);
  }
  console.log(JSON.stringify(costs, undefined, 2));
}
