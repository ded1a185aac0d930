/** Settings of compilers under which an entity cannot be declared. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { transformSync as babel } from '@babel/core';
import { transformSync as esbuild } from 'esbuild';

const source = (column) => `
  import { Column, Entity, Segment, open, rowKey } from 'rowsmith';
  @Entity({ table: 'notes', families: { n: {} } })
  class Note {
    static key = rowKey('id');
    @Segment('string', { maxLength: 40 }) id;
    ${column}
  }
  const db = await open('memory:', { entities: [Note] });
  const notes = db.repository(Note);
  await notes.save(notes.create({ id: 'a', title: 'milk' }));
  console.log((await notes.get({ id: 'a' })).title);
  await db.close();
`;

function outcomeOf(name, code) {
  mkdirSync('out', { recursive: true });
  writeFileSync(`out/${name}.mjs`, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [`out/${name}.mjs`], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

function withBabel(options) {
  const plugins = [['@babel/plugin-proposal-decorators', options]];
  // The dialects before 2021 need it.
  if (!/^202/.test(options.version)) plugins.push('@babel/plugin-transform-class-properties');
  return babel(source("@Column('n', 'string') title;"), { configFile: false, plugins }).code;
}

test('2018-09: the error names the setting', () => {
  const code = withBabel({ version: '2018-09', decoratorsBeforeExport: true });
  const { status, output } = outcomeOf('old', code);
  assert.equal(status, 1, output);
  assert.match(output, /\[INVALID_DECLARATION\]/);
  assert.match(output, /property: id/);
  assert.match(output, /set "experimentalDecorators": true in compilerOptions/);
});

test('2023-11 and legacy, by the same compiler, work', () => {
  for (const version of ['2023-11', 'legacy'])
    assert.deepEqual(outcomeOf(version, withBabel({ version })), { status: 0, output: 'milk\n' });
});

test('2022-03, which has no metadata: the error names the versions that have it', () => {
  const { status, output } = outcomeOf('2022-03', withBabel({ version: '2022-03' }));
  assert.equal(status, 1, output);
  assert.match(output, /\[INVALID_DECLARATION\]/);
  assert.match(output, /swc 2023-11\); or set experimentalDecorators/);
});

test('legacy without emitDecoratorMetadata: a column without a kind is asked for it', () => {
  const { code } = esbuild(source("@Column('n') title: string;"), {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  const { status, output } = outcomeOf('untyped', code);
  assert.equal(status, 1, output);
  assert.match(output, /Note\.title/);
  assert.match(output, /emitDecoratorMetadata/);
});
