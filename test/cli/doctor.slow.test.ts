/** `rowsmith doctor`: one set-up for each finding, with its fix, and nothing changed. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { exit } from '../../src/cli/command.js';
import type { Finding } from '../../src/cli/commands/doctor/finding.js';
import { examineNode, satisfies } from '../../src/cli/commands/doctor/packages.js';
import {
  clockFinding,
  examineClock,
  examineCredentials,
} from '../../src/cli/commands/doctor/storage.js';
import { version } from '../../src/cli/version.js';
import { openEngine } from '../../src/engines/index.js';
import { startServer } from '../../src/server/index.js';
import { command } from '../support/command.js';
import {
  buildLinkedPackage,
  makeProject,
  rowsmithProcess,
  writeFiles,
} from '../support/linked-package.js';

let linked = '';
const folders: string[] = [];
beforeAll(() => folders.push((linked = buildLinkedPackage())));
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const entity = `
  import { Column, Entity, Segment, rowKey } from 'rowsmith';
  @Entity({ table: 'readings', families: { m: {} } }) export class Reading {
    static readonly key = rowKey('device');
    @Segment('string', { maxLength: 9 }) device!: string;
    @Column('m', 'double') value?: number;
  }`;
const healthy: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': '{ "compilerOptions": { "target": "ES2022" } }',
  'src/reading.ts': entity,
  'rowsmith.config.ts': "export default { entities: ['src/*.ts'], url: 'file:./data' };",
};

function project(
  files: Readonly<Record<string, string>> = {},
  packages: readonly string[] = ['esbuild', 'typescript'],
): string {
  const folder = makeProject(linked, { ...healthy, ...files }, packages);
  folders.push(folder);
  return folder;
}

interface Examined {
  readonly status: number | null;
  readonly findings: readonly Finding[];
  readonly problems: number;
}

function examine(
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Examined {
  const { status, output } = rowsmithProcess(linked, folder, ['doctor', '--json', ...args], env);
  const { findings, problems } = JSON.parse(output) as Omit<Examined, 'status'>;
  for (const { level, fix } of findings)
    expect(fix !== undefined).toBe(level === 'problem' || level === 'warning');
  expect(status).toBe(problems > 0 ? exit.different : exit.ok);
  return { status, findings, problems };
}
const finding = ({ findings }: Examined, name: string, level?: Finding['level']) =>
  findings.find((each) => each.name === name && (level ?? each.level) === each.level);

/** All files with their sizes and times. */
function tree(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('node_modules'))
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

test('a set-up without problems; nothing is changed, not even the directory is created', () => {
  const folder = project();
  expect(rowsmithProcess(linked, folder, ['check', '--update']).status).toBe(exit.ok);
  const before = tree(folder);
  const examined = examine(folder);
  expect(examined.problems).toBe(0);
  expect(examined.findings.map(({ name, level }) => `${name} ${level}`)).toEqual(
    expect.arrayContaining([
      'node ok',
      'rowsmith ok',
      'esbuild ok',
      'typescript ok',
      'tsconfig ok',
      'config ok',
      'entities ok',
      'lock ok',
      'data directory ok',
    ]),
  );
  expect(finding(examined, 'entities')!.text).toBe('Reading');
  expect(tree(folder)).toEqual(before);
  const { status, output } = rowsmithProcess(linked, folder, ['doctor']);
  expect(status).toBe(exit.ok);
  expect(output).toContain('ok       entities: Reading\n');
  expect(output).toContain('0 problems, 0 warnings\n');
});

test('no config, a broken one, a wrong entity', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'rowsmith-doctor-'));
  folders.push(empty);
  const { status, out } = await command(empty, ['doctor']);
  expect(status).toBe(exit.different);
  expect(out).toContain('run rowsmith init to create one');
  expect(out).toContain('npm install rowsmith');
  const broken = examine(project({ 'rowsmith.config.ts': 'export default {' }));
  expect(finding(broken, 'config', 'problem')!.text).toContain('rowsmith.config.ts:1');
  const wrong = project({ 'src/reading.ts': entity.replace("Column('m'", "Column('n'") });
  expect(finding(examine(wrong), 'config', 'problem')!.text).toContain(
    'Reading.value: family "n" is not declared',
  );
});

test('versions of Node and ranges of versions', () => {
  expect(examineNode('18.20.1')).toMatchObject({ level: 'problem', fix: expect.any(String) });
  expect(examineNode('20.0.0').level).toBe('ok');
  for (const [installed, range, expected] of [
    ['6.5.1', '>=6.5.1 <8', true],
    ['6.5.0', '>=6.5.1 <8', false],
    ['8.0.0', '>=6.5.1 <8', false],
    ['1.14.7', '^1.12.0', true],
    ['1.9.3', '^1.12.0', false],
    ['2.0.0', '^1.12.0', false],
    ['0.15.1', '>=0.14 <0.16', true],
    ['0.16.0', '>=0.14 <0.16', false],
  ] as const)
    expect([installed, range, satisfies(installed, range)]).toEqual([installed, range, expected]);
});

test('packages: copies of rowsmith, another version, a missing or wrong optional package', () => {
  const folder = project();
  const copy = (version: string) => JSON.stringify({ name: 'rowsmith', version });
  writeFiles(folder, { 'node_modules/other/node_modules/rowsmith/package.json': copy('0.0.1') });
  const copies = finding(examine(folder), 'rowsmith', 'problem')!;
  expect(copies.text).toMatch(/^2 copies: .*0\.0\.1 in .*other\/node_modules\/rowsmith/);
  expect(copies.fix).toContain('npm dedupe');

  const missing = examine(
    project({
      'rowsmith.config.ts': healthy['rowsmith.config.ts'].replace('file:./data', 'bigtable://p/i'),
    }),
    [],
    { GOOGLE_APPLICATION_CREDENTIALS: '/nowhere.json' },
  );
  expect(finding(missing, '@google-cloud/bigtable', 'problem')).toMatchObject({
    text: 'not installed, and this project needs it',
    fix: expect.stringContaining('npm install'),
  });
  const old = project();
  writeFiles(old, {
    'node_modules/class-validator/package.json': '{ "version": "0.13.2" }',
    'node_modules/@opentelemetry/api/package.json': '{ "version": "1.9.1" }',
  });
  const peers = examine(old);
  expect(finding(peers, 'class-validator', 'problem')!.text).toBe(
    'version 0.13.2 is not >=0.14 <0.16',
  );
  expect(finding(peers, '@opentelemetry/api')!.level).toBe('ok');
  expect(finding(peers, 'rowsmith')!.text).toContain(version());
});

test('tsconfig: metadata without legacy decorators, both kinds, fields that are assigned', () => {
  const config = (options: object) => JSON.stringify({ compilerOptions: options });
  const metadata = project({ 'tsconfig.json': config({ emitDecoratorMetadata: true }) });
  expect(finding(examine(metadata), 'tsconfig', 'warning')!.text).toContain(
    'emitDecoratorMetadata has no effect without experimentalDecorators',
  );
  const mixed = project({ 'src/tsconfig.json': config({ experimentalDecorators: true }) });
  expect(finding(examine(mixed), 'tsconfig', 'problem')!.text).toMatch(
    /^legacy decorators in .*src\/tsconfig\.json, standard ones in .*tsconfig\.json$/,
  );
  const assigned = project({
    'tsconfig.json': '{ // legacy\n "extends": "./base.json" }',
    'base.json': config({ experimentalDecorators: true, useDefineForClassFields: false }),
  });
  expect(finding(examine(assigned), 'tsconfig', 'warning')!.text).toContain(
    'useDefineForClassFields is false',
  );
  const seven = project({}, ['esbuild', 'typescript=typescript7']);
  expect(examine(seven).findings.filter(({ level }) => level === 'problem')).toEqual([]);
  expect(finding(examine(project({}, ['esbuild'])), 'tsconfig')!.level).toBe('skipped');
});

test('the lock file: missing, out of date, rejecting a change, unreadable', () => {
  const folder = project();
  expect(finding(examine(folder), 'lock')!.level).toBe('warning');
  rowsmithProcess(linked, folder, ['check', '--update']);
  writeFiles(folder, {
    'src/reading.ts': entity.replace("'double'", "'int64'").replace('number', 'bigint'),
  });
  expect(finding(examine(folder), 'lock', 'problem')!.text).toContain('Reading.m:value');
  writeFiles(folder, {
    'src/reading.ts': entity.replace('  }', "    @Column('m', 'string') note?: string;\n  }"),
  });
  expect(finding(examine(folder), 'lock', 'warning')!.fix).toContain('check --update');
  writeFiles(folder, { 'rowsmith.lock.json': '{' });
  expect(finding(examine(folder), 'lock', 'problem')).toBeDefined();
});

test('the data directory: another kind of directory, a file, a newer format, in use', async () => {
  const folder = project();
  const data = join(folder, 'data');
  mkdirSync(data);
  expect(finding(examine(folder), 'data directory')!.text).toContain('is empty');
  writeFiles(folder, { 'data/notes.txt': 'x' });
  expect(finding(examine(folder), 'data directory', 'problem')!.text).toContain(
    'not a Rowsmith database',
  );
  rmSync(data, { recursive: true });
  writeFileSync(data, '');
  expect(finding(examine(folder), 'data directory', 'problem')!.text).toContain('is a file');
  rmSync(data);

  const engine = await openEngine(`file:${data}`);
  try {
    await engine.createTable({ name: 'readings', families: new Map([['m', {}]]) });
    const held = examine(folder);
    expect(finding(held, 'data directory', 'ok')!.text).toContain('1 table');
    expect(finding(held, 'data directory', 'warning')!.text).toContain(
      `is open in process ${process.pid}: only that one can write`,
    );
  } finally {
    await engine.close();
  }
  const before = tree(folder);
  expect(finding(examine(folder), 'data directory', 'warning')).toBeUndefined();
  expect(tree(folder)).toEqual(before);
  writeFiles(folder, { 'data/rowsmith.json': '{"format":"rowsmith-local","version":99}' });
  expect(finding(examine(folder), 'data directory', 'problem')!.fix).toContain('newer version');
});

test('a live url: the emulator by accident, one that does not answer, no credentials', async () => {
  const folder = project({}, ['esbuild', 'typescript', '@google-cloud/bigtable', '@grpc/grpc-js']);
  const url = ['--url', 'bigtable://p/i'];
  const server = await startServer(() => openEngine('memory:'), { host: '127.0.0.1', port: 0 });
  try {
    process.env.GOOGLE_APPLICATION_CREDENTIALS = '/nowhere.json';
    // In this process: a synchronous child would block its server.
    const { status, out } = await command(folder, ['doctor', '--json', ...url], {});
    expect(status).toBe(exit.different);
    expect(out).toContain('"credentials"');
    process.env.BIGTABLE_EMULATOR_HOST = server.address;
    const answered = await command(folder, ['doctor', '--json', ...url], {});
    const { findings } = JSON.parse(answered.out) as Examined;
    expect(findings.find(({ name }) => name === 'emulator')).toMatchObject({
      level: 'warning',
      text: expect.stringContaining(server.address),
      fix: expect.stringContaining('unset BIGTABLE_EMULATOR_HOST'),
    });
    expect(findings.find(({ name }) => name === 'url')).toMatchObject({ level: 'ok' });
  } finally {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    await server.close();
  }
  const silent = examine(folder, url, { BIGTABLE_EMULATOR_HOST: '127.0.0.1:1' });
  expect(finding(silent, 'url', 'problem')).toBeDefined();
  const none = examine(folder, url, {
    BIGTABLE_EMULATOR_HOST: '',
    HOME: folder,
    CLOUDSDK_CONFIG: undefined,
  });
  expect(finding(none, 'credentials', 'problem')!.fix).toContain('gcloud auth');
  expect(finding(none, 'url')!.level).toBe('skipped');
  expect(finding(examine(folder, ['--url', 'nothing']), 'url', 'problem')).toBeDefined();
});

/** The levels of what doctor finds as user `nobody`, and what it says of the data directory. */
function examinedAsNobody(directory: string): { levels: string[]; text: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-nobody-'));
  folders.push(folder);
  const source = join(__dirname, '../../src/cli/commands/doctor/storage.ts');
  buildSync({
    stdin: {
      contents: `import { examineStorage } from ${JSON.stringify(source)};
        process.setuid(65534);
        examineStorage('file:' + process.argv[2], {})
          .then((findings) => console.log(JSON.stringify(findings)));`,
      resolveDir: __dirname,
    },
    outfile: join(folder, 'examine.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    external: ['@google-cloud/bigtable'],
    logLevel: 'error',
  });
  const args = [join(folder, 'examine.cjs'), directory];
  const found = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Finding[];
  return {
    levels: found.map(({ name, level }) => `${name} ${level}`),
    text: found.find(({ name }) => name === 'data directory')!.text,
  };
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;
asRoot.each([
  ['777', 'opened', ['disk ok', 'data directory ok']],
  ['755', 'cannot be written', ['data directory problem', 'disk ok', 'data directory ok']],
  ['711', 'cannot be read', ['data directory problem', 'disk ok']],
])('a directory with the permissions %s', async (mode, text, levels) => {
  const parent = mkdtempSync(join(tmpdir(), 'rowsmith-mode-'));
  folders.push(parent);
  chmodSync(parent, 0o755);
  const directory = join(parent, 'data');
  await (await openEngine(`file:${directory}`)).close();
  chmodSync(directory, Number.parseInt(mode, 8));
  expect(examinedAsNobody(directory)).toEqual({
    levels,
    text: expect.stringContaining(text) as string,
  });
});

test('credentials and the clock', () => {
  const folder = project({ 'key.json': '{ "type": "service_account" }', 'bad.json': '{}' });
  const of = (GOOGLE_APPLICATION_CREDENTIALS: string) =>
    examineCredentials({ GOOGLE_APPLICATION_CREDENTIALS, HOME: folder });
  expect(of(join(folder, 'key.json'))).toMatchObject({
    level: 'ok',
    text: expect.stringContaining('service_account'),
  });
  expect(of(join(folder, 'none.json')).text).toContain('there is no file');
  expect(of(join(folder, 'bad.json')).text).toContain('has no type');
  expect(of(folder).level).toBe('problem');
  expect(clockFinding(500).level).toBe('ok');
  expect(clockFinding(-90_000)).toMatchObject({
    level: 'problem',
    text: expect.stringContaining('90.0 s slow'),
  });
  expect(clockFinding(90_000).text).toContain('90.0 s fast');
  expect(clockFinding(NaN).level).toBe('skipped');
});

test('the clock is compared with the date of an answer', async () => {
  let date: Date | undefined;
  const server = createServer((_request, response) => {
    response.sendDate = false;
    if (date !== undefined) response.setHeader('date', date.toUTCString());
    response.end();
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await examineClock(url)).toMatchObject({
    level: 'skipped',
    text: 'the service gave no time',
  });
  for (const hours of [-1, 1]) {
    date = new Date(Date.now() + hours * 3_600_000);
    expect((await examineClock(url)).text).toContain(hours < 0 ? ' s fast' : ' s slow');
  }
  server.closeAllConnections();
  await new Promise((closed) => void server.close(closed));
  expect(await examineClock(url)).toMatchObject({ level: 'skipped' });
});
