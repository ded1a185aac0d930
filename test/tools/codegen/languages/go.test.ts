/** Generated Go as text: a golden file, names, and what is read only. Nothing runs Go here. */
import { buildModels } from '../../../../src/entities/model/index.js';
import {
  Column,
  Entity,
  type EntityClass,
  Field,
  Message,
  Packed,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { goGenerator } from '../../../../src/tools/codegen/languages/go/generator.js';
import { bytes, text } from '../../../../src/tools/codegen/languages/go/layout.js';
import { goMessageName } from '../../../../src/tools/codegen/languages/go/names.js';
import { rowEntities } from '../../../languages/support/entities.js';
import { expectGolden } from '../../../support/golden.js';

async function filesOf(models: ReturnType<typeof buildModels>): Promise<Map<string, string>> {
  const files = await goGenerator.generate({ models, lockVersion: () => '00000000' });
  return new Map(files.map(({ path, content }) => [path.replace('go/rows/', ''), String(content)]));
}

test('the files of every kind of entity', async () => {
  const files = await filesOf(buildModels(rowEntities));
  const shown = [...files].filter(([path]) => path !== 'runtime.go');
  expectGolden('codegen/go.txt', shown.map(([path, source]) => `// ${path}\n${source}`).join('\n'));
});

test('the order of entities changes no file', async () => {
  const forwards = await filesOf(buildModels(rowEntities));
  const backwards = await filesOf(buildModels([...rowEntities].reverse()));
  expect(Object.fromEntries(backwards)).toEqual(Object.fromEntries(forwards));
});

test('the runtime has every sentence that it refuses with, and no other', async () => {
  const runtime = (await filesOf(buildModels(rowEntities))).get('runtime.go')!;
  const declared = [...runtime.matchAll(/^\t\{"([a-z]\w+)", "/gm)].map(([, name]) => name);
  const used = [
    ...runtime.matchAll(/refuse(?:Of)?\("(\w+)"/g),
    ...runtime.matchAll(/refusalOf\("(\w+)"/g),
    ...runtime.matchAll(/words\["(\w+)"\]/g),
    ...runtime.matchAll(/fail\("[A-Z_]+", "(\w+)"/g),
  ].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(45);
  expect(used.filter((name) => !declared.includes(name))).toEqual([]);
});

test('what go generate runs is in the runtime if there are messages', async () => {
  const runtime = async (entities: Parameters<typeof buildModels>[0]) =>
    (await filesOf(buildModels(entities))).get('runtime.go')!;
  expect(await runtime(rowEntities.slice(0, 4))).toContain(
    '--go_opt=Mplant.proto=./rows plant.proto\n',
  );
  expect(await runtime(rowEntities.slice(1, 4))).not.toContain('//go:generate');
});

@Message('one.Thing')
class OneThing {
  @Field(1, 'string') name?: string;
}

@Message('two.Thing')
class OtherThing {
  @Field(1, 'string') name?: string;
}

@Entity({ table: 'pairs', families: { f: {} } })
class Pair {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 9 }) id!: string;
  @Packed('f', () => OneThing) one?: OneThing;
  @Packed('f', () => OtherThing) other?: OtherThing;
}

test('messages with the same name in Go are refused', async () => {
  await expect(async () => filesOf(buildModels([Pair]))).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    details: {
      problem: expect.stringContaining("'one.Thing' and 'two.Thing' have the same name") as unknown,
    },
  });
});

@Entity({ table: 'things', families: { f: {} } })
class Thing {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 9 }) id!: string;
  @Packed('f', () => OneThing) one?: OneThing;
}

@Entity({ table: 'tests', families: { f: {} } })
class ThingTest {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 9 }) id!: string;
  @Column('f', 'string') note?: string;
}

test('an entity with the name of a message, and one whose file Go would take for a test', async () => {
  const files = await filesOf(buildModels([Thing, ThingTest]));
  expect([...files.keys()]).toEqual(['runtime.go', 'thing.go', 'thing_test_rows.go']);
  expect(files.get('thing.go')).toContain('type Thing_2 struct {');
  expect(files.get('thing.go')).toContain('\tOne *Thing\n');
});

test.each([
  ['Status', 'Status'],
  ['Outer.Inner', 'Outer_Inner'],
  ['outer.inner', 'OuterInner'],
  ['snake_case', 'SnakeCase'],
  ['_Hidden', 'XHidden'],
  ['a1b', 'A1B'],
])('protoc-gen-go has a name for %s', (name, inGo) => {
  expect(goMessageName(name)).toBe(inGo);
});

test.each([
  ['plain', '"plain"'],
  ['"', '"\\""'],
  ['\\\n\0', '"\\\\\\n\\u0000"'],
  ['ü\u2028\u{e0001}', '"ü\\u2028\\U000e0001"'],
])('text %j as a literal', (value, literal) => {
  expect(text(value)).toBe(literal);
});

test('bytes as a literal', () => {
  expect(bytes(Uint8Array.of(0x61, 0, 0xff, 0x5c, 0x22))).toBe('"a\\x00\\xff\\\\\\""');
});

/** An entity with a column whose name has so many letters. */
function withName(letters: number): EntityClass {
  class Named {
    static readonly key = rowKey('id');
    id!: string;
    x?: string;
  }
  Segment('string')(Named.prototype, 'id');
  Column('f', 'string')(Named.prototype, 'x'.repeat(letters) as 'x');
  Entity({ table: 'named', families: { f: {} } })(Named);
  return Named;
}

test('a call of up to 100 columns is on one line, a longer one has a line for each argument', async () => {
  const found: (readonly [columns: number, lines: number])[] = [];
  for (let letters = 40; letters < 80; letters++) {
    const files = await filesOf(buildModels([withName(letters)]));
    const call = /return \w+\.mutation\([^)]*\)/.exec([...files.values()].join('\n'))![0];
    const joined = call
      .replace(/\(\n\t*/, '(')
      .replace(/,\n\t*\)/, ')')
      .replace(/,\n\t*/g, ', ');
    found.push([joined.length, call.split('\n').length]);
  }
  expect(found.map(([columns]) => columns)).toEqual(expect.arrayContaining([99, 100, 101]));
  expect(found.map(([, lines]) => lines)).toEqual(
    found.map(([columns]) => (columns <= 100 ? 1 : 5)),
  );
});
