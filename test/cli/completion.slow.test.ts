/** Completion: by the real bash, zsh and fish on a terminal, and its answers by the real binary. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { exit } from '../../src/cli/command.js';
import { shellLine } from '../../src/cli/completion/shell-words.js';
import { command } from '../support/command.js';
import { buildLinkedPackage, makeProject } from '../support/linked-package.js';
import { isInstalled, ShellSession } from '../support/shell-session.js';

/** The config of the project adds a byte each time it is loaded. */
const loads = join(mkdtempSync(join(tmpdir(), 'rowsmith-loads-')), 'loads');
const timesLoaded = (): number => readFileSync(loads).length;
beforeAll(() => writeFileSync(loads, ''));
afterAll(() => rmSync(dirname(loads), { recursive: true }));

/** Without files, whatever other programs leave in the folder of temporary files. */
const empty = mkdtempSync(join(tmpdir(), 'rowsmith-cli-'));
afterAll(() => rmSync(empty, { recursive: true }));

const entities = `
  import { Column, Entity, Segment, accessPatterns, indexOn, indexes, maxVersions, rowKey } from 'rowsmith';
  @Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
  export class Reading {
    static readonly key = rowKey('device', 'at');
    static readonly patterns = accessPatterns({ latest: { prefix: ['device'], limit: 1 } });
    @Segment('string', { maxLength: 40 }) device!: string;
    @Segment('timestamp') at!: Date;
    @Column('m', 'double') temperature?: number;
  }
  @Entity({ table: 'alerts', families: { a: {} } })
  export class Alert {
    static readonly key = rowKey('zone');
    static readonly indexes = indexes({ byText: indexOn('text') });
    @Segment('string', { maxLength: 9 }) zone!: string;
    @Column('a', 'string') text?: string;
    @Column('a', 'string') größe?: string;
  }`;

let linked = '';
let project = '';
let env: NodeJS.ProcessEnv = {};
beforeAll(() => {
  linked = buildLinkedPackage();
  project = makeProject(linked, {
    'package.json': '{ "type": "module" }',
    'src/entities.ts': entities,
    'rowsmith.config.ts': `import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(loads)}, '.');
      console.log('printed by the config'); export default { entities: ['src/*.ts'] };`,
    'data file.jsonl': '',
    'bin/rowsmith': `#!/bin/sh\nexec ${process.execPath} ${join(linked, 'dist/esm/src/cli/main.js')} "$@"\n`,
  });
  chmodSync(join(project, 'bin/rowsmith'), 0o755);
  env = {
    PATH: [join(project, 'bin'), process.env.PATH].join(delimiter),
    HOME: project,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
  };
  // Sources that are as old as the file of names would not be trusted.
  const old = new Date(Date.now() - 60_000);
  for (const path of ['src/entities.ts', 'src', 'rowsmith.config.ts', '.'])
    utimesSync(join(project, path), old, old);
});
afterAll(() => {
  for (const folder of [linked, project]) rmSync(folder, { recursive: true, force: true });
});

function answer(shell: string, ...words: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(
    join(project, 'bin/rowsmith'),
    ['__complete', shell, ...words],
    { cwd: project, env, encoding: 'utf8' },
  );
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').slice(0, -1);
}
const words = (shell: string, ...line: readonly string[]) =>
  answer(shell, ...line).map((each) => each.split('\t')[0]);

/** Completes until the names of the sources are known. */
async function warmUp(): Promise<void> {
  for (let attempt = 0; !words('zsh', 'export', '').includes('Alert'); attempt++) {
    if (attempt > 100) throw new Error('the names were never kept');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('answers', () => {
  beforeAll(warmUp);

  test('commands and options, each with its description', () => {
    expect(words('zsh', 'sch')).toEqual(['schema']);
    expect(answer('zsh', 'sch')).toEqual([
      'schema\tCompare stored tables with the declared ones, or update them',
    ]);
    expect(words('zsh', '')).toEqual(expect.arrayContaining(['init', 'export', 'help']));
    expect(words('zsh', '--js')).toEqual(['--json']);
    expect(words('zsh', 'help', 'des')).toEqual(['describe']);
    expect(words('zsh', 'export', 'Reading', '--g')).toEqual(['--gzip', '--guard-formulas']);
    expect(words('zsh', 'export', 'Reading', '--gzip', '--g')).toEqual(['--guard-formulas']);
    expect(words('zsh', 'export', '--where', 'a=1', '--wh')).toEqual(['--where']);
  });

  test('the segments of an index, and names with letters beyond English', () => {
    expect(words('zsh', 'scan', 'Alert', '')).toEqual(['zone=']);
    expect(words('zsh', 'scan', 'Alert', '--index', 'byText', '')).toEqual(['text=', 'zone=']);
    expect(words('zsh', 'get', 'Alert', '--index=byText', 'te')).toEqual(['text=']);
    expect(words('zsh', 'scan', 'Alert', '--index', 'none', '')).toEqual(['zone=']);
    expect(words('zsh', 'patch', 'Alert', 'grö')).toEqual(['größe=']);
  });

  test('values of options and arguments', () => {
    expect(words('zsh', 'schema', '')).toEqual(['plan', 'apply']);
    expect(words('zsh', 'schema', 'plan', '')).toEqual([]);
    expect(words('zsh', 'export', '--format', '')).toEqual(['jsonl', 'csv']);
    expect(words('zsh', 'export', '--format=c')).toEqual(['--format=csv']);
    expect(words('zsh', 'generate', 'proto', 'js')).toEqual(['json-schema']);
    expect(words('zsh', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(words('zsh', 'import', 'Reading', '')).toEqual([':files']);
    expect(words('zsh', 'init', '')).toEqual([':directories']);
    expect(words('zsh', 'export', '--', 'Reading', '--js')).toEqual([':files']);
    expect(words('zsh', 'describe', '--config', '')).toEqual([':files']);
    expect(words('zsh', 'nowhere', '')).toEqual([]);
    expect(words('zsh', 'export', '--limit', '')).toEqual([]);
  });

  test('names of the project: entities, segments, columns, tables', () => {
    expect(words('zsh', 'export', '')).toEqual(['Alert', 'Reading']);
    expect(words('zsh', 'describe', 'Reading', '')).toEqual(['Alert']);
    expect(words('zsh', 'export', 'Reading', '--prefix', '')).toEqual(['device=', 'at=']);
    expect(words('zsh', 'export', '--prefix', '')).toEqual(['zone=', 'device=', 'at=']);
    expect(words('zsh', 'export', 'Alert', '--where', 'z')).toEqual(['zone=']);
    expect(words('zsh', 'pull', '--table', '')).toEqual(['alerts', 'readings']);
    expect(words('zsh', 'scan', 'Alert', '')).toEqual(['zone=']);
    expect(words('zsh', 'put', 'Alert', 'zone=a', 't')).toEqual(['text=']);
    expect(words('zsh', 'lint', 'Reading', '')).toEqual(['Alert']);
  });

  test('several kinds of values in one place, of which the entity is named once', () => {
    expect(words('zsh', 'scan', 'Reading', '')).toEqual(['latest', 'device=', 'at=']);
    expect(words('zsh', 'scan', 'Reading', 'latest', '')).toEqual(['device=', 'at=']);
    expect(words('zsh', 'explain', '')).toEqual(
      expect.arrayContaining(['scan', 'get', 'count', 'ls', 'Alert', 'Reading']),
    );
    expect(words('zsh', 'explain', 'count', 'R')).toEqual(['Reading']);
    expect(words('zsh', 'explain', 'count', 'Alert', '')).toEqual(['zone=']);
    expect(words('zsh', 'keys', '')).toEqual(['encode', 'decode', 'verify']);
    expect(words('zsh', 'keys', 'encode', 'Alert', '')).toEqual(['zone=']);
  });

  test('lists of properties', () => {
    expect(words('zsh', 'scan', 'Alert', '--select', '')).toEqual(['zone', 'größe', 'text']);
    expect(words('zsh', 'scan', 'Alert', '--select', 'zone,t')).toEqual(['zone,text']);
    expect(words('zsh', 'scan', 'Alert', '--select=zone,t')).toEqual(['--select=zone,text']);
    expect(words('bash', 'rowsmith scan Alert --select=zone,t')).toEqual(['zone,text ']);
  });

  test('bash replaces only what follows = in the line', () => {
    expect(words('bash', 'rowsmith export --format=c')).toEqual(['csv ']);
    expect(words('bash', 'rowsmith export Reading --prefix de')).toEqual(['device=']);
    expect(words('bash', 'rowsmith export Reading --prefix=de')).toEqual(['device=']);
    expect(words('bash', 'rowsmith export Reading --prefix=device=p')).toEqual([]);
    expect(words('bash', "rowsmith export 'Rea")).toEqual(['Reading ']);
  });

  test('the names come from the sources: a change is seen, and kept', async () => {
    const file = join(project, 'src/entities.ts');
    writeFileSync(file, `${entities.replaceAll('Alert', 'Alarm')}`);
    const old = new Date(Date.now() - 30_000);
    for (const path of [file, join(project, 'src')]) utimesSync(path, old, old);
    let found: readonly string[] = [];
    for (let attempt = 0; attempt < 50 && !found.includes('Alarm'); attempt++) {
      found = words('zsh', 'export', '');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(found).toEqual(['Alarm', 'Reading']);
    writeFileSync(file, entities);
    const later = new Date(old.getTime() + 5_000);
    for (const path of [file, join(project, 'src')]) utimesSync(path, later, later);
  });

  test('an answer with kept names does not load the project', async () => {
    const loaded: number[] = [];
    // The first answers may load it once more, in another process, which begins later.
    while (loaded.length < 10 && loaded.at(-1) !== 0) {
      const before = timesLoaded();
      words('zsh', 'export', '');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      loaded.push(timesLoaded() - before);
    }
    expect([timesLoaded() > 0, loaded.at(-1)]).toEqual([true, 0]);
  });
});

describe('silence', () => {
  const projects: string[] = [];
  afterAll(() => {
    for (const folder of projects) rmSync(folder, { recursive: true, force: true });
  });
  function answerIn(files: Readonly<Record<string, string>>, ...line: string[]) {
    const folder = makeProject(linked, { 'package.json': '{ "type": "module" }', ...files });
    projects.push(folder);
    const { stdout, stderr, status } = spawnSync(
      join(project, 'bin/rowsmith'),
      ['__complete', 'zsh', ...line],
      // Ended, it has no status.
      { cwd: folder, env, encoding: 'utf8', timeout: 240_000 },
    );
    return { folder, stdout, stderr, status };
  }
  const nothing = { stdout: '', stderr: '', status: 0 };

  test('no config, a broken one, one that never ends: no names, no message', () => {
    expect(answerIn({}, 'export', '')).toMatchObject(nothing);
    expect(answerIn({ 'rowsmith.config.ts': 'export default {' }, 'export', '')).toMatchObject(
      nothing,
    );
    const slow = answerIn(
      // It ends with the folder.
      {
        'rowsmith.config.ts': `import { existsSync } from 'node:fs';
          while (existsSync('package.json')) await new Promise((done) => setTimeout(done, 100));`,
      },
      'export',
      '',
    );
    expect(slow).toMatchObject(nothing);
  });

  test('a config that other users can change is not executed', async () => {
    const marker = join(tmpdir(), `rowsmith-executed-${process.pid}`);
    const config = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, '');
      export default { entities: [] };`;
    const { folder } = answerIn({ 'rowsmith.config.js': config, 'src/a.js': '' }, 'schema', '');
    chmodSync(join(folder, 'rowsmith.config.js'), 0o666);
    const run = () =>
      spawnSync(join(project, 'bin/rowsmith'), ['__complete', 'zsh', 'export', ''], {
        cwd: folder,
        env,
      });
    run();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(existsSync(marker)).toBe(false);
    chmodSync(join(folder, 'rowsmith.config.js'), 0o644);
    for (let attempt = 0; attempt < 50 && !existsSync(marker); attempt++) {
      run();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(existsSync(marker)).toBe(true);
    rmSync(marker, { force: true });
  });

  test('a damaged file of names is as good as none', () => {
    const { folder } = answerIn({}, 'schema', '');
    mkdirSync(join(folder, 'node_modules/.cache/rowsmith'), { recursive: true });
    for (const text of ['{', 'null', '{"changed":{}}', '[]'])
      writeFileSync(join(folder, 'node_modules/.cache/rowsmith/names.json'), text);
    writeFileSync(join(folder, 'rowsmith.config.js'), 'throw new Error()');
    const { stdout, stderr } = spawnSync(
      join(project, 'bin/rowsmith'),
      ['__complete', 'zsh', 'export', ''],
      {
        cwd: folder,
        env,
        encoding: 'utf8',
      },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });
});

test('words of a line of bash', () => {
  expect(shellLine('rowsmith ')).toEqual({ words: ['rowsmith', ''], kept: '' });
  expect(shellLine(`r "a b" c\\ d e'f g'`)).toEqual({
    words: ['r', 'a b', 'c d', 'ef g'],
    kept: '',
  });
  expect(shellLine('r --prefix=device=x')).toMatchObject({ kept: '--prefix=device=' });
  expect(shellLine("r 'device=x")).toEqual({ words: ['r', 'device=x'], kept: '' });
  expect(shellLine('r a\\')).toMatchObject({ words: ['r', 'a'] });
  expect(shellLine('')).toEqual({ words: [''], kept: '' });
});

test('the command prints a script; a wrong shell is a usage error', async () => {
  const run = (...args: string[]) => command(empty, ['completion', ...args]);
  const { status, out } = await run('bash');
  expect(status).toBe(exit.ok);
  expect(out).toContain('complete -o nospace -F _rowsmith rowsmith');
  expect(JSON.parse((await run('fish', '--json')).out)).toMatchObject({ shell: 'fish' });
  expect(await run()).toMatchObject({ status: exit.usage, out: '' });
  expect(await run('fishh')).toMatchObject({
    status: exit.usage,
    err: expect.stringContaining("completion takes bash, zsh or fish, not 'fishh'"),
  });
});

/** How each shell starts without the user's files, loads the script, and shows its prompt. */
const shells = {
  bash: {
    start: 'bash --norc --noprofile -i',
    setUp: "PS1='READY'\"> \"; source <(rowsmith completion bash); bind 'set bell-style none'",
  },
  zsh: {
    start: 'zsh -f -i',
    setUp:
      'PS1=\'READY\'"> "; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source <(rowsmith completion zsh)',
  },
  fish: {
    start: 'fish --no-config -i',
    setUp: 'function fish_prompt; echo -n READY"> "; end; rowsmith completion fish | source',
  },
} as const;

for (const [shell, { start, setUp }] of Object.entries(shells)) {
  const each = isInstalled(shell) && isInstalled('script') ? test : test.skip;
  if (each === test.skip)
    console.warn(`NOT TESTED: completion in ${shell}: ${shell} or script is not installed`);
  each(
    `keys on a terminal: ${shell}`,
    async () => {
      await warmUp();
      const session = new ShellSession(start, project, { ...env, TERM: 'xterm' });
      const result = join(linked, `line-${shell}.txt`);
      /** Types a line with tabs; returns the words that the shell then passes to a command. */
      const wordsAfter = async (line: string, waitMs: number): Promise<readonly string[]> => {
        rmSync(result, { force: true });
        session.type(line);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        // To the start of the line, where another command is put before it.
        session.type(`\x01printf '%s|' \x05 > ${result}; echo DO''NE\r`);
        await session.waitFor('DONE');
        return readFileSync(result, 'utf8').split('|').slice(0, -1);
      };
      /** On a busy machine the answer takes longer: the line is typed again, and more time passes. */
      const typed = async (line: string, expected: readonly string[]): Promise<void> => {
        let found: readonly string[] = [];
        for (const waitMs of [500, 2_000, 6_000]) {
          found = await wordsAfter(line, waitMs);
          if (isDeepStrictEqual(found, expected)) break;
        }
        expect(found).toEqual(expected);
      };
      try {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        session.type(`${setUp}\r`);
        await session.waitFor('READY> ');
        await typed('rowsmith descr\t', ['rowsmith', 'describe']);
        await typed('rowsmith export Rea\t--gz\t', ['rowsmith', 'export', 'Reading', '--gzip']);
        await typed('rowsmith export Reading --prefix dev\tpump-7', [
          'rowsmith',
          'export',
          'Reading',
          '--prefix',
          'device=pump-7',
        ]);
        await typed('rowsmith export Reading --format=cs\t', [
          'rowsmith',
          'export',
          'Reading',
          '--format=csv',
        ]);
        await typed('rowsmith import Reading dat\t', [
          'rowsmith',
          'import',
          'Reading',
          'data file.jsonl',
        ]);
        // Nothing of the line is evaluated while it is completed.
        const before = readdirSync(project);
        await typed("rowsmith export 'a>b' '$(touch evil)' --gz\t", [
          'rowsmith',
          'export',
          'a>b',
          '$(touch evil)',
          '--gzip',
        ]);
        expect(readdirSync(project)).toEqual(before);
      } finally {
        await session.close();
      }
    },
    180_000,
  );
}
