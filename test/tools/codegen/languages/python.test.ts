/** Generated Python as text: a golden file, names, and what is read only. Nothing runs Python here. */
import { buildModels } from '../../../../src/entities/model/index.js';
import { column, defineEntity, rowKey } from '../../../../src/index.js';
import { pascalCase, SafeNames, snakeCase } from '../../../../src/tools/codegen/languages/names.js';
import { portablePattern } from '../../../../src/tools/codegen/languages/pattern.js';
import { bytes, text } from '../../../../src/tools/codegen/languages/python/layout.js';
import { pythonGenerator } from '../../../../src/tools/codegen/languages/python/generator.js';
import { rowEntities } from '../../../languages/support/entities.js';
import { expectGolden } from '../../../support/golden.js';

async function filesOf(models: ReturnType<typeof buildModels>): Promise<Map<string, string>> {
  const files = await pythonGenerator.generate({ models, lockVersion: () => '00000000' });
  return new Map(
    files.map(({ path, content }) => [path.replace('python/rowsmith_rows/', ''), String(content)]),
  );
}

test('the modules of every kind of entity', async () => {
  const files = await filesOf(buildModels(rowEntities));
  const shown = [...files].filter(([path]) => !['runtime.py', '__init__.py'].includes(path));
  expectGolden(
    'codegen/python.txt',
    shown.map(([path, source]) => `# ${path}\n${source}`).join('\n'),
  );
});

test('the order of entities changes no module', async () => {
  const forwards = await filesOf(buildModels(rowEntities));
  const backwards = await filesOf(buildModels([...rowEntities].reverse()));
  expect(Object.fromEntries(backwards)).toEqual(Object.fromEntries(forwards));
});

test('the runtime has every sentence that it refuses with', async () => {
  const runtime = (await filesOf(buildModels(rowEntities))).get('runtime.py')!;
  const used = [
    ...runtime.matchAll(/(?:_Refused|_problem|_fix)\(\s*"(\w+)"/g),
    ...runtime.matchAll(/_fail\(\s*"[A-Z_]+",\s*"(\w+)"/g),
  ].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(60);
  for (const name of used) expect(runtime).toMatch(new RegExp(`^    ${name}: .*\\|`, 'm'));
});

test.each([
  ['cpuLoad', 'cpu_load', 'CpuLoad'],
  ['CPULoad', 'cpu_load', 'CPULoad'],
  ['Reading.byPlace', 'reading_by_place', 'ReadingByPlace'],
  ['__init__', 'init', 'Init'],
  ['1st', 'u1st', 'U1st'],
  ['日本', 'unnamed', 'Unnamed'],
])('the name %s', (name, snake, pascal) => {
  expect([snakeCase(name), pascalCase(name)]).toEqual([snake, pascal]);
});

test('names of a scope are unique without case, and no words', () => {
  const names = new SafeNames(new Set(['class']));
  expect(['class', 'Class', 'a', 'A', 'a'].map((name) => names.take(name))).toEqual([
    'class_',
    'Class',
    'a',
    'A_2',
    'a_3',
  ]);
});

test.each([
  ['plain', `"plain"`],
  ['"', `'"'`],
  [`'"`, `"'\\""`],
  ['\\\n\0', '"\\\\\\n\\x00"'],
  ['ü\u2028\u{e0001}', '"ü\\u2028\\U000e0001"'],
])('text %j as a literal', (value, literal) => {
  expect(text(value)).toBe(literal);
});

test('bytes as a literal', () => {
  expect(bytes(Uint8Array.of(0x61, 0, 0xff, 0x5c))).toBe('b"a\\x00\\xff\\\\"');
  expect(bytes(Uint8Array.of(0x22))).toBe(`b'"'`);
});

test.each([/^[a-z]+$/, /^\d{3}-[^#]*x?$/u, /a|b/, /^(?:a\.b)+$/])('%s is portable', (pattern) => {
  expect(portablePattern(pattern)).toBe(pattern.source);
});

test.each([/a/i, /./, /\s/, /\bx/, /(?<=a)b/, /(a)\1/, /\p{L}/u, /[^a]/, /\u{61}/u])(
  '%s is not portable',
  (pattern) => {
    expect(portablePattern(pattern)).toBeUndefined();
  },
);

test('a pattern that is not portable leaves readers', async () => {
  const Named = defineEntity(class {}, {
    name: 'Named',
    table: 't',
    families: { f: {} },
    key: rowKey('id' as never),
    segments: { id: { kind: 'string', pattern: /^\p{L}+$/u } },
    columns: { note: column('f', 'string') },
  } as never);
  const source = (await filesOf(buildModels([Named]))).get('named.py')!;
  expect(source).toContain("the pattern of 'id' means something else outside JavaScript");
});
