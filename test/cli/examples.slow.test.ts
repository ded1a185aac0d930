/**
 * The examples of commands run, end with an exit code that the command declares, and print JSON of
 * exactly the declared shape. Examples of live instances and other servers are only parsed.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { type Command, exit } from '../../src/cli/command.js';
import { type CommandEntry, commands } from '../../src/cli/commands.js';
import { runProgram } from '../../src/cli/parsing/program.js';
import { Terminal } from '../../src/cli/terminal/terminal.js';
import { root } from '../support/built-package.js';
import { buildExampleProject } from './example-project.js';

let project: Awaited<ReturnType<typeof buildExampleProject>>;
const loaded = new Map<string, Command>();
beforeAll(async () => {
  project = await buildExampleProject();
  for (const [name, { load }] of commands) loaded.set(name, await load());
});
afterAll(() => project.close());

const nameOf = (line: string): string => line.split(' ')[0];
/** Words as a shell reads them: quotes are removed. */
const wordsOf = (line: string): string[] =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));

/** The lines of all commands; names only, so that Jest can list them before they are loaded. */
const names = [...commands.keys()];

/** Runs an example in a fresh project; `serve` and `studio` until they are asked to stop. */
async function run(line: string, ...more: string[]) {
  const words = [...wordsOf(line), ...more];
  // Short, and on a port that is free; of options given twice the last one counts.
  if (words[0] === 'load') words.push('--duration=300ms', '--warm-up=0s');
  if (words[0] === 'simulate') words.push('--sample=2000', '--minutes=2');
  if (words[0] === 'restore' || line.includes('file:./copy')) return runOnBackup(words);
  if (words[0] !== 'serve' && words[0] !== 'studio') return project.run(project.copy(), words);
  const running = project.run(project.copy(), [...words, '--port=0']);
  const timer = setInterval(() => process.emit('SIGTERM'), 200);
  return running.finally(() => clearInterval(timer));
}

/** Runs an example that needs a backup of a database that is not there any more. */
async function runOnBackup(words: readonly string[]) {
  const folder = project.copy();
  await project.run(folder, ['backup', './copy']);
  rmSync(join(folder, 'data'), { recursive: true });
  return project.run(folder, words);
}

/** Parses a line without running its command. */
async function parse(name: string, line: string): Promise<void> {
  const out = { write: () => true };
  const terminal = new Terminal({ out, err: out, env: {}, json: false, colours: false });
  const table = commands as Map<string, CommandEntry>;
  const entry = table.get(name)!;
  const run = () => Promise.resolve();
  table.set(name, { ...entry, load: () => Promise.resolve({ ...loaded.get(name)!, run }) });
  try {
    const context = { terminal, folder: '/' };
    const nothing = () => undefined;
    await runProgram(wordsOf(line), { context, width: 80, print: nothing, onCommand: nothing });
  } finally {
    table.set(name, entry);
  }
}

interface Printed {
  readonly line: string;
  readonly shape: string;
  readonly document: string;
}
const printed: Printed[] = [];

/** The shape that a line leads to: by its action or option. */
function shapeOf({ json }: Command, line: string): string {
  if (typeof json === 'string') return json;
  const words = wordsOf(line).slice(1);
  const by = Object.keys(json).find((each) => words.includes(each));
  if (by !== undefined) return json[by];
  return (words.length > 0 ? json.ENTITY : undefined) ?? json[''];
}

describe.each(names)('%s', (name) => {
  test('its examples', async () => {
    const command = loaded.get(name)!;
    expect(command.examples.length).toBeGreaterThan(1);
    const { different, partial } = command.exits ?? {};
    const codes: number[] = [exit.ok];
    if (different !== undefined) codes.push(exit.different);
    if (partial !== undefined) codes.push(exit.partial);
    for (const [line] of command.examples) {
      expect(nameOf(line)).toBe(name);
      if (line.includes('bigtable://') || name === 'health') {
        await parse(name, line);
        continue;
      }
      const result = await run(line);
      expect(codes.includes(result.status) ? '' : { line, ...result }).toBe('');
      if (name === 'export' && !/\.(jsonl|csv)/.test(line)) continue;
      const json = await run(line, '--json');
      expect({ line, status: json.status }).toEqual({ line, status: result.status });
      const lines = json.out.trimEnd().split('\n');
      expect(command.rows === true || lines.length === 1 ? '' : lines).toBe('');
      for (const document of new Set(lines))
        printed.push({ line, shape: shapeOf(command, line), document });
    }
  });
});

/** Values of a type as JSON has them. */
const prelude = `
type Text = Date | bigint | Uint8Array;
type Json<T> = T extends Text ? string
  : T extends readonly unknown[] ? { [K in keyof T]: Json<T[K]> }
  : T extends (...args: never[]) => unknown ? never
  : T extends object ? Plain<{ [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K] }>
  : T;
type Plain<T> = { [K in keyof T as undefined extends T[K] ? never : K]: Json<T[K]> }
  & { [K in keyof T as undefined extends T[K] ? K : never]?: Json<T[K]> };
`;

/** Modules with the types that shapes name. */
const modules = ['index', 'tools/index', 'types', 'tools/simulate/index'];

test('the JSON has exactly the declared shape', () => {
  const file = join(root, 'test/cli/shapes.ts');
  const declarations = printed.map(
    ({ shape, document }, i) =>
      `const _${i}: Json<${shape.replaceAll(/\s+/g, ' ')}> = ${document};`,
  );
  const imports = modules.map((name, i) => `import type * as m${i} from '../../src/${name}.js';`);
  const named = new Set(printed.flatMap(({ shape }) => shape.match(/\b[A-Z][A-Za-z]+\b/g) ?? []));
  const types = [...named].filter((name) => !['Omit', 'Record', 'ENTITY'].includes(name));
  const aliases = types.map((name) => `type ${name} = ${aliasOf(name)};`);
  const text = [...imports, prelude, ...aliases, ...declarations].join('\n');
  const problems = compile(file, text);
  const at = (line: number) => printed[line - text.split('\n').length + printed.length];
  expect(problems.map(({ line, message }) => `${at(line)?.line}: ${message}`)).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

/** The entry point that exports a type; public ones first. */
function aliasOf(name: string): string {
  const at = modules.findIndex((module) =>
    new RegExp(`\\b${name}\\b`).test(ts.sys.readFile(join(root, `src/${module}.ts`))!),
  );
  return `m${at < 0 ? modules.length - 1 : at}.${name}`;
}

interface Problem {
  readonly line: number;
  readonly message: string;
}

/** The faults of a file that is not on disk. */
function compile(file: string, text: string): readonly Problem[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const unused = { noUnusedLocals: false, noUnusedParameters: false, types: [] };
  const host = ts.createCompilerHost({ ...options, ...unused });
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    basename(name) === basename(file)
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)
      : read(name, ...rest);
  const program = ts.createProgram([file], { ...options, ...unused }, host);
  const source = program.getSourceFile(file);
  return program.getSemanticDiagnostics(source).map(({ start, messageText }) => ({
    line: source!.getLineAndCharacterOfPosition(start!).line,
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
}
