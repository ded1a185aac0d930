/**
 * `rowsmith verify-live` to its end: kept tables, a faulty server, Google's emulator, and processes
 * that are stopped, killed, or left alone by their server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { CaseResult } from '../../src/tools/conformance/index.js';
import { emulatorDeviations } from '../engines/bigtable/emulator-deviations.js';
import { cbtFor, cbtIsInstalled } from '../server/cbt-command.js';
import { processEnv, root } from '../support/built-package.js';
import { command } from '../support/command.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator } from '../support/google-emulator.js';
import { buildLinkedPackage, makeProject } from '../support/linked-package.js';
import { type FaultyServer, startFaultyServer } from '../tools/conformance/service.js';

const url = 'bigtable://p/instance-1';
const before = process.env.BIGTABLE_EMULATOR_HOST;
let folder = '';
let server: FaultyServer;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'rowsmith-verify-live-'))));
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => {
  if (before === undefined) delete process.env.BIGTABLE_EMULATOR_HOST;
  else process.env.BIGTABLE_EMULATOR_HOST = before;
});

async function serve(...fault: Parameters<typeof startFaultyServer>): Promise<void> {
  server = await startFaultyServer(...fault);
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
}
const run = (line: string) =>
  command(folder, ['verify-live', url, '--yes', ...line.split(' ').filter(Boolean)]);
const tables = async () => (await server.backend.listTables()).map(({ name }) => name);
const report = (name = readdirSync(folder)[0]) => readFileSync(join(folder, name), 'utf8');

interface Printed {
  readonly leftTables: readonly string[];
  readonly cases: readonly CaseResult[];
  readonly requests: readonly unknown[];
}

const dropLine = /^ {2}cbt -project (\S+) -instance (\S+) deletetable (\S+)$/gm;

test('--keep names the tables and how to drop them, at the end and before the next run', async () => {
  await serve();
  const { status, out, err } = await run('--keep --json --operations 10');
  expect(status).toBe(0);
  const { leftTables, cases, requests } = JSON.parse(out) as Printed;
  expect(leftTables).toHaveLength(6);
  expect(await tables()).toEqual([...leftTables].sort());
  expect(cases.every(({ outcome }) => ['passed', 'leftOut'].includes(outcome))).toBe(true);
  expect(requests.length).toBeGreaterThan(5);
  const next = await run('--dry-run');
  for (const text of [err, next.out]) expect(text.match(dropLine)).toHaveLength(leftTables.length);
  if (cbtIsInstalled) {
    for (const [, project, instance, table] of err.matchAll(dropLine)) {
      const cbt = cbtFor(server.address, project, instance);
      await cbt.run('deletetable', table);
      cbt.close();
    }
    expect(await tables()).toEqual([]);
  } else console.warn('SKIPPED: cbt is not installed');
  await server.close();
});

test('a fault of the server is found, and the report has what was expected and found', async () => {
  await serve({
    write: (request, send) =>
      request.kind === 'checkAndMutateRow'
        ? send(request).then((matched) => !matched)
        : send(request),
  });
  const { status, out } = await run('--report report.md --operations 10');
  expect(status).toBe(3);
  expect(out).toContain(
    'differs   D: check and mutate\n          expected: false\n          found:    true\n',
  );
  expect(report()).toContain(
    '### D: check and mutate\n\n```text\nexpected: false\nfound:    true\n```\n',
  );
  expect(report()).toContain('| D: check and mutate | different |');
  expect(await tables()).toEqual([]);
  await server.close();
});

const emulator = findEmulator();
if (emulator !== undefined)
  test("Google's emulator differs where the document says", async () => {
    const service = await startGoogleEmulator(emulator);
    process.env.BIGTABLE_EMULATOR_HOST = service.address;
    const { status, out } = await run('--json');
    await service.close();
    expect(status).toBe(3);
    const { cases, leftTables } = JSON.parse(out) as Printed;
    const differing = cases.filter(({ outcome }) => outcome === 'differs');
    // The clock is compared less strictly, cells in any order of families, and J is left out.
    const known = Object.keys(emulatorDeviations).filter((id) => !['A8', 'F', 'J'].includes(id));
    expect(differing.map(({ title }) => title.split(':')[0]).sort()).toEqual(known.sort());
    expect(cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(leftTables).toEqual([]);
  });

describe('as a process', () => {
  let linked = '';
  let project = '';
  beforeAll(() => {
    linked = buildLinkedPackage();
    // A peer dependency, which the user's project would have.
    const peer = 'node_modules/@google-cloud';
    symlinkSync(join(root, peer), join(linked, peer));
    project = makeProject(linked, { 'package.json': '{}' }, ['@google-cloud/bigtable']);
  });
  afterAll(() => {
    for (const each of [linked, project]) rmSync(each, { recursive: true });
  });

  /** Runs the command until it has printed a text, then acts, and waits for its end. */
  async function until(text: string, act: (pid: number, stdout: Readable) => void) {
    const main = join(linked, 'dist/esm/src/cli/main.js');
    const args = [main, 'verify-live', url, '--yes', '--report', join(folder, 'report.md')];
    args.push('--operations', '10');
    const child = spawn(process.execPath, args, { cwd: project, env: processEnv() });
    let output = '';
    let acted = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
        if (acted || !output.includes(text)) return;
        acted = true;
        act(child.pid!, child.stdout);
      });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { code, signal, output };
  }

  test('Ctrl-C drops the tables and writes the report', async () => {
    await serve();
    const { code, output } = await until('A10:', (pid) => process.kill(pid, 'SIGINT'));
    expect({ code, output }).toMatchObject({ code: 130 });
    expect(output).toContain('not run');
    expect(output).toContain('Report: ');
    expect(await tables()).toEqual([]);
    expect(report()).toContain('| ended by | Error: stopped by SIGINT |');
    expect(report()).toContain('| tables left | none |');
    expect(report()).toMatch(/\| @google-cloud\/bigtable \| \d+\.\d+\.\d+ \|/);
    await server.close();
  });

  test('without a reader of its output it goes on to the end', async () => {
    await serve();
    const { code } = await until('A10:', (_pid, stdout) => void stdout.destroy());
    expect(code).toBe(0);
    expect(await tables()).toEqual([]);
    expect(report()).toMatch(/\| result \| \d+ cases: \d+ passed, 1 left out \|/);
    await server.close();
  });

  test('after a kill the report says so, and the next run names the table', async () => {
    await serve();
    const { signal } = await until('A10:', (pid) => process.kill(pid, 'SIGKILL'));
    expect(signal).toBe('SIGKILL');
    expect(report()).toContain(
      '| result | not finished: look for tables that begin with rowsmith-verify-',
    );
    const [table] = await tables();
    expect((await run('--dry-run')).out).toContain(`deletetable ${table}\n`);
    await server.close();
  });

  test('a server that is gone ends the run, and the tables that may be left are named', async () => {
    await serve();
    const { code, output } = await until('A10:', () => void server.close());
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toContain('failed    ');
    expect(output).toContain('rowsmith: The storage service could not be reached.');
    expect(output).toMatch(
      /Tables are left. To drop them:\n {2}cbt -project p -instance instance-1 deletetable/,
    );
    expect(report()).toMatch(/\| ended by \| UNAVAILABLE: /);
    expect(report()).toContain('| not run |');
  });
});
