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

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const allCompilers = ['typescript59', 'typescript', 'typescript7'];
/** Maximum numbers of instantiations for 20 entities. */
const targets = { declarations: 13_500, calls: 46_000, moreCalls: 115_000 };

const entity = (/** @type {number} */ i) => `
@Entity({ table: 't', families: { m: {}, c: {}, p: {} } })
class E${i} {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly patterns = accessPatterns({ latest: { prefix: ['tenant', 'device'], limit: 1 } });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') status?: 'ok' | 'failed';
  @Column('m', 'int32') level?: number;
  @Column('m', 'string') note?: string;
  @Column('m', 'bool') open?: boolean;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Counter('c') hits?: bigint;
  @Counter('c') errors?: bigint;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp' }) prices?: Map<Date, number>;
}
const r${i} = db.repository(E${i});
`;

/** Calls that every program has, each with the repository `r` and the class `E` of an entity. */
const calls = {
  create: 'void r.create({ tenant: "a", device: "d", at, level: 3 });',
  save: 'void r.save(r.create({ tenant: "a", device: "d", at }));',
  get: 'void r.get({ tenant: "a", device: "d", at }).then((row) => row?.level);',
  patch: 'void r.patch({ tenant: "a", device: "d", at }, { level: 3, note: null });',
  delete: 'void r.delete({ tenant: "a", device: "d", at });',
  condition: 'void r.delete({ tenant: "a", device: "d", at }, { if: { equals: { level: 3 } } });',
  history: 'void r.history({ tenant: "a", device: "d", at }, "level");',
  since: 'void r.prefix({ tenant: "a", device: "d" }).since("at", at).limit(10).all();',
  first: 'void r.prefix({ tenant: "a" }).between("device", "a", "b").reverse().first();',
  select: 'void r.prefix({ tenant: "a" }).select("level", "note").all();',
  pattern: 'void r.patterns.latest({ tenant: "a", device: "d" }).first();',
  increment: 'void r.increment({ tenant: "a", device: "d", at }, "hits", 1n);',
  append: 'void r.append({ tenant: "a", device: "d", at }, { note: "x" });',
};

/** Further calls: queries beyond one range, and writes beyond one change. */
const moreCalls = {
  oneOf: 'void r.prefix({ tenant: "a" }).oneOf("device", ["d"]).since("at", at).all();',
  firstPer: 'void r.prefix({ tenant: "a" }).firstPer("device").all();',
  distinct: 'void r.prefix({ tenant: "a" }).distinct("device").all();',
  prefixes: 'void r.prefixes([{ tenant: "a", device: "d" }]).all();',
  where: 'void r.prefix({ tenant: "a" }).where({ status: "failed" }).all();',
  whereThree:
    'void r.scanAll().where({ level: { above: 3 }, note: { not: null }, seen: { below: at } }).all();',
  split: 'void r.scanAll().split(4).then((parts) => parts[0].all());',
  aggregate:
    'void r.scanAll().aggregate({ n: "count", mean: { avg: "temperature" } }).then((row) => row.mean);',
  groupBy:
    'void r.scanAll().groupBy("device", { time: "at", every: "1h" })' +
    '.aggregate({ top: { max: "level" } }).all().then((rows) => rows[0].top);',
  queryDelete: 'void (await r.prefix({ tenant: "a" }).delete()).deleted;',
  collection: 'void db.collection({ device: Device, rows: E }).prefix({ tenant: "a" }).all();',
  collectionGroups:
    'void db.collection({ device: Device, rows: E }).scanAll().groupBy("device").first()' +
    '.then((group) => group?.members.rows[0].level);',
  scope: 'void db.scope({ tenant: "a" }).repository(E).get({ device: "d", at });',
  entries: 'void r.scanAll().select("note", entriesOf("prices", { from: at })).all();',
  patchMore:
    'void r.patch({ tenant: "a", device: "d", at }, { level: 3 }, { remove: ["note"], add: { hits: 1n } });',
  increments:
    'void r.increment({ tenant: "a", device: "d", at }, { hits: 1n, errors: 2n }).then((row) => row.hits);',
  patchMany:
    'void r.patchMany([{ key: { tenant: "a", device: "d", at }, changes: { level: 3 } }]);',
  patchManyMore:
    'void r.patchMany([{ key: { tenant: "a", device: "d", at }, changes: {}, remove: ["note"] }]);',
  json: 'void r.fromJSON(r.toJSON(r.create({ tenant: "a", device: "d", at }))).level;',
  series: 'void r.prefix({ tenant: "a", device: "d" }).series("prices").all();',
};

const device = `
@Entity({ table: 't', families: { m: {}, c: {}, p: {} } })
class Device {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') model?: string;
}
`;

/**
 * A module with so many entities, and these calls of each.
 *
 * @param {number} entities @param {readonly string[]} forms
 */
function source(entities, forms) {
  const all = forms.join('\n');
  const lines = [
    "import { Column, ColumnMap, Counter, Entity, Segment } from 'rowsmith';",
    "import { accessPatterns, rowKey, type Database } from 'rowsmith';",
    all.includes('entriesOf(') ? "import { entriesOf } from 'rowsmith';" : '',
    'declare const db: Database;',
    'declare const at: Date;',
    all.includes('Device') ? device : '',
  ];
  for (let i = 0; i < entities; i++)
    lines.push(entity(i), all.replace(/\br(?=[.])/g, `r${i}`).replace(/\bE\b/g, `E${i}`));
  return `${lines.join('\n')}\n`;
}

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
