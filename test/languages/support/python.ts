/** Python for the tests of generated modules: its packages, its tools, and a process that runs them. */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { EntityModel } from '../../../src/entities/model/index.js';
import { findProgram } from '../../support/emulator.js';
import { filledFolder } from './filled-folder.js';
import { writeGenerated } from './generated-files.js';
import type { Language } from './language.js';
import { LineProcess } from './line-process.js';
import { answeredRow, inPython } from './values.js';

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

/** The folder with the packages that requirements.txt pins. */
export function pythonPackages(): Promise<string> {
  const pins = join(sources, 'requirements.txt');
  return filledFolder('python', pins, async (folder) => {
    await run('python3', ['-m', 'venv', folder]);
    const install = ['install', '-q', '--no-deps', '-r', pins];
    await run(join(folder, 'bin/pip'), install, { maxBuffer: 2 ** 26 });
  });
}

/** Writes the modules and the .proto files of models, and the classes of the .proto files. */
export async function writePython(
  folder: string,
  models: readonly EntityModel[],
  unsafeWriters = false,
): Promise<string> {
  const protos = await writeGenerated('python', folder, models, unsafeWriters);
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

/** A process that imports generated modules. */
export class PythonProcess extends LineProcess {
  /** Starts one on the folder that `writePython` returned; its clients use the server. */
  static async start(folder: string, server?: string): Promise<PythonProcess> {
    const program = join(await pythonPackages(), 'bin/python');
    const args = ['-B', join(sources, 'driver.py'), folder];
    return new PythonProcess('Python', program, args, server);
  }
}

/** Python, for the suites of all languages. */
export const python: Language = {
  name: 'Python',
  isMissing: pythonIsMissing,
  start: async (folder, models, server) =>
    PythonProcess.start(await writePython(folder, models), server),
  request: (op, entity, { insert, ...request }) => ({
    op,
    module: entity.replace(/\B[A-Z]/g, '_$&').toLowerCase(),
    // Only the module has the name of a word.
    class: entity.replace(/_$/, ''),
    replace: insert !== true,
    ...request,
  }),
  has: isInPython,
  words: inPython,
  keyValues: (values) => values,
  comparable: (answer, expected) => [answeredRow(answer, expected), answeredRow(expected)],
};

/** Python's datetime has the years 1 to 9999. */
function isInPython(value: unknown): boolean {
  if (!(value instanceof Date)) return true;
  return value.getTime() >= -62_135_596_800_000 && value.getTime() <= 253_402_300_799_999;
}
