/** The lines of vectors.jsonl in generated Java. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildModels } from '../../src/entities/model/index.js';
import { JavaProcess, javaIsMissing, writeJava } from './support/java.js';
import type { Answer } from './support/line-process.js';
import { inJava } from './support/java-words.js';
import { vectorEntities } from './support/vector-entities.js';
import { readVectors, type Vector, vectorNow } from './support/vectors.js';

type Row = Readonly<Record<string, unknown>>;

const describeJava = javaIsMissing() ? describe.skip : describe;

describeJava('vectors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-java-'));
  let java: JavaProcess;
  beforeAll(async () => {
    java = await JavaProcess.start(await writeJava(folder, buildModels(vectorEntities)));
  });
  afterAll(async () => {
    await java.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const vectors = readVectors();
  test.each(['encode', 'parse', 'ranges', 'read'] as const)('%s', async (op) => {
    const given = vectors.filter((each) => each.op === op);
    const answers = await java.ask(given.map(requestOf));
    // What the types of Java refuse, TypeScript refuses too; segments of a scope cannot be left out.
    const compared = given.flatMap((vector, i) => {
      const isRefused = vector.error !== undefined || ('within' in vector && op === 'ranges');
      if (answers[i].types === true && isRefused) return [];
      return [[vector, resultOf(vector, answers[i]), expectedOf(vector)] as const];
    });
    expect(compared.length).toBeGreaterThan(given.length / 2);
    expect(compared.map(([vector, found]) => [vector, found])).toEqual(
      compared.map(([vector, , expected]) => [vector, expected]),
    );
  });
});

function requestOf(vector: Vector): object {
  const { entity, op } = vector;
  // A class of the client has the name too.
  const module = entity === 'Value' ? 'Value_' : entity;
  if (op !== 'read') return { ...vector, module };
  const cells = vector.cells.map(([family, qualifier, value, ms = vectorNow]) => [
    ...[family, qualifier, value, ms * 1000],
  ]);
  // Newest first, as Bigtable gives them.
  cells.sort((a, b) => Number(b[3]) - Number(a[3]));
  return { op, module, key: vector.key, cells };
}

function resultOf(vector: Vector, { ok, error, types }: Answer): unknown {
  if (types === true) return 'refused by types';
  if (error !== undefined) return withoutFix(error);
  return vector.op === 'read' ? comparable((ok ?? {}) as Row, vector.values ?? {}) : ok;
}

function expectedOf(vector: Vector): unknown {
  const { error, op } = vector;
  if (error !== undefined) return withoutFix({ ...error, problem: inJava(error.problem) });
  if (op === 'encode') return vector.key;
  if (op === 'ranges') return vector.ranges;
  return op === 'read' ? comparable(vector.values as Row, vector.values!) : vector.values;
}

/** JSON by its value, messages by their bytes, and nothing for what has no value. */
function comparable(row: Row, expected: object): object {
  const entries = Object.entries(row).flatMap(([name, value]) => {
    const isEmpty = value === null || ['[]', '{"$map":[]}'].includes(JSON.stringify(value));
    if (isEmpty && !(name in expected)) return [];
    const wanted = (expected as Row)[name] as { $json?: unknown } | undefined;
    if (typeof wanted === 'object' && wanted !== null && '$json' in wanted)
      return [[name, value === wanted ? wanted.$json : (JSON.parse(String(value)) as unknown)]];
    return [[name, bytesOnly(value)]];
  });
  return Object.fromEntries(entries) as object;
}

function bytesOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bytesOnly);
  if (typeof value !== 'object' || value === null) return value;
  if ('$message' in value && Array.isArray(value.$message))
    return { $message: value.$message.at(-1) as unknown };
  return Object.fromEntries(Object.entries(value).map(([tag, each]) => [tag, bytesOnly(each)]));
}

/** The fix may name a call of the language, and protobuf has its own words for damaged messages. */
function withoutFix({ code, property, problem }: NonNullable<Answer['error']>): object {
  return property?.startsWith('status') === true ? { code } : { code, property, problem };
}
