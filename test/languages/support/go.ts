/** Go for the tests of generated files: its module, its tools, and a process that runs them. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRowsmithError } from '../../../src/base/index.js';
import type { EntityModel } from '../../../src/entities/model/index.js';
import { generators } from '../../../src/tools/codegen/index.js';
import { findGo } from '../../proxy/go-suite.js';
import { findProgram } from '../../support/emulator.js';
import { type Answer, LineProcess } from './line-process.js';

const run = promisify(execFile);
const go = findGo();
const protoc = findProgram('protoc');
/** Versions of test/clients, so that Go compiles them once. */
const pinned = join(__dirname, '../../clients/go');
const driver = join(__dirname, '../go/driver.go');

/** Whether Go or protoc is missing; throws where it must not be. */
export function goIsMissing(): boolean {
  const missing = [go === undefined ? 'go' : '', protoc === undefined ? 'protoc' : ''].join(' ');
  if (missing.trim() === '') return false;
  if (process.env.CI_REQUIRE_LANGUAGES === '1')
    throw new Error(`CI_REQUIRE_LANGUAGES is set, and ${missing} was not found`);
  console.warn(`SKIPPED: ${missing} is not installed, so generated Go is not tested`);
  return true;
}

/** The output of a command of Go in a folder, which must succeed. */
export async function goTool(folder: string, program: string, ...args: string[]): Promise<string> {
  const bin = join(folder, 'bin');
  const path = [bin, dirname(go === 'go' ? findProgram('go')! : go!), process.env.PATH].join(':');
  try {
    const { stdout } = await run(program === 'go' ? go! : program, args, {
      cwd: folder,
      maxBuffer: 2 ** 26,
      env: { ...process.env, PATH: path, GOFLAGS: '-mod=readonly -buildvcs=false' },
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** Writes the files of models into a module of Go, and the classes of their messages. */
export async function writeGo(
  folder: string,
  models: readonly EntityModel[],
  unsafeWriters = false,
): Promise<string> {
  let hasMessages = false;
  for (const name of ['proto', 'go']) {
    const generator = generators.find((each) => each.name === name)!;
    for (const { path, content } of await generator.generate({ models, unsafeWriters })) {
      const file = join(folder, path.replace(/^go\//, ''));
      mkdirSync(dirname(file), { recursive: true });
      // The module is the folder itself.
      writeFileSync(file, String(content).replace('--proto_path=../../', '--proto_path=../'));
      hasMessages ||= name === 'proto';
    }
  }
  const module = readFileSync(join(pinned, 'go.mod'), 'utf8');
  writeFileSync(join(folder, 'go.mod'), module.replace(/^module .*$/m, `module ${moduleName}`));
  cpSync(join(pinned, 'go.sum'), join(folder, 'go.sum'));
  if (hasMessages) {
    const plugin = 'google.golang.org/protobuf/cmd/protoc-gen-go';
    await goTool(folder, 'go', 'build', '-o', join(folder, 'bin/protoc-gen-go'), plugin);
    await goTool(folder, 'go', 'generate', './rows');
  }
  return folder;
}

const moduleName = 'rowsmith/test/languages/go';

/** What the package has of each entity, for the driver. */
function registry(folder: string, models: readonly EntityModel[]): string {
  const files = generators.find(({ name }) => name === 'go')!;
  const sources = (files.generate({ models }) as { path: string; content: string }[]).filter(
    ({ path }) => !path.endsWith('/runtime.go'),
  );
  const entries = sources.map(({ path }) => {
    const source = readFileSync(join(folder, path.replace(/^go\//, '')), 'utf8');
    const [, row] = /^func (\w+)KeyOf\(/m.exec(source)!;
    const counters = ['Increments', 'Additions'].map((each) =>
      source.includes(`type ${row}${each} struct`) ? `rows.${row}${each}{}` : 'nil',
    );
    const functions = [`${row}KeyOf`, `Parse${row}Key`, `${row}Keys`, `${row}FromRow`];
    const values = [...functions, `${row}Key{}`, `${row}{}`].map((each) => `rows.${each}`);
    return `\t${JSON.stringify(row)}: {${[...values, ...counters].join(', ')}},\n`;
  });
  return [
    `package main\n\nimport "${moduleName}/rows"\n`,
    `var entities = map[string]api{\n${entries.join('')}}\n`,
  ].join('\n');
}

/** A process that runs generated files. */
export class GoProcess extends LineProcess {
  /** Builds and starts one on the models; its client uses the server. */
  static async start(
    folder: string,
    models: readonly EntityModel[],
    server?: string,
  ): Promise<GoProcess> {
    const program = join(folder, 'driver');
    if (!existsSync(program)) {
      await writeGo(folder, models);
      cpSync(driver, join(folder, 'driver.go'));
      writeFileSync(join(folder, 'registry.go'), registry(folder, models));
      await goTool(folder, 'go', 'build', '-ldflags=-s -w', '-o', program, '.');
    }
    return new GoProcess('Go', program, [], server);
  }
}

/** The words of Go for what TypeScript says. */
export function inGo(text: string): string {
  return text
    .replace(/\b(the|a) Date\b/g, 'a time.Time')
    .replace(/is null\b/, 'is nil')
    .replace(/\ba bigint, such as 42n/, 'an integer, such as 42')
    .replace(/\ba bigint\b/g, 'an integer')
    .replace('a Uint8Array or a Buffer', 'bytes')
    .replace('a time.Time cannot represent', 'a time.Time of Rowsmith does not represent')
    .replace(
      /^the value is not (a version with a valid )Date( since 1970 as `at`)$/,
      'expected $1time$2, got 1969-12-31T23:59:59.999Z',
    )
    .replace(/(does not contain JSON): .*/, '$1')
    .replace('4,096 bytes', '4096 bytes')
    .replace('4096 bytes of', '4,096 bytes of')
    .replace(/, see String.prototype.isWellFormed/, '');
}

/** The result of TypeScript in the form of Go's answers. */
export function attempted(call: () => unknown): Answer {
  try {
    return { ok: untagged(call()) };
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const { property = null, problem = '', fix = '' } = error.details;
    return {
      error: { code: error.code, property, problem: inGo(problem), fix: inGo(fix) },
    };
  }
}

/** Go has text for decimals and days. */
export function untagged(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$decimal' in value) return value.$decimal;
  if ('$date' in value) return value.$date;
  if (Array.isArray(value)) return value.map(untagged);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, untagged(each)]));
}

/** Properties as the fields of Go. */
export function fields(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name === 'id' ? 'ID' : name.charAt(0).toUpperCase() + name.slice(1),
      value as unknown,
    ]),
  );
}
