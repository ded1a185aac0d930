/** `rowsmith generate`: what it writes and removes, and what it never overwrites. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changesOf, type Output } from '../../src/tools/output/change.js';
import { manifestName } from '../../src/tools/output/manifest.js';
import { writeChanges } from '../../src/tools/output/write-changes.js';
import type { RowsmithError } from '../../src/base/index.js';
import {
  buildLinkedPackage,
  makeProject,
  rowsmith,
  writeFiles,
} from '../support/linked-package.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-generate-'));
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

const output = (files: Readonly<Record<string, Readonly<Record<string, string>>>>): Output =>
  new Map(
    Object.entries(files).map(([name, texts]) => [
      name,
      Object.entries(texts).map(([path, content]) => ({ path, content })),
    ]),
  );
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const states = (wanted: Output) =>
  changesOf(folder, wanted).map(({ path, state }) => `${state} ${path}`);
const write = (wanted: Output) => writeChanges(folder, changesOf(folder, wanted));
const thrown = (call: () => void): RowsmithError => {
  try {
    call();
  } catch (error) {
    return error as RowsmithError;
  }
  throw new Error('nothing was thrown');
};
/** Every file with its text. */
const allFiles = () =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, read(name)]),
  );

const first = output({
  proto: { 'proto/a.proto': 'a\n', 'proto/b.proto': 'b\n' },
  sql: { 'views.sql': 'view\n' },
});

test('missing files and their folders are created, with a manifest', () => {
  expect(states(first)).toEqual([
    `missing ${manifestName}`,
    'missing proto/a.proto',
    'missing proto/b.proto',
    'missing views.sql',
  ]);
  write(first);
  expect(allFiles()).toMatchObject({
    'proto/a.proto': 'a\n',
    'proto/b.proto': 'b\n',
    'views.sql': 'view\n',
  });
  expect(JSON.parse(read(manifestName))).toMatchObject({
    files: { proto: ['proto/a.proto', 'proto/b.proto'], sql: ['views.sql'] },
  });
  expect(states(first)).toEqual([]);
});

test('only different files are written; files that are no longer generated are removed; bytes stay bytes', () => {
  write(first);
  const longAgo = new Date(1_000_000_000_000);
  for (const path of ['proto/a.proto', 'views.sql'])
    utimesSync(join(folder, path), longAgo, longAgo);
  writeFiles(folder, { 'proto/mine.txt': 'mine' });
  const second: Output = new Map([
    ...output({ proto: { 'proto/a.proto': 'a\n' } }),
    ['sql', [{ path: 'views.sql', content: Uint8Array.of(0, 255) }]],
  ]);
  expect(states(second)).toEqual([
    `different ${manifestName}`,
    'left over proto/b.proto',
    'different views.sql',
  ]);
  write(second);
  expect(Object.keys(allFiles())).toEqual([
    manifestName,
    'proto/a.proto',
    'proto/mine.txt',
    'views.sql',
  ]);
  expect(readFileSync(join(folder, 'views.sql'))).toEqual(Buffer.of(0, 255));
  expect(+statSync(join(folder, 'proto/a.proto')).mtime).toBe(+longAgo);
});

test('a generator that does not run keeps its files', () => {
  write(first);
  const sql = output({ sql: { 'tables.sql': 't\n' } });
  write(sql);
  expect(Object.keys(allFiles())).toEqual([
    manifestName,
    'proto/a.proto',
    'proto/b.proto',
    'tables.sql',
  ]);
  expect(states(first)).toEqual([
    `different ${manifestName}`,
    'left over tables.sql',
    'missing views.sql',
  ]);
});

test('a file that was not generated is not overwritten, unless it is the same', () => {
  writeFiles(folder, { 'views.sql': 'mine' });
  const error = thrown(() => write(first));
  expect(error.code).toBe('FILE_FAILED');
  expect(error.details).toMatchObject({
    file: join(folder, 'views.sql'),
    problem: expect.stringContaining('not written by rowsmith generate'),
  });
  expect(allFiles()).toEqual({ 'views.sql': 'mine' });
  writeFiles(folder, { 'views.sql': 'view\n' });
  write(first);
  expect(states(first)).toEqual([]);
});

test('a damaged manifest, or one with a merge conflict, is an error, and nothing is removed', () => {
  write(first);
  const whole = allFiles();
  for (const [text, problem] of [
    ['<<<<<<< HEAD\n{', 'merge conflict'],
    ['{}', 'not the list'],
    ['{"files":{"sql":["../out"]}}', 'not the list'],
    ['{"files":{"sql":["/etc/x"]}}', 'not the list'],
    ['no', 'not the list'],
  ]) {
    writeFiles(folder, { [manifestName]: text });
    expect(thrown(() => write(output({ sql: {} }))).details).toMatchObject({
      file: join(folder, manifestName),
      problem: expect.stringContaining(problem),
    });
    expect(allFiles()).toEqual({ ...whole, [manifestName]: text });
  }
});

test('two generators that write one file, and a path outside the folder', () => {
  expect(thrown(() => write(output({ a: { x: '1' }, b: { x: '2' } }))).details).toMatchObject({
    file: 'x',
    problem: 'the generators a and b both write this file',
  });
  for (const path of ['../x', '/x', 'a//b', 'a/../../x', '', 'c:\\x', 'a\nb', manifestName])
    expect(() => write(output({ a: { [path]: '1' } }))).toThrow(
      expect.objectContaining({
        code: 'INVALID_DECLARATION',
        details: expect.objectContaining({
          file: path,
          problem: expect.stringContaining('not a name inside the output folder') as string,
        }) as object,
      }),
    );
  expect(allFiles()).toEqual({});
});

test('if a file cannot be written, nothing is changed and no folder is left', () => {
  write(output({ sql: { 'views.sql': 'old\n' } }));
  const before = allFiles();
  writeFiles(folder, { 'proto/b.proto/in-the-way.txt': 'x', late: 'x' });
  // 'late' is a file, so the folder of that name cannot be created; it comes after 'early/deep',
  // which was created.
  const wanted = output({
    proto: { 'early/deep/a.proto': 'a\n', 'late/a.proto': 'x\n' },
    sql: { 'views.sql': 'new\n' },
  });
  const error = thrown(() => write(wanted));
  expect(error).toMatchObject({
    code: 'FILE_FAILED',
    details: { file: join(folder, 'late/a.proto'), fix: expect.stringContaining('--out DIR') },
  });
  expect(allFiles()).toEqual({ ...before, late: 'x', 'proto/b.proto/in-the-way.txt': 'x' });
  expect(existsSync(join(folder, 'early'))).toBe(false);
});

test('a folder that is not writable', () => {
  // Root may write everywhere; for root a file is in the way of the folder.
  const output = process.getuid?.() === 0 ? join(folder, 'taken') : folder;
  if (output === folder) chmodSync(folder, 0o555);
  else writeFiles(folder, { taken: 'x' });
  expect(thrown(() => writeChanges(output, changesOf(output, first)))).toMatchObject({
    code: 'FILE_FAILED',
    details: { problem: expect.stringContaining('cannot be written') },
  });
});

describe('the command', () => {
  let linked = '';
  let project = '';
  beforeAll(() => {
    linked = buildLinkedPackage();
    const entity = `import { Column, Entity, Field, Message, Packed, Segment, maxVersions, rowKey } from 'rowsmith';
@Message('telemetry.Status') class Status { @Field(1, 'string') firmware?: string; }
@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) }, s: {} } })
export class Reading {
  static readonly key = rowKey('device');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') temperature?: number;
  @Packed('s', () => Status) status?: Status;
}
`;
    project = makeProject(linked, {
      'rowsmith.config.ts': "export default { entities: ['./reading.ts'], url: 'bigtable://p/i' };",
      'reading.ts': entity,
      'package.json': '{ "type": "module" }',
    });
  });
  afterAll(() => {
    for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
  });
  const generate = (...args: string[]) => rowsmith(linked, project, ['generate', ...args]);

  test('generates; --check finds nothing, then the stale files, and shows the difference', () => {
    const missing = generate('--check');
    expect(missing).toMatchObject({
      status: 3,
      output: expect.stringContaining(`${manifestName}: missing`),
    });
    const [, stale, files] =
      /^(\d+) of (\d+) files in generated out of date/m.exec(missing.output) ?? [];
    expect(existsSync(join(project, 'generated'))).toBe(false);
    expect(generate()).toEqual({
      status: 0,
      output: expect.stringMatching(
        /^new {6}\.rowsmith-generated\.json\n[\s\S]*\d+ files in generated\n$/,
      ),
    });
    expect([stale, generate()]).toEqual([
      files,
      { status: 0, output: `${files} files in generated, none changed\n` },
    ]);
    expect(generate('--check').status).toBe(0);

    writeFiles(project, {
      'reading.ts': readFileSync(join(project, 'reading.ts'), 'utf8').replace(
        "'telemetry.Status'",
        "'telemetry.State'",
      ),
    });
    const renamed = generate('--check');
    expect(renamed.status).toBe(3);
    expect(renamed.output).toMatch(/^\S+: different\n {2}@@ -\d+ \+\d+ @@\n/m);
    expect(renamed.output).toContain('telemetry.State');
    expect(renamed.output).toContain(
      'out of date: run rowsmith generate and commit the files it writes',
    );
    const { stale: listed } = JSON.parse(generate('--check', '--json').output) as {
      stale: { path: string; state: string; difference: string[] }[];
    };
    expect(
      listed.some(
        ({ state, difference }) =>
          state === 'different' && difference.some((line) => line.startsWith('-')),
      ),
    ).toBe(true);
  });

  test('--check names the manifest if only it is stale, and generate corrects it', () => {
    generate();
    const list = join(project, 'generated', manifestName);
    const whole = readFileSync(list, 'utf8');
    const { files } = JSON.parse(whole) as { files: Record<string, string[]> };
    const [[name]] = Object.entries(files);
    // As if an older run had left it: a file exists and is up to date, but is not listed.
    writeFiles(project, {
      [`generated/${manifestName}`]: whole.replace(`"${files[name][0]}"`, '"gone.txt"'),
    });
    const checked = generate('--check');
    expect(checked.status).toBe(3);
    expect(checked.output).toContain(`${manifestName}: different`);
    expect(checked.output).toContain(
      `${manifestName} in generated is out of date: run rowsmith generate and commit the files it writes`,
    );
    expect(checked.output).not.toMatch(/\d+ of \d+ files/);
    expect(generate().status).toBe(0);
    expect(readFileSync(list, 'utf8')).toBe(whole);
    expect(generate('--check').status).toBe(0);
  });

  test('some generators only, into another folder', () => {
    const { output: json } = generate('--out', 'other', '--json');
    const { files, changes } = JSON.parse(json) as {
      files: number;
      changes: { path: string; change: string }[];
    };
    expect(changes).toHaveLength(files + 1);
    expect(new Set(changes.map(({ change }) => change))).toEqual(new Set(['new']));
    expect(generate('nothing').status).toBe(2);
    expect(generate('--out', '').status).toBe(2);
  });
});
