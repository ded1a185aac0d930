/**
 * A program in one bundle with Rowsmith, by each bundler. `memory:` works in all of them. `file:`
 * needs lmdb, and its native addon cannot be part of a bundle: without the bundler's setting `open`
 * fails with MISSING_PACKAGE and the line to add, and with this line it works.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProcessResult, root, run } from '../support/built-package.js';
import { installedProject } from '../support/installed-project.js';

/**
 * In JavaScript, because a bundler of its own compiles no decorators (see vite.test.ts). With the
 * name of the entity, because webpack minifies the name of the class.
 */
const program = `
import { column, defineEntity, open, rowKey } from 'rowsmith';

class Part {}
defineEntity(Part, {
  name: 'Part',
  table: 'parts',
  families: { p: {} },
  key: rowKey('id'),
  segments: { id: 'string' },
  columns: { name: column('p', 'string') },
});

async function main() {
  const db = await open(process.argv[2], { entities: [Part] });
  const parts = db.repository(Part);
  await parts.saveMany(['bolt', 'nut'].map((name, i) => parts.create({ id: 'p' + i, name })));
  const { name } = await parts.scanAll().first();
  // A pattern that is more than literal text needs re2js.
  const filter = { kind: 'valueRegex', pattern: Buffer.from('n[u]t') };
  const ranges = [{ start: new Uint8Array(), end: undefined }];
  const page = await db.engine.readRows({ table: 'parts', ranges, reversed: false, filter }).next();
  console.log(name, page === undefined ? 'no match' : 'match');
  await db.close();
}

main().catch((error) => {
  console.log(error.code, error.details?.fix ?? error.stack);
  process.exitCode = 1;
});
`;
const works: ProcessResult = { status: 0, output: 'bolt match\n' };

interface Bundler {
  readonly name: string;
  /** The line that keeps lmdb out of the bundle, as `details.fix` prints it. */
  readonly line: string;
  /** The path of the bundle in the output folder. */
  readonly bundle: string;
  /** The program that writes the bundle with its arguments, and the files it needs. */
  command(line: string, folder: string): readonly string[];
  files?(line: string, folder: string): Readonly<Record<string, string>>;
}

const esbuild = (format: 'esm' | 'cjs', extension: string): Bundler => ({
  name: `esbuild, ${format}`,
  line: '--external:lmdb',
  bundle: `program.${extension}`,
  // The file is a script or, if its install script has run, the native program.
  command: (line, folder) => [
    'node_modules/esbuild/bin/esbuild',
    ...['program.js', '--bundle', '--platform=node', `--format=${format}`, '--log-level=warning'],
    `--outfile=${folder}/program.${extension}`,
    ...(line === '' ? [] : [line]),
  ],
});

const webpack = (format: 'esm' | 'cjs', extension: string, output: object): Bundler => ({
  name: `webpack, ${format}`,
  line: "externals: { lmdb: 'commonjs lmdb' }",
  bundle: `program.${extension}`,
  command: (_line, folder) => [process.execPath, `${folder}.cjs`],
  files: (line, folder) => ({
    [`${folder}.cjs`]: `
      const webpack = require('webpack');
      const output = { ...${JSON.stringify(output)}, path: __dirname + '/${folder}', filename: 'program.${extension}' };
      const experiments = { outputModule: ${format === 'esm'} };
      // Minimizing takes longer than all the rest: one build shows that it does no harm.
      const optimization = { minimize: ${format === 'cjs' && line !== ''} };
      const config = { mode: 'production', target: 'node', context: __dirname, entry: './program.js', output, experiments, optimization, ${line} };
      webpack(config, (error, stats) => {
        if (error === null && !stats.hasErrors()) return;
        console.log(error ?? stats.toString());
        process.exitCode = 1;
      });`,
  }),
});

const bundlers: readonly Bundler[] = [
  esbuild('esm', 'mjs'),
  esbuild('cjs', 'cjs'),
  {
    // By default Vite leaves packages out of an SSR build (vite.test.ts); this build has them in.
    name: 'Vite, SSR with noExternal',
    line: "ssr: { external: ['lmdb'] }",
    bundle: 'program.js',
    command: (_line, folder) => [
      ...[process.execPath, 'node_modules/vite/bin/vite.js', 'build', '--ssr', 'program.js'],
      ...['--outDir', folder, '--config', `${folder}.config.js`, '--logLevel', 'error'],
    ],
    files: (line, folder) => ({
      [`${folder}.config.js`]: `
        import { mergeConfig } from 'vite';
        export default mergeConfig({ ssr: { noExternal: true } }, { ${line} });`,
    }),
  },
  webpack('cjs', 'cjs', {}),
  webpack('esm', 'mjs', { module: true, chunkFormat: 'module' }),
];

/** docs/guide/bundlers.md, which has all of this for users. */
const guide = readFileSync(join(root, 'docs/guide/bundlers.md'), 'utf8');

test('the guide has the line of each bundler', () => {
  for (const { line } of bundlers) expect(guide).toContain(`\`${line}\``);
});

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-bundles-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('the program in the guide runs with the commands there', () => {
  const [, main] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const [, commands] = /^```sh\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const project = mkdtempSync(join(scratch, 'guide-'));
  const files = { 'package.json': '{ "type": "module" }', 'main.ts': main };
  installedProject(project, files, ['esbuild']);
  const { status, output } = run(project, 'sh', ['-e', '-c', commands]);
  expect(output).toMatch(/^1$/m);
  expect(status).toBe(0);
  expect(existsSync(join(project, 'data/data.mdb'))).toBe(true);
});

describe.each(bundlers)('$name', ({ line, bundle, command, files }) => {
  /** Next to node_modules. */
  let project = '';
  /** Only the bundles, as on another machine. */
  let deployed = '';

  beforeAll(() => {
    const source = join(mkdtempSync(join(scratch, 'project-')), 'source');
    installedProject(
      source,
      {
        'package.json': '{ "name": "user", "private": true, "type": "module" }',
        'program.js': program,
        ...files?.('', 'default'),
        ...files?.(line, 'external'),
      },
      ['esbuild', 'vite', 'webpack'],
    );
    for (const [name, ...args] of [command('', 'default'), command(line, 'external')]) {
      const { status, output } = run(source, name, args);
      if (status !== 0) throw new Error(output);
    }
    // webpack stores absolute paths, which do not exist on another machine.
    project = join(source, '../moved');
    renameSync(source, project);
    deployed = mkdtempSync(join(scratch, 'deployed-'));
    for (const folder of ['default', 'external'])
      cpSync(join(project, folder), join(deployed, folder), { recursive: true });
  });

  const runBundle = (folder: string, build: 'default' | 'external', url: string): ProcessResult =>
    run(folder, process.execPath, [join(build, bundle), url]);

  test('memory: works', () => {
    expect(runBundle(deployed, 'default', 'memory:')).toEqual(works);
  });

  test('file: fails with the line to add, and creates no directory', () => {
    const { status, output } = runBundle(deployed, 'default', 'file:./data');
    expect(output).toMatch(/^MISSING_PACKAGE /);
    expect(output).toContain(line);
    expect(status).toBe(1);
    expect(readdirSync(deployed)).toEqual(['default', 'external']);
  });

  test('file: works with this line', () => {
    expect(runBundle(project, 'external', 'file:./data')).toEqual(works);
    expect(existsSync(join(project, 'data/data.mdb'))).toBe(true);
  });

  test('file: with this line, where lmdb is not installed, asks for lmdb', () => {
    expect(runBundle(deployed, 'external', 'memory:')).toEqual(works);
    expect(runBundle(deployed, 'external', 'file:./data')).toEqual({
      status: 1,
      output: 'MISSING_PACKAGE npm install lmdb\n',
    });
  });
});
