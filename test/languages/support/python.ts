/** Python for the tests of generated modules: its packages, its tools, and a process that runs them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import type { EntityModel } from '../../../src/entities/model/index.js';
import { generators } from '../../../src/tools/codegen/index.js';
import { findProgram } from '../../support/emulator.js';

const run = promisify(execFile);
const sources = join(__dirname, '../python');

/** Whether Python is missing; throws where it must not be. */
export function pythonIsMissing(): boolean {
  if (findProgram('python3') !== undefined) return false;
  if (process.env.CI_REQUIRE_LANGUAGES === '1')
    throw new Error('CI_REQUIRE_LANGUAGES is set, and python3 was not found');
  console.warn('SKIPPED: python3 is not installed, so generated Python is not tested');
  return true;
}

/** The folder with the packages that requirements.txt pins, filled once. */
export async function pythonPackages(): Promise<string> {
  const pins = readFileSync(join(sources, 'requirements.txt'));
  const hash = createHash('sha256').update(pins).digest('hex').slice(0, 12);
  const folder = join(__dirname, `../../../.tmp/languages/python-${hash}`);
  const isComplete = (): boolean => existsSync(join(folder, 'complete'));
  mkdirSync(dirname(folder), { recursive: true });
  // Several suites need it at the same time: one fills it, and the others wait.
  while (!isComplete() && !lock(`${folder}.lock`))
    await new Promise((resolve) => void setTimeout(resolve, 200));
  if (isComplete()) return folder;
  try {
    rmSync(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    const install = ['install', '-q', '--no-deps', '-r', join(sources, 'requirements.txt')];
    await run(join(folder, 'bin/pip'), install, { maxBuffer: 2 ** 26 });
    writeFileSync(join(folder, 'complete'), '');
    return folder;
  } finally {
    rmSync(`${folder}.lock`, { recursive: true });
  }
}

/** Takes a lock, also one that a run has left that was ended; false if another suite has it. */
function lock(path: string): boolean {
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > 600_000) rmSync(path, { recursive: true });
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Writes the modules and the .proto files of models, and the classes of the latter. */
export async function writePython(
  folder: string,
  models: readonly EntityModel[],
  unsafeWriters = false,
): Promise<string> {
  const protos: string[] = [];
  for (const name of ['proto', 'python']) {
    const generator = generators.find((each) => each.name === name)!;
    for (const { path, content } of await generator.generate({ models, unsafeWriters })) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      if (name === 'proto') protos.push(file);
    }
  }
  const python = join(folder, 'python');
  if (protos.length > 0)
    await tool(folder, [
      ...['-m', 'grpc_tools.protoc', `-I${join(folder, 'proto')}`],
      ...[`--python_out=${python}`, `--pyi_out=${python}`, ...protos],
    ]);
  // The stubs are protoc's, and mypy finds faults in them.
  for (const name of readdirSync(python, { recursive: true, encoding: 'utf8' })) {
    const file = join(python, name);
    if (name.endsWith('.pyi'))
      writeFileSync(file, `# mypy: ignore-errors\n${readFileSync(file, 'utf8')}`);
  }
  return python;
}

/** The output of a Python program that must succeed. */
export async function tool(folder: string, args: readonly string[]): Promise<string> {
  const program = join(await pythonPackages(), 'bin/python');
  try {
    const { stdout } = await run(program, args, { cwd: folder, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`python ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** The output of mypy, which must find no fault; it keeps what it learned of Google's packages. */
export async function mypy(folder: string, args: readonly string[]): Promise<string> {
  const cache = join(dirname(await pythonPackages()), 'mypy-cache');
  return tool(folder, ['-m', 'mypy', '--strict', '--cache-dir', cache, ...args]);
}

/** The answer of Python. */
export interface Answer {
  readonly ok?: unknown;
  readonly error?: Readonly<Record<'code' | 'property' | 'problem' | 'fix', string | null>>;
}

/** A process that imports generated modules and answers requests. */
export class PythonProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #ended: Promise<never>;
  #errors = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#lines = createInterface(child.stdout!);
    this.#ended = once(child, 'exit').then(() => {
      throw new Error(`Python ended: ${this.#errors}`);
    });
    this.#ended.catch(() => undefined);
    child.stderr!.on('data', (part: Buffer) => (this.#errors += part.toString()));
  }

  /** Starts one on the folder that `writePython` returned; its clients use the server. */
  static async start(folder: string, server?: string): Promise<PythonProcess> {
    const program = join(await pythonPackages(), 'bin/python');
    const env = { ...process.env, BIGTABLE_EMULATOR_HOST: server ?? '' };
    return new PythonProcess(spawn(program, ['-B', join(sources, 'driver.py'), folder], { env }));
  }

  /** The answers to requests, in their order. Requests must not overlap. */
  async ask(requests: readonly object[]): Promise<readonly Answer[]> {
    const answered = once(this.#lines, 'line');
    this.#child.stdin!.write(`${JSON.stringify(requests)}\n`);
    const [line] = (await Promise.race([answered, this.#ended])) as [string];
    const answers = JSON.parse(line) as (Answer & { failure?: string })[];
    answers.forEach(({ failure }, i) => {
      if (failure !== undefined)
        throw new Error(`${failure} on ${JSON.stringify(requests[i]).slice(0, 500)}`);
    });
    return answers;
  }

  async close(): Promise<void> {
    this.#child.stdin!.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}
