/** What all commands share: exit codes, the context they run in, options and usage errors. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../base/index.js';
import type { Terminal } from './terminal/terminal.js';

/** Exit codes. Scripts rely on them; docs/guide/cli.md lists them. */
export const exit = {
  /** Everything was done. */
  ok: 0,
  /** The command failed; standard error describes the error. */
  failed: 1,
  /** Usage error: unknown command, option or value. Nothing was changed. */
  usage: 2,
  /**
   * A comparison found a difference: generated files are stale, the lock rejects a change, the
   * stored schema is not the declared one.
   */
  different: 3,
  /** Done, except for parts that were reported: bad lines of an import, unreadable rows. */
  partial: 4,
} as const;

/** Where and how a command runs. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The working folder; absolute. */
  readonly folder: string;
  /** The value of `--config`, as given. Undefined: look for a config in the folder and upward. */
  readonly config: string | undefined;
}

/** A command: `rowsmith COMMAND ...`. */
export interface Command {
  /** The text of `rowsmith COMMAND --help`. */
  readonly help: string;
  /**
   * Resolves to the exit code. Throws UsageError for wrong arguments. `args` holds no global
   * options.
   */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}

/**
 * A signal stopped the run; what was done is kept. The exit code is 128 plus the number of the
 * signal, as for a process that the signal kills.
 */
export class StoppedError extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
  }
}

/** Wrong arguments of a command. */
export class UsageError extends Error {}

/** Types of options for parseOptions. */
export const textOption = { type: 'string' } as const;
export const flagOption = { type: 'boolean' } as const;

const globalOptions = ['config', 'help', 'json', 'no-color', 'version'];

type OptionsConfig = NonNullable<ParseArgsConfig['options']>;
type Parsed<T extends OptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: boolean; strict: true }>
>;

/** node:util's parseArgs in strict mode. Throws UsageError. `--` ends the options. */
export function parseOptions<T extends OptionsConfig>(
  args: readonly string[],
  options: T,
  allowPositionals = false,
): Parsed<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true });
  } catch (error) {
    throw new UsageError(usageProblem(error as Error, Object.keys(options)));
  }
}

/** An unknown option with the probable one; otherwise the first sentence of Node's message. */
function usageProblem({ message }: Error, names: readonly string[]): string {
  const unknown = /^Unknown option '--?([^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split('. ')[0];
  const dashes = unknown.length === 1 ? '-' : '--';
  const problem = `there is no option '${dashes}${unknown}'`;
  const near = nearestName(unknown, [...names, ...globalOptions]);
  if (near === undefined) return problem;
  return `${problem}; did you mean '--${near}'?`;
}
