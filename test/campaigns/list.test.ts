/** The list of campaigns fits the tests, scripts and sections that it names. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

interface Part {
  readonly test?: string;
  readonly script?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, number | string>>;
  readonly rounds?: number;
  readonly slice?: Readonly<Record<string, number | string>> | readonly string[];
  readonly slow?: true;
  readonly sliceHasMore?: true;
}
interface Campaign {
  readonly name: string;
  readonly about: string;
  readonly minutes: number;
  readonly section?: string;
  readonly parts: readonly Part[];
}
interface Step {
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
  readonly repeats: 'suites' | 'all' | 'nothing';
}

/** Jest does not load modules of the other system: Node prints them. */
const program = `
import { campaigns } from './scripts/campaigns/list.mjs';
import { seedOf } from './scripts/campaigns/revision.mjs';
import { stepsOf } from './scripts/campaigns/steps.mjs';
const commits = ['fffffff0', '00000000'];
const seeds = commits.map((commit) => seedOf(commit, undefined));
const steps = (seed) => campaigns.map((each) => [false, true].map((isSlice) => stepsOf(each, seed, isSlice)));
console.log(JSON.stringify({ campaigns, steps: seeds.map(steps) }));
`;
const { campaigns, steps } = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
  }),
) as {
  campaigns: readonly Campaign[];
  /** By commit, campaign and whether it is the slice. */
  steps: readonly (readonly (readonly (readonly Step[])[])[])[];
};
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.ts') && !name.startsWith('test/installs/cases/'));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const named = campaigns.map((each) => [each.name, each] as const);

/** The test files that Jest runs for a path, and the modules beside them. */
function filesOf(path: string): { tests: string[]; beside: string[] } {
  const found = tests.filter((name) => name.startsWith(path) && name.endsWith('.test.ts'));
  const folders = new Set(found.map((name) => name.slice(0, name.lastIndexOf('/') + 1)));
  const beside = tests.filter(
    (name) => !name.endsWith('.test.ts') && folders.has(name.slice(0, name.lastIndexOf('/') + 1)),
  );
  return { tests: found, beside };
}

function reads(text: string, variable: string): boolean {
  if (new RegExp(`process\\.env\\.${variable}\\b`).test(text)) return true;
  return variable === 'SEED' && /support\/(seed|fast-check)\.js'/.test(text);
}

test('the names differ, and each takes at most an hour', () => {
  expect(new Set(campaigns.map(({ name }) => name)).size).toBe(campaigns.length);
  for (const { name, minutes, about } of campaigns) {
    expect(name).toMatch(/^[a-z][a-z-]+$/);
    expect(about).not.toMatch(/[.\n]$/);
    expect(minutes).toBeGreaterThan(0);
    expect(minutes).toBeLessThanOrEqual(60);
  }
});

test.each(named)('%s runs tests and scripts that exist', (_name, { parts }) => {
  for (const { test: path, script } of parts) {
    if (path !== undefined) expect(filesOf(path).tests).not.toEqual([]);
    else expect(existsSync(join(root, String(script)))).toBe(true);
  }
});

test.each(named)('%s sets variables that its tests read', (_name, { parts }) => {
  for (const { test: path, env = {}, slice = {} } of parts) {
    if (path === undefined) continue;
    const files = filesOf(path);
    const texts = [...files.tests, ...files.beside].map(read);
    for (const variable of [...Object.keys(env), ...Object.keys(slice)])
      expect([variable, texts.some((text) => reads(text, variable))]).toEqual([variable, true]);
  }
});

test.each(named)('%s has a slice, which is smaller', (_name, { parts, section }) => {
  const sliced = parts.filter(({ slice }) => slice !== undefined);
  expect(sliced).not.toEqual([]);
  for (const { env = {}, slice } of sliced) {
    if (Array.isArray(slice)) continue;
    for (const [variable, value] of Object.entries(slice!))
      expect(Number(value)).toBeLessThanOrEqual(Number(env[variable]) / 4);
  }
  if (section === undefined) return;
  const [{ script, slice }] = parts;
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const [command] = Object.entries(scripts).find(([, line]) => line === `node ${script}`)!;
  const line = `npm run --silent ${command} -- ${(slice as readonly string[]).join(' ')}`;
  expect(read('.ci/run')).toMatch(new RegExp(`\\b${section}='${line}'`));
});

test.each(campaigns.map(({ name, section }, i) => [name, i, section] as const))(
  'the slice of %s changes with the commit',
  (_name, i, section) => {
    const [one, other] = steps.map((at) => at[i][1].map(({ line }) => line));
    if (section !== undefined) return expect(one).toEqual(other);
    for (const [at, line] of one.entries()) expect(line).not.toBe(other[at]);
    for (const { test: path, slice, slow = false } of campaigns[i].parts) {
      if (path === undefined || slice === undefined) continue;
      const { tests: all, beside } = filesOf(path);
      const suites = all.filter((name) => name.endsWith('.slow.test.ts') === slow);
      expect([path, suites.length > 0]).toEqual([path, true]);
      const files = { tests: suites, beside };
      const variable = campaigns[i].name === 'differential' ? 'FIRST_SEED' : 'SEED';
      const texts = [...files.tests, ...files.beside].map(read);
      expect([path, texts.some((text) => reads(text, variable))]).toEqual([path, true]);
    }
  },
);

test('the steps of a campaign differ, and their seeds are allowed', () => {
  for (const all of steps.flat(2)) {
    expect(new Set(all.map(({ line }) => line)).size).toBe(all.length);
    for (const { env } of all) {
      for (const seed of [env.SEED, env.FIRST_SEED])
        expect(Number(seed ?? 0)).toBeLessThan(2 ** 31);
    }
  }
});

test('tests with the same variables are one step of a slice', () => {
  for (const [, all] of steps.flat()) {
    const variables = all.map(({ line, env }) =>
      line.includes('npx jest') ? [env, line.includes('--selectProjects')] : line,
    );
    expect(new Set(variables.map((each) => JSON.stringify(each))).size).toBe(all.length);
  }
  const { line } = steps[0]
    .flatMap(([, slice]) => slice)
    .find((each) => /plain-codec/.test(each.line))!;
  expect(line).toMatch(/ npx jest --ignoreProjects slow -- \S+\/plain-codec \S+\/patterns$/);
});

test('a slice that CI runs instead of slow suites has at least as many cases', () => {
  const parts = campaigns.flatMap((each) => each.parts).filter((part) => part.sliceHasMore);
  expect(parts.map((part) => part.test)).toContain('test/differential/shard');
  for (const { test: path, slow = false, slice } of parts) {
    const files = filesOf(path!);
    const [[variable, cases]] = Object.entries(slice as Readonly<Record<string, number>>);
    const text = [...files.tests, ...files.beside].map(read).join();
    const sizes = new RegExp(`process\\.env\\.${variable} \\?\\? (\\d+)`, 'g');
    const usual = [...text.matchAll(sizes)].map((match) => Number(match[1]));
    expect([path, slow, usual.length > 0]).toEqual([path, true, true]);
    expect(cases).toBeGreaterThanOrEqual(Math.max(...usual));
  }
});

test('CI runs failed suites and mutants once more, and never the torture', () => {
  for (const { line, repeats } of steps.flat(2).flat()) {
    const expected = line.includes('scripts/torture.mjs') ? 'nothing' : 'all';
    expect([line, repeats]).toEqual([line, line.includes('npx jest') ? 'suites' : expected]);
  }
});

test('every test with a variable size belongs to a campaign', () => {
  const paths = campaigns.flatMap(({ parts }) => parts.flatMap((part) => part.test ?? []));
  const inCampaigns = new Set(paths.flatMap((path) => Object.values(filesOf(path)).flat()));
  const sized = tests.filter((name) =>
    ['RUNS', 'OPERATIONS', 'FIRST_SEED'].some((variable) => reads(read(name), variable)),
  );
  expect(sized.length).toBeGreaterThan(15);
  expect(sized.filter((name) => !inCampaigns.has(name))).toEqual([]);
});

test('no size of a test has a variable with a name of its own', () => {
  const own = tests.filter((name) =>
    /process\.env\.(ROWSMITH_|FC_|SCANS|HISTORIES)/.test(read(name)),
  );
  expect(own.filter((name) => name !== 'test/campaigns/list.test.ts')).toEqual([]);
});

test('every scenario of the torture is a campaign', () => {
  const { stderr } = spawnSync(process.execPath, ['scripts/torture.mjs', '--help'], {
    cwd: root,
    encoding: 'utf8',
  });
  const list = /^Usage: .*\[(.*)\]/m.exec(stderr)?.[1] ?? '';
  const torture = campaigns.filter(({ name }) => name.startsWith('torture-'));
  expect(torture.map(({ name }) => name.slice('torture-'.length)).sort()).toEqual(
    list.split('|').sort(),
  );
});
