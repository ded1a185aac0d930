/**
 * The packed package in the hands of a stranger: installed into empty ESM and CommonJS projects
 * outside the repository, without class-validator; one program compiled there by three compilers
 * under both kinds of decorators, with the declarations of every dependency checked; and run.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage, root, run } from '../support/built-package.js';

const forms = ['esm', 'cjs'] as const;
const compilers = [
  ['TypeScript 5.9', 'typescript59'],
  ['TypeScript 6', 'typescript'],
  ['TypeScript 7', 'typescript7'],
] as const;
const dialects = [
  ['legacy decorators', true],
  ['standard decorators', false],
] as const;
const matrix = forms.flatMap((form) =>
  compilers.flatMap(([title, compiler]) =>
    dialects.map(([dialect, legacy]) => ({ form, title, compiler, dialect, legacy })),
  ),
);

const printed = `d1 2026-01-01T00:03:00.000Z 21.5
d1 2026-01-01T00:02:00.000Z 21
true true 1.2 9007199254740993
INVALID_QUERY
`;

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-package-'));
  const folder = buildPackage();
  try {
    const packed = run(folder, 'npm', [
      'pack',
      '--silent',
      '--ignore-scripts',
      '--pack-destination',
      scratch,
    ]);
    if (packed.status !== 0) throw new Error(packed.output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const tarball = readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? 'no tarball';
  for (const form of forms) {
    const project = join(scratch, form);
    mkdirSync(project);
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({
        name: `stranger-${form}`,
        private: true,
        type: form === 'esm' ? 'module' : 'commonjs',
      }),
    );
    // What `npm ci` of the repository fetched is in npm's cache by now.
    const installed = run(project, 'npm', [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      join(scratch, tarball),
    ]);
    if (installed.status !== 0) throw new Error(installed.output);
    copyFileSync(join(root, 'test/package/cases/program.ts'), join(project, 'program.ts'));
    for (const [name, text] of generatedModules()) writeFileSync(join(project, name), text);
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * Modules that `rowsmith generate` writes, which every compiler must take: those of the golden
 * files, which tests of their own hold to the generators.
 */
const protoModules = ['acme.geo.ts', 'telemetry.ts'];
function generatedModules(): readonly (readonly [string, string])[] {
  const golden = (name: string): string => readFileSync(join(root, 'test/golden', name), 'utf8');
  const classes = golden('proto-classes.txt')
    .split(/^\/\/ === protos\/(.*)$/m)
    .slice(1);
  return [
    ['codecs.ts', golden('codecs.txt')],
    ...protoModules.map((name) => [name, classes[classes.indexOf(name) + 1]] as const),
  ];
}

function compile(
  form: string,
  compiler: string,
  legacy: boolean,
): { readonly script: string; readonly complaints: string } {
  const project = join(scratch, form);
  const name = `${compiler}-${legacy ? 'legacy' : 'standard'}`;
  writeFileSync(
    join(project, `tsconfig.${name}.json`),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        lib: ['ES2022'],
        module: 'nodenext',
        moduleResolution: 'nodenext',
        strict: true,
        skipLibCheck: false,
        experimentalDecorators: legacy,
        emitDecoratorMetadata: legacy,
        exactOptionalPropertyTypes: false,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        rootDir: '.',
        outDir: `out-${name}`,
      },
      files: ['program.ts', 'codecs.ts', ...protoModules],
    }),
  );
  const { output } = run(project, process.execPath, [
    join(root, 'node_modules', compiler, 'bin/tsc'),
    '-p',
    `tsconfig.${name}.json`,
    '--pretty',
    'false',
  ]);
  return { script: join(project, `out-${name}`, 'program.js'), complaints: output };
}

describe.each(forms)('an empty %s project', (form) => {
  test('has what rowsmith needs and no optional peer', () => {
    const modules = join(scratch, form, 'node_modules');
    expect(existsSync(join(modules, 'rowsmith/package.json'))).toBe(true);
    for (const absent of ['class-validator', '@google-cloud', 'protobufjs', 'typescript'])
      expect(existsSync(join(modules, absent))).toBe(false);
  });

  test('gets the code, its declarations and the papers, and nothing else', () => {
    const modules = join(scratch, form, 'node_modules/rowsmith');
    expect(readdirSync(modules).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const files = readdirSync(join(modules, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.[^/]+$/.test(name),
    );
    expect(files.filter((name) => !/\.(js|d\.ts)$/.test(name))).toEqual(['cjs/package.json']);
  });
});

test.each(matrix)('$form, $title, $dialect: compiles and runs', ({ form, compiler, legacy }) => {
  const { script, complaints } = compile(form, compiler, legacy);
  expect(complaints).toBe('');
  const data = mkdtempSync(join(scratch, 'data-'));
  const ran = run(join(scratch, form), process.execPath, [script, data]);
  expect(ran).toEqual({ status: 0, output: printed.repeat(3) });
});

/** What the program of `rowsmith init` prints. */
const firstRun = `12 rows written, 0 failed
2026-01-01T05:00:00.000Z 6.5 75
2026-01-01T04:00:00.000Z 6 76
2026-01-01T03:00:00.000Z 5.5 77
`;

describe.each([
  ['standard decorators', [], 'module'],
  ['legacy decorators', ['--decorators', 'legacy'], 'module'],
  ['a CommonJS project', [], 'commonjs'],
] as const)('rowsmith init: %s', (title, options, type) => {
  let project = '';
  const rowsmith = (...args: readonly string[]) =>
    run(project, process.execPath, [join(scratch, 'esm/node_modules/.bin/rowsmith'), ...args]);
  beforeAll(() => {
    project = join(scratch, `init-${title.replaceAll(' ', '-')}`);
    mkdirSync(project);
    if (type === 'commonjs') writeFileSync(join(project, 'package.json'), '{ "type": "commonjs" }');
    const { status, output } = rowsmith('init', ...options);
    if (status !== 0) throw new Error(output);
    // What `npm install` would put there.
    const from = join(root, 'node_modules');
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
    for (const name of ['typescript', 'esbuild', '@types/node'])
      symlinkSync(join(from, name), join(project, 'node_modules', name));
    for (const name of ['rowsmith', 'lmdb', 'reflect-metadata'])
      symlinkSync(join(scratch, 'esm/node_modules', name), join(project, 'node_modules', name));
  });

  test('compiles, saves and queries', () => {
    expect(
      run(project, process.execPath, ['node_modules/typescript/bin/tsc', '--pretty', 'false']),
    ).toEqual({ status: 0, output: '' });
    const { status, output } = run(project, process.execPath, ['dist/src/main.js']);
    expect({ status, printed: output.slice(0, firstRun.length) }).toEqual({
      status: 0,
      printed: firstRun,
    });
    // Again: the same rows.
    expect(run(project, process.execPath, ['dist/src/main.js']).output).toBe(output);
  });

  test('describe and generate find its entities, and what was generated is not stale', () => {
    expect(rowsmith('describe')).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^Reading\n {2}table +telemetry\n/),
    });
    expect(rowsmith('generate')).toMatchObject({ status: 0 });
    expect(existsSync(join(project, 'generated'))).toBe(true);
    expect(rowsmith('generate', '--check')).toMatchObject({ status: 0 });
    const other = join(project, 'src/entities/reading.ts');
    writeFileSync(
      other,
      readFileSync(other, 'utf8').replace("table: 'telemetry'", "table: 'measured'"),
    );
    expect(rowsmith('describe', '--json').output).toContain('"table":"measured"');
  });
});

test('rowsmith describe sees entities that the CommonJS half of the package recorded', () => {
  const project = join(scratch, 'cjs');
  writeFileSync(
    join(project, 'rowsmith.config.cjs'),
    `
    const { column, defineEntity, rowKey } = require('rowsmith');
    const { defineConfig } = require('rowsmith/config');
    class Part {}
    module.exports = defineConfig({ entities: [defineEntity(Part, { table: 'parts', families: { p: {} }, key: rowKey('id'), segments: { id: 'string' }, columns: { name: column('p', 'string') } })] });`,
  );
  const { status, output } = run(project, process.execPath, [
    join(project, 'node_modules/.bin/rowsmith'),
    'describe',
    '--json',
  ]);
  expect(status).toBe(0);
  expect(JSON.parse(output)).toMatchObject([{ entity: 'Part', table: 'parts' }]);
});
