/** What all commands share: how they are declared, exit codes, the context they run in. */
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

/** A name of the project, of one kind. */
export type NameKind =
  | 'entity'
  | 'table'
  | 'index'
  | 'family'
  | 'pattern'
  /** `segment=value`. */
  | 'segment'
  /** The name of a segment or a column, with an operator and a value. */
  | 'condition'
  /** Names of segments and columns, with commas between them. */
  | 'properties';

/**
 * What a value is, for the completion of shells: a kind, the list of all values, or several of
 * these, of which an entity is named only once. The command checks the value itself.
 */
export type ValueKind =
  | 'file'
  | 'directory'
  | NameKind
  | readonly string[]
  | { readonly anyOf: readonly (NameKind | readonly string[])[] };

/** An option, `--name` or `--name VALUE`. `V` is the type of its value. */
export interface OptionSpec<V = unknown> {
  readonly type: 'flag' | 'text' | 'list';
  /** Placeholder of the value in help: `URL`. Undefined for flags. */
  readonly value?: string;
  readonly about: string;
  readonly kind?: ValueKind;
  /** Only for the type: no such property exists. */
  readonly valueType?: V;
}

/** Options by name, in the order of help. `no-verify` is a flag like any other. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** An argument that is not an option. Arguments are optional for the parser. */
export interface ArgumentSpec {
  readonly name: string;
  /** Any number of them; only for the last argument. */
  readonly repeatable?: boolean;
  readonly kind?: ValueKind;
}

/** The values of options, by name; undefined for options that were not given. */
export type OptionValues<O extends OptionSpecs> = {
  readonly [K in keyof O]: O[K] extends OptionSpec<infer V> ? V | undefined : never;
};

/** What the command line gives to a command. */
export interface CommandInput<O extends OptionSpecs = OptionSpecs> {
  readonly values: OptionValues<O>;
  readonly positionals: readonly string[];
}

/** The declaration of a command: `rowsmith COMMAND ...`. Help and completion are made from it. */
export interface Command<O extends OptionSpecs = OptionSpecs> {
  /** What follows `rowsmith COMMAND` in the first line of its help. */
  readonly usage: string;
  /**
   * The text below. A line break is a space; empty lines separate paragraphs; lines that begin with
   * a space are kept as they are.
   */
  readonly about: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: O;
  /** The text below the options, with line breaks as in `about`. */
  readonly closing?: string;
  /** Resolves to the exit code. Throws UsageError for wrong arguments. */
  run(input: CommandInput<O>, context: CommandContext): Promise<number>;
}

/** Declares a command; infers the types of its option values. */
export function defineCommand<const O extends OptionSpecs = Record<never, never>>(
  command: Command<O>,
): Command {
  return command;
}

/** An option without a value: `--name`. */
export function flag(about: string): OptionSpec<boolean> {
  return { type: 'flag', about };
}

/** An option with a value; given several times, the last one counts. */
export function text(value: string, about: string, kind?: ValueKind): OptionSpec<string> {
  return { type: 'text', value, about, kind };
}

/** An option with a value that may be given several times. */
export function list(
  value: string,
  about: string,
  kind?: ValueKind,
): OptionSpec<readonly string[]> {
  return { type: 'list', value, about, kind };
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
