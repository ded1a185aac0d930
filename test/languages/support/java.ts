/** Java for the tests of generated classes: its packages, its tools, and a process that runs them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
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
const sources = join(__dirname, '../java');

/** Whether Java or Maven is missing; throws where they must not be. */
export function javaIsMissing(): boolean {
  const absent = ['mvn', 'javac', 'java'].filter((each) => findProgram(each) === undefined);
  if (absent.length === 0) return false;
  if (process.env.CI_REQUIRE_LANGUAGES === '1')
    throw new Error(`CI_REQUIRE_LANGUAGES is set, and ${absent.join(', ')} was not found`);
  console.warn(`SKIPPED: ${absent.join(', ')} is not installed, so generated Java is not tested`);
  return true;
}

/** The folder with what pom.xml pins, filled once: `class-path`, protoc and google-java-format. */
async function javaPackages(): Promise<string> {
  const pins = readFileSync(join(sources, 'pom.xml'));
  const hash = createHash('sha256').update(pins).digest('hex').slice(0, 12);
  const folder = join(__dirname, `../../../.tmp/languages/java-${hash}`);
  const isComplete = (): boolean => existsSync(join(folder, 'complete'));
  mkdirSync(dirname(folder), { recursive: true });
  // Several suites need it at the same time: one fills it, and the others wait.
  while (!isComplete() && !lock(`${folder}.lock`))
    await new Promise((resolve) => void setTimeout(resolve, 200));
  if (isComplete()) return folder;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const settings = [`-Dfolder=${folder}`, `-Dplatform=${platform()}`];
    await run('mvn', ['-B', '-q', 'validate', ...settings], { cwd: sources, maxBuffer: 2 ** 26 });
    chmodSync(join(folder, 'protoc'), 0o755);
    const jars = readFileSync(join(folder, 'class-path'), 'utf8').split(':');
    const library = jars.find((jar) => /protobuf-java-[\d.]+\.jar$/.test(jar))!;
    await run('jar', ['xf', library, 'google/protobuf/timestamp.proto'], { cwd: folder });
    writeFileSync(join(folder, 'complete'), '');
    return folder;
  } finally {
    rmSync(`${folder}.lock`, { recursive: true });
  }
}

/** As protoc's packages name it. */
function platform(): string {
  const system = process.platform === 'darwin' ? 'osx' : 'linux';
  return `${system}-${process.arch === 'arm64' ? 'aarch_64' : 'x86_64'}`;
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

async function succeed(program: string, args: readonly string[], folder: string): Promise<string> {
  try {
    const { stdout } = await run(program, args, { cwd: folder, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} failed:\n${stdout}${stderr}`);
  }
}

/** Writes the classes of models, and of their .proto files; returns the folder of the sources. */
export async function writeJava(
  folder: string,
  models: readonly EntityModel[],
  unsafeWriters = false,
): Promise<string> {
  const protos: string[] = [];
  for (const name of ['proto', 'java']) {
    const generator = generators.find((each) => each.name === name)!;
    for (const { path, content } of await generator.generate({ models, unsafeWriters })) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      if (name === 'proto') protos.push(file);
    }
  }
  const java = join(folder, 'java');
  if (protos.length > 0) {
    const packages = await javaPackages();
    const includes = [`-I${join(folder, 'proto')}`, `-I${packages}`];
    await succeed(join(packages, 'protoc'), [...includes, `--java_out=${java}`, ...protos], folder);
  }
  return java;
}

/** The files of the generator below a folder of sources, or those of protoc. */
function filesOf(java: string, ours: boolean): readonly string[] {
  return readdirSync(java, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.java') && name.startsWith(join('rowsmith', 'rows')) === ours,
  );
}

/** Compiles the sources, and others with them, to `classes` beside them. */
export async function compileJava(java: string, more: readonly string[] = []): Promise<void> {
  const jars = readFileSync(join(await javaPackages(), 'class-path'), 'utf8');
  const classes = join(java, '../classes');
  const compile = async (options: readonly string[], names: readonly string[]): Promise<void> => {
    const list = `${classes}.list`;
    writeFileSync(list, names.map((name) => `"${name}"`).join('\n'));
    const output = ['-cp', `${classes}:${jars}`, '-d', classes, `@${list}`];
    await succeed(
      'javac',
      ['-J-XX:TieredStopAtLevel=1', '-proc:none', ...options, ...output],
      java,
    );
  };
  const [theirs, ours] = [filesOf(java, false), filesOf(java, true)];
  // What protoc generates has warnings.
  if (theirs.length > 0) await compile(['-nowarn'], theirs);
  await compile(['-Xlint:all,-classfile,-path', '-Werror'], [...ours, ...more]);
}

/** The names of the programs that javac refuses: each is statements on classes of the folder. */
export async function compileErrors(
  java: string,
  programs: readonly string[],
): Promise<readonly string[]> {
  const jars = readFileSync(join(await javaPackages(), 'class-path'), 'utf8');
  const classes = join(java, '../classes');
  const folder = join(java, '../programs');
  mkdirSync(folder);
  const names = programs.map((statements, i) => {
    const name = `Program${i}`;
    const body = `static void run(BigtableDataClient client, Instant at) {\n${statements}\n}`;
    writeFileSync(join(folder, `${name}.java`), `${programImports}class ${name} {\n${body}\n}\n`);
    return `${name}.java`;
  });
  const args = ['-proc:none', '-cp', `${classes}:${jars}`, '-d', folder, ...names];
  const found = await run('javac', args, { cwd: folder }).catch((error: unknown) => error);
  const { stderr } = found as { stderr: string };
  return [...stderr.matchAll(/^(Program\d+\.java):\d+: error: /gm)].map(([, name]) => name);
}

const programImports = `import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.*;
import java.time.Instant;
import rowsmith.rows.*;
`;

/** The files that google-java-format would change. */
export async function formatted(folders: readonly string[]): Promise<string> {
  const exported = ['api', 'code', 'file', 'parser', 'tree', 'util'].map(
    (name) => `--add-exports=jdk.compiler/com.sun.tools.javac.${name}=ALL-UNNAMED`,
  );
  const jar = join(await javaPackages(), 'google-java-format.jar');
  const files = folders.flatMap((java) => filesOf(java, true).map((name) => join(java, name)));
  return succeed('java', [...exported, '-jar', jar, '--dry-run', ...files], folders[0]);
}

/** The answer of Java; `types` are values that its types refuse. */
export interface Answer {
  readonly ok?: unknown;
  readonly error?: Readonly<Record<'code' | 'property' | 'problem' | 'fix', string | null>>;
  readonly types?: true;
}

/** A process that runs generated classes and answers requests. */
export class JavaProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #ended: Promise<never>;
  #errors = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#lines = createInterface(child.stdout!);
    this.#ended = once(child, 'exit').then(() => {
      throw new Error(`Java ended: ${this.#errors}`);
    });
    this.#ended.catch(() => undefined);
    child.stderr!.on('data', (part: Buffer) => (this.#errors += part.toString()));
  }

  /** Compiles and runs what `writeJava` wrote; its client uses the server. */
  static async start(java: string, server?: string): Promise<JavaProcess> {
    if (!existsSync(join(java, '../classes/rowsmith/rows/Driver.class')))
      await compileJava(java, [join(sources, 'Driver.java')]);
    const jars = readFileSync(join(await javaPackages(), 'class-path'), 'utf8');
    const classPath = `${join(java, '../classes')}:${jars}`;
    const args = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classPath];
    const program = ['rowsmith.rows.Driver', ...(server === undefined ? [] : [server])];
    return new JavaProcess(spawn('java', [...args, ...program]));
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
