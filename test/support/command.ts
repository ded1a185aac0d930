/** Runs the command in this process and captures its output. */
import { run } from '../../src/cli/run.js';

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in a folder. */
export async function command(
  folder: string,
  args: readonly string[],
  {
    isTTY = false,
    env = {},
    columns,
  }: {
    readonly isTTY?: boolean;
    readonly env?: NodeJS.ProcessEnv;
    readonly columns?: number;
  } = {},
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
  const status = await run(args, { out: stream('out'), err: stream('err'), env, folder });
  return { status, ...output };
}
