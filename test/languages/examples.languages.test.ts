/** examples/languages: one script runs programs in all languages against `rowsmith serve`. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../support/built-package.js';
import { buildLinkedPackage, linkPackages, makeProject } from '../support/linked-package.js';
import { pythonIsMissing, pythonPackages } from './support/python.js';

const describePython = pythonIsMissing() ? describe.skip : describe;

describePython('examples/languages', () => {
  const linked = buildLinkedPackage();
  // Peer dependencies, which npm installs beside it.
  linkPackages(linked, ['@grpc/grpc-js', '@google-cloud/bigtable']);
  const source = join(root, 'examples/languages');
  const names = readdirSync(source).filter((name) => /\.(ts|mjs|py)$/.test(name));
  const files = names.map((name) => [name, readFileSync(join(source, name), 'utf8')]);
  const project = makeProject(
    linked,
    { ...Object.fromEntries(files), 'package.json': '{ "type": "module" }' },
    ['esbuild', 'tsx'],
  );
  afterAll(() => {
    rmSync(project, { recursive: true });
    rmSync(linked, { recursive: true });
  });

  test('each program reads the rows of the other programs', async () => {
    const python = join(await pythonPackages(), 'bin/python');
    const { status, output } = run(project, process.execPath, ['run.mjs'], {
      PYTHON: python,
    });
    expect(output).not.toContain('SKIPPED');
    expect([status, output]).toEqual([0, output]);
    expect(output).toContain('wrote 36 readings\n');
    expect(output).toContain('wrote 6 values of an hour\n');
    expect(output).toContain(
      [
        '# TypeScript reads them',
        ...['boiler 09:00 6 22.50', 'boiler 10:00 6 28.50', 'boiler 11:00 6 34.50'],
        ...['pump 09:00 6 32.50', 'pump 10:00 6 38.50', 'pump 11:00 6 44.50'],
      ].join('\n'),
    );
  });
});
