/** The command line: global options anywhere, values, suggestions, help at the width of a terminal. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  choice,
  type Command,
  count,
  defineCommand,
  flag,
  list,
  only,
  text,
  withDefault,
} from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands.js';
import { runProgram } from '../../src/cli/parsing/program.js';
import { Terminal } from '../../src/cli/terminal/terminal.js';
import { command } from '../support/command.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-parsing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (...args: string[]) => command(folder, args);

/** Runs a line with a command of this test in place of `describe`. */
async function parsed(declared: Command, args: readonly string[]) {
  const out = { isTTY: false, write: () => true };
  const terminal = new Terminal({ out, err: out, env: {}, json: false, colours: false });
  const entry = commands.get('describe')!;
  const table = commands as Map<string, typeof entry>;
  table.set('describe', { ...entry, load: () => Promise.resolve(declared) });
  try {
    await runProgram(args, {
      context: { terminal, folder },
      width: undefined,
      print: () => undefined,
      onCommand: () => undefined,
    });
  } finally {
    table.set('describe', entry);
  }
}

async function inputOf(...args: string[]): Promise<unknown> {
  let found: unknown;
  const declared = defineCommand({
    usage: '',
    about: 'For this test.',
    arguments: [{ name: 'NAME' }, { name: 'FILE', repeatable: true }],
    options: {
      url: text('URL', 'The url'),
      'max-rejects': text('N', 'A number'),
      prefix: list('SEG=VAL', 'Several'),
      gzip: flag('A flag'),
      'no-verify': flag('A flag whose name begins with no'),
    },
    examples: [],
    json: 'unknown',
    run({ values, positionals }, { config }) {
      found = { ...values, positionals, config };
      return Promise.resolve();
    },
  });
  await parsed(declared, args);
  return found;
}

test('the version is printed without the parser', () => {
  const linked = buildLinkedPackage();
  const project = makeProject(linked, {});
  try {
    rmSync(join(linked, 'node_modules/commander'));
    for (const flags of [['--version'], ['-v', '--no-color']])
      expect(rowsmith(linked, project, flags)).toMatchObject({
        status: 0,
        output: 'rowsmith 0.1.0\n',
      });
    const json = rowsmith(linked, project, ['--json', '--version']);
    expect(JSON.parse(json.output)).toEqual({ version: '0.1.0' });
    expect(rowsmith(linked, project, ['help'])).toMatchObject({ status: 1 });
  } finally {
    for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
  }
});

test('values, lists, flags and arguments, in any order', async () => {
  const none = { gzip: false, prefix: [], noVerify: false, config: undefined };
  expect(await inputOf('describe')).toEqual({ ...none, positionals: [] });
  expect(
    await inputOf(
      'describe',
      'A',
      '--url',
      'x',
      '--gzip',
      'b',
      '--prefix',
      'a=1',
      '-',
      '--prefix=b=2',
    ),
  ).toEqual({
    ...none,
    positionals: ['A', 'b', '-'],
    url: 'x',
    gzip: true,
    prefix: ['a=1', 'b=2'],
  });
  expect(await inputOf('describe', '--no-verify', '--max-rejects=0', '--url=a', '--url=b')).toEqual(
    { ...none, positionals: [], noVerify: true, maxRejects: '0', url: 'b' },
  );
  expect(await inputOf('describe', '--url=')).toMatchObject({ url: '' });
});

test('-- ends the options; what follows are arguments', async () => {
  expect(await inputOf('describe', '--gzip', '--', 'A', '--json', '-x', '--')).toMatchObject({
    positionals: ['A', '--json', '-x', '--'],
    gzip: true,
  });
});

test('a value that begins with a dash is given with =; an option is not taken for one', async () => {
  expect(await inputOf('describe', '--max-rejects=-5', '--prefix=-a=1')).toMatchObject({
    maxRejects: '-5',
    prefix: ['-a=1'],
  });
  await expect(inputOf('describe', '--url', '--gzip')).rejects.toThrow(
    '--url needs a value: --url URL; one that begins with - is given as --url=--gzip',
  );
  await expect(inputOf('describe', '--url')).rejects.toThrow('--url needs a value: --url URL');
  await expect(inputOf('describe', '--gzip=1')).rejects.toThrow("there is no option '--gzip=1'");
});

test('global options may be before and after the command', async () => {
  expect(await inputOf('--config', 'a.ts', 'describe')).toMatchObject({ config: 'a.ts' });
  expect(await inputOf('describe', 'A', '--config=a.ts')).toMatchObject({ config: 'a.ts' });
  const { out: help } = await run('describe', '--help');
  for (const line of [
    ['--help', 'describe'],
    ['-h', 'describe', 'A'],
    ['describe', 'A', '--nope', '-h'],
    ['help', 'describe', '--no-colour'],
  ])
    expect(await run(...line)).toEqual({ status: 0, out: help, err: '' });
  const { out: version } = await run('--version');
  for (const line of [
    ['describe', '--version'],
    ['describe', '--nope', '-v'],
    ['help', '-v'],
  ])
    expect(await run(...line)).toEqual({ status: 0, out: version, err: '' });
});

test('wrong lines are usage errors with the probable name', async () => {
  const err = async (...args: string[]) => {
    const { status, out, err: printed } = await run(...args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    return printed;
  };
  expect(await err('exprot')).toBe(
    "rowsmith: there is no command 'exprot'; did you mean 'export'?\n" +
      'rowsmith --help describes each command.\n',
  );
  expect(await err('EXPORT')).toContain("'EXPORT'; did you mean 'export'?");
  expect(await err('serve', '--PORT', '1')).toContain("'--PORT'; did you mean '--port'?");
  expect(await err('exprot', '--help')).toContain("there is no command 'exprot'");
  expect(await err('zzzzzzzz')).toContain("there is no command 'zzzzzzzz'\nrowsmith --help");
  expect(await err('--nope')).toContain("there is no option '--nope'");
  expect(await err('export', '--limt', '3')).toContain(
    "there is no option '--limt'; did you mean '--limit'?\nrowsmith export --help lists",
  );
  expect(await err('serve', '--tls-ceey', 'a')).toContain(
    "there is no option '--tls-ceey'; did you mean one of '--tls-cert', '--tls-key'?",
  );
  expect(await err('schema', 'plan', 'more')).toContain("too many arguments for 'schema'");
  expect(await err('serve', 'data')).toContain("too many arguments for 'serve'");
});

test('help is as wide as the terminal, at most 100 columns', async () => {
  const lines = [['--help'], ...[...commands.keys()].map((name) => [name, '--help'])];
  for (const columns of [200, 100, 80, 60, 40, 24, 1])
    for (const args of lines) {
      const { out, status } = await command(folder, args, { isTTY: true, columns });
      expect(status).toBe(0);
      // Words are not divided, nor are the terms of lists.
      const tooLong = out
        .split('\n')
        .filter((line) => line.length > Math.min(columns, 100))
        .filter((line) => / /.test(line.trim()) && !/^ {2}\S/.test(line));
      if (columns >= 24) expect(tooLong).toEqual([]);
      expect(out.replace(/\s+/g, ' ')).toContain('Usage: rowsmith');
    }
  const wide = await command(folder, ['import', '--help'], { isTTY: true, columns: 100 });
  const narrow = await command(folder, ['import', '--help'], { isTTY: true, columns: 60 });
  const words = ({ out }: { readonly out: string }) => out.split(/\s+/);
  expect(words(narrow)).toEqual(words(wide));
  expect(narrow.out).not.toBe(wide.out);
});

test('options of some actions only, and values that are read', async () => {
  let found: unknown;
  const declared = defineCommand({
    usage: '(plan | apply)',
    about: 'For this test.',
    actions: ['plan', 'apply'],
    options: {
      id: only(['apply'], text('ID', 'an id')),
      rows: withDefault(count('N', 'Rows', { min: 2, max: 2_000 }), 100),
      form: choice('FORM', 'A form', ['text', 'hex', 'base64']),
    },
    examples: [],
    json: 'unknown',
    run(input) {
      found = input;
      return Promise.resolve();
    },
  });
  const input = async (...args: string[]) => {
    await parsed(declared, ['describe', ...args]);
    return found;
  };
  expect(await input('plan', '--form', 'hex')).toEqual({
    action: 'plan',
    values: { rows: 100, form: 'hex' },
    positionals: [],
  });
  expect(await input('apply', '--id=a', '--rows=2')).toMatchObject({
    action: 'apply',
    values: { rows: 2, id: 'a' },
  });
  await expect(input()).rejects.toThrow(/takes plan or apply$/);
  await expect(input('aply')).rejects.toThrow("takes plan or apply, not 'aply'");
  await expect(input('plan', '--id=a')).rejects.toThrow('--id is an option of apply');
  await expect(input('plan', '--form=utf8')).rejects.toThrow(
    "--form takes text, hex or base64, not 'utf8'",
  );
  for (const rows of ['1', '2001', '2.5', '-2', 'many', ''])
    await expect(input('plan', `--rows=${rows}`)).rejects.toThrow(
      `--rows takes a whole number from 2 to 2,000, not '${rows}'`,
    );
});

test('every option of every command is described once', async () => {
  for (const { load } of commands.values()) {
    const { options = {}, usage } = await load();
    expect(usage).not.toMatch(/\s$/);
    for (const [name, { about }] of Object.entries(options)) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(about).toMatch(/^\S.*\S$/);
    }
  }
});

test('it has the parser of the package: a file named like an option is read after --', async () => {
  writeFileSync(join(folder, '-odd.mjs'), 'export default {}');
  const { status, err } = await run('migrate', '--', '-odd.mjs');
  expect(status).toBe(1);
  expect(err).toContain('there is no rowsmith.config.ts');
});
