/** The command in this process: what it writes, as a terminal or a pipe would get it. */
import { run } from '../../src/cli/run.js';

export interface Said {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in a folder. */
export async function command(
  folder: string,
  args: readonly string[],
  { isTTY = false, env = {} }: { readonly isTTY?: boolean; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Said> {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY,
    write: (text: string | Uint8Array) => {
      said[name] += Buffer.from(text as Uint8Array).toString();
      return true;
    },
  });
  const status = await run(args, { out: stream('out'), err: stream('err'), env, folder });
  return { status, ...said };
}
