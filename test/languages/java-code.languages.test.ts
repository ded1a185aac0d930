/** Generated Java as its tools see it: the formatter has nothing to change, and javac no warning. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, literal, rowKey } from '../../src/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { all } from '../tools/codegen/entities.js';
import { rowEntities } from './support/entities.js';
import { compileErrors, compileJava, formatted, javaIsMissing, writeJava } from './support/java.js';

const describeJava = javaIsMissing() ? describe.skip : describe;

/** Names that are words of Java, of its types and of the generated classes, and hostile text. */
const hostile = [
  ['class', 'Class', 'CLASS'],
  ['int', 'String', 'to', 'row', 'values', 'now', 'KEYS', 'key', 'within'],
  ['__init__', 'toString', 'hashCode', '$', 'ünïcode', '日本', '1st', 'getClass', 'wait'],
  [
    'null',
    'record',
    'yield',
    'var',
    'prefix',
    'builder',
    'toBuilder',
    'build',
    'range',
    'of',
    'com',
    'java',
  ],
];

function hostileModels(): readonly EntityModel[] {
  const names = ['Rows', 'rows', 'Key', 'Mutation', 'Builder', 'String', 'Math', 'RowKeys'];
  const classes = names.map((name, i) => {
    const [first, ...rest] = hostile[i % hostile.length];
    return defineEntity(class {}, {
      name,
      table: `t${i}`,
      families: { f: {} },
      key: rowKey(literal('"\'\\\n#ü\\u0022'), first as never),
      segments: { [first]: 'string' },
      columns: Object.fromEntries(rest.map((each) => [each, column('f', 'string')])),
    } as never);
  });
  return buildModels(classes);
}

/** The builder of a key that may be null. */
function nullableModels(): readonly EntityModel[] {
  const nick = defineEntity(class {}, {
    name: 'Nick',
    table: 'nicks',
    families: { f: {} },
    key: rowKey('nick' as never),
    segments: { nick: { kind: 'string', nullable: true } },
    columns: { note: column('f', 'string') },
  } as never);
  return buildModels([nick]);
}

/** As many components as a record can have: `this` and the segment have three slots of 255. */
function widestModels(): readonly EntityModel[] {
  const names = Array.from({ length: 252 }, (_, i) => `column${i}`);
  const widest = defineEntity(class {}, {
    name: 'Widest',
    table: 'widest',
    families: { f: {} },
    key: rowKey('id' as never),
    segments: { id: 'int' },
    columns: Object.fromEntries(names.map((name) => [name, column('f', 'int64')])),
  } as never);
  return buildModels([widest]);
}

describeJava('generated Java', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-java-'));
  let goldens: string;
  let rows: string;
  let readers: string;
  beforeAll(async () => {
    goldens = await writeJava(join(folder, 'goldens'), buildModels(all));
    const models = [
      ...buildModels(rowEntities),
      ...hostileModels(),
      ...widestModels(),
      ...nullableModels(),
    ];
    rows = await writeJava(join(folder, 'rows'), models, true);
    readers = await writeJava(join(folder, 'readers'), buildModels(rowEntities));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('google-java-format has nothing to change', async () => {
    expect(await formatted([goldens, rows, readers])).toBe('');
  });

  test('entities of the golden files compile without warnings', async () => {
    await compileJava(goldens);
  });

  test('every kind of column, hostile names, the widest record and unsafe writers, and what types refuse', async () => {
    await compileJava(rows);
    const wrong = [
      'Reading.prefix(at);',
      'Reading.range(Rows.atLeast("a"), at);',
      'Reading.keyOf(1, at);',
      'Reading.keyOf("d");',
      'Sensor.builder("acme", 1).hits(1L);',
      'Reading.range("d", Rows.startsWith("a"));',
    ];
    const guide = readFileSync(join(__dirname, '../../docs/guide/java.md'), 'utf8');
    const [, program] = /^```java\n([^]*?)^```$/m.exec(guide)!;
    const errors = await compileErrors(rows, [
      'Reading.range("d", Rows.atLeast(at));',
      ...wrong,
      program.replaceAll('"acme", ', ''),
      'Nick.builder(null).note("a").build().toBuilder().note("b").build();',
    ]);
    // One for each, in their order; the first and the last two are right.
    expect(errors).toEqual(wrong.map((_, i) => `Program${i + 1}.java`));
  });
});
