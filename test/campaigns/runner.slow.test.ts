/** scripts/campaigns.mjs, with small commands in a separate repository. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ended, Repository } from './repository.js';

let repository: Repository;
beforeEach(() => void (repository = new Repository()));
afterEach(() => repository.remove());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(20);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The row of a campaign in the record, without the day and the minutes. */
function recorded(name: string): string[] | undefined {
  const line = repository.record.split('\n').find((each) => each.startsWith(`| ${name} |`));
  if (line === undefined) return undefined;
  const cells = line.split('|').map((cell) => cell.trim());
  return [...cells.slice(2, 5), cells[8]];
}

const seedOf = (commit: string): number => Number.parseInt(commit.slice(0, 7), 16);

test('all campaigns run and are recorded; what passed at this commit does not run again', async () => {
  const commit = repository.git('rev-parse', 'HEAD');
  const first = await repository.run([]);
  expect(first.status).toBe(0);
  expect(first.output).toContain(`SEED=${seedOf(commit)} repeats them`);
  const seed = `${seedOf(commit)}`;
  expect(repository.lines().map((line) => line.split(' ').slice(0, 2))).toEqual([
    ['a', seed],
    ['b', seed],
    ['c', seed],
    ['r', seed],
    ['r', `${seedOf(commit) + 1_000_000}`],
    ['e', seed],
  ]);
  expect(recorded('three')).toEqual(['passed', commit.slice(0, 12), seed, '15 tests']);
  expect(recorded('rounds')?.[3]).toBe('10 tests');

  const record = repository.record;
  const second = await repository.run(['three', 'rounds']);
  expect(second.status).toBe(0);
  expect(second.output).toMatch(/^passed before +three .*15 tests$/m);
  expect(repository.started()).toEqual([]);
  expect(repository.record).toBe(record);

  await repository.run(['three', '--again']);
  expect(repository.started()).toEqual(['a', 'b', 'c']);
  // Other cases.
  await repository.run(['three'], { SEED: '7' });
  expect(repository.lines()[0]).toMatch(/^a 7 /);
  const next = repository.commit('second');
  await repository.run(['three'], { SEED: '7' });
  expect(repository.started()).toEqual(['a', 'b', 'c']);
  expect(recorded('three')?.[1]).toBe(next.slice(0, 12));
  expect(recorded('rounds')?.[1]).toBe(commit.slice(0, 12));
});

test.each(['SIGKILL', 'SIGINT'] as const)(
  'after %s a campaign resumes at the step that was interrupted',
  async (signal) => {
    repository.order({ b: 'hang' });
    const runner = repository.start(['three']);
    const end = ended(runner);
    await until(() => repository.hasStarted('b'));
    runner.kill(signal);
    const { status, output } = await end;
    const [first, hanging] = repository.lines();
    expect([first.split(' ')[0], hanging.split(' ')[0]]).toEqual(['a', 'b']);
    if (signal === 'SIGINT') {
      expect(status).toBe(130);
      expect(output).toContain('The same command goes on where it was.');
    }
    // Nothing that it has started goes on.
    await until(() => !isAlive(Number(hanging.split(' ')[2])));
    expect(recorded('three')).toBeUndefined();

    repository.order({});
    expect((await repository.run(['three'])).status).toBe(0);
    expect(repository.started()).toEqual(['b', 'c']);
    expect(recorded('three')?.[3]).toBe('15 tests');
  },
);

test('a failed step is shown with the command that repeats it; only it runs again', async () => {
  repository.order({ b: 'fail' });
  const { status, output } = await repository.run(['three']);
  expect(status).toBe(1);
  expect(output).toContain('the reason of b');
  const seed = seedOf(repository.git('rev-parse', 'HEAD'));
  expect(output).toContain(`to repeat it: node step.mjs b ${seed}`);
  expect(recorded('three')?.[0]).toBe('FAILED');
  expect(repository.started()).toEqual(['a', 'b', 'c']);
  repository.order({});
  expect((await repository.run(['three'])).status).toBe(0);
  expect(repository.started()).toEqual(['b']);
  expect(recorded('three')?.[0]).toBe('passed');
});

test('a campaign that exceeds its time is ended and fails', async () => {
  repository.order({ b: 'hang' });
  const { status, output } = await repository.run(['three', 'rounds', '--limit', '5']);
  expect(status).toBe(1);
  expect(output).toMatch(/^timed out +three/m);
  expect(output).toMatch(/^passed +rounds/m);
  const lines = repository.lines();
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'r', 'r']);
  expect(isAlive(Number(lines[1].split(' ')[2]))).toBe(false);
  expect(recorded('three')?.[0]).toBe('TIMED OUT');
});

test('with changes the result is marked, and does not count for the commit', async () => {
  repository.write('notes', 'changed\n');
  const { output } = await repository.run(['rounds']);
  expect(output).toContain('dirty');
  const commit = repository.git('rev-parse', 'HEAD').slice(0, 12);
  expect(recorded('rounds')?.[1]).toBe(`${commit} dirty`);
  repository.started();
  repository.git('checkout', '--quiet', '--', 'notes');
  // The record that the runner wrote itself is no change.
  await repository.run(['rounds']);
  expect(repository.started()).toEqual(['r', 'r']);
  expect(recorded('rounds')?.[1]).toBe(commit);
});

test('changes that are made while a campaign runs mark it too', async () => {
  repository.order({ b: 'hang' });
  const runner = repository.start(['three', '--limit', '5']);
  const end = ended(runner);
  await until(() => repository.hasStarted('b'));
  repository.write('notes', 'changed\n');
  await end;
  expect(recorded('three')?.[1]).toMatch(/ dirty$/);
});

test('what checks nothing does not pass', async () => {
  repository.order({ r: 'skip' });
  const { status, output } = await repository.run(['rounds']);
  expect(status).toBe(0);
  expect(output).toContain('SKIPPED: no tool');
  expect(recorded('rounds')?.[0]).toBe('SKIPPED');
  expect(repository.started()).toEqual(['r', 'r']);
  await repository.run(['rounds']);
  expect(repository.started()).toEqual(['r', 'r']);
});

test('slices run each time, are not recorded, and leave out those with a section in CI', async () => {
  for (let i = 0; i < 2; i++) {
    expect((await repository.run(['--slice'])).status).toBe(0);
    expect(repository.started().sort()).toEqual(['a-slice', 'r-slice']);
  }
  expect(repository.record).toBe('');
  repository.order({ 'r-slice': 'fail' });
  expect((await repository.run(['--slice'])).status).toBe(1);
  await repository.run(['three']);
  expect(repository.started().slice(2)).toEqual(['a', 'b', 'c']);
});

test('a part of the slices; the parts have each once', async () => {
  const parts: string[][] = [];
  for (const part of ['1/2', '2/2']) {
    expect((await repository.run(['--slice', '--part', part])).status).toBe(0);
    parts.push(repository.started());
  }
  expect(parts).toEqual([['a-slice'], ['r-slice']]);
  const bad = await repository.run(['--slice', '--part', '3/2']);
  expect(bad.status).not.toBe(0);
  expect(bad.errors).toContain("'3/2' is not a part");
});

test('what has failed in a slice is written for CI, which runs it once more, with its seed', async () => {
  const file = join(repository.folder, '.tmp/failed');
  repository.order({ 'r-slice': 'fail' });
  expect((await repository.run(['--slice'], { FAILED_SUITES: file })).status).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe('# 0 passed, 0 skipped\nstep.mjs\n');
  const failed = repository.lines().find((line) => line.startsWith('r-slice'))!;
  const again = await repository.run(['--slice'], { ONLY_SUITES: file });
  expect(again.status).toBe(1);
  expect(again.output).not.toMatch(/^\w+ +three/m);
  repository.order({});
  expect((await repository.run(['--slice'], { ONLY_SUITES: file })).status).toBe(0);
  const seed = failed.split(' ')[1];
  const repeated = repository.lines().map((line) => line.split(' ').slice(0, 2));
  expect(repeated).toEqual([
    ['r-slice', seed],
    ['r-slice', seed],
  ]);
});

test('nothing is written if a slice has not ended in time', async () => {
  const file = join(repository.folder, '.tmp/failed');
  repository.order({ 'a-slice': 'fail', 'r-slice': 'hang' });
  const { status } = await repository.run(['--slice', '--limit', '5'], { FAILED_SUITES: file });
  expect(status).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test('JSON goes to standard output alone', async () => {
  const { output, errors } = await repository.run(['rounds', '--json']);
  const commit = repository.git('rev-parse', 'HEAD');
  expect(JSON.parse(output)).toMatchObject({
    commit,
    isDirty: false,
    seed: seedOf(commit),
    node: process.version,
    campaigns: [{ name: 'rounds', state: 'passed', counts: { tests: 10 } }],
  });
  expect(errors).toMatch(/ok +rounds/);
});

test('names and seeds are checked before anything runs', async () => {
  const unknown = await repository.run(['threee']);
  expect(unknown.status).toBe(2);
  expect(unknown.errors).toContain("no campaign 'threee': three, rounds, elsewhere");
  const bad = await repository.run(['three'], { SEED: 'x' });
  expect(bad.status).not.toBe(0);
  expect(bad.errors).toContain('SEED=x is not a whole number');
  expect(repository.started()).toEqual([]);
  const { output } = await repository.run(['--list']);
  expect(output).toMatch(/^three +1 min +three steps$/m);
});
