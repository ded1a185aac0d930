/** The lists of mutants fit the sources and the tests that they name, and the operators make changes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

interface Chosen {
  readonly id: string;
  readonly file: string;
  readonly is: string;
  readonly becomes: string;
  readonly suffers: string;
  readonly tests: readonly string[];
}
interface Drawn {
  readonly id: string;
  readonly file: string;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
}

/** Jest does not load modules of the other system: Node prints what they say. */
function printed<T>(program: string): T {
  const args = ['--input-type=module', '--eval', program];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 } as const;
  return JSON.parse(execFileSync(process.execPath, args, options)) as T;
}

const example = `
import { a } from 'b';
type T = 1 | true;
export async function f(x: number, y?: number[]): Promise<boolean> {
  if (x < 2 && !y) return false;
  while (g(x)) await h(x);
  return x === 10n ? y >= 0 : x > 1;
}`;

const nested = `
const outside = 1;
class Box<T> {
  static total = 2;
  size = 3;
  constructor(readonly max = 4) {}
  get full(): boolean { return this.max > 5; }
  each = (items: T[]) => items.map((item) => [item, 6]);
}
export async function pack(): Promise<number> { return 7; }`;

const { folderSuites, chosen, counts, equivalents, lost, sources, sample, places } = printed<{
  folderSuites: Readonly<Record<string, readonly string[]>>;
  chosen: readonly Chosen[];
  /** How often the text of each occurs in its file. */
  counts: readonly number[];
  equivalents: readonly (Drawn & { why: string })[];
  /** Equivalent mutants that are none any more. */
  lost: readonly unknown[];
  sources: readonly string[];
  /** How the functions around the numbers of `nested` begin. */
  places: readonly string[];
  sample: { all: readonly Drawn[]; draws: readonly (readonly string[])[] };
}>(`
import { readdirSync, readFileSync } from 'node:fs';
import { placesOf } from './scripts/mutants/chosen-text.mjs';
import { chosen, equivalents, folderSuites } from './scripts/mutants/data.mjs';
import { draw, mutantsOf } from './scripts/mutants/draw.mjs';
import { functionsOf } from './scripts/mutants/functions.mjs';
import { keyOf } from './scripts/mutants/select.mjs';
const read = (file) => { try { return readFileSync(file, 'utf8'); } catch { return ''; } };
const isKnown = (each) => mutantsOf(each.file, read(each.file)).some((one) => keyOf(one) === keyOf(each));
const files = readdirSync('src', { recursive: true }).filter((name) => name.endsWith('.ts'));
const all = mutantsOf('src/example.ts', ${JSON.stringify(example)});
const nested = ${JSON.stringify(nested)};
const around = (place) => functionsOf(nested).at(nested.indexOf(place))?.getText().slice(0, 11) ?? '';
const ids = (count, seed) => draw(all, count, seed).map(({ id }) => id);
console.log(JSON.stringify({
  chosen, equivalents, folderSuites,
  counts: chosen.map(({ file, is }) => placesOf(read(file), is).length),
  lost: equivalents.filter((each) => !isKnown(each)),
  sources: files.map((name) => 'src/' + name.replaceAll('\\\\', '/')),
  places: [...'1234567'].map(around),
  sample: { all, draws: [ids(5, 1), ids(5, 1), ids(5, 2), ids(100, 1)] },
}));
`);

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'));

test('at least 100 mutants are chosen, and no two have one name', () => {
  expect(chosen.length).toBeGreaterThanOrEqual(100);
  expect(new Set(chosen.map(({ id }) => id)).size).toBe(chosen.length);
  for (const { id, suffers } of chosen) {
    expect(id).toMatch(/^[a-z][a-z0-9-]+$/);
    expect(suffers).not.toMatch(/[.\n]$/);
  }
});

test('each chosen mutant changes one place of a file', () => {
  const wrong = chosen.filter(({ is, becomes }, i) => counts[i] !== 1 || is === becomes);
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

test('each chosen mutant names tests that exist', () => {
  const missing = chosen.filter(
    (each) => each.tests.length === 0 || each.tests.some((name) => !existsSync(join(root, name))),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test('mutants of every layer are chosen', () => {
  const layerOf = (path: string): string =>
    /^src\/(base|server|cli)\b/.exec(path)?.[1] ?? path.split('/').slice(1, 3).join('/');
  const layers = new Set(sources.map(layerOf));
  for (const { file } of chosen) layers.delete(layerOf(file));
  expect([...layers].filter((layer) => !layer.endsWith('.ts')).sort()).toEqual([
    'data/text',
    'engines/observe',
    'entities/model',
    'entities/proto',
    'tools/nest',
    'tools/output',
    'tools/vite',
  ]);
});

test('suites near the source come first, then the quickest, up to two minutes', () => {
  const file = 'src/data/key/encoding/calendar.ts';
  const suite = (seconds: number) => ({ hash: '', seconds, functions: { [file]: [] } });
  const suites = {
    'test/cli/quick.test.ts': suite(1),
    'test/cli/slower.test.ts': suite(30),
    'test/data/cell/half.test.ts': suite(10),
    'test/data/key/near.test.ts': suite(100),
    'test/data/key/other.test.ts': { ...suite(1), functions: {} },
  };
  const program = `
import { Coverage } from './scripts/mutants/coverage.mjs';
const coverage = new Coverage('.', { suites: ${JSON.stringify(suites)} });
console.log(JSON.stringify(coverage.suitesAt('${file}', 0)));`;
  expect(printed(program)).toEqual([
    'test/data/key/near.test.ts',
    'test/data/cell/half.test.ts',
    'test/cli/quick.test.ts',
  ]);
});

/** `a/(b|c).slow` names two suites. */
function alternatives(pattern: string): readonly string[] {
  const [, before, names, after] = /^(.*)\(([^)]*)\)(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split('|').map((name) => before + name + after);
}

test('suites of folders exist, and so do the sources that have them', () => {
  const all = Object.entries(folderSuites);
  const folders = all.filter(([from]) => !sources.some((file) => file.startsWith(from)));
  expect(folders).toEqual([]);
  const missing = all
    .flatMap(([, patterns]) => patterns.flatMap(alternatives))
    .filter((pattern) => !tests.some((name) => new RegExp(pattern).test(name)));
  expect(missing).toEqual([]);
});

test('equivalent mutants exist, each with a reason', () => {
  expect(lost).toEqual([]);
  for (const { why } of equivalents) expect(why).toMatch(/^[A-Z].{20,}[^.]$/);
});

test('the operators change what a program does, and no types', () => {
  expect(sample.all.map(({ operator, after }) => [operator, after])).toEqual([
    ['negation', 'if (x < 2 || !y) return false;'],
    ['boundary', 'if (x <= 2 && !y) return false;'],
    ['constant', 'if (x < 3 && !y) return false;'],
    ['negation', 'if (x < 2 && y) return false;'],
    ['constant', 'if (x < 2 && !y) return true;'],
    ['negation', 'while (!(g(x))) await h(x);'],
    ['dropped statement', 'while (g(x)) ;'],
    ['dropped await', 'while (g(x)) (h(x));'],
    ['negation', 'return x !== 10n ? y >= 0 : x > 1;'],
    ['constant', 'return x === 11n ? y >= 0 : x > 1;'],
    ['boundary', 'return x === 10n ? y > 0 : x > 1;'],
    ['constant', 'return x === 10n ? y >= 1 : x > 1;'],
    ['boundary', 'return x === 10n ? y >= 0 : x >= 1;'],
    ['constant', 'return x === 10n ? y >= 0 : x > 2;'],
  ]);
  expect(new Set(sample.all.map(({ id }) => id)).size).toBe(sample.all.length);
});

test('a place belongs to the innermost function, and fields to their class', () => {
  const functions = ['class Box<T', 'constructor', 'get full():', '(item) => [', 'export asyn'];
  expect(places).toEqual(['', '', ...functions]);
});

test('a draw has one of each operator in turn, and depends on the seed', () => {
  const [one, again, other, whole] = sample.draws;
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  const operatorOf = new Map(sample.all.map(({ id, operator }) => [id, operator]));
  expect(new Set(one.map((id) => operatorOf.get(id))).size).toBe(5);
  expect(whole).toHaveLength(sample.all.length);
});
