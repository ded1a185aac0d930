/** Google's command line client, as a process. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const cbtIsInstalled =
  spawnSync('cbt', ['version'], { encoding: 'utf8' }).error === undefined;

export interface CbtCommand {
  /** Runs a command and returns its output; rejects with its error output. */
  run(...args: readonly string[]): Promise<string>;
  close(): void;
}

/** The client of one instance of the server at the address. */
export function cbtFor(address: string, project: string, instance: string): CbtCommand {
  // Without a credentials file cbt asks gcloud for credentials at every start, which takes half a
  // second.
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-cbt-'));
  writeFileSync(join(folder, 'credentials.json'), '{}');
  const flags = ['-creds', join(folder, 'credentials.json')];
  flags.push('-project', project, '-instance', instance);
  const env = { ...process.env, BIGTABLE_EMULATOR_HOST: address };
  return {
    run: (...args) =>
      new Promise((resolve, reject) => {
        const options = { env, timeout: 500_000 };
        execFile('cbt', [...flags, ...args], options, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(stderr || stdout)),
        );
      }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
