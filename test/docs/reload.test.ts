/**
 * The module of engines.md that development servers evaluate again, in one process: each evaluation
 * closes the database of the last one.
 */
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { root, run } from '../support/built-package.js';
import { buildLinkedPackage, makeProject } from '../support/linked-package.js';

jest.setTimeout(120_000);

let linked = '';
let project = '';
/** Loads the module again and again with `load`, saves and reads, and prints what was found. */
const program = (load: string): string => `
  ${load}
  let last;
  for (let round = 1; round <= 3; round++) {
    const { db, Reading } = await loadAgain(round);
    const readings = db.repository(Reading);
    await readings.save(readings.create({ device: 'd' + round, value: round }));
    const closed = await last?.repository(last.Reading).scanAll().count().catch((error) => error.code);
    console.log(await readings.scanAll().count(), closed ?? '');
    last = Object.assign(db, { Reading });
  }
  await last.close();
  process.exit();
`;

beforeAll(() => {
  linked = buildLinkedPackage();
  // The plugin is not beside the project's packages here, as it is where it is installed.
  symlinkSync(join(root, 'node_modules/esbuild'), join(linked, 'node_modules/esbuild'));
  const guide = readFileSync(join(root, 'docs/guide/engines.md'), 'utf8');
  const [, recipe] = /^## Development servers$[\s\S]*?^```ts fresh\n([\s\S]*?)^```$/m.exec(guide)!;
  project = makeProject(
    linked,
    {
      'package.json': '{ "type": "module" }',
      'db.ts': `${recipe}export { Reading };\n`,
      'twice.mjs': program("const loadAgain = (round) => import('./db.js?' + round);"),
      'vite.mjs': program(`
        import { createServer } from 'vite';
        import rowsmith from 'rowsmith/vite';
        const server = await createServer({
          configFile: false,
          appType: 'custom',
          server: { middlewareMode: true, ws: false },
          plugins: [rowsmith()],
        });
        const loadAgain = (round) => {
          server.moduleGraph.invalidateAll();
          return server.ssrLoadModule('/db.ts');
        };`),
    },
    ['vite'],
  );
  buildSync({
    entryPoints: [join(project, 'db.ts')],
    outfile: join(project, 'db.js'),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
});
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
beforeEach(() => rmSync(join(project, 'data'), { recursive: true, force: true }));

test.each(['twice.mjs', 'vite.mjs'])('the module is evaluated again: %s', (name) => {
  const { output } = run(project, process.execPath, [name]);
  expect(output).toBe('1 \n2 DATABASE_CLOSED\n3 DATABASE_CLOSED\n');
});
