/** Runs lines of bash with the functions of .ci/sections.sh, for tests of them. */
import { spawn } from 'node:child_process';
import { root } from '../support/built-package.js';

export interface Outcome {
  readonly output: string;
  readonly errors: string;
  readonly failed: boolean;
}

/** Prints the summary after the lines. */
export function runSections(lines: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const program = `set -uo pipefail\nsource .ci/sections.sh\n${lines}\nprintf '%s\\n' "\${summary[@]}"\nexit "$failed"`;
  // The tests themselves run in a section.
  const { FAILED_SUITES: _, ONLY_SUITES: __, ...inherited } = process.env;
  const child = spawn('bash', ['-c', program], {
    cwd: root,
    env: { ...inherited, CI_SLOWNESS: '1', ...env },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (part: string) => (text[name] += part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({ output: text.stdout, errors: text.stderr, failed: status !== 0 }),
    );
  });
}
