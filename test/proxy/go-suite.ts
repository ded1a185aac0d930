/**
 * Google's conformance suite for clients of Bigtable, which is a module of Go that go.mod pins. It is
 * downloaded and compiled; nothing of it is in this repository.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const tests = 'github.com/googleapis/cloud-bigtable-clients-test/tests';

/** The program `go`, if it is installed. */
export function findGo(): string | undefined {
  if (spawnSync('go', ['version']).status === 0) return 'go';
  return ['/usr/local/go/bin/go'].find(existsSync);
}

/** Compiles the suite into a program in the folder. */
export async function buildSuite(go: string, folder: string): Promise<string> {
  const program = join(folder, 'conformance-suite');
  await promisify(execFile)(go, ['test', '-c', '-o', program, tests], {
    cwd: __dirname,
    env: { ...process.env, GOFLAGS: '-mod=readonly' },
  });
  return program;
}

/** What a run of the suite printed, by the names of its tests. */
export interface SuiteRun {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly output: string;
}

/** Runs the program with these options. */
export function runSuite(
  program: string,
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<SuiteRun> {
  const child = spawn(program, ['-test.v', ...options], {
    env: { ...process.env, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      const named = (word: string): string[] =>
        [...output.matchAll(new RegExp(`^ *--- ${word}: (\\S+)`, 'gm'))].map(([, name]) => name);
      resolve({ passed: named('PASS'), failed: named('FAIL'), output });
    });
  });
}
