/** Runs the command in this process and captures its output. */
import { Readable } from 'node:stream';
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
  return { status, ...output };
}
