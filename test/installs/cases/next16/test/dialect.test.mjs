/** Without `experimentalDecorators` Next emits decorators of 2018-09. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
const folder = fileURLToPath(new URL('../without-setting/', import.meta.url));
after(() => rmSync(folder, { recursive: true, force: true }));

test('the error names the setting to change', () => {
  for (const name of ['app', 'lib'])
    cpSync(`${folder}../${name}`, folder + name, { recursive: true });
  const config = readFileSync(`${folder}../tsconfig.json`, 'utf8');
  writeFileSync(
    `${folder}tsconfig.json`,
    config.replace(/ *"experimentalDecorators": true,\n/, ''),
  );
  writeFileSync(
    `${folder}next.config.mjs`,
    readFileSync(`${folder}../next.config.mjs`, 'utf8').replace(
      'import.meta.dirname',
      "import.meta.dirname + '/..'",
    ),
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [next, 'build'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, DATABASE: 'memory:' },
  });
  const output = stdout + stderr;
  assert.notEqual(status, 0, output);
  assert.match(output, /\[INVALID_ENTITY\]|RowsmithError/, output);
  assert.match(output, /"?experimentalDecorators"?/, output);
});
