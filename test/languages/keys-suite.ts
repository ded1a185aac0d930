/**
 * Keys of random entities, and the key vectors, in TypeScript and in generated code: the same bytes,
 * values, ranges and errors. `ENTITIES=50 SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import type { KeyCondition } from '../../src/data/key/index.js';
import { seed } from '../support/seed.js';
import {
  conditionsOf,
  describedKey,
  keysNear,
  rangesOf,
  rowsOf,
  taggedCondition,
  taggedValues,
  wrongValues,
} from './support/key-cases.js';
import { isAscii, isSinceYearOne, keyVectors } from './support/key-vectors.js';
import { attemptedIn, type Language, type Row } from './support/language.js';
import type { Answer, LineProcess } from './support/line-process.js';
import { randomEntities, type RandomEntity } from './support/random-keys.js';

const count = Number(process.env.ENTITIES ?? 40);
const valuesOfEach = 12;

export function describeKeys(language: Language): void {
  const describePresent = language.isMissing() ? describe.skip : describe;
  describePresent(`keys in ${language.name}`, () => {
    const entities = randomEntities(count, seed);
    const vectors = keyVectors();
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-keys-'));
    let program: LineProcess;
    beforeAll(async () => {
      const models = [...entities.map(({ model }) => model), ...vectors.models];
      program = await language.start(folder, models);
    });
    afterAll(async () => {
      await program.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function ask(name: string, op: string, requests: readonly Row[]) {
      return program.ask(requests.map((request) => language.request(op, name, request)));
    }
    const cases = entities.map((entity) => [describedKey(entity), entity] as const);

    test.each(cases)('%s', async (_name, entity) => {
      const { name, key } = entity.model;
      const rows = rowsOf(entity, valuesOfEach, language.has);
      const given = rows.map((values) => ({ values: taggedValues(entity, values) }));
      const encoded = await ask(name, 'encode', given);
      const expected = rows.map((values) => attemptedIn(language, () => toHex(key.encode(values))));
      expect(encoded).toEqual(expected);

      const keys = keysNear(expected.flatMap(({ ok }) => (typeof ok === 'string' ? [ok] : [])));
      const hexes = keys.map((each) => ({ key: each }));
      const parsed = await ask(name, 'parse', hexes);
      keys.forEach((each, i) => expectSameParse(language, entity, each, parsed[i]));

      const conditions = rows
        .flatMap((values, i) => conditionsOf(entity, values, rows.at(i - 1)!))
        .filter(({ bound }) => bound?.kind !== 'startsWith' || language.has(bound.text));
      const values = conditions.map((each) => ({ values: taggedCondition(entity, each) }));
      const ranges = await ask(name, 'ranges', values);
      conditions.forEach((condition: KeyCondition, i) => {
        const inTypeScript = attemptedIn(language, () => rangesOf(entity, condition));
        expectSame(condition, ranges[i], inTypeScript);
      });
    });

    test.each(cases)('what %s refuses', async (_name, entity) => {
      const { name, key } = entity.model;
      const [row] = rowsOf(entity, 1, language.has);
      const wrong = Object.keys(row).flatMap((segment) =>
        wrongValues.filter(language.has).map((value) => ({ ...row, [segment]: value })),
      );
      const given = wrong.map((values) => ({ values: taggedValues(entity, values) }));
      const answers = await ask(name, 'encode', given);
      wrong.forEach((values, i) => {
        const expected = attemptedIn(language, () => toHex(key.encode(values)));
        // Generated code knows no punycode. A number as text is a decimal in TypeScript alone.
        const isAsciiOnly = answers[i].error?.problem === 'the domain name is not ASCII';
        if (expected.error !== undefined && !isAsciiOnly) expectSame(values, answers[i], expected);
      });
    });

    // Keys of Go with fixed segments are a scope, and cannot have other values.
    if (language.name !== 'Go')
      test('a scope refuses other values', async () => {
        const entity = entities.find(({ samples }) => samples.size > 1)!;
        const [first] = entity.samples.keys();
        const rows = rowsOf(entity, 40, language.has).map((row) => taggedValues(entity, row));
        const isSame = (row: Record<string, unknown>): boolean =>
          JSON.stringify(row[first]) === JSON.stringify(rows[0][first]);
        const other = rows.find((row) => !isSame(row))!;
        const within = { [first]: rows[0][first] };
        const [inside, outside] = await ask(entity.model.name, 'encode', [
          { within, values: rows[0] },
          { within, values: other },
        ]);
        expect(inside).toEqual({ ok: expect.any(String) as unknown });
        expect(outside.error).toMatchObject({ code: 'OUTSIDE_SCOPE', property: first });
      });

    test('the key vectors that declarations can express, and read back', async () => {
      const known = language.has(new Date(-8.64e15))
        ? vectors.cases
        : vectors.cases.filter(isSinceYearOne);
      expect(known.length).toBeGreaterThan(100);
      expect(vectors.all - known.length).toBeLessThan(12);
      const askEach = (op: string, requests: readonly Row[]) =>
        program.ask(requests.map((each, i) => language.request(op, known[i].name, each)));
      const encoded = await askEach(
        'encode',
        known.map(({ value }) => ({ values: { v: value } })),
      );
      known.forEach((each, i) => {
        const error = expect.anything() as unknown;
        const expected = isAscii(each) ? { ok: `6b23${each.vector.hex}` } : { error };
        expect([each.vector, encoded[i]]).toEqual([each.vector, expected]);
      });
      const keys = known.map(({ vector }) => ({ key: `6b23${vector.hex}` }));
      const parsed = await askEach('parse', keys);
      const again = await askEach(
        'encode',
        parsed.map(({ ok }) => ({ values: ok })),
      );
      known.forEach((each, i) => {
        if (isAscii(each)) expect([each.vector, again[i]]).toEqual([each.vector, encoded[i]]);
      });
    });
  });
}

/** What the types of the language refuse, TypeScript refuses too. */
function expectSame(given: unknown, answer: Answer, expected: Answer): void {
  if (answer.types === true)
    expect([given, expected.error?.code]).toEqual([given, expect.any(String)]);
  else expect([given, answer]).toEqual([given, expected]);
}

function expectSameParse(
  language: Language,
  entity: RandomEntity,
  key: string,
  answer: Answer,
): void {
  const { model } = entity;
  const bytes = fromHex(key)!;
  const reason = model.key.foreignReason(bytes);
  if (reason !== undefined) {
    expect([key, answer.error?.problem]).toEqual([key, reason.replace('4,096', '4096')]);
    expect(answer.error!.code).toBe('FOREIGN_KEY');
    return;
  }
  const values: Record<string, unknown> = {};
  model.key.decoder()(bytes, 0, bytes.length, values);
  if (!Object.values(values).every(language.has)) expect(answer.error?.code).toBe('UNSUPPORTED');
  else expect([key, answer.ok]).toEqual([key, language.keyValues(taggedValues(entity, values))]);
}
