/** Reads the global options, runs the command and reports its errors. */
import { suggestionText } from '../base/index.js';
import { constants } from 'node:os';
import { isRowsmithError } from '../errors.js';
import { exit, StoppedError, UsageError } from './command.js';
import { commands, type CommandEntry } from './commands.js';
import { type Input, type Output, Terminal } from './terminal/terminal.js';
import { version } from './version.js';

/** Streams and environment of the process; tests pass their own. */
export interface ProcessContext {
  readonly out: Output;
  readonly err: Output;
  /** Default: the standard input of the process. */
  readonly input?: Input;
  readonly env: NodeJS.ProcessEnv;
  /** The working folder; absolute. */
  readonly folder: string;
}

interface GlobalOptions {
  readonly json: boolean;
  readonly colours: boolean;
  readonly help: boolean;
  readonly version: boolean;
  readonly config: string | undefined;
  /** The command; undefined for `rowsmith` and `rowsmith help`. */
  readonly name: string | undefined;
  /** The command's own arguments. */
  readonly rest: readonly string[];
}

const globalHelp = `Options of every command:
  --config FILE      Config of the project. Default: the nearest rowsmith.config.ts (or .mts, .js,
                     .mjs, .cjs) in this folder or the folders above
  --json             Machine-readable: standard output holds only JSON, errors included
  --no-color         Plain text. Also the default if NO_COLOR is set or output is not a terminal
  --help, -h         Help for a command, like \`rowsmith help COMMAND\`
  --version, -v      The version of rowsmith

Exit codes: 0 done, 1 failed, 2 usage error, 3 a difference was found, 4 partly done.`;

function help(): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length));
  const list = [...commands].map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ['Usage: rowsmith COMMAND [options]', '', ...list, '', globalHelp].join('\n');
}

/** Runs the command line; resolves to the exit code. Never rejects. */
export async function run(args: readonly string[], context: ProcessContext): Promise<number> {
  const { out, err, input, env, folder } = context;
  let terminal = new Terminal({
    out,
    err,
    input,
    env,
    json: args.includes('--json'),
    colours: true,
  });
  let name: string | undefined;
  try {
    const options = readGlobalOptions(args);
    const { json, colours, config, rest } = options;
    terminal = new Terminal({ out, err, input, env, json, colours });
    if (options.version) return print(terminal, { version: version() }, `rowsmith ${version()}`);
    if (options.name === undefined) {
      if (!options.help) throw new UsageError(`no command was given\n${help()}`);
      return print(terminal, { help: help() }, help());
    }
    const entry = findCommand(options.name);
    name = options.name;
    const command = await entry.load();
    if (options.help) return print(terminal, { help: command.help }, command.help);
    return await command.run(rest, { terminal, folder, config });
  } catch (error) {
    return reportError(terminal, error, name, args);
  }
}

/** Prints the error; returns its exit code. */
function reportError(
  terminal: Terminal,
  error: unknown,
  name: string | undefined,
  args: readonly string[],
): number {
  if (error instanceof StoppedError) {
    terminal.printError(error.message);
    return 128 + constants.signals[error.signal];
  }
  if (error instanceof UsageError) {
    const hint = name === undefined ? '' : `\nrowsmith ${name} --help lists its options.`;
    terminal.printError(`${error.message}${hint}`);
    return exit.usage;
  }
  terminal.printError(error);
  return isWrongUrlOption(error, args) ? exit.usage : exit.failed;
}

/** A wrong url of `--url` is a usage error; one in the config is a fault of the config. */
function isWrongUrlOption(error: unknown, args: readonly string[]): boolean {
  return (
    isRowsmithError(error) &&
    error.code === 'INVALID_ARGUMENT' &&
    error.details.property === 'url' &&
    args.some((arg) => arg === '--url' || arg.startsWith('--url='))
  );
}

function findCommand(name: string): CommandEntry {
  const entry = commands.get(name);
  if (entry !== undefined) return entry;
  const hint = suggestionText(name, [...commands.keys()], 'the commands are');
  throw new UsageError(
    `there is no command '${name}'; ${hint}\nrowsmith --help describes each command.`,
  );
}

function print(terminal: Terminal, json: Readonly<Record<string, string>>, text: string): number {
  terminal.printJson(json);
  terminal.print(text);
  return exit.ok;
}

/** Separates the global options, anywhere before `--`, from the arguments of the command. */
function readGlobalOptions(args: readonly string[]): GlobalOptions {
  const rest: string[] = [];
  const options = { json: false, colours: true, help: false, version: false };
  let config: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--') {
      rest.push(...args.slice(i));
      break;
    } else if (arg === '--json') options.json = true;
    else if (arg === '--no-color' || arg === '--no-colour') options.colours = false;
    else if (arg === '--help' || arg === '-h') options.help = true;
    else if (arg === '--version' || arg === '-v') options.version = true;
    else if (arg === '--config') {
      config = args[++i] ?? '';
      if (config.startsWith('-')) config = '';
    } else if (arg.startsWith('--config=')) config = arg.slice('--config='.length);
    else rest.push(arg);
    if (config === '') throw new UsageError('--config needs a file');
  }
  // `help` names the command whose help is wanted: `rowsmith help export`.
  // `help` itself has no more to say: `rowsmith help help` is `rowsmith help`.
  const at = rest.findIndex((word) => word !== 'help');
  const [name, ...more] = at === -1 ? [] : rest.slice(at);
  return { ...options, help: options.help || rest[0] === 'help', config, name, rest: more };
}
