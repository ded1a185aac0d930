/** What all commands share: help, global options, exit codes, colours, JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../src/cli/terminal/error-text.js';
import { exit } from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands.js';
import { RowsmithError } from '../../src/base/index.js';
import { root } from '../support/built-package.js';
import { command } from '../support/command.js';
import { expectGolden } from '../support/golden.js';
import { buildLinkedPackage } from '../support/linked-package.js';

/** Without files, whatever other programs leave in the folder of temporary files. */
const empty = mkdtempSync(join(tmpdir(), 'rowsmith-cli-'));
afterAll(() => rmSync(empty, { recursive: true }));

const run = (...args: string[]) => command(empty, args);

const head = `# Commands

\`rowsmith help COMMAND\` explains the options, with examples, exit codes and the JSON of \`--json\`; [the
guide](guide/cli.md) says what each command does. \`UPDATE_GOLDEN=1 npx jest test/cli/run\` writes this
page.
`;

const block = (text: string): string => `\`\`\`text\n${text}\`\`\`\n`;

/** The options in the help of a command, each with its name and its value. */
const optionsOf = (help: string): readonly (readonly [name: string, value: string])[] =>
  [...help.matchAll(/^ {2}(--[\w-]+)(?: ([A-Z]\S*))?(?: .*)?\n(?: {4,}.*\n)*/gm)].map(
    ([, name, value]) => [name, value ?? ''],
  );

/** Lines of at most 100 characters, of which all but the first begin with spaces. */
function wrapped(first: string, words: readonly string[]): string {
  const lines = [first];
  for (const word of words) {
    const line = `${lines.at(-1)!} ${word}`;
    if (line.length <= 100) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The page: how each command is called, and what the options of all commands mean. */
function page(main: string, helps: ReadonlyMap<string, string>): string {
  const general = /^Options of every command:\n(?: .*\n)*/m.exec(main)![0];
  const entry = (help: string): string => {
    const usage = /^Usage: (.*)$/m.exec(help)![1];
    const unnamed = optionsOf(help)
      .filter(([name]) => !usage.includes(name))
      .map(([name, value]) => `${name} ${value}`.trim());
    return unnamed.length === 0 ? `${usage}\n` : `${usage}\n${wrapped(' ', unnamed)}`;
  };
  return `${head}\n${block([...helps.values()].map(entry).join(''))}\n${block(general)}`;
}

test('the help of rowsmith and of each command', async () => {
  const helps = new Map<string, string>();
  for (const name of commands.keys()) {
    const { status, out, err } = await run(name, '--help');
    expect([status, err]).toEqual([exit.ok, '']);
    // The first lines show how the command is called and what it does.
    expect(out).toMatch(new RegExp(`^Usage: rowsmith ${name}\\b.*\\n\\n[A-Z]`));
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
    helps.set(name, out);
  }
  const { out: main } = await run('--help');
  expectGolden('help.txt', [main, ...helps.values()].join('\n'));
  expectGolden('../../docs/commands.md', page(main, helps));
});

test('every way to ask for help; no command at all is a usage error', async () => {
  const { out } = await run('--help');
  for (const args of [['-h'], ['help'], ['help', 'help'], ['--help', '--no-color']])
    expect(await run(...args)).toEqual({ status: 0, out, err: '' });
  const { status, out: nothing, err } = await run();
  expect({ status, nothing }).toEqual({ status: 2, nothing: '' });
  expect(err).toContain(out);
});

test('help COMMAND is COMMAND --help', async () => {
  for (const name of commands.keys())
    expect(await run('help', name)).toEqual(await run(name, '--help'));
  expect(await run('help', 'exprot')).toMatchObject({
    status: 2,
    out: '',
    err: expect.stringContaining("there is no command 'exprot'; did you mean 'export'?"),
  });
});

test('the guide lists every command and every exit code, in order', () => {
  const guide = readFileSync(join(root, 'docs/guide/cli.md'), 'utf8');
  const rows = (head: string): string[][] => {
    const lines = guide.slice(guide.indexOf(head)).split('\n');
    return lines.slice(2, lines.indexOf('')).map((line) =>
      line
        .replaceAll(/`|\[|\]\([^)]*\)/g, '')
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  };
  const summaries = [...commands].map(([name, { summary }]) => [name, summary]);
  expect(rows('| Command |')).toEqual(summaries);
  expect(rows('| Code |').map(([code]) => code)).toEqual(Object.values(exit).map(String));
});

test('it prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  for (const option of ['--version', '-v'])
    expect(await run(option)).toEqual({ status: 0, out: `rowsmith ${version}\n`, err: '' });
});

test('usage errors go to standard error, with --json to standard output', async () => {
  expect(await run('doctr')).toMatchObject({
    status: 2,
    out: '',
    err: expect.stringContaining("there is no command 'doctr'; did you mean 'doctor'?"),
  });
  expect(await run('describe', '--jsom')).toMatchObject({
    status: 2,
    out: '',
    err: expect.stringMatching(
      /there is no option '--jsom'; did you mean '--json'\?\nrowsmith describe --help lists its options/,
    ),
  });
  expect(await run('--config')).toMatchObject({
    status: 2,
    err: expect.stringContaining('--config needs a file'),
  });
  expect(await run('describe', '--config', '--json')).toMatchObject({ status: 2 });
  expect(await run('generate', 'prto')).toMatchObject({
    status: 2,
    err: expect.stringContaining("there is no generator 'prto'"),
  });
  const { status, out, err } = await run('describe', '--jsom', '--json');
  expect([status, err]).toEqual([2, '']);
  expect(JSON.parse(out)).toMatchObject({
    error: { message: expect.stringContaining("there is no option '--jsom'") },
  });
});

test('an error is exit code 1, without a stack; with --json the error is data', async () => {
  const result = await run('describe', '--config', 'nowhere.ts');
  expect(result).toMatchObject({ status: 1, out: '' });
  expect(result.err).toMatch(
    /^rowsmith: .*nowhere\.ts: The project configuration cannot be loaded or is invalid\.\n {2}there is no file 'nowhere\.ts' in .*\n/,
  );
  const { status, out, err } = await run('--json', 'describe', '--config=nowhere.ts');
  expect([status, err]).toEqual([1, '']);
  expect(JSON.parse(out)).toMatchObject({
    error: {
      name: 'RowsmithError',
      code: 'INVALID_CONFIG',
      details: { file: expect.stringMatching(/nowhere\.ts$/) },
    },
  });
});

test('a config that is missing or a folder is reported with its path', async () => {
  const missing = join(empty, 'nowhere', 'rowsmith.config.ts');
  for (const [name, problem] of [
    ['nowhere.ts', `there is no file 'nowhere.ts' in ${empty}`],
    [missing, `there is no file '${missing}'\n`],
    ['.', `'.' in ${empty} is a folder, not a file`],
  ])
    expect(await run('describe', '--config', name)).toMatchObject({
      status: 1,
      err: expect.stringContaining(problem),
    });
});

test('only terminals have colours, unless --no-color or NO_COLOR is given', async () => {
  const coloured = async (args: readonly string[], env: NodeJS.ProcessEnv, isTTY: boolean) =>
    (await command(empty, args, { isTTY, env })).err.includes('\x1b[');
  expect(await coloured(['serf'], {}, true)).toBe(true);
  expect(await coloured(['serf'], {}, false)).toBe(false);
  expect(await coloured(['serf'], { NO_COLOR: '1' }, true)).toBe(false);
  expect(await coloured(['serf', '--no-color'], {}, true)).toBe(false);
});

test('errors as text', () => {
  const faults = [
    { entity: 'Reading', property: 'at', file: 'a.ts:3', problem: 'no kind', fix: 'name one' },
    { entity: 'Other', problem: 'no key', fix: 'add one' },
  ];
  expect(errorText(new RowsmithError('INVALID_DECLARATION', { faults }))).toBe(
    [
      'The entity or message declarations are invalid.',
      '  a.ts:3: Reading.at: no kind',
      '    name one',
      '  Other: no key',
      '    add one',
    ].join('\n'),
  );
  expect(
    errorText(
      new RowsmithError('INVALID_VALUE', {
        entity: 'Reading',
        property: 'at',
        problem: 'two\nlines',
      }),
    ),
  ).toBe('Reading.at: A value cannot be stored in its column.\n  two\n  lines');
  expect(errorText(new Error('odd'))).toMatch(/^Error: odd\n\s+at /);
  expect(errorText('text')).toBe('text');
});

test('who reads only the beginning of the output breaks nothing', async () => {
  const linked = buildLinkedPackage();
  try {
    const child = spawn(process.execPath, [join(linked, 'dist/esm/src/cli/main.js'), '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (part: Buffer) => {
      err += part.toString();
    });
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, err }).toEqual({ code: 0, err: '' });
  } finally {
    rmSync(linked, { recursive: true, force: true });
  }
});
