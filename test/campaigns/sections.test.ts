/** The sections of .ci/run: their budgets, and what they run. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

const script = readFileSync(join(root, '.ci/run'), 'utf8');
/** CI runs on Unix. */
const onUnix = process.platform === 'win32' ? test.skip : test;

/** Runs sections with the functions of CI. */
function runSections(
  lines: string,
  env: NodeJS.ProcessEnv = {},
): { output: string; failed: boolean } {
  const program = `set -uo pipefail\nsource .ci/sections.sh\n${lines}\nprintf '%s\\n' "\${summary[@]}"\nexit "$failed"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', program], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CI_SLOWNESS: '1', ...env },
  });
  expect(stderr).toBe('');
  return { output: stdout, failed: status !== 0 };
}

test('every section has a budget, and so has the whole run: 55 minutes', () => {
  const lines = script.split('\n').filter((line) => /^(section|together)\b/.test(line));
  const budgets = lines.map((line) =>
    Number(/^(?:section [a-z-]+|together) (\d+) /.exec(line)?.[1]),
  );
  expect(budgets.length).toBeGreaterThan(8);
  for (const budget of budgets) expect(budget).toBeGreaterThan(0);
  expect(Math.max(...budgets)).toBeLessThanOrEqual(1200);
  expect(script).toMatch(/^whole 3300$/m);
});

test('npm test and CI run the suites of every project of Jest', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts).toMatchObject({
    test: 'jest --ignoreProjects slow',
    'test:slow': 'jest --selectProjects slow',
  });
  expect(script).toMatch(/^section tests \d+ npm test$/m);
  expect(script).toMatch(/^section slow \d+ npm run --silent test:slow$/m);
});

test('every npm script that CI runs exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = [...script.matchAll(/npm run --silent ([\w:-]+)/g)].map((match) => match[1]);
  expect(names).toEqual(expect.arrayContaining(['test:nodes', 'test:installs', 'test:all']));
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

test('the programs of CI have one of each kind', () => {
  const output = execFileSync(process.execPath, ['scripts/installs.mjs', '--list', '--ci'], {
    cwd: root,
    encoding: 'utf8',
  });
  const names = output.split('\n').map((line) => line.split(' ')[0]);
  for (const kind of [
    'jest30-ts-jest',
    'jest30-js',
    'vitest4',
    'node-test',
    'next16',
    'nest11',
    'modules-node10',
    'modules-node16',
    'modules-nodenext',
    'modules-bundler',
    'decorators-legacy',
    'decorators-2018-09',
    'decorators-standard',
  ])
    expect(names).toContain(kind);
});

onUnix('a section passes within its budget, with its output kept', () => {
  const { output, failed } = runSections('section quick 5 echo hello; cat "$logs/quick"');
  expect(output).toMatch(/^=== quick\nhello\n=== quick: ok after \d s\n\nhello\nok +quick/);
  expect(failed).toBe(false);
});

onUnix('a section that exceeds its budget fails, and the others run', () => {
  const { output, failed } = runSections('section slow 2 sleep 3.2; section next 5 true');
  expect(output).toMatch(/=== slow: SLOW after [34] s, more than its budget of 2 s/);
  expect(output).toMatch(/^SLOW +slow .*\nok +next/m);
  expect(failed).toBe(true);
});

onUnix('a section that hangs is ended', () => {
  const { output, failed } = runSections("section stuck 1 bash -c 'echo begun; sleep 60'");
  expect(output).toMatch(/begun\n=== stuck: HUNG after [2-5] s, ended by CI/);
  expect(failed).toBe(true);
});

onUnix('a section that fails is reported as such', () => {
  const { output, failed } = runSections('section wrong 5 false; section right 5 true');
  expect(output).toMatch(/^FAILED wrong .*\nok +right/m);
  expect(failed).toBe(true);
});

onUnix('sections that run together have a budget and times of their own', () => {
  const { output, failed } = runSections(
    "together 2 one='sleep 3.5; echo slow' two='echo quick' three='exit 3'",
  );
  expect(output).toMatch(/=== one\nslow\n=== one: SLOW after [34] s/);
  expect(output).toMatch(/=== two\nquick\n=== two: ok after [01] s/);
  expect(output).toMatch(/=== three\n=== three: FAILED after [01] s/);
  expect(failed).toBe(true);
});

onUnix('sections that take longer together than the whole may fail', () => {
  const lines = 'section one 5 sleep 1.2; section two 5 sleep 1.2; whole';
  const short = runSections(`${lines} 1`);
  expect(short.output).toMatch(/^ok +one .*\nok +two .*\nSLOW +whole +\d s of +1 s$/m);
  expect(short.failed).toBe(true);
  const long = runSections(`${lines} 60`);
  expect(long.output).toMatch(/^ok +whole /m);
  expect(long.failed).toBe(false);
});

onUnix('a busy machine can have larger budgets', () => {
  const { output, failed } = runSections('section slow 1 sleep 2.5', { CI_SLOWNESS: '5' });
  expect(output).toMatch(/^ok +slow +\d s of +5 s$/m);
  expect(failed).toBe(false);
});
