/** examples/languages: one script runs programs in all languages against `rowsmith serve`. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../support/built-package.js';
import { buildLinkedPackage, linkPackages, makeProject } from '../support/linked-package.js';
import { copySums, goIsMissing, pathWithGo } from './support/go.js';
import { javaClassPath, javaIsMissing } from './support/java.js';
import { pythonIsMissing, pythonPackages } from './support/python.js';

const missing = [pythonIsMissing(), goIsMissing(), javaIsMissing()];
const describeAll = missing.includes(true) ? describe.skip : describe;

const source = join(root, 'examples/languages');
const readSource = (name: string): string => readFileSync(join(source, name), 'utf8');
const versionsOf = (text: string): string => text.replace(/^\/\/.*\n|^module .*\n/gm, '');

describeAll('examples/languages', () => {
  const linked = buildLinkedPackage();
  // Peer dependencies, which npm installs beside it.
  linkPackages(linked, ['@grpc/grpc-js', '@google-cloud/bigtable']);
  const names = readdirSync(source).filter((name) => /\.(ts|mjs|py|go|mod|java|xml)$/.test(name));
  const project = makeProject(
    linked,
    {
      ...Object.fromEntries(names.map((name) => [name, readSource(name)])),
      'package.json': '{ "type": "module" }',
    },
    ['esbuild', 'tsx'],
  );
  afterAll(() => {
    rmSync(project, { recursive: true });
    rmSync(linked, { recursive: true });
  });

  test('the programs print what the README shows', async () => {
    copySums(project);
    const { status, output } = run(project, process.execPath, ['run.mjs'], {
      PYTHON: join(await pythonPackages(), 'bin/python'),
      PATH: pathWithGo(),
      CLASSPATH: await javaClassPath(),
    });
    expect([status, output]).toEqual([0, output]);
    expect(output).not.toContain('SKIPPED');
    const [, shown] = /^```text\n(# [^]*?)^```$/m.exec(readSource('README.md'))!;
    // What the programs warn of comes after it.
    expect(output.slice(output.indexOf('# '), output.indexOf('# ') + shown.length)).toBe(shown);
  });

  test('Go and Java have the versions of the tests', () => {
    const pinned = readFileSync(join(root, 'test/clients/go/go.mod'), 'utf8');
    expect(versionsOf(readSource('go.mod'))).toBe(versionsOf(pinned));
    const client = /<artifactId>google-cloud-bigtable<.*\n.*<version>(.*)</;
    const pom = readFileSync(join(root, 'test/languages/java/pom.xml'), 'utf8');
    expect(client.exec(readSource('pom.xml'))![1]).toBe(client.exec(pom)![1]);
  });
});
