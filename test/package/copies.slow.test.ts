/**
 * Several copies of the packed package in one process: the ESM and the CommonJS build, as in a
 * program that imports one and depends on a library that requires the other, and another version.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/built-package.js';
import { installedProject } from '../support/installed-project.js';

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rowsmith-copies-'));
  installedProject(
    scratch,
    {
      'package.json': '{ "private": true, "type": "module" }',
      'copies.mjs': readFileSync(join(__dirname, 'cases/copies.mjs'), 'utf8'),
      'versions.mjs': readFileSync(join(__dirname, 'cases/versions.mjs'), 'utf8'),
    },
    ['@grpc/grpc-js', '@google-cloud/bigtable'],
  );
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('the ESM and the CommonJS build accept what the other one made', () => {
  const { status, output } = run(scratch, process.execPath, ['copies.mjs']);
  expect(output).toBe('passed\n');
  expect(status).toBe(0);
});

test('another version is an error that names both versions and files', () => {
  const other = join(scratch, 'node_modules/rowsmith-other');
  cpSync(join(scratch, 'node_modules/rowsmith'), other, { recursive: true });
  let changed = 0;
  for (const name of readdirSync(join(other, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(join(other, 'dist', name), 'utf8');
    const replaced = text.replace(/packageVersion = "0\.1\.0"/, 'packageVersion = "0.2.0"');
    if (replaced === text) continue;
    writeFileSync(join(other, 'dist', name), replaced);
    changed++;
  }
  expect(changed).toBe(2);
  const { status, output } = run(scratch, process.execPath, ['versions.mjs']);
  expect(output).toBe('passed\n');
  expect(status).toBe(0);
});
