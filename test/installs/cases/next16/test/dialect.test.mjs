/** Without `experimentalDecorators` Next emits decorators of 2018-09. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
const project = dirname(dirname(fileURLToPath(import.meta.url)));
const wrong = join(project, 'without-setting');
after(() => rmSync(wrong, { recursive: true, force: true }));

/** Copies a file of the project, with this text replaced. */
function copyWith(name, text, replacement) {
  const source = readFileSync(join(project, name), 'utf8');
  assert.ok(source.includes(text), name);
  writeFileSync(join(wrong, name), source.replace(text, replacement));
}

test('the error names the setting to change', () => {
  mkdirSync(wrong);
  for (const name of ['app', 'lib'])
    cpSync(join(project, name), join(wrong, name), { recursive: true });
  copyWith('tsconfig.json', '"experimentalDecorators": true,', '');
  copyWith('next.config.mjs', 'import.meta.dirname', JSON.stringify(project));
  const { status, stdout, stderr } = spawnSync(process.execPath, [next, 'build'], {
    cwd: wrong,
    encoding: 'utf8',
    env: { ...process.env, DATABASE: 'memory:' },
  });
  const output = stdout + stderr;
  assert.notEqual(status, 0, output);
  assert.match(output, /INVALID_DECLARATION/, output);
  assert.match(output, /set "experimentalDecorators": true in compilerOptions/, output);
});
