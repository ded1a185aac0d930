/** `rowsmith verify-live` against our server: what it says, asks, creates and writes. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announce } from '../../src/cli/commands/verify-live/announcement.js';
import { redactor } from '../../src/cli/commands/verify-live/redact.js';
import { serviceOf } from '../../src/cli/commands/verify-live/service.js';
import { Terminal } from '../../src/cli/terminal/terminal.js';
import { startHeaderServer } from '../engines/bigtable/header-server.js';
import { shortPath } from '../../src/cli/terminal/error-text.js';
import { command, type CommandOptions, type CommandResult } from '../support/command.js';
import { type FaultyServer, startFaultyServer } from '../tools/conformance/service.js';

const url = 'bigtable://p/instance-1';
const before = process.env.BIGTABLE_EMULATOR_HOST;
let folder = '';
let server: FaultyServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-verify-live-'));
  mkdirSync(join(folder, 'reports'));
  server = await startFaultyServer();
});
beforeEach(() => void (process.env.BIGTABLE_EMULATOR_HOST = server.address));
afterAll(async () => {
  if (before === undefined) delete process.env.BIGTABLE_EMULATOR_HOST;
  else process.env.BIGTABLE_EMULATOR_HOST = before;
  await server.close();
  rmSync(folder, { recursive: true });
});

const run = (line: string, options?: CommandOptions): Promise<CommandResult> =>
  command(folder, ['verify-live', ...line.split(' ').filter(Boolean)], options);
const files = () => readdirSync(folder).filter((name) => name !== 'reports');
const tables = async () => (await server.backend.listTables()).map(({ name }) => name);

async function expectNothingCreated(): Promise<void> {
  expect(files()).toEqual([]);
  expect(await tables()).toEqual([]);
}

test.each([
  ['', 2, 'no instance is named: give bigtable://project/instance'],
  ['memory: --yes', 2, 'memory: is not an instance of Bigtable; give bigtable://project/instance'],
  ['file:./data --yes', 2, 'is not an instance of Bigtable'],
  ['bigtable://p --yes', 2, 'it is not of the form bigtable://project/instance'],
  ['tables --yes', 2, 'tables is not an instance of Bigtable: give bigtable://project/instance'],
  [url, 2, 'verify-live needs --yes where nobody can be asked'],
  [`${url} --json`, 2, 'verify-live needs --yes where nobody can be asked'],
  [`${url} --yes --operations 0`, 2, '--operations takes a whole number'],
  [`${url} --yes --report none/report.md`, 1, "there is no folder 'none'"],
  [`${url} --yes --report reports`, 1, "'reports' in"],
])('%s', async (line, status, message) => {
  const result = await run(line);
  expect(result.status).toBe(status);
  expect(`${result.out}${result.err}`).toContain(message);
  await expectNothingCreated();
});

// Root may write to any folder: the file itself is opened before a table is created.
test('a report that cannot be written is found before anything is created', async () => {
  const { status, err } = await run(`${url} --yes --report /proc/rowsmith-report.md`);
  expect([status, err]).toEqual([1, expect.stringContaining('it cannot be written')]);
  await expectNothingCreated();
});

test.each([
  [
    7,
    'Missing IAM permission: bigtable.tables.list',
    'grant roles/bigtable.admin on the instance, or a role with create,',
  ],
  [
    5,
    'Instance projects/p/instances/other not found.',
    'check that the instance and the app profile in the url exist',
  ],
])('a service that answers with status %s: %s', async (status, message, fix) => {
  const service = await startHeaderServer(() => ({
    status,
    trailers: { 'grpc-message': message },
  }));
  process.env.BIGTABLE_EMULATOR_HOST = service.address;
  const result = await run(`${url} --yes`);
  await service.close();
  expect(result.status).toBe(1);
  expect(result.err).toContain(message);
  expect(result.err).toContain(fix);
  await expectNothingCreated();
});

test('it says what it will do and what that costs, and creates nothing without a yes', async () => {
  const dryRun = await run(`${url} --dry-run`);
  expect(dryRun).toMatchObject({ status: 0, err: 'nothing was written: --dry-run\n' });
  const text = dryRun.out
    .replaceAll(server.address, 'HOST')
    .replaceAll(`${shortPath(folder)}/`, '')
    .replaceAll(/\d{8}-[a-z0-9]{6}/g, 'DATE-ID');
  expect(text)
    .toBe(`32 conformance cases will run on the server at HOST: instance instance-1 of project p.

Tables    creates up to 6, and drops each after its cases: rowsmith-verify-DATE-ID-1 and so on
          other tables are listed, but neither read nor changed
Requests  about 550, nearly all one after another, and 40 changes of tables
          less than 1 MB stored, and a few MB sent and received
Time      seconds
Cost      none: BIGTABLE_EMULATOR_HOST names a server
Needs     roles/bigtable.admin on the instance
Report    rowsmith-verify-DATE-ID.md, without the ids of project and instance
`);
  const { out } = await run(`${url} --dry-run --json --operations 9`);
  expect(JSON.parse(out)).toMatchObject({ cases: 32, tables: 6, requests: 359, leftTables: [] });
  const refused = await run(url, { isTTY: true, input: 'n\n' });
  expect(refused.status).toBe(0);
  expect(refused.err).toContain('Create these tables and run the cases? [y/N]');
  await expectNothingCreated();
});

test('live.md shows what it says before it runs on Cloud Bigtable', () => {
  const name = 'rowsmith-verify-20261127-k3f9ab';
  let out = '';
  const output = { write: (text: string | Uint8Array) => ((out += String(text)), true) };
  announce(
    {
      service: serviceOf('bigtable://my-project/my-instance', {}),
      name,
      history: { seed: 1, operations: 200 },
      keep: false,
      file: `${name}.md`,
      left: [],
    },
    new Terminal({ out: output, err: output, env: {}, json: false, colours: false }),
  );
  const document = readFileSync(join(__dirname, '../../docs/live.md'), 'utf8');
  expect(document).toContain(
    `$ npx rowsmith verify-live bigtable://my-project/my-instance\n${out}`,
  );
});

test('after a yes all cases pass, and the report tells it without ids', async () => {
  const left = 'rowsmith-verify-20251127-aaaaaa-1';
  await server.backend.createTable({ name: left, families: new Map() });
  const line = `${url} --report reports/report.md --operations 20`;
  const { status, out, err } = await run(line, { isTTY: true, input: 'yes\n' });
  expect({ status, out, err }).toMatchObject({ status: 0 });
  expect(out).toContain(`  cbt -project p -instance instance-1 deletetable ${left}\n`);
  expect(out).toMatch(/32 cases: 31 passed, 1 left out, in \d+\.\d s\n$/);
  expect(err).toContain('Report: ');
  expect(await tables()).toEqual([left]);
  await server.backend.deleteTable(left);
  const report = readFileSync(join(folder, 'reports/report.md'), 'utf8');
  expect(report).toContain('| result | 32 cases: 31 passed, 1 left out |');
  expect(report).toContain(`| Node | ${process.versions.node} |`);
  expect(report).toContain('| tables left | none |');
  expect(report.match(/^## .*$/gm)).toEqual([
    '## Writes',
    '## Changes of stored values',
    '## Reads',
    '## Filters',
    '## Tables and connections',
    '## Removals',
    '## Random history',
    '## Exceptions',
    '## Latencies',
  ]);
  expect(report).toContain(
    '| left out | a service collects garbage in the background, within about a week |',
  );
  for (const secret of ['instance-1', 'bigtable:', server.address])
    expect(report).not.toContain(secret);
  expect(existsSync(join(folder, 'reports/report.md'))).toBe(true);
});

test('ids are left out of texts of errors', () => {
  const redact = redactor({
    url: 'bigtable://my-project/main?appProfile=batch',
    project: 'my-project',
    instance: 'main',
    appProfile: 'batch',
    emulator: undefined,
  });
  expect(
    [
      'projects/my-project/instances/main/tables/t not found',
      'API has not been used in project 123456 before',
      "Quota exceeded for consumer 'project_number:123456'",
      'visit https://console.developers.google.com/apis/overview?project=123456 then retry',
      'consumer project:my-project, main:batch',
      'app profile batch of main, my-project-2 and remain; batches',
      'denied for bot@my-project.iam.gserviceaccount.com, projects/my-project/instances/main/appProfiles/batch',
    ].map(redact),
  ).toEqual([
    'projects/PROJECT/instances/INSTANCE/tables/t not found',
    'API has not been used in project PROJECT before',
    "Quota exceeded for consumer 'project_number:PROJECT'",
    'visit https://console.developers.google.com/apis/overview?project=PROJECT then retry',
    'consumer project:PROJECT, INSTANCE:PROFILE',
    'app profile PROFILE of INSTANCE, my-project-2 and remain; batches',
    'denied for ACCOUNT, projects/PROJECT/instances/INSTANCE/appProfiles/PROFILE',
  ]);
});
