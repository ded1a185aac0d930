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
/** Of what the client announces in `bigtable-features`, this is not true of ours. */
const otherFeatures = [
  'client_side_metrics_enabled',
  'traffic_director_enabled',
  'direct_access_requested',
  'peer_info',
];

(go === undefined ? describe.skip : describe)("Google's conformance suite", () => {
  let folder: string;
  const runs: Record<'usual' | 'allFeatures' | 'sql', SuiteRun> = {} as never;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-conformance-'));
    const program = await buildSuite(go!, folder);
    const run = async (...options: readonly string[]): Promise<SuiteRun> => {
      const proxy = await startTestProxy();
      try {
        return await runSuite(program, proxy.port, options);
      } finally {
        await proxy.close();
      }
    };
    // The tests mostly wait.
    const skip = ['-test.skip', notOffered];
    [runs.usual, runs.allFeatures, runs.sql] = await Promise.all([
      run(...skip),
      run(...skip, '-enable_features_all'),
      run('-test.list', notOffered),
    ]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('passes, except for its tests of SQL', () => {
    expect(failuresOf(runs.usual)).toEqual([]);
    expect(runs.usual.passed).toHaveLength(66);
    expect(runs.sql.output.match(/^TestExecuteQuery\w+$/gm)).toHaveLength(42);
  });

  test('passes with every optional feature, and fails for the flags that are not true of us', () => {
    const features = otherFeatures.map((flag) => `TestFeatureGap/${flag}`);
    expect(failuresOf(runs.allFeatures)).toEqual(['TestFeatureGap', ...features].sort());
  });
});

/** The names of the tests that failed, with what the suite printed if there are others. */
function failuresOf({ failed, passed, output }: SuiteRun): string[] {
  if (passed.length === 0 || failed.some((name) => !name.startsWith('TestFeatureGap')))
    console.error(output);
  return [...failed].sort();
}
