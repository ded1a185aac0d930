/** The lines of vectors.jsonl in generated code. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildModels } from '../../src/entities/model/index.js';
import { type Language, type Row, sorted } from './support/language.js';
import type { Answer, LineProcess } from './support/line-process.js';
import { valueColumns, valueWith, vectorEntities } from './support/vector-entities.js';
import { type CellVector, readVectors, type Vector, vectorNow } from './support/vectors.js';

export function describeValues(language: Language): void {
  const describePresent = language.isMissing() ? describe.skip : describe;
  describePresent(`vectors in ${language.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-values-'));
    let program: LineProcess;
    beforeAll(async () => {
      program = await language.start(folder, buildModels(vectorEntities));
    });
    afterAll(async () => {
      await program.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const vectors = readVectors();
    test.each(['encode', 'parse', 'ranges', 'write', 'read'] as const)('%s', async (op) => {
      const lines = vectors.filter((each) => each.op === op && isExpressible(language, each));
      const answers = await program.ask(lines.map((line) => requestOf(language, line)));
      const compared = lines.flatMap((line, i) => {
        // What the types of the language refuse, TypeScript refuses too.
        if (answers[i].types === true && isRefused(line)) return [];
        return [[line, ...resultsOf(language, line, answers[i])] as const];
      });
      expect(compared.length).toBeGreaterThan(lines.length / 2);
      expect(compared.map(([line, found]) => [line, found])).toEqual(
        compared.map(([line, , expected]) => [line, expected]),
      );
    });

    test('all lines but a few', () => {
      const known = vectors.filter((each) => isExpressible(language, each));
      expect(vectors.length - known.length).toBeLessThan(8);
    });
  });
}

/** The lines on `Value` that a column decides, on the entity with this column alone. */
export function describeValueAlone(language: Language, names: readonly string[]): void {
  const testPresent = language.isMissing() ? test.skip : test;
  testPresent.each(names)(`a column alone in ${language.name}: %s`, async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-value-alone-'));
    const [model] = buildModels([valueWith({ [name]: valueColumns[name as 'text'] })]);
    const lines = readVectors()
      .filter((each) => isExpressible(language, each))
      .map((each) => (name === 'votes' ? each : withoutVotes(each)))
      .filter((each) => concerns(each, name));
    const program = await language.start(folder, [model]);
    const answers = await program.ask(
      lines.map((line) => requestOf(language, line, name === 'votes')),
    );
    await program.close();
    rmSync(folder, { recursive: true, force: true });
    const compared = lines.flatMap((line, i) => {
      if (answers[i].types === true && isRefused(line)) return [];
      return [[line, ...resultsOf(language, line, answers[i])] as const];
    });
    expect(compared.length).toBeGreaterThan(0);
    expect(compared.map(([line, found]) => [line, found])).toEqual(
      compared.map(([line, , expected]) => [line, expected]),
    );
  });
}

/** Whether a line reads or writes a column, and no other. */
function concerns({ entity, op, values, error }: Vector, property: string): boolean {
  if (entity !== 'Value' || (op !== 'read' && op !== 'write')) return false;
  const refused = error?.property?.split(/[.[]/)[0];
  const named = [...Object.keys(values ?? {}), ...(refused === undefined ? [] : [refused])];
  const others = named.filter((name) => name !== 'id');
  return others.length > 0 && others.every((name) => name === property);
}

/** A line without the default of `votes`, which the entity does not have. */
function withoutVotes(vector: Vector): Vector {
  if (vector.op !== 'read' || vector.error !== undefined) return vector;
  const { votes: _, ...values } = vector.values as Row;
  return { ...vector, values };
}

/**
 * Go reads lone surrogates as U+FFFD, and its keys with fixed segments are a scope, which has no
 * method to leave it.
 */
function isExpressible({ name, has }: Language, vector: Vector): boolean {
  if (!has('\ud800') && JSON.stringify(vector).includes('\\ud800')) return false;
  return name !== 'Go' || vector.error?.code !== 'OUTSIDE_SCOPE';
}

/** TypeScript refuses it, or it leaves segments of a scope out. */
function isRefused(vector: Vector): boolean {
  return vector.error !== undefined || (vector.op === 'ranges' && vector.within !== undefined);
}

function requestOf({ request }: Language, vector: Vector, hasVotes = true): object {
  const { entity, op } = vector;
  if (op === 'write') {
    // Without a value, the default is not applied.
    const values = hasVotes ? { votes: null, ...vector.values } : vector.values;
    return request(op, entity, { values, now: vectorNow, insert: true });
  }
  if (op === 'parse') return request(op, entity, { key: vector.key });
  if (op !== 'read') return request(op, entity, { ...vector });
  // Newest first, as Bigtable gives them.
  const cells = vector.cells.map(inMicros).sort((a, b) => b[3] - a[3]);
  return request(op, entity, { key: vector.key, cells });
}

type Cell = readonly [family: string, qualifier: string, value: string, micros: number];

function inMicros([family, qualifier, value, ms = vectorNow]: CellVector): Cell {
  return [family, qualifier, value, ms * 1000];
}

/** The result of the language, and the expected one. */
function resultsOf(
  language: Language,
  vector: Vector,
  { ok, error, types }: Answer,
): readonly [found: unknown, expected: unknown] {
  const expected = expectedOf(language, vector);
  if (types === true) return ['refused by types', expected];
  if (error !== undefined)
    return [vector.error === undefined ? error : withoutFix(vector, error), expected];
  if (vector.op === 'write') return [sorted(ok as readonly Cell[]), expected];
  if (vector.op !== 'read' || vector.error !== undefined) return [ok, expected];
  return language.comparable((ok ?? {}) as Row, vector.values as Row);
}

function expectedOf({ words, keyValues }: Language, vector: Vector): unknown {
  const { error, op } = vector;
  if (error !== undefined) return withoutFix(vector, { ...error, problem: words(error.problem) });
  if (op === 'encode') return vector.key;
  if (op === 'ranges') return vector.ranges;
  if (op === 'write') return sorted(vector.cells!.map(inMicros));
  return op === 'parse' ? keyValues(vector.values as Row) : undefined;
}

/** The fix may name a call of the language, and protobuf has its own words for damaged messages. */
function withoutFix(
  { error: refused }: Vector,
  { code, property, problem }: NonNullable<Answer['error']>,
): object {
  const isMessage = refused!.property?.startsWith('status') === true;
  return isMessage ? { code } : { code, property, problem };
}
