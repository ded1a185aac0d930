/**
 * The command line as commander parses it. Commands are registered by name; the one that runs is
 * imported and gets its arguments and options just before it is parsed.
 */
import { Argument, Command as Parser, CommanderError, Option } from 'commander';
import {
  exit,
  UsageError,
  type Command,
  type CommandContext,
  type CommandInput,
  type OptionSpec,
} from '../command.js';
import { commands } from '../commands.js';
import { version } from '../version.js';
import { commandHelp, maxHelpWidth, minWidthToWrap, programHelp } from './layout.js';
import { missingValueText, usageText } from './usage-text.js';

/** Where a command line runs, and where its help goes. */
export interface ProgramContext {
  readonly context: Omit<CommandContext, 'config'>;
  /** Columns of the terminal; undefined if the output is none. */
  readonly width: number | undefined;
  /** Prints help or the version, which under --json is a document with this key. */
  readonly print: (key: 'help' | 'version', value: string, text: string) => void;
  /** Called with the name of the command before it is imported. */
  readonly onCommand: (name: string) => void;
}

const exitCodes =
  'Exit codes: 0 done, 1 failed, 2 usage error, 3 a difference was found, 4 partly done.';
const helpFlags = '--help, -h';
const helpOption = () => new Option(helpFlags, 'Help for a command, like `rowsmith help COMMAND`');

/** Options of every command, anywhere on the line. `run` reads --json and --no-color itself. */
function globalOptions(args: readonly string[]): Option[] {
  const config =
    'Config of the project. Default: the nearest rowsmith.config.ts (or .mts, .js, .mjs, .cjs) ' +
    'in this folder or the folders above';
  return [
    new Option('--config <FILE>', config).argParser(valueParser('config', 'FILE', args)),
    new Option('--json', 'Machine-readable: standard output holds only JSON, errors included'),
    new Option(
      '--no-color',
      'Plain text. Also the default if NO_COLOR is set or output is not a terminal',
    ),
    new Option('--no-colour').hideHelp(),
    new Option('--version, -v', 'The version of rowsmith'),
  ];
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
        code = await command.run(inputOf(sub, command), { ...context, config });
      });
    });
  const printVersion = (): never => {
    print('version', version(), `rowsmith ${version()}`);
    throw new VersionPrinted();
  };
  addGlobals(program, args, printVersion);
  // An option like any other: --help after an unknown command is an error.
  program.helpOption(false).addOption(helpOption());
  for (const [name, { summary }] of commands) program.command(name).description(summary);
  program.configureHelp({
    minWidthToWrap,
    formatHelp: (_, helper) => programHelp(program, programTexts(), helper),
  });
  addHelpCommand(program, args, printVersion);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof VersionPrinted) return exit.ok;
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exit.ok;
    if (error.code !== 'commander.help') throw new UsageError(usageText(error, namesOf(program)));
    if (program.getOptionValue('help') !== true)
      throw new UsageError(`no command was given\n${program.helpInformation().trimEnd()}`);
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

function programTexts() {
  const options = globalOptions([]).filter(({ hidden }) => !hidden);
  options.splice(-1, 0, helpOption());
  return { usage: 'rowsmith COMMAND [options]', about: '', options, closing: exitCodes };
}

/** Adds the arguments, options and help of a command to its parser. */
function declare(parser: Parser, command: Command, args: readonly string[]): void {
  for (const { name, repeatable = false } of command.arguments ?? [])
    parser.addArgument(new Argument(repeatable ? `[${name}...]` : `[${name}]`));
  const specs = Object.entries(command.options ?? {});
  const options = specs.map(([name, spec]) => optionOf(name, spec, args));
  for (const option of options) parser.addOption(option);
  const { about, closing = '' } = command;
  const usage = `rowsmith ${parser.name()} ${command.usage}`.trimEnd();
  parser.configureHelp({
    minWidthToWrap,
    formatHelp: (_, helper) => commandHelp({ usage, about, options, closing }, helper),
  });
}

function optionOf(
  name: string,
  { type, value, about }: OptionSpec,
  args: readonly string[],
): Option {
  if (value === undefined) return new Option(`--${name}`, about);
  const parse = valueParser(name, value, args);
  const option = new Option(`--${name} <${value}>`, about);
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
    if (name === 'config' && value === '')
      throw new UsageError(missingValueText(flag, placeholder));
    if (!/^-./s.test(value) || args.includes(`${flag}=${value}`)) return value;
    throw new UsageError(
      `${missingValueText(flag, placeholder)}; one that begins with - is given as ${flag}=${value}`,
    );
  };
}

/** What the parser found, by the names of the declaration. */
function inputOf(parser: Parser, { options = {} }: Command): CommandInput {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(options)) {
    const option = parser.options.find(({ long }) => long === `--${name}`)!;
    const value: unknown = parser.getOptionValue(option.attributeName());
    // --no-verify is stored as verify, which is true unless it is given.
    if (option.negate) values[name] = value === false ? true : undefined;
    else values[name] = value;
  }
  return { values, positionals: parser.args };
}
