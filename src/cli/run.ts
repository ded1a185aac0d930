/** Reads the global options, finds the verb, tells its failures. */
import { nearestName } from '../base/index.js';
/** Reads the global options, finds the verb, tells its failures. */
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { isRowsmithError } from '../protocol/index.js';
import { type Output, Terminal } from './terminal/terminal.js';
import { exit, Stopped, UsageError } from './command.js';
import { commands } from './commands.js';
import { version } from './version.js';

/** The process the command runs in, or what a test gives in its place. */
export interface Surroundings {
  readonly out: Output;
  readonly err: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Working folder. */
  readonly folder: string;
}

interface Globals {
  readonly json: boolean;
  readonly colours: boolean;
  readonly help: boolean;
  readonly version: boolean;
  readonly config: string | undefined;
  /** The verb and its own arguments. */
  readonly rest: readonly string[];
}

const globalHelp = `Options of every verb:
  --config FILE      The project's config; default: rowsmith.config.ts (mts, js, mjs, cjs) in this folder or the nearest above
  --json             Machine-readable: standard output holds JSON and nothing else, errors too
  --no-color         Plain text; so does NO_COLOR, and output that is no terminal
  --help             Says what a verb takes
  --version          The version of rowsmith

Exit codes: 0 done, 1 failed, 2 asked wrongly, 3 a difference was found, 4 done in part.`;

function help(): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length));
  const list = [...commands].map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ['Usage: rowsmith VERB [options]', '', ...list, '', globalHelp].join('\n');
}

/** Runs the command line; resolves to the exit code. Never rejects. */
export async function run(
  args: readonly string[],
  { out, err, env, folder }: Surroundings,
): Promise<number> {
  let terminal = new Terminal({ out, err, env, json: args.includes('--json'), colours: true });
  let name: string | undefined;
  try {
    const globals = readGlobals(args);
    terminal = new Terminal({ out, err, env, json: globals.json, colours: globals.colours });
    const [asked, ...rest] = globals.rest;
    if (globals.version) return tell(terminal, { version: version() }, `rowsmith ${version()}`);
    if (asked === undefined && !globals.help) throw new UsageError(`no verb was given\n${help()}`);
    if (asked === undefined || asked === 'help') return tell(terminal, { help: help() }, help());
    const entry = commands.get(asked);
    if (entry === undefined) throw new UsageError(unknownVerb(asked));
    name = asked;
    const verb = await entry.load();
    if (globals.help) return tell(terminal, { help: verb.help }, verb.help);
    return await verb.run(rest, {
      terminal,
      folder,
      config: globals.config === undefined ? undefined : resolve(folder, globals.config),
    });
  } catch (error) {
    if (error instanceof Stopped) {
      terminal.complain(error.message);
      return 128 + constants.signals[error.signal];
    }
    if (!(error instanceof UsageError)) {
      terminal.complain(error);
      return isWrongUrl(error, args) ? exit.usage : exit.failed;
    }
    terminal.complain(
      name === undefined
        ? error.message
        : `${error.message}\nrowsmith ${name} --help tells what it takes.`,
    );
    return exit.usage;
  }
}

/** What `--url` gives is no url; one in the config is a fault of the config. */
function isWrongUrl(error: unknown, args: readonly string[]): boolean {
  return (
    isRowsmithError(error) &&
    error.code === 'INVALID_ARGUMENT' &&
    error.details.property === 'url' &&
    args.some((arg) => arg === '--url' || arg.startsWith('--url='))
  );
}

function unknownVerb(asked: string): string {
  const near = nearestName(asked, [...commands.keys()]);
  return `there is no verb '${asked}'; ${near === undefined ? `the verbs are ${[...commands.keys()].join(', ')}` : `did you mean '${near}'?`}\nrowsmith --help tells what each does.`;
}

function tell(terminal: Terminal, data: Readonly<Record<string, string>>, text: string): number {
  terminal.data(data);
  terminal.say(text);
  return exit.ok;
}

/** Takes the options that every verb has out of the arguments, wherever they stand before `--`. */
function readGlobals(args: readonly string[]): Globals {
  const rest: string[] = [];
  const found = {
    json: false,
    colours: true,
    help: false,
    version: false,
    config: undefined as string | undefined,
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--') {
      rest.push(...args.slice(i));
      break;
    } else if (arg === '--json') found.json = true;
    else if (arg === '--no-color' || arg === '--no-colour') found.colours = false;
    else if (arg === '--help' || arg === '-h') found.help = true;
    else if (arg === '--version') found.version = true;
    else if (arg === '--config' || arg.startsWith('--config=')) {
      found.config = arg === '--config' ? args[++i] : arg.slice('--config='.length);
      if (
        found.config === undefined ||
        found.config === '' ||
        (arg === '--config' && found.config.startsWith('-'))
      )
        throw new UsageError('--config needs a file');
    } else rest.push(arg);
  }
  return { ...found, rest };
}
