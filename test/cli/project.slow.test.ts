/**
 * Projects are found and loaded without a build step, with standard and legacy decorators, and
 * their errors are reported with positions.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildLinkedPackage,
  makeProject,
  rowsmithProcess,
  writeFiles,
} from '../support/linked-package.js';

let linked = '';
const projects: string[] = [];
beforeAll(() => {
  linked = buildLinkedPackage();
});
afterAll(() => {
  for (const folder of [linked, ...projects]) rmSync(folder, { recursive: true, force: true });
});

const reading = `import { Column, Entity, Segment, maxVersions, rowKey } from 'rowsmith';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
export class Reading {
  static readonly key = rowKey('device', 'at');

  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
}
`;
const config = `import { defineConfig } from 'rowsmith/config';
import { Reading } from './src/entities/reading.js';

export default defineConfig({ entities: [Reading], url: 'file:./data' });
`;
const legacy = '{ "compilerOptions": { "target": "ES2022", "experimentalDecorators": true } }';
const emitting = '{ "extends": "./base.json" }';
const base =
  '{ "compilerOptions": { "target": "ES2022", "experimentalDecorators": true, "emitDecoratorMetadata": true } }';
const standard = '{ "compilerOptions": { "target": "ES2022" } }';
const whole = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': standard,
  'rowsmith.config.ts': config,
  'src/entities/reading.ts': reading,
};

/** Resolved before an esbuild in a folder above. */
const noEsbuild = {
  'node_modules/esbuild/package.json': '{ "main": "index.js" }',
  'node_modules/esbuild/index.js': "throw new Error('not for this machine')",
};

function project(files: Readonly<Record<string, string>>, packages?: readonly string[]): string {
  const folder = makeProject(linked, files, packages);
  projects.push(folder);
  return folder;
}

/** The names of the entities that `describe --json` prints. Throws if it fails. */
function entities(folder: string, ...args: string[]): unknown {
  const { status, output } = rowsmithProcess(linked, folder, ['describe', '--json', ...args]);
  if (status !== 0) throw new Error(output);
  return (JSON.parse(output) as { entity: string }[]).map(({ entity }) => entity);
}

/** The output of a command that fails. */
function failure(folder: string, ...args: string[]): string {
  const { status, output } = rowsmithProcess(linked, folder, ['describe', ...args]);
  expect(status).toBe(1);
  // No stack, and no temporary file left in the folder.
  expect(output).not.toMatch(/^\s+at /m);
  expect(readdirSync(folder).filter((name) => name.startsWith('.rowsmith'))).toEqual([]);
  return output.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
}

describe.each([
  ['standard decorators', standard],
  ['legacy decorators', legacy],
  ['legacy decorators that emit types', emitting],
])('%s', (_name, tsconfig) => {
  test.each([
    ['an ES project', 'module'],
    ['a CommonJS project', 'commonjs'],
  ])('%s', (_what, type) => {
    expect(
      entities(
        project({
          ...whole,
          'tsconfig.json': tsconfig,
          'base.json': base,
          'package.json': JSON.stringify({ type }),
        }),
      ),
    ).toEqual(['Reading']);
  });
});

test('emitted types replace the kinds that decorators leave out', () => {
  const unnamed = reading.replace("@Segment('string', { maxLength: 40 })", '@Segment()');
  const files = {
    ...whole,
    'tsconfig.json': emitting,
    'base.json': base,
    'src/entities/reading.ts': unnamed,
  };
  expect(entities(project(files, ['esbuild', 'typescript']))).toEqual(['Reading']);
  // TypeScript 7 has no API for it: the error contains the position and the fix.
  const output = failure(project(files, ['esbuild', 'typescript=typescript7']));
  expect(output).toContain(
    'src/entities/reading.ts:7: Reading.device: no kind is named, and the compiler emitted no type',
  );
  expect(output).toContain("name the kind: @Segment('string')");
});

test('the config is found from a subfolder or named; in JavaScript it needs no esbuild', () => {
  const folder = project(whole);
  expect(rowsmithProcess(linked, join(folder, 'src/entities'), ['describe', '--json']).status).toBe(
    0,
  );
  const elsewhere = project({ 'package.json': '{}' });
  expect(entities(elsewhere, '--config', join(folder, 'rowsmith.config.ts'))).toEqual(['Reading']);
  const defined = `import { defineEntity, column, rowKey } from 'rowsmith';
    export default { entities: [defineEntity(class Reading {}, { table: 't', families: { m: {} }, key: rowKey('id'), segments: { id: 'string' }, columns: { a: column('m', 'string') } })] };`;
  expect(entities(project({ 'rowsmith.config.mjs': defined, ...noEsbuild }, []))).toEqual([
    'Reading',
  ]);
});

test('globs name modules; a class that the config names too is one class', () => {
  const other = reading.replaceAll('Reading', 'Other').replaceAll("'readings'", "'others'");
  const files = {
    ...whole,
    'rowsmith.config.ts': config.replace('[Reading]', "[Reading, './src/entities/**/*.{ts,mts}']"),
    'src/entities/deep/other.mts': other,
    'src/entities/types.d.ts': 'export declare class No {}',
    'src/entities/node_modules/x.ts': 'throw 1',
  };
  expect(entities(project(files))).toEqual(['Reading', 'Other']);
});

test('modules know their own path, and packages and paths of the tsconfig are resolved', () => {
  const position = `import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '@app/checked';
export const table = readFileSync(new URL('./table.txt', import.meta.url), 'utf8') + readFileSync(join(__dirname, 'table.txt'), 'utf8');
`;
  const files = {
    ...whole,
    'tsconfig.json':
      '{ "compilerOptions": { "target": "ES2022", "paths": { "@app/*": ["./src/app/*"] } } }',
    'src/app/checked.ts':
      "const fs = require('node:fs'); if (typeof fs.readFileSync !== 'function') throw new Error('no require');",
    'src/entities/place.ts': position,
    'src/entities/table.txt': 'r',
    'src/entities/reading.ts': `import { table } from './place.js';\n${reading.replace("'readings'", 'table')}`,
  };
  expect(
    JSON.parse(rowsmithProcess(linked, project(files), ['describe', '--json']).output),
  ).toMatchObject([{ table: 'rr' }]);
});

describe('errors are reported with their position', () => {
  test.each<
    [what: string, files: Readonly<Record<string, string | undefined>>, texts: readonly string[]]
  >([
    [
      'no config',
      { 'rowsmith.config.ts': undefined },
      ['there is no rowsmith.config.ts', 'run rowsmith init to create one'],
    ],
    ['no esbuild', noEsbuild, ['npm install -D esbuild']],
    [
      'no default export',
      { 'rowsmith.config.ts': 'export const config = {};' },
      ['rowsmith.config.ts: ', 'no default export, only config', 'export default defineConfig'],
    ],
    ['an empty module', { 'rowsmith.config.ts': '' }, ['exports nothing']],
    [
      'not an object',
      { 'rowsmith.config.ts': 'export default [];' },
      ['its default export is an array, not a plain object'],
    ],
    [
      'a misspelt setting',
      { 'rowsmith.config.ts': "export default { entities: [], ouput: 'x' };" },
      ["there is no setting 'ouput'", "did you mean 'output'"],
    ],
    [
      'a setting of the wrong type',
      { 'rowsmith.config.ts': 'export default { entities: [], url: 5 };' },
      ['url is the number 5'],
    ],
    [
      'no entities',
      { 'rowsmith.config.ts': 'export default { entities: [] };' },
      ['entities is empty'],
    ],
    ['entities missing', { 'rowsmith.config.ts': 'export default {};' }, ['entities is missing']],
    [
      'a wrong import of a class',
      {
        'rowsmith.config.ts': config.replace(
          'import { Reading }',
          'import { Readings as Reading }',
        ),
      },
      ['rowsmith.config.ts:2:10: ', 'No matching export', 'Readings'],
    ],
    [
      'a class that is not defined yet',
      { 'rowsmith.config.ts': 'export default { entities: [undefined] };' },
      ['entities[0] is undefined', 'its import is misspelt, or part of a cycle'],
    ],
    [
      'a class that is not an entity',
      { 'src/entities/reading.ts': 'export class Reading {}' },
      ['src/entities/reading.ts:1: Reading: ', '@Entity'],
    ],
    [
      'a glob without files',
      { 'rowsmith.config.ts': "export default { entities: ['./src/entity/*.ts'] };" },
      ["no file matches './src/entity/*.ts'"],
    ],
    [
      'a module without entities',
      {
        'rowsmith.config.ts': "export default { entities: ['./src/entities/*.ts'] };",
        'src/entities/reading.ts': 'export class Reading {}',
      },
      [
        'src/entities/reading.ts: ',
        'the module exports no entity',
        'export the classes that have @Entity',
      ],
    ],
    [
      'a syntax error',
      { 'src/entities/reading.ts': `${reading}\nexport const = 1;\n` },
      ['src/entities/reading.ts:12:14: ', 'Expected identifier'],
    ],
    [
      'an import that cannot be resolved',
      { 'src/entities/reading.ts': `import './gone.js';\n${reading}` },
      ['src/entities/reading.ts:1:8: ', 'Could not resolve "./gone.js"', 'correct the path'],
    ],
    [
      'a package that is not installed',
      { 'src/entities/reading.ts': `import 'not-there';\n${reading}` },
      ['src/entities/reading.ts: ', "Cannot find package 'not-there'", 'npm install not-there'],
    ],
    [
      'a name that a package does not export',
      {
        'src/entities/reading.ts': `${reading.replace('import { ', 'import { Colum, ')}\nvoid Colum;\n`,
      },
      ['src/entities/reading.ts: ', "export named 'Colum'", 'correct the name in the import'],
    ],
    [
      'a module that throws',
      {
        'src/entities/reading.ts': `${reading}\n\nif (process.env.DATABASE === undefined) {\n  throw new Error('no DATABASE');\n}\n`,
      },
      ['src/entities/reading.ts:14:9: ', 'it throws while it is loaded: no DATABASE'],
    ],
    [
      'a module that throws a string',
      { 'src/entities/reading.ts': `${reading}\nthrow 'text';\n` },
      ['it throws while it is loaded: text'],
    ],
    [
      'an import cycle',
      {
        'src/entities/reading.ts': `import './other.js';\n${reading}`,
        'src/entities/other.ts':
          "import { Reading } from './reading.js';\nexport const first = Reading.key;\n",
      },
      ['src/entities/other.ts:2:', 'it throws while it is loaded', 'break the cycle'],
    ],
    [
      'a fault of a declaration',
      { 'src/entities/reading.ts': reading.replace("'m', 'double'", "'n', 'double'") },
      ['src/entities/reading.ts:9: Reading.temperature: family "n" is not declared'],
    ],
  ])('%s', (_what, files, texts) => {
    const all = Object.fromEntries(
      Object.entries({ ...whole, ...files }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const output = failure(project(all, 'node_modules/esbuild/index.js' in files ? [] : undefined));
    for (const text of texts) expect(output).toContain(text);
  });

  test('a config that does not exist', () =>
    expect(failure(project(whole), '--config', 'nowhere.ts')).toContain(
      "there is no file 'nowhere.ts' in .",
    ));

  test('with --json the fault is data', () => {
    const folder = project(whole);
    writeFiles(folder, {
      'src/entities/reading.ts': reading.replace("'m', 'double'", "'n', 'double'"),
    });
    const { status, output } = rowsmithProcess(linked, folder, ['describe', '--json']);
    expect(status).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      error: {
        code: 'INVALID_DECLARATION',
        details: {
          faults: [
            {
              entity: 'Reading',
              property: 'temperature',
              file: expect.stringMatching(/src\/entities\/reading\.ts:9$/),
            },
          ],
        },
      },
    });
  });
});
