/** The sections of .ci/run: their budgets, and what they run. sections.slow.test.ts runs some. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

const script = readFileSync(join(root, '.ci/run'), 'utf8');

/** What .ci/run chooses at a commit. */
function chosenAt(commit: string, env: NodeJS.ProcessEnv = {}): string {
  const choice = /^CI_PART=[^]*?^esac$/m.exec(script)![0];
  const names = '$CI_PART $part $slow_budget $campaigns_budget $whole_budget';
  const { CI_PART: _, ...inherited } = process.env;
  return execFileSync('bash', ['-uc', `commit=${commit}\n${choice}\necho "${names}"`], {
    encoding: 'utf8',
    env: { ...inherited, ...env },
  }).trim();
}
/** CI runs on Unix. */
const onUnix = process.platform === 'win32' ? test.skip : test;

test('every section has a budget', () => {
  const lines = script.split('\n').filter((line) => /^ *(section|suites|together)\b/.test(line));
  const budget = /^ *((section|suites) [a-z-]+|together) (\d+|"\$[a-z]+_budget") /;
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.filter((line) => !budget.test(line))).toEqual([]);
  expect(script).toMatch(/^whole "\$whole_budget"$/m);
});

onUnix('the commit chooses a sixth, with 30 minutes for the whole; all parts have 60', () => {
  const parts = Array.from({ length: 16 }, (_, digit) => chosenAt(`abc${digit.toString(16)}0`));
  for (const [digit, chosen] of parts.entries()) {
    const number = (digit % 6) + 1;
    expect(chosen).toMatch(new RegExp(`^${number} ${number}/6 \\d+ \\d+ 1800$`));
  }
  expect(chosenAt('abc10', { CI_PART: '3' })).toMatch(/^3 3\/6 .* 1800$/);
  expect(chosenAt('abc10', { CI_PART: 'all' })).toMatch(/^all 1\/1 \d+ \d+ 3600$/);
  expect(() => chosenAt('abc10', { CI_PART: '7' })).toThrow('Command failed');
  // GitHub runs everything.
  expect(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')).toMatch(
    /run: bash \.ci\/run\n +env: \{.* CI_PART: all \}/,
  );
});

test('npm test and CI run the suites of every project of Jest', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts).toMatchObject({
    test: 'jest --ignoreProjects slow',
    'test:slow': 'jest --selectProjects slow',
    'test:languages': 'jest --config scripts/jest/languages.mjs',
  });
  expect(script).toMatch(/^suites tests \d+ npm test$/m);
  expect(script).toMatch(
    /^suites slow \S+ env SLOW_PART="\$part" WITHOUT_CAMPAIGNS=1 npm run --silent test:slow$/m,
  );
  expect(script).toMatch(
    /^suites languages \d+ env LANGUAGES_PART="\$part" npm run --silent test:languages$/m,
  );
  expect(script).toMatch(
    /^suites campaigns \S+ npm run --silent test:all -- --slice --part "\$part"$/m,
  );
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
