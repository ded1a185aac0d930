/** Every rule of .oxlintrc.json rejects an example, so that none is configured in vain. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..');
const config = readFileSync(join(root, '.oxlintrc.json'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-linter-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the rules of sources reject. */
const source = `
declare const some: any, one: number, text: string, list: number[], kind: 'a' | 'b';
declare function later(): Promise<void>;
/** @deprecated */
declare function old(): void;
class Counter {
  private hidden = 1;
  count() { return this.hidden; }
}
import { Buffer } from 'node:buffer';
export const bytes = (value: Buffer) => value;
export { Shape } from './shape.js';
export const my_value = 1;
export const spread = { ...(one > 1 ? { a: 1 } : {}) };
export const nested = one > 1 ? 1 : one > 2 ? 2 : 3;
export const literal = 9007199254740993;
export const sparse = [1, , 2];
export const template = '\${one}';
export const chain = (some?.a)();
export const sum = some + list;
export const textOf = String(new Counter());
export const method = new Counter().count;
export const sorted = list.toSorted();
export const same = text as string;
export const either: any | number = 1;
export const copy = { ...list };
export const assigned: number = some;
export const returned = (): string => some;
// @ts-ignore
// oxlint-disable-next-line no-eval
export function rules(first: number, second: Error) {
  var before = 1;
  let never = 2;
  if (first == before + never) debugger;
  if (first === first) first = first;
  if (true) old();
  if (first) one; else if (first) one;
  switch (first) { case 1: one; case 1: break; }
  switch (kind) { case 'a': break; }
  if (first === NaN || typeof text === 'strnig') console.log(first);
  try { one; } catch (error) { throw error; } finally { return; }
  const self = this;
  void self;
}
export async function waits() {
  await one;
  later();
  list.forEach(async () => later());
  delete list[0];
  for (const i in list) void i;
  setTimeout('one');
  some.x;
  some();
  list.indexOf(some);
  if (one) throw 'text';
  if (one) return Promise.reject('text');
  try { return later(); } catch { return undefined; }
}
// ${'x'.repeat(120)}
export function long() {
${'  void one;\n'.repeat(90)}}
${'\n'.repeat(400)}`;

const files = {
  'tsconfig.json': JSON.stringify({
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { module: 'nodenext', moduleResolution: 'nodenext', noEmit: true },
    include: ['src', 'test'],
  }),
  'package.json': '{ "type": "module" }',
  'src/shape.ts': 'export interface Shape { a: number }\n',
  'src/rules.ts': source,
  'test/docs/drawn.test.ts': "import fc from 'fast-check';\nvoid fc;\n",
};

/** Names of rules, with their plugins, that reject something. */
function rejecting(): readonly string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, '.oxlintrc.json'), config);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const program = join(root, 'node_modules/oxlint/bin/oxlint');
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [program, '--format', 'json'], options);
  if (!stdout.startsWith('{')) throw new Error(`oxlint failed:\n${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code?: string }[] };
  return diagnostics.map(
    ({ code }) => code?.replace(/^(.+)\((.+)\)$/, '$1/$2') ?? 'unused directive',
  );
}

interface Config {
  readonly overrides: readonly { readonly rules: Readonly<Record<string, unknown>> }[];
}

test('every rule rejects an example, and so does a directive without effect', () => {
  const { overrides } = JSON.parse(config.replace(/^\s*\/\/.*$/gm, '')) as Config;
  const rules = overrides.flatMap((each) => Object.keys(each.rules));
  const qualified = rules.map((name) => (name.includes('/') ? name : `eslint/${name}`));
  expect([...new Set(rejecting())].sort()).toEqual(
    [...new Set([...qualified, 'unused directive'])].sort(),
  );
});
