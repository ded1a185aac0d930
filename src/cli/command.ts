/** How a command is declared: all that help, completion, docs/commands.md and the parser know. */
import type { FaultText, FaultTexts, ProblemText } from '../base/index.js';
import type { Terminal } from './terminal/terminal.js';

/** Exit codes by name. Scripts rely on them; docs/guide/cli.md lists them. */
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

/** A signal that stops a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * What the exit codes of a command mean. Not declared: 0, 2, and 1 for errors. `stopped` is 128
 * plus the number of the signal.
 */
export type Exits = Readonly<
  Partial<Record<'failed' | 'different' | 'partial' | 'stopped', string>>
>;

/** How a command ends, if not with 0: only by an exit code that it declares. */
export type Outcome<E extends Exits> =
  Exclude<keyof E, 'stopped'> | ('stopped' extends keyof E ? StopSignal : never) | void;

/** Where and how a command runs. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The working folder; absolute. */
  readonly folder: string;
  /** The value of `--config`, as given. Undefined: look for a config in the folder and upward. */
  readonly config: string | undefined;
  /** The name of the command. */
  readonly name: string;
  /** `rowsmith get ENTITY ...`, for messages. */
  readonly usage: string;
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
 * these; an entity is named only once.
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
  readonly kind?: ValueKind | undefined;
  /** The actions of the command that take the option. Default: all. */
  readonly actions?: readonly string[];
  /** The value of a text, or of each of a list. Throws UsageError, which names the flag. */
  readonly parse?: ((text: string, flag: string) => unknown) | undefined;
  /** The value of an option that was not given. */
  readonly fallback?: V;
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

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** The values of options; `--dry-run` is `dryRun`. */
export type OptionValues<O extends OptionSpecs> = {
  readonly [K in keyof O & string as Camel<K>]: O[K] extends OptionSpec<infer V> ? V : never;
};

/** What the command line gives to a command. */
export interface CommandInput<O extends OptionSpecs = OptionSpecs, A extends string = string> {
  /** The first word of a command with actions. */
  readonly action: A;
  readonly values: OptionValues<O>;
  /** The arguments after the action. */
  readonly positionals: readonly string[];
}

/** The declaration of a command: `rowsmith COMMAND ...`. */
export interface Command<
  O extends OptionSpecs = OptionSpecs,
  E extends Exits = Exits,
  A extends string = string,
> {
  /** What follows `rowsmith COMMAND` in the first line of its help. */
  readonly usage: string;
  /**
   * The text below. A line break is a space; empty lines separate paragraphs; lines that begin with
   * a space are kept as they are.
   */
  readonly about: string;
  /** The possible first words: `plan` or `apply`. */
  readonly actions?: readonly A[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: O;
  /** Lines without `rowsmith`, each with what it does. test/cli/examples.slow.test.ts runs them. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  readonly exits?: E;
  /**
   * What `--json` prints, as TypeScript types, in which the types of the package are known; or the
   * types by the action or option that leads to them, `''` for none.
   */
  readonly json: string | Readonly<Record<string, string>>;
  /** JSON is one line for each row, and is printed in pipes also without `--json`. */
  readonly rows?: boolean;
  /** Resolves to the name of the exit code. Throws UsageError for wrong arguments. */
  run(input: CommandInput<O, A>, context: CommandContext): Promise<Outcome<E>>;
}

/** Declares a command; infers the types of its option values, actions and exit codes. */
export function defineCommand<
  const O extends OptionSpecs = Record<never, never>,
  const E extends Exits = Record<never, never>,
  const A extends string = never,
>(command: Command<O, E, A>): Command {
  return command as Command;
}

/** The arguments of a command; the first is an action. */
export function argumentsOf({ actions, arguments: all = [] }: Command): readonly ArgumentSpec[] {
  return actions === undefined ? all : [{ name: 'ACTION', kind: actions }, ...all];
}

/** An option without a value: `--name`. */
export function flag(about: string): OptionSpec<boolean> {
  return { type: 'flag', about, fallback: false };
}

/** An option with a value; given several times, the last one counts. */
export function text(
  value: string,
  about: string,
  kind?: ValueKind,
): OptionSpec<string | undefined> {
  return { type: 'text', value, about, kind };
}

/** An option with a value that may be given several times; `parse` reads each. */
export function list<V = string>(
  value: string,
  about: string,
  kind?: ValueKind,
  parse?: (text: string, flag: string) => V,
): OptionSpec<readonly V[]> {
  return { type: 'list', value, about, kind, parse, fallback: [] };
}

/** An option with a value that a function reads. It throws UsageError. */
export function parsed<V>(
  value: string,
  about: string,
  parse: (text: string, flag: string) => V,
): OptionSpec<V | undefined> {
  return { type: 'text', value, about, parse };
}

/** An option with one of these values. */
export function choice<const C extends string>(
  value: string,
  about: string,
  choices: readonly C[],
): OptionSpec<C | undefined> {
  return {
    ...parsed(value, about, (given, flagName) => {
      const found = choices.find((each) => each === given);
      if (found !== undefined) return found;
      throw new UsageError(faults.notAChoice(flagName, orText(choices), given));
    }),
    kind: choices,
  };
}

/** An option with a whole number. */
export function count(
  value: string,
  about: string,
  { min = 1, max = 1e15 }: { readonly min?: number; readonly max?: number } = {},
): OptionSpec<number | undefined> {
  return parsed(value, about, (given, flagName) => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : -1;
    if (number >= min && number <= max) return number;
    let limits = min === 1 ? ' above 0' : '';
    if (min > 1) limits = ` of at least ${min}`;
    if (max < 1e15) limits = ` from ${grouped(min)} to ${grouped(max)}`;
    throw new UsageError(faults.notAWholeNumber(flagName, limits, given));
  });
}

/** The option with a value if it is not given, which its description names. */
export function withDefault<V>(
  spec: OptionSpec<V | undefined>,
  fallback: V,
  shown = typeof fallback === 'number' ? grouped(fallback) : String(fallback),
): OptionSpec<V> {
  return { ...spec, about: `${spec.about}. Default: ${shown}`, fallback };
}

/** The option as one of some actions only. */
export function only<V>(actions: readonly string[], spec: OptionSpec<V>): OptionSpec<V> {
  const [first, ...rest] = spec.about;
  const about = `${actions.join(', ')}: ${first.toLowerCase()}${rest.join('')}`;
  return { ...spec, about, actions };
}

/** The database of a command. */
export const urlOption = text(
  'URL',
  'The database, such as file:./data. Default: url of the config',
);

/** `a, b or c`. */
export function orText(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/**
 * A signal stopped the run; what was done is kept. The exit code is 128 plus the number of the
 * signal, as for a process that the signal kills.
 */
export class StoppedError extends Error {
  constructor(readonly signal: StopSignal) {
    super(`stopped by ${signal}`);
  }
}

/** Wrong arguments of a command. */
export class UsageError extends Error {
  readonly problem: string;
  readonly fix: string | undefined;

  constructor({ problem, fix }: ProblemText & Partial<FaultText>) {
    // A second colon, or one before a question, is hard to read.
    const joint = problem.includes(': ') || fix?.endsWith('?') ? '; ' : ': ';
    super(fix === undefined ? problem : problem + joint + fix);
    this.problem = problem;
    this.fix = fix;
  }
}

const faults = {
  notAChoice: (flagName: string, or: string, given: string) => ({
    problem: `${flagName} takes ${or}, not '${given}'`,
  }),
  notAWholeNumber: (flagName: string, limits: string, given: string) => ({
    problem: `${flagName} takes a whole number${limits}, not '${given}'`,
  }),
} satisfies FaultTexts;
