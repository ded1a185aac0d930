/** scripts/mutants.mjs, on a repository with one source and one test. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

const source = `export function isFull(count: number): boolean {
  let at = 0;
  while (at < count) at += 1;
  return at >= 10;
}
`;
const tests = `import { isFull } from '../src/full';
test('ten are full', () => expect([isFull(11), isFull(3)]).toEqual([true, false]));
`;
const config = `
const runtime = ${JSON.stringify(join(root, 'scripts/jest/runtime.cjs'))};
export default { projects: ['unit', 'slow'].map((displayName) => ({
  displayName,
  runtime,
  testMatch: ['<rootDir>/test/' + (displayName === 'slow' ? '*.slow' : '!(*.slow)') + '.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.tmp/'],
  transform: { '\\\\.ts$': '@swc/jest' },
})) };
`;
const chosen = [
  { id: 'exact', is: '>= 10', becomes: '> 12' },
  { id: 'endless', is: 'at += 1', becomes: 'at += 0' },
  { id: 'edge', is: '>= 10', becomes: '> 10' },
  { id: 'moved', is: '>= 10', becomes: '> 12', tests: ['test/failing.test.ts'] },
].map((each) => ({
  suffers: 'nothing',
  file: 'src/full.ts',
  tests: ['test/full.test.ts'],
  ...each,
}));

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-mutants-'));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

beforeAll(() => {
  for (const name of ['src', 'test']) mkdirSync(join(folder, name));
  write('package.json', '{"type":"module"}');
  write('.gitignore', '.tmp/\nnode_modules\n');
  write('jest.config.mjs', config);
  write('src/full.ts', source);
  write('test/full.test.ts', tests);
  write('test/failing.test.ts', "test('fails', () => expect(1).toBe(2));");
  write(
    'data.mjs',
    `export const chosen = ${JSON.stringify(chosen)};
    export const folderSuites = {};
    export const equivalents = [];`,
  );
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Report {
  readonly seed: number;
  readonly mutants: readonly {
    id: string;
    state: string;
    by: string;
    kind: string;
    title: string;
  }[];
}

function run(...options: readonly string[]): {
  status: number | null;
  errors: string;
  report: Report;
} {
  const args = ['scripts/mutants.mjs', '--json', '--root', folder];
  args.push('--data', join(folder, 'data.mjs'), '--limit', '60', ...options);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
  });
  const report = (stdout === '' ? { seed: 0, mutants: [] } : JSON.parse(stdout)) as Report;
  return { status, errors: stderr, report };
}

test('chosen mutants: what is noticed, hangs, survives, and what proves nothing', () => {
  const { status, errors, report } = run('--chosen', '--limit', '15');
  expect(status).toBe(1);
  expect(report.mutants.map(({ id, state, by }) => [id, state, by])).toEqual([
    ['exact', 'noticed', 'test/full.test.ts: ten are full'],
    ['endless', 'hung', 'no end in 15 s'],
    ['edge', 'survived', ''],
    ['moved', 'broken', 'test/failing.test.ts fails without it'],
  ]);
  expect(errors).toContain('2 of 4 chosen mutants noticed (50 %)');
  expect(errors).toContain('npm run test:mutants -- --only edge');
  // The checkout is as it was.
  expect(readFileSync(join(folder, 'src/full.ts'), 'utf8')).toBe(source);
});

test('one mutant, and one that does not exist', () => {
  expect(run('--only', 'exact')).toMatchObject({
    status: 0,
    report: { mutants: [{ id: 'exact' }] },
  });
  expect(run('--only', 'unknown').status).toBe(2);
});

test('drawn mutants depend on the seed, and a few of them may survive', () => {
  const { status, report } = run('--drawn', '--count', '2', '--seed', '3');
  expect([status, report.seed]).toEqual([0, 3]);
  expect(report.mutants.map(({ kind }) => kind)).toEqual(['drawn', 'drawn']);
});

test('the quick suites that execute the changed function judge a drawn mutant', () => {
  const full = `export interface Box {
  readonly count: number;
}
export const limit: number = 10;
export const isFull = ({ count }: Box): boolean => {
  return count >= limit;
};
`;
  write('src/full.ts', full);
  const suite = (values: string, expected: string): string =>
    `import { isFull, limit } from '../src/full';
    import { readFileSync } from 'node:fs';
    const text = readFileSync(__dirname + '/../src/full.ts', 'utf8');
    test('notices', () => expect([${values}]).toEqual([${expected}]));`;
  write('test/full.test.ts', suite('isFull({ count: 11 })', 'true'));
  write('test/edges.test.ts', suite('isFull({ count: 10 })', 'true'));
  // Loads the module alone, and notices each change of its text.
  write('test/loading.test.ts', suite('limit, text', `10, ${JSON.stringify(full)}`));
  const { errors, report } = run('--drawn');
  expect(errors).toContain('recording what 4 of 4 test files execute');
  expect(errors).toContain('left out: test/failing.test.ts');
  expect(report.mutants).toHaveLength(2);
  const ofFunction = report.mutants.find(({ title }) => title.startsWith('src/full.ts:6'));
  expect(ofFunction).toMatchObject({ state: 'noticed', by: 'test/edges.test.ts: notices' });
  const ofModule = report.mutants.find(({ title }) => title.startsWith('src/full.ts:4'));
  expect(ofModule).toMatchObject({ state: 'noticed' });

  rmSync(join(folder, 'test/failing.test.ts'));
  expect(run('--drawn').errors).not.toContain('recording');
  write('test/edges.test.ts', suite('isFull({ count: 12 })', 'true'));
  const weaker = run('--drawn');
  expect(weaker.errors).toContain('recording what 1 of 3 test files execute');
  expect(weaker.errors).toContain('quick suites that execute it, in two minutes: 2');
  expect(weaker.report.mutants.map(({ state }) => state).sort()).toEqual(['noticed', 'survived']);
});
