/** Go for the tests of generated files: its module, its tools, and a process that runs them. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { EntityModel } from '../../../src/entities/model/index.js';
import { generators } from '../../../src/tools/codegen/index.js';
import { findGo } from '../../proxy/go-suite.js';
import { findProgram } from '../../support/emulator.js';
import { writeGenerated } from './generated-files.js';
import { bytesOnly, type Language, sorted, withoutEmpty } from './language.js';
import { LineProcess } from './line-process.js';

const run = promisify(execFile);
const goProgram = findGo();
const protoc = findProgram('protoc');
/** Versions of test/clients, so that Go compiles them once. */
const pinned = join(__dirname, '../../clients/go');
const driver = join(__dirname, '../go/driver.go');

/** Whether Go or protoc is missing; throws where it must not be. */
export function goIsMissing(): boolean {
  const missing = [goProgram === undefined ? 'go' : '', protoc === undefined ? 'protoc' : ''].join(
    ' ',
  );
  if (missing.trim() === '') return false;
  if (process.env.CI_REQUIRE_LANGUAGES === '1')
    throw new Error(`CI_REQUIRE_LANGUAGES is set, and ${missing} was not found`);
  console.warn(`SKIPPED: ${missing} is not installed, so generated Go is not tested`);
  return true;
}

/** PATH with the folder of Go. */
export function pathWithGo(): string {
  return `${dirname(goProgram === 'go' ? findProgram('go')! : goProgram!)}:${process.env.PATH}`;
}

/** The output of a command of Go in a folder, which must succeed. */
export async function goTool(folder: string, program: string, ...args: string[]): Promise<string> {
  const PATH = `${join(folder, 'bin')}:${pathWithGo()}`;
  try {
    const { stdout } = await run(program === 'go' ? goProgram! : program, args, {
      cwd: folder,
      maxBuffer: 2 ** 26,
      env: { ...process.env, PATH, GOFLAGS: '-mod=readonly -buildvcs=false' },
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
  const protos = await writeGenerated('go', folder, models, unsafeWriters);
  const module = readFileSync(join(pinned, 'go.mod'), 'utf8');
  writeFileSync(join(folder, 'go.mod'), module.replace(/^module .*$/m, `module ${moduleName}`));
  copySums(folder);
  if (protos.length > 0) {
    const plugin = 'google.golang.org/protobuf/cmd/protoc-gen-go';
    await goTool(folder, 'go', 'build', '-o', join(folder, 'bin/protoc-gen-go'), plugin);
    await goTool(folder, 'go', 'generate', './go/rows');
  }
  return folder;
}

/** The sums of the pinned versions. */
export function copySums(folder: string): void {
  cpSync(join(pinned, 'go.sum'), join(folder, 'go.sum'));
}

const moduleName = 'rowsmith/test/languages';

/** What the package has of each entity, for the driver. */
function registry(folder: string, models: readonly EntityModel[]): string {
  const files = generators.find(({ name }) => name === 'go')!;
  const sources = (files.generate({ models }) as { path: string; content: string }[]).filter(
    ({ path }) => !path.endsWith('/runtime.go'),
  );
  const entries = sources.map(({ path }) => {
    const source = readFileSync(join(folder, path), 'utf8');
    const [, row] = /^func (\w+)KeyOf\(/m.exec(source)!;
    const counters = ['Increments', 'Additions'].map((each) =>
      source.includes(`type ${row}${each} struct`) ? `rows.${row}${each}{}` : 'nil',
    );
    const functions = [`${row}KeyOf`, `Parse${row}Key`, `${row}Keys`, `${row}FromRow`];
    const values = [...functions, `${row}Key{}`, `${row}{}`].map((each) => `rows.${each}`);
    return `\t${JSON.stringify(row)}: {${[...values, ...counters].join(', ')}},\n`;
  });
  return [
    `package main\n\nimport "${moduleName}/go/rows"\n`,
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

/** Go, for the suites of all languages. */
export const go: Language = {
  name: 'Go',
  isMissing: goIsMissing,
  start: GoProcess.start,
  request: (op, entity, { values, within, ...request }) => ({
    op,
    entity,
    ...request,
    // Keys with fixed segments are the scope.
    values: inTypes({ ...(within as object), ...(values as object) }),
  }),
  has: (value) => typeof value !== 'string' || value.isWellFormed(),
  words: inGo,
  keyValues: (values) => fields(untagged(values) as object),
  comparable: (answer, expected) => {
    const wanted = inTypes(expected);
    return [withSortedMaps(withoutEmpty(answer, wanted)), withSortedMaps(wanted)];
  },
};

/** Fields of the types of Go: text for decimals and days, messages as bytes. */
function inTypes(values: object): Record<string, unknown> {
  return fields(bytesOnly(untagged(values)) as object);
}

/** Maps of Go have no order, and text as the keys of large integers. */
function withSortedMaps(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const entries = (value as { $map?: readonly (readonly [unknown, unknown])[] } | null)?.$map;
      return [name, entries === undefined ? value : { $map: sorted(entries.map(withTextKey)) }];
    }),
  );
}

function withTextKey([key, value]: readonly [unknown, unknown]): readonly [unknown, unknown] {
  return [(key as { $int?: string }).$int ?? key, value];
}

/** Go has text for decimals and days. */
export function untagged(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || '$json' in value) return value;
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
