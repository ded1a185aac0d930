/**
 * The module of application-servers.md, which development servers evaluate again in one process: its
 * database stays open until an entity is edited, and then is opened again.
 */
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../support/built-package.js';
import { buildLinkedPackage, makeProject } from '../support/linked-package.js';

let linked = '';
let project = '';
/** Loads the module again with `load`, twice as it is and then edited, and prints what was found. */
const program = (load: string): string => `
  import { readFileSync, writeFileSync } from 'node:fs';
  ${load}
  process.removeAllListeners('warning');
  process.on('warning', ({ code, message }) => {
    if (code === 'ROWSMITH_SHARED') console.log(message);
  });
  let last;
  for (let round = 1; round <= 3; round++) {
    if (round === 3) edit((text) => text.replace("Column('m', 'string')", "Column('m', 'string', { qualifier: 't' })"));
    const { database, Note } = await loadAgain(round);
    const db = await database();
    const notes = db.repository(Note);
    await notes.save(notes.create({ tenant: 'acme', id: 'n' + round, title: 'x' }));
    const read = await notes.get({ tenant: 'acme', id: 'n' + round });
    const before = await last?.repository(last.Note).scanAll().count().catch((error) => error.code);
    console.log(round, read instanceof Note, db === last, await notes.scanAll().count(), before ?? '');
    last = Object.assign(db, { Note });
  }
  await last.close();
  process.exit();
`;
const bundle = `
  import { buildSync } from 'esbuild';
  const edit = (change) => writeFileSync('database.ts', change(readFileSync('database.ts', 'utf8')));
  const build = () => buildSync({
    entryPoints: ['database.ts'], outfile: 'database.js', bundle: true, packages: 'external',
    format: 'esm', platform: 'node', target: 'node20',
  });
  const loadAgain = (round) => { build(); return import('./database.js?' + round); };`;
const vite = `
  import { createServer } from 'vite';
  import rowsmith from 'rowsmith/vite';
  const edit = (change) => writeFileSync('database.ts', change(readFileSync('database.ts', 'utf8')));
  const server = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'silent',
    server: { middlewareMode: true, ws: false },
    plugins: [rowsmith()],
  });
  const loadAgain = (round) => {
    server.moduleGraph.invalidateAll();
    return server.ssrLoadModule('/database.ts');
  };`;

let recipe = '';
beforeAll(() => {
  linked = buildLinkedPackage();
  // The plugin is not beside the project's packages here, as it is where it is installed.
  symlinkSync(join(root, 'node_modules/esbuild'), join(linked, 'node_modules/esbuild'));
  const guide = readFileSync(join(root, 'docs/guide/application-servers.md'), 'utf8');
  recipe = /^In `database\.ts`:\n\n```ts\n([\s\S]*?)^```$/m.exec(guide)![1];
});
beforeEach(() => {
  project = makeProject(
    linked,
    {
      'package.json': '{ "type": "module" }',
      'database.ts': recipe,
      'bundle.mjs': program(bundle),
      'vite.mjs': program(vite),
    },
    ['vite', 'esbuild'],
  );
});
afterEach(() => rmSync(project, { recursive: true, force: true }));
afterAll(() => rmSync(linked, { recursive: true, force: true }));

test.each([
  ['bundle.mjs', 'development'],
  // Vite sets NODE_ENV itself.
  ['vite.mjs', undefined],
])('the module is evaluated again: %s', (name, environment) => {
  const { output } = run(project, process.execPath, [name], { NODE_ENV: environment });
  expect(output).toBe(
    '1 true false 1 \n' +
      '2 true true 2 2\n' +
      'file:./data is opened again: Note.columns.title.qualifier: "title" and "t"\n' +
      '3 true false 3 DATABASE_CLOSED\n',
  );
});

test('in production an edited entity is an error, and the database stays open', () => {
  const { output } = run(project, process.execPath, ['bundle.mjs'], { NODE_ENV: 'production' });
  expect(output).toMatch(
    /^1 true false 1 \n2 true true 2 2\n[^]*RowsmithError: \[INVALID_ARGUMENT\]/,
  );
  expect(output).toContain('Note.columns.title.qualifier: "title" and "t"');
});
