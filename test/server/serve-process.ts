/** `rowsmith serve` as processes, for suites that look at their output or kill them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { until } from '../support/until.js';

export const root = join(__dirname, '../..');
export let folder = '';
export let program = '';
const running = new Set<ChildProcess>();
/** Builds the command before the tests of a suite, and kills what they leave running. */
export function useCommand(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-serve-'));
    program = join(folder, 'rowsmith.mjs');
    buildSync({
      entryPoints: [join(root, 'src/cli/main.ts')],
      outfile: program,
      bundle: true,
      keepNames: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      packages: 'external',
      logLevel: 'error',
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Exit code or signal, when it ends. */
  readonly ended: Promise<number | string>;
}

export function start(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString();
    });
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | string;
  });
  return { child, output: () => output, ended };
}

/** Waits for a line of the output; returns its group. */
export async function printed({ output, child }: Running, line: RegExp): Promise<string> {
  await until(() => line.test(output()) || child.exitCode !== null);
  const found = line.exec(output());
  if (found === null) throw new Error(`The server did not start: ${output()}`);
  return found[1];
}

/** Starts a server on a free port and waits for its address. */
export async function serve(
  ...args: readonly string[]
): Promise<Running & { readonly address: string }> {
  const started = start('serve', '--port', '0', ...args);
  return { ...started, address: await printed(started, /^export BIGTABLE_EMULATOR_HOST=(\S+)$/m) };
}
