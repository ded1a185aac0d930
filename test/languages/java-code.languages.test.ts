/** Generated Java as its tools see it: the formatter has nothing to change, and javac no warning. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, literal, rowKey } from '../../src/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { all } from '../tools/codegen/entities.js';
import { rowEntities } from './support/entities.js';
import { compileJava, formatted, javaIsMissing, writeJava } from './support/java.js';

const describeJava = javaIsMissing() ? describe.skip : describe;

/** Names that are words of Java, of its types and of the generated classes, and hostile text. */
const hostile = [
  ['class', 'Class', 'CLASS'],
  ['int', 'String', 'to', 'row', 'values', 'now', 'KEYS', 'key', 'within'],
  ['__init__', 'toString', 'hashCode', '$', 'ünïcode', '日本', '1st', 'getClass', 'wait'],
  ['null', 'record', 'yield', 'var', 'prefix', 'builder', 'build', 'range', 'of', 'com', 'java'],
];

function hostileModels(): readonly EntityModel[] {
  const names = ['Rows', 'rows', 'Key', 'Mutation', 'Builder', 'String', 'Math', 'RowKeys'];
  const classes = names.map((name, i) => {
    const [first, ...others] = hostile[i % hostile.length];
    return defineEntity(class {}, {
      name,
      table: `t${i}`,
      families: { f: {} },
      key: rowKey(literal('"\'\\\n#ü\\u0022'), first as never),
      segments: { [first]: 'string' },
      columns: Object.fromEntries(others.map((each) => [each, column('f', 'string')])),
    } as never);
  });
  return buildModels(classes);
}

describeJava.each([
  ['entities of the golden files', () => buildModels(all), false],
  ['each kind of column, rule and derived row', () => buildModels(rowEntities), false],
  ['the same with unsafe writers', () => buildModels(rowEntities), true],
  ['hostile names', hostileModels, false],
])('%s', (_name, models, unsafeWriters) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-java-'));
  let java: string;
  beforeAll(async () => void (java = await writeJava(folder, models(), unsafeWriters)));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('google-java-format', async () => {
    expect(await formatted(java)).toBe('');
  });

  test('javac without warnings', async () => {
    await compileJava(java);
  });
});
