/** Google's conformance suite for clients, run by Go against the live engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSuite, findGo, runSuite, type SuiteRun } from './go-suite.js';
import { startTestProxy } from './test-proxy.js';

const go = findGo();
if (go === undefined && process.env.CI_REQUIRE_LANGUAGES === '1')
  throw new Error('CI_REQUIRE_LANGUAGES is set, and go was not found');
if (go === undefined)
  console.warn("SKIPPED: go is not installed, so Google's conformance suite does not run");

const notOffered = 'TestExecuteQuery';
/** Flags of `bigtable-features` that are not true of us. */
const otherFeatures = [
  'client_side_metrics_enabled',
  'direct_access_requested',
  'traffic_director_enabled',
];
/** They expect a request for each of several gets at the same time. */
const requestsPerGet = ['TestReadRow_Generic_CloseClient', 'TestReadRow_Generic_MultiStreams'];

(go === undefined ? describe.skip : describe)("Google's conformance suite", () => {
  let folder: string;
  let runs: Record<'usual' | 'allFeatures' | 'gathered' | 'sql', SuiteRun>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-conformance-'));
    const program = await buildSuite(go!, folder);
    const run = async (gatherGets: boolean, ...options: readonly string[]): Promise<SuiteRun> => {
      const proxy = await startTestProxy({ gatherGets });
      try {
        return await runSuite(program, [`-proxy_addr=127.0.0.1:${proxy.port}`, ...options]);
      } finally {
        await proxy.close();
      }
    };
    const skip = ['-test.skip', notOffered];
    // At the same time: the tests mostly wait.
    const [usual, allFeatures, gathered, sql] = await Promise.all([
      run(false, ...skip),
      run(false, ...skip, '-enable_features_all'),
      run(true, '-test.run', 'TestReadRow_'),
      run(true, '-test.list', notOffered),
    ]);
    runs = { usual, allFeatures, gathered, sql };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('passes, except for its tests of SQL', () => {
    expect(failuresOf(runs.usual)).toEqual([]);
    // Without features to check, TestFeatureGap does nothing.
    expect(runs.usual.passed.filter((name) => name !== 'TestFeatureGap')).toHaveLength(66);
    expect(runs.sql.output.match(/^TestExecuteQuery\w+$/gm)).toHaveLength(41);
  });

  test('passes with gathered gets, except for the tests that expect a request for each', () => {
    expect(failuresOf(runs.gathered, requestsPerGet)).toEqual(requestsPerGet);
    expect(runs.gathered.passed).toHaveLength(5);
  });

  test('passes with every optional feature, and fails for the flags that are not true of us', () => {
    const features = otherFeatures.map((flag) => `TestFeatureGap/${flag}`);
    const expected = ['TestFeatureGap', ...features];
    expect(failuresOf(runs.allFeatures, expected)).toEqual(expected);
  });
});

/** The names of the tests that failed. Shows what the suite printed, unless they are expected. */
function failuresOf(run: SuiteRun, expected: readonly string[] = []): string[] {
  const isExpected = run.failed.every((name) => expected.includes(name));
  if (!isExpected || run.passed.length === 0) console.error(run.output);
  return [...run.failed].sort();
}
