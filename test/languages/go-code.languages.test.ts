/** Generated Go as its tools see it: gofmt has nothing to change, and go vet finds no fault. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, literal, rowKey } from '../../src/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { all } from '../tools/codegen/entities.js';
import { rowEntities } from './support/entities.js';
import { goIsMissing, goTool, writeGo } from './support/go.js';

const describeGo = goIsMissing() ? describe.skip : describe;

/** Names that are words of Go, of its types and of the generated package, and hostile text. */
const hostile = [
  ['type', 'Type', 'TYPE'],
  ['range', 'func', 'string', 'nil', 'time', 'bigtable', 'k'],
  ['__init__', '_key', '$', 'ünïcode', '日本', '1st', 'noneKey'],
  ['rowKey', 'toMutations', 'keys', 'ranges', 'contains', 'settled', 'entityKey'],
];

function hostileModels(): readonly EntityModel[] {
  const names = ['None', 'Runtime', 'runtime', 'Key', 'Bound', 'max', 'LoadTest', 'on_linux'];
  names.push('MaxKey', 'NewKey', 'Error', 'Keys', 'Version');
  const classes = names.map((name, i) => {
    const properties = hostile[i % hostile.length];
    const [first, ...others] = properties;
    return defineEntity(class {}, {
      name,
      table: `t${i}`,
      families: { f: {} },
      key: rowKey(literal('"\'\\\n#ü'), first as never, others[0] as never),
      segments: { [first]: 'string', [others[0]]: { kind: 'string', normalize: 'NFC' } },
      columns: Object.fromEntries(others.slice(1).map((each) => [each, column('f', 'string')])),
    } as never);
  });
  return buildModels(classes);
}

describeGo.each([
  ['entities of the golden files', () => buildModels(all), false],
  ['each kind of column, rule and derived row', () => buildModels(rowEntities), true],
  ['hostile names', hostileModels, false],
])('%s', (_name, models, unsafeWriters) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('gofmt and go vet', async () => {
    await writeGo(folder, models(), unsafeWriters);
    expect(await goTool(folder, 'gofmt', '-l', 'go/rows')).toBe('');
    await goTool(folder, 'go', 'vet', './go/rows');
  });
});

describeGo('programs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-'));
  beforeAll(async () => void (await writeGo(folder, buildModels(all))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('the one of the guide compiles', async () => {
    const guide = readFileSync(join(__dirname, '../../docs/guide/go.md'), 'utf8');
    const [, program] = /^```go\n([^]*?)^```$/m.exec(guide)!;
    writeFileSync(
      join(folder, 'main.go'),
      program.replace('example.com/app/generated/go/rows', 'rowsmith/test/languages/go/rows'),
    );
    await goTool(folder, 'go', 'build', '-o', '/dev/null', '.');
    expect(await goTool(folder, 'gofmt', '-l', 'main.go')).toBe('');
  });

  test('the compiler refuses segments that are skipped, missing or of another type', async () => {
    const refused = [
      ['rows.ReadingKeys().At(at)', 'rows.ReadingKeys().At undefined'],
      ['rows.ReadingKeys().TenantIn(rows.AtLeast("a")).Device("d")', 'rows.Keys has no field or'],
      ['rows.ReadingKeys().Tenant(1)', 'cannot use 1'],
      ['rows.ReadingKeyOf("t", "d")', 'not enough arguments in call to rows.ReadingKeyOf'],
    ];
    const program = [
      'package main\n\nimport (\n"time"\n\n"rowsmith/test/languages/go/rows"\n)\n',
      'func main() {\nat := time.Now()\nrows.ReadingKeys().Tenant("t").Device("d").At(at)',
      ...refused.map(([code]) => code),
      '}\n',
    ];
    writeFileSync(join(folder, 'main.go'), program.join('\n'));
    const found = goTool(folder, 'go', 'build', '-o', '/dev/null', '.');
    const { message } = (await found.catch((error: unknown) => error)) as Error;
    for (const [, part] of refused) expect(message).toContain(part);
    expect(message.match(/^\.\/main\.go/gm)).toHaveLength(refused.length);
  });
});
