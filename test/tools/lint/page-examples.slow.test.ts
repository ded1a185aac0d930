/** The examples of the rules' pages compile. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { heldRules, lintRules } from '../../../src/tools/lint/index.js';
import { root } from '../../support/built-package.js';
import { example, pageOf } from './rule-pages.js';

test('the examples compile', () => {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const programs = mkdtempSync(join(root, '.tmp/lint-pages-'));
  try {
    writeFileSync(
      join(programs, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { types: ['node'], noUnusedLocals: false },
        include: ['*.ts'],
        exclude: [],
      }),
    );
    for (const { id } of [...lintRules, ...heldRules])
      for (const side of ['bad', 'good'] as const) {
        const { code } = example(pageOf(id), side);
        writeFileSync(join(programs, `${id}-${side}.ts`), code);
      }
    const tsc = join(root, 'node_modules/typescript7/bin/tsc');
    const { stdout, status } = spawnSync(
      process.execPath,
      [tsc, '-p', join(programs, 'tsconfig.json'), '--pretty', 'false'],
      { cwd: root, encoding: 'utf8' },
    );
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  } finally {
    rmSync(programs, { recursive: true, force: true });
  }
});
