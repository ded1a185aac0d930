/**
 * The integration tests of Google's Go client, in their mode for the service, against our server. Go
 * compiles them where it keeps the module that go/go.mod pins; nothing of it is in this repository.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { findGo, runSuite, type SuiteRun } from '../proxy/go-suite.js';

const go = findGo();
if (go === undefined && process.env.CI_REQUIRE_LANGUAGES === '1')
  throw new Error('CI_REQUIRE_LANGUAGES is set, and go was not found');
if (go === undefined)
  console.warn("SKIPPED: go is not installed, so the tests of Google's Go client do not run");

const prefix = 'TestIntegration_';
/** A row of 5 MiB, which the client does not receive from an emulator; etags in app profiles. */
const failing = ['InstanceAdminClient_CreateAppProfile', 'LargeReadsWritesAndScans'];
/** Minutes of waiting for what cannot come: Cloud Monitoring, a key of KMS, a profile without etag. */
const waiting = [
  'ExportBuiltInMetrics',
  'AdminEncryptionInfo',
  'InstanceAdminClient_UpdateAppProfile',
];
/** SQL, and what only SQL reads. */
const notOffered = [
  'AdminLogicalView',
  'AdminMaterializedView',
  'AdminSchemaBundle',
  'DataMaterializedView',
  'Execute',
];
/** Its teardown deletes a table again for 60 s, so it runs beside the other tests. */
const slow = 'Admin';
const exactly = (names: readonly string[]): string => `^${prefix}(${names.join('|')})$`;

async function build(folder: string): Promise<string> {
  const run = promisify(execFile);
  const cwd = join(__dirname, 'go');
  await run(go!, ['mod', 'download', 'cloud.google.com/go/bigtable'], { cwd });
  const list = ['list', '-m', '-f', '{{.Dir}}', 'cloud.google.com/go/bigtable'];
  const { stdout } = await run(go!, list, { cwd });
  const program = join(folder, 'integration');
  await run(go!, ['test', '-c', '-o', program, '.'], { cwd: stdout.trim() });
  return program;
}

/** Runs the program on a new server, in its home instance, which the tests expect to exist. */
async function onServer(program: string, ...options: readonly string[]): Promise<SuiteRun> {
  const engine = await openMemoryEngine();
  const server = await startServer(engine);
  const names = { project: 'rowsmith', instance: 'local', cluster: 'local', table: 'it-table' };
  const flags = Object.entries(names).map(([name, value]) => `-it.${name}=${value}`);
  const emulator = { BIGTABLE_EMULATOR_HOST: server.address };
  try {
    return await runSuite(program, [...options, '-it.use-prod', ...flags], emulator);
  } finally {
    await server.close({ graceMs: 1000 });
    await engine.close();
  }
}

(go === undefined ? describe.skip : describe)("the tests of Google's Go client", () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-integration-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('36 of 48 pass, and the others fail or cannot run here', async () => {
    const program = await build(folder);
    const skipped = exactly([slow, ...waiting, ...notOffered]);
    const runs = await Promise.all([
      onServer(program, '-test.run', prefix, '-test.skip', skipped),
      onServer(program, '-test.run', exactly([slow])),
      onServer(program, '-test.list', prefix),
    ]);
    const topLevel = (list: readonly string[]): string[] =>
      list.filter((name) => name.startsWith(prefix) && !name.includes('/'));
    const failed = topLevel(runs.flatMap((each) => each.failed)).sort();
    if (failed.length !== failing.length)
      console.error(runs.map(({ output }) => output).join('\n'));
    expect(failed).toEqual(failing.map((name) => prefix + name));
    expect(topLevel(runs.flatMap((each) => each.passed))).toHaveLength(36);
    expect(runs[2].output.match(/^TestIntegration_\w+$/gm)).toHaveLength(48);
  });
});
