/**
 * Projects as users write them: found, loaded under both decorator dialects without a build step,
 * and told what is wrong with them.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildLinkedPackage,
  makeProject,
  rowsmith,
  writeFiles,
} from '../support/linked-package.js';

// Compilers and whole processes, on machines that are busy with others.
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

/** Is found before any esbuild that lies in a folder above. */
const noEsbuild = {
  'node_modules/esbuild/package.json': '{ "main": "index.js" }',
  'node_modules/esbuild/index.js': "throw new Error('not for this machine')",
};

function project(files: Readonly<Record<string, string>>, packages?: readonly string[]): string {
  const folder = makeProject(linked, files, packages);
  projects.push(folder);
  return folder;
}

/** The names of the entities that `describe --json` finds, or what it says. */
function entities(folder: string, ...args: string[]): unknown {
  const { status, output } = rowsmith(linked, folder, ['describe', '--json', ...args]);
  if (status !== 0) throw new Error(output);
  return (JSON.parse(output) as { entity: string }[]).map(({ entity }) => entity);
}

/** What a person reads of a failure. */
function failure(folder: string, ...args: string[]): string {
  const { status, output } = rowsmith(linked, folder, ['describe', ...args]);
  expect(status).toBe(1);
  // No stack of ours, and nothing left in the folder.
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

test('types that the tsconfig asks to emit name the kinds that decorators leave out', () => {
  const unnamed = reading.replace("@Segment('string', { maxLength: 40 })", '@Segment()');
  const files = {
    ...whole,
    'tsconfig.json': emitting,
    'base.json': base,
    'src/entities/reading.ts': unnamed,
  };
  expect(entities(project(files, ['esbuild', 'typescript']))).toEqual(['Reading']);
  // TypeScript 7 has no API to ask: the error says what to do, and where.
  const said = failure(project(files, ['esbuild', 'typescript=typescript7']));
  expect(said).toContain(
    'src/entities/reading.ts:7: Reading.device: no kind is named, and the compiler emitted no type',
  );
  expect(said).toContain("name the kind: @Segment('string')");
});

test('the config is found from a folder below, named, or written in JavaScript, where esbuild is not needed', () => {
  const folder = project(whole);
  expect(rowsmith(linked, join(folder, 'src/entities'), ['describe', '--json']).status).toBe(0);
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

test('modules know where they are, and packages and paths of the tsconfig are found', () => {
  const place = `import { readFileSync } from 'node:fs';
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
    'src/entities/place.ts': place,
    'src/entities/table.txt': 'r',
    'src/entities/reading.ts': `import { table } from './place.js';\n${reading.replace("'readings'", 'table')}`,
  };
  expect(JSON.parse(rowsmith(linked, project(files), ['describe', '--json']).output)).toMatchObject(
    [{ table: 'rr' }],
  );
});

describe('what is wrong is told with its place', () => {
  test.each<
    [what: string, files: Readonly<Record<string, string | undefined>>, says: readonly string[]]
  >([
    [
      'no config',
      { 'rowsmith.config.ts': undefined },
      ['there is no rowsmith.config.ts', 'rowsmith init writes one'],
    ],
    ['no esbuild', noEsbuild, ['npm install -D esbuild']],
    [
      'no default export',
      { 'rowsmith.config.ts': 'export const config = {};' },
      ['rowsmith.config.ts: ', 'no default export, only config', 'export default defineConfig'],
    ],
    ['an empty module', { 'rowsmith.config.ts': '' }, ['exports nothing']],
    [
      'no object',
      { 'rowsmith.config.ts': 'export default [];' },
      ['its default export is no plain object'],
    ],
    [
      'a misspelt setting',
      { 'rowsmith.config.ts': "export default { entities: [], ouput: 'x' };" },
      ["there is no setting 'ouput'", "did you mean 'output'"],
    ],
    [
      'a setting of the wrong type',
      { 'rowsmith.config.ts': 'export default { entities: [], url: 5 };' },
      ['url is number'],
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
      'a class that is not there yet',
      { 'rowsmith.config.ts': 'export default { entities: [undefined] };' },
      ['entities[0] is undefined', 'its import is misspelt, or part of a circle'],
    ],
    [
      'a class that is no entity',
      { 'src/entities/reading.ts': 'export class Reading {}' },
      ['src/entities/reading.ts:1: Reading: ', '@Entity'],
    ],
    [
      'a glob without files',
      { 'rowsmith.config.ts': "export default { entities: ['./src/entity/*.ts'] };" },
      ["'./src/entity/*.ts' names no file"],
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
        'export the classes that carry @Entity',
      ],
    ],
    [
      'a syntax error',
      { 'src/entities/reading.ts': `${reading}\nexport const = 1;\n` },
      ['src/entities/reading.ts:12:14: ', 'Expected identifier'],
    ],
    [
      'an import that leads nowhere',
      { 'src/entities/reading.ts': `import './gone.js';\n${reading}` },
      ['src/entities/reading.ts:1:8: ', 'Could not resolve "./gone.js"', 'correct the path'],
    ],
    [
      'a package that is not there',
      { 'src/entities/reading.ts': `import 'not-there';\n${reading}` },
      ['src/entities/reading.ts: ', "Cannot find package 'not-there'", 'npm install not-there'],
    ],
    [
      'a name that a package does not have',
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
      ['src/entities/reading.ts:14:9: ', 'it throws while it loads: no DATABASE'],
    ],
    [
      'a module that throws no error',
      { 'src/entities/reading.ts': `${reading}\nthrow 'text';\n` },
      ['it throws while it loads: text'],
    ],
    [
      'a circle of imports',
      {
        'src/entities/reading.ts': `import './other.js';\n${reading}`,
        'src/entities/other.ts':
          "import { Reading } from './reading.js';\nexport const first = Reading.key;\n",
      },
      ['src/entities/other.ts:2:', 'it throws while it loads', 'break the circle'],
    ],
    [
      'a fault of a declaration',
      { 'src/entities/reading.ts': reading.replace("'m', 'double'", "'n', 'double'") },
      ['src/entities/reading.ts:9: Reading.temperature: family "n" is not declared'],
    ],
  ])('%s', (_what, files, says) => {
    const all = Object.fromEntries(
      Object.entries({ ...whole, ...files }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const said = failure(project(all, 'node_modules/esbuild/index.js' in files ? [] : undefined));
    for (const text of says) expect(said).toContain(text);
  });

  test('a config that is no file', () =>
    expect(failure(project(whole), '--config', 'nowhere.ts')).toContain('nowhere.ts: '));

  test('as JSON too', () => {
    const folder = project(whole);
    writeFiles(folder, {
      'src/entities/reading.ts': reading.replace("'m', 'double'", "'n', 'double'"),
    });
    const { status, output } = rowsmith(linked, folder, ['describe', '--json']);
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
