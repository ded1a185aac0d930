/** Generated Java as text: a golden file, names, and what is read only. Nothing runs Java here. */
import { column, defineEntity, rowKey } from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { javaGenerator } from '../../../../src/tools/codegen/languages/java/generator.js';
import { bytes, javaLines, text } from '../../../../src/tools/codegen/languages/java/layout.js';
import { camelCase } from '../../../../src/tools/codegen/languages/java/names.js';
import { rowEntities } from '../../../languages/support/entities.js';
import { expectGolden } from '../../../support/golden.js';

async function filesOf(models: ReturnType<typeof buildModels>): Promise<Map<string, string>> {
  const files = await javaGenerator.generate({ models, lockVersion: () => '00000000' });
  return new Map(
    files.map(({ path, content }) => [path.replace('java/rowsmith/rows/', ''), String(content)]),
  );
}

const runtime = /^Rows\.java$/;

test('the records of every kind of entity', async () => {
  const files = await filesOf(buildModels(rowEntities));
  const shown = [...files].filter(([path]) => !runtime.test(path));
  expectGolden(
    'codegen/java.txt',
    shown.map(([path, source]) => `// ${path}\n${source}`).join('\n'),
  );
});

test('the order of entities changes no file', async () => {
  const forwards = await filesOf(buildModels(rowEntities));
  const backwards = await filesOf(buildModels([...rowEntities].reverse()));
  expect(Object.fromEntries(backwards)).toEqual(Object.fromEntries(forwards));
});

test('the shared class has every sentence that it refuses with', async () => {
  const source = (await filesOf(buildModels(rowEntities))).get('Rows.java')!;
  const used = [
    ...source.matchAll(/(?:new Refused|\b(?:problem|fix))\(\s*"(\w+)"/g),
    ...source.matchAll(/\berror\(\s*"[A-Z_]+",\s*"(\w+)"/g),
  ].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(50);
  for (const name of used) expect(source).toMatch(new RegExp(`^ +${name}: .*\\|`, 'm'));
});

/** Models of one entity with this many columns, and with one segment. */
function wideModels(columns: number, segment: 'string' | 'int'): ReturnType<typeof buildModels> {
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  const wide = defineEntity(class {}, {
    name: 'Wide',
    table: 'wide',
    families: { f: {} },
    key: rowKey('id' as never),
    segments: { id: segment },
    columns: Object.fromEntries(names.map((name) => [name, column('f', 'int64')])),
  } as never);
  return buildModels([wide]);
}

test.each([
  ['string', 253],
  ['int', 252],
] as const)('a record with a key of %s has up to %d columns', async (segment, columns) => {
  await expect(filesOf(wideModels(columns, segment))).resolves.toBeDefined();
  await expect(filesOf(wideModels(columns + 1, segment))).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    details: {
      entity: 'Wide',
      problem: expect.stringContaining(`${columns + 2} components`) as unknown,
      fix: expect.stringContaining('split the entity') as unknown,
    },
  });
});

test.each([
  ['cpuLoad', 'cpuLoad'],
  ['CPULoad', 'cpuLoad'],
  ['__init__', 'init'],
  ['cpu_load', 'cpuLoad'],
  ['1st', 'u1st'],
  ['日本', 'unnamed'],
])('the name %s', (name, camel) => {
  expect(camelCase(name)).toBe(camel);
});

test.each([
  ['plain', '"plain"'],
  ['"', '"\\""'],
  ['\\u0022\n\0', '"\\\\u0022\\n\\000"'],
  ['ü\u2028\ud800', '"ü\\u2028\\ud800"'],
])('text %j as a literal', (value, literal) => {
  expect(javaLines(text(value))).toEqual([literal]);
});

test('long text is broken before a space', () => {
  expect(javaLines(text(`${'word '.repeat(30)}end`), '', ',')).toEqual([
    `"${'word '.repeat(19).trim()}"`,
    `    + "${' word'.repeat(11)} end",`,
  ]);
});

test('bytes as a literal', () => {
  expect(bytes(Uint8Array.of(0x61, 0, 0xff, 0x5c))).toBe('"a\\000\\377\\\\"');
});
