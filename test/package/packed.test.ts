/**
 * The packed package in a separate project: a program opens a database on disk, and the command
 * runs. package.slow.test.ts has every compiler, dialect of decorators and module system.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/built-package.js';
import { buildLinkedPackage, writeFiles } from '../support/linked-package.js';

const program = `
import { column, defineEntity, maxVersions, open, rowKey } from 'rowsmith';

const Reading = defineEntity(
  class Reading {
    device = '';
    at = new Date(0);
    temperature;
  },
  {
    table: 'telemetry',
    families: { m: { gc: maxVersions(1) } },
    key: rowKey('device', 'at'),
    segments: { device: 'string', at: { kind: 'timestamp', order: 'desc' } },
    columns: { temperature: column('m', 'double') },
  },
);
export default Reading;

for (const temperature of [21.5, 22]) {
  const db = await open('file:./data', { entities: [Reading] });
  const readings = db.repository(Reading);
  await readings.save(readings.create({ device: 'd1', at: new Date(temperature), temperature }));
  console.log((await readings.prefix({ device: 'd1' }).all()).map((each) => each.temperature));
  await db.close();
}
`;

let [linked, project] = ['', ''];
beforeAll(() => {
  linked = buildLinkedPackage();
  project = mkdtempSync(join(tmpdir(), 'rowsmith-packed-'));
  writeFiles(project, {
    'package.json': '{ "private": true, "type": "module" }',
    'program.mjs': program,
  });
  const packed = run(linked, 'npm', ['pack', '--silent', '--ignore-scripts']);
  expect(packed.status).toBe(0);
  const tarball = readdirSync(linked).find((name) => name.endsWith('.tgz'))!;
  const modules = join(project, 'node_modules');
  cpSync(join(linked, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true });
  writeFiles(modules, { 'rowsmith/.keep': '' });
  const unpacked = run(linked, 'tar', [
    ...['-xzf', tarball, '--strip-components=1'],
    ...['-C', join(modules, 'rowsmith')],
  ]);
  expect(unpacked.output).toBe('');
});
afterAll(() => {
  for (const folder of [linked, project]) rmSync(folder, { recursive: true, force: true });
});

test('a program stores rows on disk and reads them again', () => {
  expect(run(project, process.execPath, ['program.mjs'])).toEqual({
    status: 0,
    output: '[ 21.5 ]\n[ 22, 21.5 ]\n',
  });
});

test('the command of the package runs', () => {
  const command = join(project, 'node_modules/rowsmith/dist/esm/src/cli/main.js');
  expect(run(project, process.execPath, [command, '--version'])).toEqual({
    status: 0,
    output: 'rowsmith 0.1.0\n',
  });
});
