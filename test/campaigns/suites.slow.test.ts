/**
 * A failed suite of CI runs once more: the function `suites` of .ci/sections.sh, with small commands
 * and with Jest. sections.slow.test.ts has the other functions.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../support/built-package.js';
import { type Outcome, runSections } from './run-sections.js';

/** CI runs on Unix. */
const onUnix = process.platform === 'win32' ? describe.skip : describe;
const scratch = mkdtempSync(join(tmpdir(), 'rowsmith-suites-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Fails with these suites; what follows runs the second time, when it prints what it repeats. */
const failing = (then: string): string =>
  `bash -c 'if [ -z "\${ONLY_SUITES:-}" ]; then echo first; printf "# 5 passed, 1 skipped\\ntest/a.test.ts\\ntest/b.test.ts\\n" >"$FAILED_SUITES"; exit 1; fi; grep test "$ONLY_SUITES"; ${then}'`;

const lines = {
  passing: 'suites passing 60 echo hello; section next 60 true',
  flaky: `suites flaky 60 ${failing('echo second')}; cat "$logs/flaky"`,
  wrong: `suites wrong 60 ${failing('exit 1')}; section next 60 true`,
  // Nothing says which suites have failed.
  unknown: 'suites unknown 60 bash -c \'echo "only ${ONLY_SUITES:-none}"; exit 1\'',
  // What `timeout` returns for a command that it has ended, and for one that it had to kill.
  hung: 'suites hung 60 bash -c \'echo "only ${ONLY_SUITES:-none}"; echo test/a.test.ts >"$FAILED_SUITES"; exit 124\'',
  hungAgain: `suites hung 60 ${failing('exit 137')}`,
  // No elapsed second is within a budget of none.
  slow: `suites slow 0 bash -c 'sleep 1.1; exec ${failing('true').replaceAll("'", `'\\''`)}'`,
  printed: "section nodes 60 echo 'FLAKY  Node 22: demo'",
};

onUnix('suites that fail', () => {
  let outcomes: Readonly<Record<keyof typeof lines, Outcome>>;
  beforeAll(async () => {
    const runs = Object.entries(lines).map(
      async ([name, text]) => [name, await runSections(text)] as const,
    );
    outcomes = Object.fromEntries(await Promise.all(runs)) as typeof outcomes;
  });
  function outcome(name: keyof typeof lines): Outcome {
    expect(outcomes[name].errors).toBe('');
    return outcomes[name];
  }

  test('none: the command runs once', () => {
    const { output, failed } = outcome('passing');
    expect(output).toMatch(/^=== passing\nhello\n=== passing: ok after \d+ s\n/);
    expect(output).toMatch(/^ok +passing +\d+ s of +60 s\nok +next /m);
    expect(failed).toBe(false);
  });

  test('and pass when they run once more are FLAKY, and the section has passed', () => {
    const { output, failed } = outcome('flaky');
    expect(output).toMatch(
      /^first\n=== flaky: once more, alone: test\/a\.test\.ts test\/b\.test\.ts\ntest\/a\.test\.ts\ntest\/b\.test\.ts\nsecond\n=== flaky: FLAKY after \d+ s, failed once: test\/a\.test\.ts,test\/b\.test\.ts$/m,
    );
    // The log has both runs: the last count is the final one.
    expect(output).toMatch(/\n\nfirst\ntest\/a\.test\.ts\ntest\/b\.test\.ts\nsecond\n/);
    expect(output).toMatch(
      /^FLAKY +flaky +\d+ s of +60 s {2}FLAKY: test\/a\.test\.ts,test\/b\.test\.ts$/m,
    );
    expect(failed).toBe(false);
  });

  test('twice: the section has failed, and the next one runs', () => {
    const { output, failed } = outcome('wrong');
    expect(output).toMatch(/=== wrong: once more, alone: /);
    expect(output).toMatch(/^FAILED wrong +\d+ s of +60 s\nok +next /m);
    expect(failed).toBe(true);
  });

  test('without a name: nothing runs once more', () => {
    const { output, failed } = outcome('unknown');
    expect(output).toMatch(/^=== unknown\nonly none\n=== unknown: FAILED/);
    expect(failed).toBe(true);
  });

  test('because they hang, the first or the second time', () => {
    const { output, failed } = outcome('hung');
    expect(output).toMatch(/^=== hung\nonly none\n=== hung: HUNG after \d+ s, ended by CI/);
    expect(failed).toBe(true);
    const again = outcome('hungAgain');
    expect(again.output).toMatch(/once more, alone: [^]*^HUNG +hung .* 60 s$/m);
    expect(again.failed).toBe(true);
  });

  test('and were slow: no second run makes them faster', () => {
    const { output, failed } = outcome('slow');
    expect(output).toMatch(/^SLOW +slow .* FLAKY: test\/a\.test\.ts,test\/b\.test\.ts$/m);
    expect(failed).toBe(true);
  });

  test('in a script that repeats them itself are named too', () => {
    const { output, failed } = outcome('printed');
    expect(output).toMatch(/^FLAKY +nodes .* FLAKY: Node 22: demo$/m);
    expect(failed).toBe(false);
  });
});

/** A project with the reporter and the filter of ours. */
function project(): string {
  const ours = (name: string): string => JSON.stringify(join(root, 'scripts/jest', name));
  const folder = join(scratch, 'project');
  mkdirSync(join(folder, 'test'), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write(
    'jest.config.mjs',
    `export default { rootDir: ${JSON.stringify(folder)}, transform: {}, reporters: [${ours('plain-reporter.cjs')}],
      filter: process.env.ONLY_SUITES ? ${ours('only-suites.cjs')} : undefined };`,
  );
  write('test/right.test.js', "test('1', () => undefined); test.skip('2', () => undefined);");
  // In the second run the file exists. Tests see no variables: what they start has other suites.
  write(
    'test/flaky.test.js',
    `const { existsSync, writeFileSync } = require('node:fs');
    const isSecond = existsSync('seen');
    writeFileSync('seen', '');
    test('always', () => undefined);
    test.skip('never', () => undefined);
    test('the second time', () => expect(isSecond).toBe(true));
    test('no variables', () => expect([process.env.FAILED_SUITES, process.env.ONLY_SUITES]).toEqual([undefined, undefined]));`,
  );
  write(
    'test/broken.test.js',
    "if (!require('node:fs').existsSync('seen')) throw new Error('broken'); test('3', () => undefined);",
  );
  return folder;
}

onUnix('the count of Jest', () => {
  test('is of the final state: what passed in the second run has passed', async () => {
    const folder = project();
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const command = `bash -c 'cd ${folder} && exec ${process.execPath} ${jest} -i --testSequencer=${join(scratch, 'order.cjs')}'`;
    // `broken` first: it looks for the file that `flaky` writes.
    writeFileSync(
      join(scratch, 'order.cjs'),
      `const { default: Sequencer } = require(${JSON.stringify(join(root, 'node_modules/@jest/test-sequencer'))});
      module.exports = class extends Sequencer { sort(tests) { return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1)); } };`,
    );
    const { output, failed } = await runSections(`suites tests 120 ${command}`);
    const counts = output.match(/^\d+ passed, \d+ failed, \d+ skipped$/gm);
    // Of the three suites; a suite that does not start counts as one failure.
    expect(counts).toEqual(['3 passed, 2 failed, 2 skipped', '5 passed, 0 failed, 2 skipped']);
    expect(output).toMatch(
      /^FLAKY +tests .* FLAKY: test\/broken\.test\.js,test\/flaky\.test\.js$/m,
    );
    expect(failed).toBe(false);
  });

  test('is of suites that Jest finds by ONLY_SUITES, in every project', () => {
    const file = join(scratch, 'only');
    const suites = ['test/campaigns/sections.test.ts', 'test/data/key/laws.test.ts'];
    writeFileSync(file, ['# 7 passed, 0 skipped', ...suites, ''].join('\n'));
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const options = ['--listTests', '--json', '--ignoreProjects', 'slow'];
    const output = execFileSync(process.execPath, [jest, ...options], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, ONLY_SUITES: file },
    });
    const paths = JSON.parse(output.slice(output.indexOf('['))) as readonly string[];
    expect(paths.map((path) => relative(root, path)).sort()).toEqual(suites);
  });
});
