/** What every verb of the command has. */
import { nearestName } from '../base/index.js';
/** What every verb of the command has. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal/terminal.js';

/** Exit codes: a promise to scripts. docs/guide/cli.md has the table. */
export const exit = {
  /** Done; nothing to complain of. */
  ok: 0,
  /** It failed; what was wrong is on standard error. */
  failed: 1,
  /** Asked wrongly: an unknown verb or option. Nothing was done. */
  usage: 2,
  /**
   * A comparison found a difference: generated files are stale, the lock refuses, the live schema
   * is not the declared one.
   */
  different: 3,
  /**
   * Done, except for parts that were told: bad lines of an import, rows that could not be written.
   */
  partial: 4,
} as const;

/** Where and how a verb runs. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The folder in which the command was given; absolute. */
  readonly folder: string;
  /** What `--config` names; undefined to look for a config upward from the folder. */
  readonly config: string | undefined;
}

/** A verb: `rowsmith VERB ...`. */
export interface Command {
  /** The text of `rowsmith VERB --help`. */
  readonly help: string;
  /**
   * Runs to the end; resolves to the exit code. Throws UsageFault for arguments it does not take.
   * Global options are gone from `args`.
   */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}

/**
 * A signal asked a run to stop, and it did: what is done is kept. The exit code is 128 and the
 * signal's number, as for a process that a signal ends.
 */
export class Stopped extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
  }
}

/** Arguments that a verb does not take. */
export class UsageError extends Error {}

type OptionsConfig = NonNullable<ParseArgsConfig['options']>;
/** What parseArgs finds. */
type Parsed<T extends OptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: boolean; strict: true }>
>;

/** node:util's parseArgs, strict, whose complaints are usage faults. `--` ends the options. */
export function parseOptions<T extends OptionsConfig>(
  args: readonly string[],
  options: T,
  allowPositionals = false,
): Parsed<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true });
  } catch (error) {
    throw new UsageError(faultOf(error as Error, Object.keys(options)));
  }
}

/**
 * Node's words, less its advice about arguments that begin with '-'; an unknown option with the one
 * that was probably meant.
 */
function faultOf({ message }: Error, names: readonly string[]): string {
  const unknown = /^Unknown option '--?([^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split('. ')[0];
  const near = nearestName(unknown, [...names, 'config', 'help', 'json', 'no-color', 'version']);
  return `there is no option '${unknown.length === 1 ? '-' : '--'}${unknown}'${near === undefined ? '' : `; did you mean '--${near}'?`}`;
}
