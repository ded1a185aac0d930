/** Runs the command in this process and captures its output. */
import { Readable } from 'node:stream';
import { exit, type Exits } from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands.js';
import { run } from '../../src/cli/run.js';

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** The streams of a command line, and its environment. */
export interface CommandOptions {
  /** Whether its streams are terminals. */
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number;
  /** Standard input; default: none. */
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a command line in a folder. */
export async function command(
  folder: string,
  args: readonly string[],
  { isTTY = false, columns, input = '', env = {} }: CommandOptions = {},
): Promise<CommandResult> {
  const output = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY,
    columns,
    write: (text: string | Uint8Array) => {
      output[name] += Buffer.from(text as Uint8Array).toString();
      return true;
    },
  });
  const source = Object.assign(Readable.from([Buffer.from(input)]), { isTTY });
  const context = { out: stream('out'), err: stream('err'), input: source, env, folder };
  const status = await run(args, context);
  await expectDeclared(args, status);
  return { status, ...output };
}

/** Every test that runs a command checks that the command declares how it ended. */
async function expectDeclared(args: readonly string[], status: number): Promise<void> {
  const name = args.find((word) => commands.has(word));
  if (name === undefined) return;
  const { exits = {} } = await commands.get(name)!.load();
  const names = Object.keys(exits) as (keyof Exits)[];
  const codes: number[] = [exit.ok, exit.failed, exit.usage];
  for (const each of names) codes.push(...(each === 'stopped' ? [130, 143] : [exit[each]]));
  if (!codes.includes(status))
    throw new Error(`rowsmith ${name} declares no exit code ${status}: ${args.join(' ')}`);
}
