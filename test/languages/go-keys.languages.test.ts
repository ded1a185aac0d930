/**
 * The key vectors in generated Go, and keys of random entities in TypeScript and in Go: the same
 * bytes, values, ranges and errors. `ENTITIES=50 SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import type { KeyCondition } from '../../src/data/key/index.js';
import { seed } from '../support/seed.js';
import { attempted, fields, GoProcess, goIsMissing, untagged } from './support/go.js';
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
import { isAscii, keyVectors } from './support/key-vectors.js';
import type { Answer } from './support/line-process.js';
import { randomEntities, type RandomEntity } from './support/random-keys.js';

const describeGo = goIsMissing() ? describe.skip : describe;
const count = Number(process.env.ENTITIES ?? 40);
const valuesOfEach = 12;

describeGo('keys', () => {
  const entities = randomEntities(count, seed);
  const vectors = keyVectors();
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-'));
  let go: GoProcess;
  beforeAll(async () => {
    const models = [...entities.map(({ model }) => model), ...vectors.models];
    go = await GoProcess.start(folder, models);
  });
  afterAll(async () => {
    await go.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('all vectors but a few can be declared', () => {
    expect(vectors.cases.length).toBeGreaterThan(100);
    expect(vectors.all - vectors.cases.length).toBeLessThan(8);
  });

  test('vectors have their bytes in Go, and are read back', async () => {
    const { cases } = vectors;
    const encoded = await go.ask(
      cases.map(({ name, value }) => ({ op: 'encode', entity: name, values: { V: value } })),
    );
    cases.forEach((each, i) => {
      const { vector } = each;
      const expected = isAscii(each)
        ? { ok: `6b23${vector.hex}` }
        : { error: expect.anything() as unknown };
      expect([vector, encoded[i]]).toEqual([vector, expected]);
    });
    const keys = encoded.flatMap(({ ok }, i) => (ok === undefined ? [] : [{ ok, ...cases[i] }]));
    const parsed = await go.ask(
      keys.map(({ name, ok }) => ({ op: 'parse', entity: name, key: ok })),
    );
    const again = await go.ask(
      parsed.map(({ ok }, i) => ({ op: 'encode', entity: keys[i].name, values: ok })),
    );
    expect(again.map(({ ok }) => ok)).toEqual(keys.map(({ ok }) => ok));
  });

  /** The answers of Go to requests for an entity. */
  async function ask({ model }: RandomEntity, op: string, requests: readonly object[]) {
    return go.ask(requests.map((request) => ({ entity: model.name, op, ...request })));
  }

  const cases = entities.map((entity) => [describedKey(entity), entity] as const);

  test.each(cases)('%s', async (_name, entity) => {
    const rows = rowsOf(entity, valuesOfEach);
    const encoded = await ask(
      entity,
      'encode',
      rows.map((values) => ({ values: fields(taggedValues(entity, values)) })),
    );
    const expected = rows.map((values) => attempted(() => toHex(entity.model.key.encode(values))));
    expect(encoded).toEqual(expected);

    const keys = keysNear(expected.flatMap(({ ok }) => (typeof ok === 'string' ? [ok] : [])));
    const parsed = await ask(
      entity,
      'parse',
      keys.map((key) => ({ key })),
    );
    keys.forEach((key, i) => expectSameParse(entity, key, parsed[i]));

    const conditions = rows
      .flatMap((values, i) => conditionsOf(entity, values, rows.at(i - 1)!))
      .filter(isUnicode);
    const ranges = await ask(
      entity,
      'ranges',
      conditions.map((condition) => ({ values: fields(taggedCondition(entity, condition)) })),
    );
    conditions.forEach((condition, i) => {
      const inTypeScript = attempted(() => rangesOf(entity, condition));
      expectSame(condition, ranges[i], inTypeScript);
    });
  });

  test.each(cases)('what %s refuses', async (_name, entity) => {
    const [row] = rowsOf(entity, 1);
    const wrong = Object.keys(row).flatMap((name) =>
      wrongInGo.map((value) => ({ ...row, [name]: value })),
    );
    const answers = await ask(
      entity,
      'encode',
      wrong.map((values) => ({ values: fields(taggedValues(entity, values)) })),
    );
    wrong.forEach((values, i) => {
      // Go knows no punycode.
      if (answers[i].error?.problem === 'the domain name is not ASCII') return;
      const inTypeScript = attempted(() => toHex(entity.model.key.encode(values)));
      expectSame(values, answers[i], inTypeScript);
    });
  });
});

/** What Go's compiler refuses is refused by TypeScript too; else both give the same. */
function expectSame(input: unknown, inGo: Answer, inTypeScript: Answer): void {
  if (inGo.error?.code !== 'TYPES') expect([input, inGo]).toEqual([input, inTypeScript]);
  else expect([input, inTypeScript.error?.code]).toEqual([input, expect.any(String)]);
}

/** Requests to Go have no lone surrogates, because its JSON replaces them. */
const wrongInGo = [
  ...wrongValues.filter((value) => typeof value !== 'string' || isWellFormed(value)),
  new Date(-8.64e15),
];

function isUnicode({ bound }: KeyCondition): boolean {
  return bound?.kind !== 'startsWith' || isWellFormed(bound.text);
}

function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

function expectSameParse(entity: RandomEntity, key: string, answer: Answer): void {
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
  expect([key, answer.ok]).toEqual([key, untagged(fields(taggedValues(entity, values)))]);
}
