/** Runs the command that the command line names, and reports its errors. */
import { constants } from 'node:os';
import { isRowsmithError } from '../base/index.js';
import { exit, StoppedError, UsageError } from './command.js';
import { type Input, Terminal } from './terminal/terminal.js';
import { version } from './version.js';
import type { Output } from './terminal/output.js';

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

/** The words of a line that only prints the version. */
const versionWords = ['--version', '-v'];
const outputWords = ['--json', '--no-color', '--no-colour'];

/** Runs the command line; resolves to the exit code. Never rejects. */
export async function run(args: readonly string[], context: ProcessContext): Promise<number> {
  const { out, err, input, env, folder } = context;
  // Read before the line is parsed: errors of the parser depend on them.
  const words = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const json = words.includes('--json');
  const colours = !words.includes('--no-color') && !words.includes('--no-colour');
  const terminal = new Terminal({ out, err, input, env, json, colours });
  const print = (key: string, value: string, text: string): void => {
    terminal.printJson({ [key]: value });
    terminal.print(text);
  };
  let name: string | undefined;
  try {
    if (onlyVersion(args)) {
      print('version', version(), `rowsmith ${version()}`);
      return exit.ok;
    }
    // Imported here: it takes some 10 ms, which the version does not need.
    const { runProgram } = await import('./parsing/program.js');
    return await runProgram(args, {
      context: { terminal, folder },
      width: out.columns,
      print,
      onCommand(started) {
        name = started;
      },
    });
  } catch (error) {
    return reportError(terminal, error, name, args);
  }
}

function onlyVersion(args: readonly string[]): boolean {
  const words = args.filter((word) => !outputWords.includes(word));
  return words.length > 0 && words.every((word) => versionWords.includes(word));
}

/** Prints the error; returns its exit code. */
function reportError(
  terminal: Terminal,
  error: unknown,
  name: string | undefined,
  args: readonly string[],
): number {
  if (error instanceof StoppedError) {
    terminal.printError(error.message, { code: 'STOPPED' });
    return 128 + constants.signals[error.signal];
  }
  if (error instanceof UsageError) {
    const hint = name === undefined ? '' : `\nrowsmith ${name} --help lists its options.`;
    if (terminal.json) terminal.printError(error.message, usageJson(error, name));
    else terminal.printError(`${error.message}${hint}`);
    return exit.usage;
  }
  terminal.printError(error, {}, programs.has(name) ? 'api' : 'shell');
  return isWrongUrlOption(error, args) ? exit.usage : exit.failed;
}

/** What programs get of a usage error besides its message. */
function usageJson({ problem, fix }: UsageError, command: string | undefined): object {
  return { code: 'USAGE', details: { command, problem, fix } };
}

/** Commands that run programs of the user: their errors are about calls of the API. */
const programs: ReadonlySet<string | undefined> = new Set(['seed']);

/** A wrong url of `--url` is a usage error; one in the config is a fault of the config. */
function isWrongUrlOption(error: unknown, args: readonly string[]): boolean {
  return (
    isRowsmithError(error) &&
    error.code === 'INVALID_ARGUMENT' &&
    error.details.property === 'url' &&
    args.some((arg) => arg === '--url' || arg.startsWith('--url='))
  );
}
