/**
 * Programs that use Google's clients in Go, Java and Python: each is built by its language's package
 * manager from pinned versions, in .tmp/clients, and prints a line of JSON for each check.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGo } from '../proxy/go-suite.js';
import { findProgram } from '../support/emulator.js';

export interface Language {
  readonly name: 'go' | 'java' | 'python';
  /** What is missing, if the language is not installed. */
  readonly missing?: string;
  /** Builds the program and returns its command line. */
  readonly build: () => Promise<readonly string[]>;
}

const built = join(__dirname, '../../.tmp/clients');
const run = async (program: string, args: readonly string[], folder: string): Promise<void> => {
  await promisify(execFile)(program, args, { cwd: folder, maxBuffer: 2 ** 26 });
};

function missing(...programs: readonly string[]): string | undefined {
  const absent = programs.filter((program) => findProgram(program) === undefined);
  return absent.length === 0 ? undefined : absent.join(', ');
}

const go = findGo();

export const languages: readonly Language[] = [
  {
    name: 'go',
    missing: go === undefined ? 'go' : undefined,
    build: async () => {
      const program = join(built, 'go/checks');
      mkdirSync(join(built, 'go'), { recursive: true });
      await run(go!, ['build', '-mod=readonly', '-o', program, '.'], join(__dirname, 'go'));
      return [program];
    },
  },
  {
    name: 'java',
    missing: missing('mvn', 'javac', 'java'),
    build: async () => {
      const source = join(__dirname, 'java');
      const sources = readdirSync(source).filter((name) => name.endsWith('.java'));
      const classPath = await once('java', ['pom.xml'], async (folder) => {
        const output = `-Dmdep.outputFile=${join(folder, 'class-path')}`;
        await run('mvn', ['-B', '-q', 'dependency:build-classpath', output], source);
      });
      const jars = readFileSync(join(classPath, 'class-path'), 'utf8');
      const classes = join(classPath, 'classes');
      await run('javac', ['-nowarn', '-cp', jars, '-d', classes, ...sources], source);
      return ['java', '-cp', `${classes}:${jars}`, 'Checks'];
    },
  },
  {
    name: 'python',
    missing: missing('python3'),
    build: async () => {
      const source = join(__dirname, 'python');
      const folder = await once('python', ['requirements.txt'], async (environment) => {
        await run('python3', ['-m', 'venv', environment], source);
        const pip = join(environment, 'bin/pip');
        await run(pip, ['install', '-q', '--no-deps', '-r', 'requirements.txt'], source);
      });
      // -B: no compiled files beside the sources.
      return [join(folder, 'bin/python'), '-B', join(source, 'main.py')];
    },
  },
];

/** A folder that is filled once for the content of these files, which pin the dependencies. */
async function once(
  language: string,
  files: readonly string[],
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(__dirname, language, file)));
  const folder = join(built, `${language}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(join(folder, 'complete'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill(folder);
  writeFileSync(join(folder, 'complete'), '');
  return folder;
}

export interface CheckResult {
  readonly check: string;
  readonly ok: boolean;
  /** Empty, or the status of the call that failed and its message. */
  readonly detail: string;
  readonly ms: number;
}

/** Longer than any program takes on a busy machine. */
const limitMs = 240_000;

/** Runs a program against the server at the address; `restart` ends the server and starts it again. */
export async function runProgram(
  [program, ...args]: readonly string[],
  address: string,
  restart: (() => Promise<void>) | undefined,
): Promise<readonly CheckResult[]> {
  const child = spawn(program, args, {
    env: { ...process.env, BIGTABLE_EMULATOR_HOST: address },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const results: CheckResult[] = [];
  let errors = '';
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part));
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const parsed = JSON.parse(line) as CheckResult | { readonly ask: 'restart' };
      if ('check' in parsed) results.push(parsed);
      else if (restart === undefined) child.stdin.write('no\n');
      else
        restart().then(
          () => child.stdin.write('done\n'),
          () => child.kill(),
        );
    }
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0)
    throw new Error(
      `${program} ended with ${String(code)} after ${results.length} checks: ${errors}`,
    );
  return results;
}
