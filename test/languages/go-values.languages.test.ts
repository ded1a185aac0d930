/** The lines of vectors.jsonl in generated Go. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildModels } from '../../src/entities/model/index.js';
import { fields, GoProcess, goIsMissing, inGo, untagged } from './support/go.js';
import type { Answer } from './support/line-process.js';
import { vectorEntities } from './support/vector-entities.js';
import { readVectors, type Vector, vectorNow } from './support/vectors.js';

type Row = Readonly<Record<string, unknown>>;

const describeGo = goIsMissing() ? describe.skip : describe;

describeGo('vectors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-'));
  let go: GoProcess;
  beforeAll(async () => void (go = await GoProcess.start(folder, buildModels(vectorEntities))));
  afterAll(async () => {
    await go.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const vectors = readVectors().filter(isInGo);
  test.each(['encode', 'parse', 'ranges', 'write', 'read'] as const)('%s', async (op) => {
    const given = vectors.filter((each) => each.op === op);
    const answers = await go.ask(given.map(requestOf));
    const compared = given.flatMap((vector, i) => {
      // What the types of Go refuse, TypeScript refuses too.
      if (answers[i].error?.code === 'TYPES' && vector.error !== undefined) return [];
      return [[vector, resultOf(vector, answers[i]), expectedOf(vector)] as const];
    });
    expect(compared.length).toBeGreaterThan(given.length / 2);
    expect(compared.map(([vector, found]) => [vector, found])).toEqual(
      compared.map(([vector, , expected]) => [vector, expected]),
    );
  });

  test('all lines but a few', () => {
    expect(readVectors().length - vectors.length).toBeLessThan(8);
  });
});

/**
 * False for what Go cannot express: a lone surrogate, which its JSON replaces, and conditions that
 * leave a scope, because keys with fixed segments are the scope.
 */
function isInGo(vector: Vector): boolean {
  if (JSON.stringify(vector).includes('\\ud800')) return false;
  return vector.error?.code !== 'OUTSIDE_SCOPE';
}

function requestOf(vector: Vector): object {
  const { entity, op } = vector;
  if (op === 'parse') return vector;
  if (op === 'write') {
    const values = inTypes(vector.values);
    return { op, entity, values, now: vectorNow, insert: true };
  }
  if (op === 'ranges')
    return { op, entity, values: fields({ ...vector.within, ...vector.values }) };
  if (op !== 'read') return { op, entity, values: fields(vector.values) };
  const cells = vector.cells.map(([family, qualifier, value, ms = vectorNow]) => [
    ...[family, qualifier, value, ms * 1000],
  ]);
  // Newest first, as Bigtable gives them.
  return { op, entity, key: vector.key, cells: cells.sort((a, b) => Number(b[3]) - Number(a[3])) };
}

/** Fields of the types of Go: text as the keys of maps of large integers, messages as bytes. */
function inTypes(values: object): Row {
  const given = untagged(values) as Row;
  return fields(
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const [tag, content] = Object.entries(value ?? {})[0] ?? [];
        if (tag === '$message') return [name, { $message: (content as string[]).at(-1) }];
        if (name !== 'bigints') return [name, value];
        const entries = content as (readonly [key: { readonly $int: string }, value: string])[];
        return [name, { $map: entries.map(([key, text]) => [key.$int, text]) }];
      }),
    ),
  );
}

function resultOf(vector: Vector, { ok, error }: Answer): unknown {
  if (error !== undefined) return withoutFix(error);
  if (vector.op === 'read') return shown((ok ?? {}) as Row, fields(vector.values ?? {}));
  if (vector.op !== 'write') return ok;
  const cells = ok as readonly (readonly [string, string, string, number])[];
  return sorted(
    cells.map(([family, qualifier, value, micros]) =>
      micros === vectorNow * 1000
        ? [family, qualifier, value]
        : [family, qualifier, value, micros / 1000],
    ),
  );
}

function expectedOf(vector: Vector): unknown {
  const { error, op } = vector;
  if (error !== undefined) return withoutFix({ ...error, problem: inGo(error.problem) });
  if (op === 'encode') return vector.key;
  if (op === 'ranges') return vector.ranges;
  if (op === 'write') return sorted(vector.cells!);
  if (op === 'parse') return fields(untagged(vector.values) as object);
  const values = inTypes(vector.values!);
  return shown(values, values);
}

/** A row without what has no value, and with sorted maps. */
function shown(row: Row, expected: object): Row {
  const isEmpty = (value: unknown): boolean =>
    value === null || ['[]', '{"$map":[]}'].includes(JSON.stringify(value));
  const given = Object.entries(row).filter(([name, value]) => name in expected || !isEmpty(value));
  return Object.fromEntries(
    given.map(([name, value]) => {
      const entries = (value as { $map?: readonly unknown[] } | null)?.$map;
      return [name, entries === undefined ? value : { $map: sorted(entries) }];
    }),
  );
}

/** Maps of Go have no order. */
function sorted(items: readonly unknown[]): readonly unknown[] {
  return [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The fix may name a call of the language, and protobuf has its own words for damaged messages. */
function withoutFix({ code, property, problem }: NonNullable<Answer['error']>): object {
  return property?.startsWith('status') === true ? { code } : { code, property, problem };
}
