/**
 * The shared file has only what the entities of a project use: each entity alone compiles, and its
 * keys are those of TypeScript. `ALONE=50 SEED=new` takes more random entities.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toHex } from '../../src/base/index.js';
import { columnMap, defineEntity, rowKey } from '../../src/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { generators } from '../../src/tools/codegen/index.js';
import { seed } from '../support/seed.js';
import { rowEntities } from './support/entities.js';
import { go, goIsMissing, goTool, writeGo } from './support/go.js';
import { compileJava, formatted, java, javaIsMissing, writeJava } from './support/java.js';
import {
  conditionsOf,
  rangesOf,
  rowsOf,
  taggedCondition,
  taggedValues,
} from './support/key-cases.js';
import { attemptedIn, type Language } from './support/language.js';
import { mypy, python, pythonIsMissing, tool, writePython } from './support/python.js';
import { randomEntities } from './support/random-keys.js';

const keyCount = Number(process.env.ALONE ?? 3);
const compiledCount = Math.max(16, keyCount);

/** Every entity of the tests; random keys have a segment of each kind, alone and with others. */
function models(): readonly EntityModel[] {
  const random = randomEntities(compiledCount, seed).map(({ model }) => model);
  return [...buildModels([...rowEntities, TwoMaps]), ...random];
}

/** A map with text keys beside one with typed keys, and no text in the key. */
const TwoMaps = defineEntity(class TwoMaps {}, {
  table: 'maps',
  families: { a: {}, b: {} },
  key: rowKey('n' as never),
  segments: { n: 'uint' },
  columns: {
    labels: columnMap('a', 'string'),
    byHour: columnMap('b', 'double', { qualifiers: 'uint' }),
  },
});

/** Writes the files of each model into a package of its own, which `rename` names. */
function writeAlone(
  language: string,
  folder: string,
  place: (path: string, index: number) => string,
  rename: (content: string, index: number) => string,
): void {
  const generator = generators.find(({ name }) => name === language)!;
  models().forEach((model, i) => {
    const files = generator.generate({ models: [model] }) as readonly {
      path: string;
      content: string;
    }[];
    for (const { path, content } of files) {
      const file = join(folder, place(path, i));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, rename(content, i));
    }
  });
}

function describeIn(isMissing: () => boolean): typeof describe | typeof describe.skip {
  return isMissing() ? describe.skip : describe;
}

describeIn(pythonIsMissing)('entities alone in Python', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-alone-python-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('Black and mypy', async () => {
    const path = await writePython(folder, buildModels(rowEntities));
    rmSync(join(path, 'rowsmith_rows'), { recursive: true });
    writeAlone(
      'python',
      folder,
      (file, i) => file.replace('rowsmith_rows', `rows_${i}`),
      (content) => content,
    );
    const packages = readdirSync(path).filter((name) => name.startsWith('rows_'));
    expect(await mypy(path, packages)).toContain('Success');
    await tool(path, ['-m', 'black', '--check', '--diff', '-q', ...packages]);
  });
});

describeIn(goIsMissing)('entities alone in Go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-alone-go-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('gofmt and go vet', async () => {
    await writeGo(folder, buildModels(rowEntities));
    const messages = readdirSync(join(folder, 'go/rows')).filter((name) => name.endsWith('.pb.go'));
    const given = messages.map((name) => [name, join(folder, 'go', name)] as const);
    for (const [name, copy] of given) cpSync(join(folder, 'go/rows', name), copy);
    rmSync(join(folder, 'go/rows'), { recursive: true });
    writeAlone(
      'go',
      folder,
      (file, i) => file.replace('go/rows/', `go/alone${i}/rows/`),
      (content) => content,
    );
    for (const name of readdirSync(join(folder, 'go')).filter((each) => each.startsWith('alone')))
      for (const [file, copy] of given) cpSync(copy, join(folder, 'go', name, 'rows', file));
    for (const [, copy] of given) rmSync(copy);
    expect(await goTool(folder, 'gofmt', '-l', 'go')).toBe('');
    await goTool(folder, 'go', 'vet', './go/...');
  });
});

describeIn(javaIsMissing)('entities alone in Java', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-alone-java-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('google-java-format and javac', async () => {
    const path = await writeJava(folder, buildModels(rowEntities));
    rmSync(join(path, 'rowsmith'), { recursive: true });
    writeAlone(
      'java',
      folder,
      (file, i) => file.replace('rowsmith/rows', `rowsmith/rows/alone${i}`),
      (content, i) => content.replaceAll('rowsmith.rows', `rowsmith.rows.alone${i}`),
    );
    await compileJava(path);
    expect(await formatted([path])).toBe('');
  });
});

describe.each([python, go, java])('keys alone in $name', (language: Language) => {
  const testPresent = language.isMissing() ? test.skip : test;
  testPresent('of an entity with a map of texts beside a typed one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-alone-'));
    const [model] = buildModels([TwoMaps]);
    const program = await language.start(folder, [model]);
    const request = language.request('parse', model.name, {
      key: toHex(model.key.encode({ n: 7 })),
    });
    expect((await program.ask([request])).map(({ error }) => error)).toEqual([undefined]);
    await program.close();
    rmSync(folder, { recursive: true, force: true });
  });
  testPresent.each(randomEntities(keyCount, seed).map((each) => [each.model.name, each] as const))(
    '%s',
    async (_name, entity) => {
      const folder = mkdtempSync(join(tmpdir(), 'rowsmith-alone-'));
      const program = await language.start(folder, [entity.model]);
      const { name, key } = entity.model;
      const rows = rowsOf(entity, 8, language.has);
      const encoded = await program.ask(
        rows.map((row) => language.request('encode', name, { values: taggedValues(entity, row) })),
      );
      const expected = rows.map((row) => attemptedIn(language, () => toHex(key.encode(row))));
      expect(encoded).toEqual(expected);
      const keys = expected.flatMap(({ ok }) => (typeof ok === 'string' ? [ok] : []));
      const parsed = await program.ask(
        keys.map((each) => language.request('parse', name, { key: each })),
      );
      expect(parsed.map(({ error }) => error)).toEqual(keys.map(() => undefined));
      const conditions = rows
        .flatMap((row, i) => conditionsOf(entity, row, rows.at(i - 1)!))
        .filter(({ bound }) => bound === undefined || bound.kind === 'between');
      const ranges = await program.ask(
        conditions.map((each) =>
          language.request('ranges', name, { values: taggedCondition(entity, each) }),
        ),
      );
      conditions.forEach((condition, i) => {
        if (ranges[i].types !== true)
          expect([condition, ranges[i]]).toEqual([
            condition,
            attemptedIn(language, () => rangesOf(entity, condition)),
          ]);
      });
      await program.close();
      rmSync(folder, { recursive: true, force: true });
    },
  );
});
