/**
 * The command line as commander parses it. Commands are registered by name; the one that runs is
 * imported and gets its arguments and options just before it is parsed.
 */
import type { FaultTexts } from '../../base/index.js';
import { constants } from 'node:os';
import { Argument, Command as Parser, CommanderError, Option } from 'commander';
import {
  argumentsOf,
  exit,
  orText,
  UsageError,
  type Command,
  type CommandContext,
  type CommandInput,
  type OptionSpec,
  type Outcome,
  type Exits,
} from '../command.js';
import { commands } from '../commands.js';
import { version } from '../version.js';
import { globals } from './globals.js';
import { commandHelp, maxHelpWidth, minWidthToWrap, programHelp } from './layout.js';
import { isPath, missingValueText, usageText } from './usage-text.js';

/** Where a command line runs, and where its help goes. */
export interface ProgramContext {
  readonly context: Pick<CommandContext, 'terminal' | 'folder'>;
  /** Columns of the terminal; undefined if the output is none. */
  readonly width: number | undefined;
  /** Prints help or the version, which under --json is a document with this key. */
  readonly print: (key: 'help' | 'version', value: string, text: string) => void;
  /** Called with the name of the command before it is imported. */
  readonly onCommand: (name: string) => void;
}

const helpFlags = '--help, -h';

/** `run` reads --json and --no-color itself, and the parser has an option for help. */
function globalOptions(args: readonly string[]): Option[] {
  const { help: _, ...specs } = globals;
  const all = Object.entries(specs).map(([name, spec]) => optionOf(name, spec, args));
  return [...all, new Option('--no-colour')];
}

/** Stops the parser once the version was printed. */
class VersionPrinted extends Error {}

/** Parses a command line and runs its command; resolves to the exit code. */
export async function runProgram(
  args: readonly string[],
  { context, width, print, onCommand }: ProgramContext,
): Promise<number> {
  let code: number = exit.ok;
  const program = new Parser('rowsmith');
  program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print('help', text.trimEnd(), text.trimEnd()),
      // Errors are thrown, and reported by the caller.
      writeErr: () => undefined,
      getOutHelpWidth: () => width ?? maxHelpWidth,
      getErrHelpWidth: () => width ?? maxHelpWidth,
    })
    .helpCommand(false)
    .enablePositionalOptions()
    .hook('preSubcommand', async (_, sub) => {
      const entry = commands.get(sub.name());
      if (entry === undefined) return;
      onCommand(sub.name());
      addGlobals(sub, args, printVersion);
      const command = await entry.load();
      declare(sub, command, args);
      if (program.getOptionValue('help') === true) sub.help();
      sub.action(async () => {
        const { config } = sub.optsWithGlobals<{ readonly config?: string }>();
        const name = sub.name();
        const about = { config, name, usage: usageOf(name, command) };
        code = codeOf(await command.run(inputOf(sub, command), { ...context, ...about }));
      });
    });
  const printVersion = (): never => {
    print('version', version(), `rowsmith ${version()}`);
    throw new VersionPrinted();
  };
  addGlobals(program, args, printVersion);
  // An option like any other: --help after an unknown command is an error.
  program.helpOption(false).addOption(new Option(helpFlags));
  for (const [name, { summary }] of commands) program.command(name).description(summary);
  program.configureHelp({
    minWidthToWrap,
    formatHelp: (_, helper) => programHelp(helper),
  });
  addHelpCommand(program, args, printVersion);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof VersionPrinted) return exit.ok;
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exit.ok;
    if (error.code !== 'commander.help')
      throw new UsageError({ problem: usageText(error, namesOf(program)) });
    if (program.getOptionValue('help') !== true)
      throw new UsageError(faults.noCommand(program.helpInformation().trimEnd()));
    program.outputHelp();
  }
  return code;
}

/** The names of the commands, and of the options that were declared. */
function namesOf({ commands: subs }: Parser): readonly string[] {
  return subs.flatMap((each) => [each.name(), ...each.options.map(({ long }) => long ?? '')]);
}

function addGlobals(parser: Parser, args: readonly string[], printVersion: () => never): void {
  for (const option of globalOptions(args)) parser.addOption(option);
  parser.helpOption(helpFlags).on('option:version', printVersion);
}

/** `help` names the command to describe. `help help` is `help`. */
function addHelpCommand(program: Parser, args: readonly string[], printVersion: () => never): void {
  const help = program.command('help', { hidden: true }).argument('[COMMAND...]');
  addGlobals(help, args, printVersion);
  help.action(async () => {
    const name = help.args.find((word) => word !== 'help');
    await program.parseAsync(name === undefined ? ['--help'] : [name, '--help'], { from: 'user' });
  });
}

function usageOf(name: string, { usage }: Command): string {
  return `rowsmith ${name} ${usage}`.trimEnd();
}

/** Adds the arguments, options and help of a command to its parser. */
function declare(parser: Parser, command: Command, args: readonly string[]): void {
  for (const { name, repeatable = false } of argumentsOf(command))
    parser.addArgument(new Argument(repeatable ? `[${name}...]` : `[${name}]`));
  for (const [name, spec] of Object.entries(command.options ?? {}))
    parser.addOption(optionOf(name, spec, args));
  const usage = usageOf(parser.name(), command);
  parser.configureHelp({
    minWidthToWrap,
    formatHelp: (_, helper) => commandHelp(usage, command, helper),
  });
}

/** The exit code of an outcome; of a signal 128 plus its number. */
function codeOf(outcome: Outcome<Required<Exits>>): number {
  if (outcome === undefined) return exit.ok;
  if (outcome === 'SIGINT' || outcome === 'SIGTERM') return 128 + constants.signals[outcome];
  return exit[outcome];
}

function optionOf(name: string, { type, value }: OptionSpec, args: readonly string[]): Option {
  if (name === 'version') return new Option('--version, -v');
  if (value === undefined) return new Option(`--${name}`);
  const parse = valueParser(name, value, args);
  const option = new Option(`--${name} <${value}>`);
  if (type === 'text') return option.argParser(parse);
  return option.argParser((each, all: readonly string[] = []) => [...all, parse(each)]);
}

/**
 * The parser would take the next option as a value: `--url --json`. A value that begins with a dash
 * is given as `--limit=-5`.
 */
function valueParser(name: string, placeholder: string, args: readonly string[]) {
  const flag = `--${name}`;
  return (value: string): string => {
    if (value === '' && isPath(placeholder))
      throw new UsageError({ problem: missingValueText(flag, placeholder) });
    if (!/^-./s.test(value) || args.includes(`${flag}=${value}`)) return value;
    throw new UsageError(faults.valueLikeFlag(flag, placeholder, value));
  };
}

/** What the parser found, as the declaration reads it. Throws UsageError. */
function inputOf(parser: Parser, { actions, options = {} }: Command): CommandInput {
  const [action, ...rest] = actions === undefined ? ['', ...parser.args] : parser.args;
  if (actions?.includes(action) === false) {
    const given = parser.args.length === 0 ? '' : `, not '${action}'`;
    throw new UsageError(faults.unknownAction(parser.name(), actions, given));
  }
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(options)) {
    const option = parser.options.find(({ long }) => long === `--${name}`)!;
    const given: unknown = parser.getOptionValue(option.attributeName());
    // --no-verify is stored as verify, which is true unless it is given.
    const isGiven = option.negate ? given === false : given !== undefined;
    const key = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    values[key] = spec.fallback;
    if (!isGiven) continue;
    if (spec.actions?.includes(action) === false)
      throw new UsageError(faults.optionOfOtherAction(name, spec.actions.join(' and ')));
    values[key] = option.negate || valueOf(name, spec, given);
  }
  return { action, values, positionals: rest };
}

/** The value of an option as the parser found it. Throws UsageError. */
function valueOf(name: string, { type, parse }: OptionSpec, given: unknown): unknown {
  if (parse === undefined) return given;
  if (type === 'text') return parse(given as string, `--${name}`);
  return (given as readonly string[]).map((each) => parse(each, `--${name}`));
}

const faults = {
  noCommand: (text: string) => ({ problem: `no command was given\n${text}` }),
  valueLikeFlag: (flag: string, placeholder: string, value: string) => ({
    problem: `${missingValueText(flag, placeholder)}; one that begins with - is given as ${flag}=${value}`,
  }),
  unknownAction: (name: string, actions: readonly string[], given: string) => ({
    problem: `${name} takes ${orText(actions)}${given}`,
  }),
  optionOfOtherAction: (name: string, list: string) => ({
    problem: `--${name} is an option of ${list}`,
  }),
} satisfies FaultTexts;
