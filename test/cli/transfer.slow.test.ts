/** import, export and migrate as processes: errors, signals that stop them, and resuming. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildLinkedPackage,
  makeProject,
  rowsmithProcess,
  writeFiles,
} from '../support/linked-package.js';

let linked = '';
let project = '';
const entity = (
  name: string,
  key: string,
) => `@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
export class ${name} {
  static readonly key = rowKey(${key});
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') temperature?: number;
}
`;
const imports =
  "import { Column, Entity, Segment, literal, maxVersions, rowKey } from 'rowsmith';\n" +
  "import { defineMigration } from 'rowsmith/tools';\n";
beforeAll(() => {
  linked = buildLinkedPackage();
  project = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./reading.ts'], url: 'file:./data' };",
    'package.json': '{ "type": "module" }',
    'reading.ts': `${imports}${entity('Reading', "'device'")}`,
    'moved.ts': `${imports}${entity('Old', "'device'")}${entity('Moved', "literal('r'), 'device'")}export default defineMigration({ from: Old, to: Moved });\n`,
    'rows.jsonl': Array.from(
      { length: 20_000 },
      (_, i) => `{"device":"d${String(i).padStart(5, '0')}","temperature":${i}}`,
    ).join('\n'),
  });
});
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
const run = (...args: string[]) => rowsmithProcess(linked, project, args);
const at = (name: string): string => join(project, name);

/** Runs a command and sends it a signal as soon as a file exists; resolves when it ends. */
async function stopped(
  signal: NodeJS.Signals,
  file: string,
  ...args: string[]
): Promise<{ readonly code: number | null; readonly signal: string | null; readonly err: string }> {
  const child = spawn(process.execPath, [join(linked, 'dist/esm/src/cli/main.js'), ...args], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const timer = setInterval(() => {
    if (!existsSync(file)) return;
    child.kill(signal);
    // Only once: a second signal would end the process immediately.
    clearInterval(timer);
  }, 2);
  const [code, by] = await new Promise<[number | null, string | null]>(
    (resolve) => void child.on('close', (...end) => resolve(end)),
  );
  clearInterval(timer);
  return { code, signal: by, err };
}

test('rows are escaped on a terminal, and not in a pipe or a file', () => {
  const data = at('hostile.jsonl');
  const hostile = 'a\x1b[2Jb\x9b2Jc\u202e';
  writeFileSync(data, `${JSON.stringify({ device: hostile, temperature: 1 })}\n`);
  const url = ['--url', `file:${at('hostile-data')}`];
  expect(run('import', 'Reading', data, ...url)).toMatchObject({ status: 0 });
  const csv = run('export', 'Reading', '--format', 'csv', ...url);
  expect(csv.output).toContain(hostile);
  run('export', 'Reading', at('hostile.csv'), ...url);
  expect(readFileSync(at('hostile.csv'), 'utf8')).toContain(hostile);
  const main = join(linked, 'dist/esm/src/cli/main.js');
  const onTerminal = (...options: string[]): string | undefined => {
    const words = [process.execPath, main, 'export', 'Reading', ...options, ...url];
    const child = spawnSync('script', ['-qec', words.join(' '), '/dev/null'], {
      cwd: project,
      encoding: 'utf8',
    });
    return child.error === undefined ? child.stdout : undefined;
  };
  const shown = onTerminal('--format', 'csv');
  if (shown === undefined) {
    console.log('SKIPPED: script (util-linux), which gives a command a terminal');
    return;
  }
  expect(shown).toContain('a\\x1b[2Jb\\x9b2Jc\\u202e');
  expect(shown).not.toContain('\x1b[2J');
  expect(onTerminal()).toContain('a\\u001b[2Jb\\u009b2Jc\\u202e');
  expect(onTerminal('--gzip')).toContain('name a file');
});

test('usage errors have exit code 2, other errors 1', () => {
  for (const [args, text] of [
    [['export', 'Reading', '-', '--resume'], '--resume needs a file'],
    [['import', 'Reading', '-', '--format', 'csv', '--resume'], '--resume needs a file'],
    [['export', 'Reading', 'rows.txt'], 'the format of rows.txt is unknown'],
    [['export', 'Redding', 'a.csv'], "did you mean 'Reading'?"],
    [['export', 'Reading', '--json'], 'exclude each other'],
    [['export', 'Reading', 'a.csv', '--resum'], "did you mean '--resume'?"],
    [['migrate', 'moved.ts', '--replace-counter'], "did you mean '--replace-counters'?"],
    [['migrate'], 'name one file'],
    [['import', 'Reading', 'rows.csv', '--delimiter', ';;'], '--delimiter takes one character'],
    [['import', 'Reading', 'rows.csv', '--map', 'device'], '--map takes NAME=PROPERTY'],
    [['import', 'Reading', 'rows.csv', '--max-record', '0'], '--max-record takes a whole number'],
    [['migrate', 'moved.ts', '--rate', '0'], '--rate takes a whole number above 0'],
  ] as const)
    expect({ args, ...run(...args) }).toMatchObject({
      status: 2,
      output: expect.stringContaining(text),
    });
  for (const [args, text] of [
    [['export', 'Reading', 'a.csv'], 'there is no such directory'],
    [['import', 'Reading', 'nothing.csv'], `there is no file 'nothing.csv' in ${project}`],
    [['import', 'Reading', at('nothing.csv')], `there is no file '${at('nothing.csv')}'\n`],
    [['import', 'Reading', 'node_modules', '--format', 'csv'], 'is a folder, not a file'],
    [
      ['import', 'Reading', 'rows.jsonl', '--rejects', 'none/bad.jsonl'],
      `there is no folder 'none' in ${project}`,
    ],
    [['export', 'Reading', 'none/a.csv'], `there is no folder 'none' in ${project}`],
    [['migrate', 'nothing.ts'], `there is no file 'nothing.ts' in ${project}`],
    [
      ['migrate', 'moved.ts', '--state', 'none/state.json'],
      `there is no folder 'none' in ${project}`,
    ],
  ] as const)
    expect({ args, ...run(...args) }).toMatchObject({
      status: 1,
      output: expect.stringContaining(text),
    });
});

test('without an entity, import and export list the entities and show how to name one', () => {
  for (const [args, usage] of [
    [
      ['import', 'in.csv'],
      "'in.csv' is not an entity, which comes first: rowsmith import ENTITY [FILE]",
    ],
    [['import'], 'no entity was named: rowsmith import ENTITY [FILE]'],
    [['export', './out.csv.gz'], 'rowsmith export ENTITY [FILE]'],
    [['export', '--resume'], 'no entity was named: rowsmith export ENTITY [FILE]'],
  ] as const) {
    const { status, output } = run(...args);
    expect({ args, status }).toEqual({ args, status: 2 });
    expect(output).toContain(usage);
    expect(output).toContain('the entities are Reading');
  }
  expect(existsSync(at('data'))).toBe(false);
});

test('an import, an export and a migration are stopped by a signal and resumed', async () => {
  // A signal may come after the work is done; the result is the same.
  const importing = await stopped(
    'SIGINT',
    at('rows.jsonl.rowsmith-import.json'),
    'import',
    'Reading',
    'rows.jsonl',
  );
  if (importing.code === 130)
    expect(importing.err).toMatch(
      /--resume continues the import\.[\s\S]*rowsmith: stopped by SIGINT/,
    );
  expect(run('import', 'Reading', 'rows.jsonl', '--resume', '--json')).toMatchObject({
    status: 0,
    output: expect.stringContaining('"written":20000'),
  });

  const exporting = await stopped(
    'SIGTERM',
    at('out.csv.rowsmith-export.json'),
    'export',
    'Reading',
    'out.csv',
  );
  if (exporting.code === 143) {
    expect(exporting.err).toContain('rowsmith: stopped by SIGTERM');
    expect(existsSync(at('out.csv'))).toBe(false);
  }
  const resumed = run('export', 'Reading', 'out.csv', '--resume', '--json');
  expect(resumed.status).toBe(0);
  expect(JSON.parse(resumed.output)).toMatchObject({
    entity: 'Reading',
    rows: 20_000,
    undeclaredCells: 0,
    resumedAfter: expect.any(Number),
  });
  expect(run('export', 'Reading', 'whole.csv').status).toBe(0);
  expect(readFileSync(at('out.csv')).equals(readFileSync(at('whole.csv')))).toBe(true);

  const dry = run('migrate', 'moved.ts', '--dry-run');
  expect(dry).toMatchObject({
    status: 0,
    output: expect.stringMatching(
      / {2}d00000 -> r#d00000\n[\s\S]*20,000 rows would be moved; nothing was written\.\n {2}count +20,000 rows in /,
    ),
  });
  expect(existsSync(at('moved.ts.state.json'))).toBe(false);
  const migrating = await stopped('SIGINT', at('moved.ts.state.json'), 'migrate', 'moved.ts');
  if (migrating.code === 130)
    expect(migrating.err).toMatch(
      /the same command continues the migration\.[\s\S]*stopped by SIGINT/,
    );
  const moved = run('migrate', 'moved.ts', '--delete-old');
  expect(moved).toMatchObject({
    status: 0,
    output: expect.stringMatching(
      /20,000 of 20,000 rows copied, 0 left out, 20,000 compared, 20,000 old rows deleted\.\n[\s\S]* {2}verify [\s\S]* {2}delete /,
    ),
  });
  for (const { code, signal } of [importing, exporting, migrating])
    expect([0, 130, 143, 'SIGINT', 'SIGTERM']).toContain(code ?? signal);
});

test('a truncated file, a wrong state file, and no colours in a pipe', () => {
  writeFiles(project, { 'few.csv': 'device,temperature\na,1\nb,x\n' });
  const bad = rowsmithProcess(linked, project, ['import', 'Reading', 'few.csv'], {
    FORCE_COLOR: '1',
    NO_COLOR: '1',
  });
  expect(bad).toMatchObject({
    status: 4,
    output: expect.stringMatching(
      /1 bad line written to few\.csv\.rejects\.jsonl:\n {2}1 x temperature: expected a number/,
    ),
  });
  expect(bad.output).not.toContain('\x1b[');
  expect(run('export', 'Reading', 'all.jsonl.gz').status).toBe(0);
  writeFileSync(at('cut.jsonl.gz'), readFileSync(at('all.jsonl.gz')).subarray(0, 40));
  expect(run('import', 'Reading', 'cut.jsonl.gz')).toMatchObject({
    status: 1,
    output: expect.stringMatching(/truncated/),
  });
  writeFileSync(at('odd.csv.rowsmith-export.json'), '{}');
  expect(run('export', 'Reading', 'odd.csv', '--resume')).toMatchObject({
    status: 1,
    output: expect.stringMatching(
      /not the state of an export[\s\S]*export from the start, without resume/,
    ),
  });
  expect(run('export', 'Reading', 'odd.csv').status).toBe(0);
  expect(existsSync(at('odd.csv.rowsmith-export.json'))).toBe(false);
});

test('CSV of other programs, and a dry run that finds rows moved over each other', () => {
  writeFiles(project, {
    'other.csv': 'Device ID\tt=°C\nA\t 1.5\na\t2\n',
    'lower.ts': `${imports}${entity('Old', "'device'")}${entity('Lower', "literal('l'), 'device'").replace('maxLength: 40', 'lower: true')}export default defineMigration({ from: Old, to: Lower });\n`,
  });
  const options = ['--delimiter', 'tab', '--map', 'Device ID=device', '--map', 't=°C=temperature'];
  const url = ['--url', 'file:./other'];
  expect(run('import', 'Reading', 'other.csv', ...options, ...url)).toMatchObject({ status: 0 });
  expect(run('import', 'Reading', 'other.csv', ...options, ...url, '--zone', 'CET')).toMatchObject({
    status: 1,
    output: expect.stringContaining('the zone is "CET"'),
  });
  expect(
    run('export', 'Reading', 'out.txt', '--format', 'csv', '--delimiter', ';', ...url).status,
  ).toBe(0);
  expect(readFileSync(at('out.txt'), 'utf8')).toMatch(/^device;temperature;/);
  expect(run('migrate', 'lower.ts', '--dry-run', ...url)).toMatchObject({
    status: 1,
    output: expect.stringMatching(/2 old rows would be moved over each other:\n {2}A, a -> l#a\n/),
  });
  expect(run('migrate', 'lower.ts', ...url)).toMatchObject({
    status: 1,
    output: expect.stringMatching(
      /A and a all become l#a[\s\S]*map each old key to a different new key/,
    ),
  });
});
