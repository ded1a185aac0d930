/**
 * A program in one bundle with Rowsmith, by each bundler and without settings for Rowsmith: the
 * bundle works without node_modules.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  console.log(error.code, error.stack);
  process.exitCode = 1;
});
`;
const works: ProcessResult = { status: 0, output: 'bolt match\n' };

interface Bundler {
  readonly name: string;
  /** The bundle, in the folder `bundled`. */
  readonly bundle: string;
  /** The program that writes the bundle with its arguments, and the files it needs. */
  readonly command: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

const esbuild = (format: 'esm' | 'cjs', extension: string): Bundler => ({
  name: `esbuild, ${format}`,
  bundle: `program.${extension}`,
  // The file is a script or, if its install script has run, the native program.
  command: [
    'node_modules/esbuild/bin/esbuild',
    ...['program.js', '--bundle', '--platform=node', `--format=${format}`, '--log-level=warning'],
    `--outfile=bundled/program.${extension}`,
  ],
});

const webpack = (format: 'esm' | 'cjs', extension: string, output: object): Bundler => ({
  name: `webpack, ${format}`,
  bundle: `program.${extension}`,
  command: [process.execPath, 'webpack.cjs'],
  files: {
    'webpack.cjs': `
      const webpack = require('webpack');
      const output = { ...${JSON.stringify(output)}, path: __dirname + '/bundled', filename: 'program.${extension}' };
      const experiments = { outputModule: ${format === 'esm'} };
      // Minimizing takes longer than all the rest: one build shows that it does no harm.
      const optimization = { minimize: ${format === 'cjs'} };
      const config = { mode: 'production', target: 'node', context: __dirname, entry: './program.js', output, experiments, optimization };
      webpack(config, (error, stats) => {
        if (error === null && !stats.hasErrors()) return;
        console.log(error ?? stats.toString());
        process.exitCode = 1;
      });`,
  },
});

const bundlers: readonly Bundler[] = [
  esbuild('esm', 'mjs'),
  esbuild('cjs', 'cjs'),
  {
    // By default Vite leaves packages out of an SSR build (vite.test.ts); this build has them in.
    name: 'Vite, SSR with noExternal',
    bundle: 'program.js',
    command: [
      ...[process.execPath, 'node_modules/vite/bin/vite.js', 'build', '--ssr', 'program.js'],
      ...['--outDir', 'bundled', '--logLevel', 'error'],
    ],
    files: { 'vite.config.js': 'export default { ssr: { noExternal: true } };' },
  },
  webpack('cjs', 'cjs', {}),
  webpack('esm', 'mjs', { module: true, chunkFormat: 'module' }),
];

/** docs/guide/bundlers.md, which has all of this for users. */
const guide = readFileSync(join(root, 'docs/guide/bundlers.md'), 'utf8');

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
  expect(existsSync(join(project, 'data/rowsmith.json'))).toBe(true);
});

describe.each(bundlers)('$name', ({ bundle, command, files }) => {
  /** The bundle alone, as on another machine. */
  let deployed = '';

  beforeAll(() => {
    const project = mkdtempSync(join(scratch, 'project-'));
    const sources = {
      'package.json': '{ "name": "user", "private": true, "type": "module" }',
      'program.js': program,
    };
    installedProject(project, { ...sources, ...files }, ['esbuild', 'vite', 'webpack']);
    const [name, ...args] = command;
    const { status, output } = run(project, name, args);
    if (status !== 0) throw new Error(output);
    deployed = mkdtempSync(join(scratch, 'deployed-'));
    cpSync(join(project, 'bundled'), join(deployed, 'bundled'), { recursive: true });
    // A path that a bundle has stored does not exist on another machine.
    rmSync(project, { recursive: true });
  });

  test.each(['memory:', 'file:./data'])('%s works', (url) => {
    expect(run(deployed, process.execPath, [join('bundled', bundle), url])).toEqual(works);
  });
});
