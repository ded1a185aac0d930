/** Generated Python as its tools see it: Black has nothing to change, and mypy finds no fault. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, literal, rowKey } from '../../src/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { all } from '../tools/codegen/entities.js';
import { rowEntities } from './support/entities.js';
import { mypy, pythonIsMissing, tool, writePython } from './support/python.js';

const describePython = pythonIsMissing() ? describe.skip : describe;

/** Names that are words of Python, of its types and of the generated modules, and hostile text. */
const hostile = [
  ['class', 'Class', 'CLASS'],
  ['str', 'int', 'rt', 'within', 'datetime', 'field', 'self'],
  ['__init__', '__dict__', '_key', '$', 'ünïcode', '日本', '1st'],
  ['None', 'match', 'type', 'from', 'row', 'key', 'values', 'segments'],
];

function hostileModels(): readonly EntityModel[] {
  const names = ['None', 'Runtime', 'runtime', 'Mutation', 'Types'];
  const classes = names.map((name, i) => {
    const properties = hostile[i % hostile.length];
    const [first, ...rest] = properties;
    return defineEntity(class {}, {
      name,
      table: `t${i}`,
      families: { f: {} },
      key: rowKey(literal('"\'\\\n#ü'), first as never),
      segments: { [first]: 'string' },
      columns: Object.fromEntries(rest.map((each) => [each, column('f', 'string')])),
    } as never);
  });
  return buildModels(classes);
}

describePython.each([
  ['entities of the golden files', () => buildModels(all), false],
  ['each kind of column, rule and derived row', () => buildModels(rowEntities), false],
  ['the same with unsafe writers', () => buildModels(rowEntities), true],
  ['hostile names', hostileModels, false],
])('%s', (_name, models, unsafeWriters) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let python: string;
  beforeAll(async () => void (python = await writePython(folder, models(), unsafeWriters)));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('Black', async () => {
    await tool(python, ['-m', 'black', '--check', '--diff', '-q', 'rowsmith_rows']);
  });

  test('mypy --strict', async () => {
    expect(await mypy(python, ['rowsmith_rows'])).toContain('Success');
  });

  test('every module can be imported', async () => {
    const script =
      'import importlib, pkgutil, rowsmith_rows as p\n' +
      "print([importlib.import_module('rowsmith_rows.' + m.name).__name__ for m in pkgutil.iter_modules(p.__path__)])";
    expect(await tool(python, ['-B', '-c', script])).toContain('runtime');
  });
});

describePython('what the types refuse', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['a segment is skipped', 'reading.ranges(at=at)', 'No overload variant'],
    ['a bound is not the last', 'reading.ranges(device=rt.at_least("a"), at=at)', 'No overload'],
    ['a value has another type', 'reading.key_of(device=1, at=at)', 'incompatible type "int"'],
    ['a segment is missing', 'reading.key_of(device="d")', 'Missing named argument "at"'],
    ['rows are read only', 'x: int = reading.to_mutations(row)', 'unreachable'],
  ])('%s', async (_name, code, message) => {
    const python = await writePython(folder, buildModels(rowEntities));
    const program = [
      'from datetime import datetime, timezone',
      'from rowsmith_rows import reading, runtime as rt',
      'at = datetime.now(timezone.utc)',
      'row = reading.Reading(device="d", at=at)',
      'reading.ranges(device="d", at=rt.at_least(at))',
      code,
      'print(1)',
    ];
    writeFileSync(join(python, 'program.py'), `${program.join('\n')}\n`);
    await expect(mypy(python, ['--warn-unreachable', 'program.py'])).rejects.toThrow(message);
  });
});

describePython('the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('its program has types that mypy accepts', async () => {
    const guide = readFileSync(join(__dirname, '../../docs/guide/python.md'), 'utf8');
    const [, program] = /^```python\n([^]*?)^```$/m.exec(guide)!;
    const python = await writePython(folder, buildModels(all));
    writeFileSync(join(python, 'program.py'), program);
    expect(await mypy(python, ['program.py'])).toContain('Success');
  });
});
