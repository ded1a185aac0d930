/** Options: --json with help, usage errors of --url, and commands in subfolders of a project. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exit } from '../../src/cli/command.js';
import { version } from '../../src/cli/version.js';
import { command } from '../support/command.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

/** Without files, whatever other programs leave in the folder of temporary files. */
const empty = mkdtempSync(join(tmpdir(), 'rowsmith-cli-'));
afterAll(() => rmSync(empty, { recursive: true }));

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
let linked = '';
beforeAll(() => folders.push((linked = buildLinkedPackage())));

function project(files: Readonly<Record<string, string>>, packages?: readonly string[]): string {
  const folder = makeProject(
    linked,
    { 'package.json': '{ "type": "module" }', ...files },
    packages,
  );
  folders.push(folder);
  return folder;
}

test('with --json, help and version are JSON documents', async () => {
  const { out: help } = await command(empty, ['--help']);
  const { out: ofCheck } = await command(empty, ['check', '--help']);
  const json = async (...args: string[]) => {
    const { status, out, err } = await command(empty, args);
    expect([status, err, out.split('\n').length]).toEqual([exit.ok, '', 2]);
    return JSON.parse(out) as unknown;
  };
  expect(await json('--json', '--version')).toEqual({ version: version() });
  for (const args of [
    ['help', '--json'],
    ['--json', '-h'],
  ])
    expect(await json(...args)).toEqual({ help: help.trimEnd() });
  expect(await json('check', '--help', '--json')).toEqual({ help: ofCheck.trimEnd() });
});

const entity = `
  import { Column, Entity, Segment, rowKey } from 'rowsmith';
  @Entity({ table: 't', families: { m: {} } }) export class Reading {
    static readonly key = rowKey('id');
    @Segment('string', { maxLength: 9 }) id!: string;
    @Column('m', 'double') value?: number;
  }`;

test('a wrong --url is a usage error; a wrong url in the config is a fault of the config', () => {
  const files = {
    'src/a.ts': entity,
    'rowsmith.config.ts': "export default { entities: ['src/*.ts'], url: 'data' };",
  };
  const folder = project(files);
  expect(rowsmith(linked, folder, ['schema', 'plan', '--url=bigtable://']).status).toBe(exit.usage);
  const { status, output } = rowsmith(linked, folder, ['schema', 'plan']);
  expect(output).toContain('the url is "data"');
  expect(status).toBe(exit.failed);
});

test.each([
  [['derived', 'list', 'Order'], 'list'],
  [['derived', 'drop'], 'drop'],
  [['derived', 'drop', 'Order'], 'drop'],
  [['derived', 'verify', '--index', 'byStatus'], '--index'],
  [['gc', 'Order'], '--explain'],
])('%j is a usage error before a config is looked for', async (args, text) => {
  const { status, err } = await command(empty, args);
  expect({ status, err }).toEqual({
    status: exit.usage,
    err: expect.stringContaining(text) as string,
  });
});

test.each([
  [['derived', 'list']],
  [['derived', 'drop', 'Order', '--index', 'byStatus']],
  [['derived', 'verify', 'Order', '--index', 'byStatus']],
  [['gc', '--explain', 'Order']],
  [['export', 'Order', 'orders.csv', '--resume']],
])('%j needs a config', async (args) => {
  const { status, err } = await command(empty, args);
  expect({ status, err }).toEqual({
    status: exit.failed,
    err: expect.stringContaining('rowsmith init') as string,
  });
});

test('paths of .proto files are relative to the folder of the config, wherever the command runs', () => {
  const folder = project(
    {
      'protos/telemetry.proto':
        'syntax = "proto3"; package telemetry; message Status { optional string firmware = 1; }',
      'src/reading.ts': `
      import { Entity, Packed, Segment, fromProto, rowKey } from 'rowsmith';
      @Entity({ table: 't', families: { s: {} } }) export class Reading {
        static readonly key = rowKey('id');
        @Segment('string', { maxLength: 9 }) id!: string;
        @Packed('s', fromProto('protos/telemetry.proto', 'Status')) status?: object;
      }`,
      'rowsmith.config.ts': "export default { entities: ['src/*.ts'] };",
    },
    ['esbuild', 'protobufjs'],
  );
  expect(rowsmith(linked, join(folder, 'src'), ['generate', 'classes', 'proto'])).toMatchObject({
    status: exit.ok,
  });
  expect(readFileSync(join(folder, 'generated/proto/telemetry.proto'), 'utf8')).toContain(
    'optional string firmware = 1;',
  );
  expect(rowsmith(linked, folder, ['generate', 'classes', 'proto', '--check'])).toMatchObject({
    status: exit.ok,
  });
});

test('a class that is undefined in an import cycle: the fix is to give it as a function', () => {
  const folder = project({
    'src/a.ts': `
      import { Entity, Field, Message, Packed, Segment, rowKey } from 'rowsmith';
      import { B } from './b.js';
      @Message('x.A') export class A { @Field(1, B) b?: B; }
      @Entity({ table: 't', families: { s: {} } }) export class Holder {
        static readonly key = rowKey('id');
        @Segment('string', { maxLength: 9 }) id!: string;
        @Packed('s', A) a?: A;
      }`,
    'src/b.ts': `
      import { Field, Message } from 'rowsmith';
      import { A } from './a.js';
      @Message('x.B') export class B { @Field(1, A) a?: A; }`,
    'rowsmith.config.ts': "export default { entities: ['src/*.ts'] };",
  });
  const { status, output } = rowsmith(linked, folder, ['describe']);
  expect(output).toMatch(
    /src\/b\.ts:4: B\.a: no kind is named[\s\S]*pass a function: @Field\(1, \(\) => Position\)/,
  );
  expect(status).toBe(exit.failed);
});
