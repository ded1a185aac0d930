/** Java for the tests of generated classes: its packages, its tools, and a process that runs them. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EntityModel } from '../../../src/entities/model/index.js';
import { findProgram } from '../../support/emulator.js';
import { filledFolder } from './filled-folder.js';
import { writeGenerated } from './generated-files.js';
import { bytesOnly, type Language, withoutEmpty } from './language.js';
import { LineProcess } from './line-process.js';

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

/** The folder with what pom.xml pins: `class-path`, protoc and google-java-format. */
function javaPackages(): Promise<string> {
  return filledFolder('java', join(sources, 'pom.xml'), async (folder) => {
    const settings = [`-Dfolder=${folder}`, `-Dplatform=${platform()}`];
    await run('mvn', ['-B', '-q', 'validate', ...settings], { cwd: sources, maxBuffer: 2 ** 26 });
    chmodSync(join(folder, 'protoc'), 0o755);
    const jars = readFileSync(join(folder, 'class-path'), 'utf8').split(':');
    const library = jars.find((jar) => /protobuf-java-[\d.]+\.jar$/.test(jar))!;
    await run('jar', ['xf', library, 'google/protobuf/timestamp.proto'], { cwd: folder });
  });
}

/** The jars of Google's client. */
export async function javaClassPath(): Promise<string> {
  return readFileSync(join(await javaPackages(), 'class-path'), 'utf8');
}

/** As protoc's packages name it. */
function platform(): string {
  const system = process.platform === 'darwin' ? 'osx' : 'linux';
  return `${system}-${process.arch === 'arm64' ? 'aarch_64' : 'x86_64'}`;
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
  const protos = await writeGenerated('java', folder, models, unsafeWriters);
  const java = join(folder, 'java');
  if (protos.length > 0) {
    const packages = await javaPackages();
    const includes = [`-I${join(folder, 'proto')}`, `-I${packages}`];
    await succeed(join(packages, 'protoc'), [...includes, `--java_out=${java}`, ...protos], folder);
  }
  return java;
}

/** The files of the generator below a folder of sources, or the files of protoc. */
function filesOf(java: string, ours: boolean): readonly string[] {
  return readdirSync(java, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.java') && name.startsWith(join('rowsmith', 'rows')) === ours,
  );
}

/** Compiles the sources, and further files with them, to `classes` beside them. */
export async function compileJava(java: string, more: readonly string[] = []): Promise<void> {
  const jars = await javaClassPath();
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
  const jars = await javaClassPath();
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

/** A process that runs generated classes. */
export class JavaProcess extends LineProcess {
  /** Compiles and runs what `writeJava` wrote; its client uses the server. */
  static async start(java: string, server?: string): Promise<JavaProcess> {
    if (!existsSync(join(java, '../classes/rowsmith/rows/Driver.class')))
      await compileJava(java, [join(sources, 'Driver.java')]);
    const jars = await javaClassPath();
    const classPath = `${join(java, '../classes')}:${jars}`;
    const args = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classPath];
    const program = ['rowsmith.rows.Driver', ...(server === undefined ? [] : [server])];
    return new JavaProcess('Java', 'java', [...args, ...program], server);
  }
}

/** Java, for the suites of all languages. */
export const java: Language = {
  name: 'Java',
  isMissing: javaIsMissing,
  start: async (folder, models, server) =>
    JavaProcess.start(await writeJava(folder, models), server),
  request: (op, entity, { insert, values, ...request }) => ({
    op,
    // A class of the client has the name too.
    module: entity === 'Value' ? 'Value_' : entity,
    replace: insert !== true,
    ...request,
    values: bytesOnly(values),
  }),
  has: () => true,
  words: inJava,
  keyValues: (values) => values,
  comparable: (answer, expected) => {
    const wanted = bytesOnly(expected) as typeof expected;
    return [parsed(withoutEmpty(answer, wanted), wanted) as typeof expected, wanted];
  },
};

/** JSON is text in Java: its value, where a value of JSON is expected. */
function parsed(found: unknown, wanted: unknown): unknown {
  if (typeof found === 'string' && typeof wanted === 'object' && wanted !== null)
    return '$json' in wanted ? { $json: JSON.parse(found) as unknown } : found;
  if (typeof found !== 'object' || found === null) return found;
  const expected = (wanted ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(found)) return found.map((each, i) => parsed(each, expected[i]));
  return Object.fromEntries(
    Object.entries(found).map(([name, each]) => [name, parsed(each, expected[name])]),
  );
}

/** The words of Java for what TypeScript says. */
export function inJava(text: string): string {
  return text
    .replace(/\b(the|a) Date\b/g, 'an Instant')
    .replace(/\ba bigint, such as 42n/, 'a whole number, such as 42')
    .replace(/\ba bigint\b/g, 'a whole number')
    .replace('a Uint8Array or a Buffer', 'a ByteString')
    .replace(/not decimal text/, 'not a BigDecimal')
    .replace(/^pass text such as '([\d.]+)'$/, 'pass one such as new BigDecimal("$1")')
    .replace(
      /^the value is not (a version with a valid )Date( since 1970 as `at`)$/,
      'expected $1time$2, got a Version',
    )
    .replace(/(T[\d:]+)\.000Z/, '$1Z')
    .replace(/4,096 bytes(?! of)/, '4096 bytes')
    .replace('an Instant cannot represent', 'an Instant of Rowsmith does not represent')
    .replace(/(does not contain JSON): .*/, '$1')
    .replace(', see String.prototype.isWellFormed', '');
}
