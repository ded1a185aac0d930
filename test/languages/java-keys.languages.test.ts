/**
 * Keys of random entities, and the key vectors, in TypeScript and in generated Java: the same
 * bytes, values, ranges and errors. `ENTITIES=50 SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import { seed } from '../support/seed.js';
import { JavaProcess, javaIsMissing, writeJava } from './support/java.js';
import type { Answer } from './support/line-process.js';
import { attempted } from './support/java-words.js';
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
import { randomEntities, type RandomEntity } from './support/random-keys.js';

const describeJava = javaIsMissing() ? describe.skip : describe;
const count = Number(process.env.ENTITIES ?? 40);
const valuesOfEach = 12;

describeJava('keys in Java', () => {
  const entities = randomEntities(count, seed);
  const all = keyVectors();
  // Generated code refuses domain names that are not ASCII: docs/guide/java.md.
  const vectors = all.cases.filter(isAscii);
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-java-'));
  let java: JavaProcess;
  beforeAll(async () => {
    const models = [...entities.map(({ model }) => model), ...all.models];
    java = await JavaProcess.start(await writeJava(folder, models));
  });
  afterAll(async () => {
    await java.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The answers of Java to requests for an entity. */
  async function ask({ model }: RandomEntity, op: string, requests: readonly object[]) {
    return java.ask(requests.map((request) => ({ module: model.name, op, ...request })));
  }

  const cases = entities.map((entity) => [describedKey(entity), entity] as const);

  test.each(cases)('%s', async (_name, entity) => {
    const rows = rowsOf(entity, valuesOfEach);
    const requests = rows.map((values) => ({ values: taggedValues(entity, values) }));
    const encoded = await ask(entity, 'encode', requests);
    const expected = rows.map((values) => attempted(() => toHex(entity.model.key.encode(values))));
    expect(encoded).toEqual(expected);

    const keys = keysNear(expected.flatMap(({ ok }) => (typeof ok === 'string' ? [ok] : [])));
    const parsed = await ask(
      entity,
      'parse',
      keys.map((key) => ({ key })),
    );
    keys.forEach((key, i) => expectSameParse(entity, key, parsed[i]));

    const conditions = rows.flatMap((values, i) => conditionsOf(entity, values, rows.at(i - 1)!));
    const ranges = await ask(
      entity,
      'ranges',
      conditions.map((condition) => ({ values: taggedCondition(entity, condition) })),
    );
    conditions.forEach((condition, i) => {
      const inTypeScript = attempted(() => rangesOf(entity, condition));
      expectSame(condition, ranges[i], inTypeScript);
    });
  });

  test.each(cases)('what %s refuses', async (_name, entity) => {
    const [row] = rowsOf(entity, 1);
    const wrong = Object.keys(row).flatMap((name) =>
      wrongValues.map((value) => ({ ...row, [name]: value })),
    );
    const answers = await ask(
      entity,
      'encode',
      wrong.map((values) => ({ values: taggedValues(entity, values) })),
    );
    wrong.forEach((values, i) => {
      // Java knows no punycode.
      if (answers[i].error?.problem === 'the domain name is not ASCII') return;
      const expected = attempted(() => toHex(entity.model.key.encode(values)));
      if (expected.error !== undefined) expectSame(values, answers[i], expected);
    });
  });

  test('vectors have their bytes, and are read back', async () => {
    const keys = vectors.map(({ vector }) => `6b23${vector.hex}`);
    const requests = vectors.map(({ name, value }) => ({ module: name, values: { v: value } }));
    const encoded = await java.ask(requests.map((each) => ({ op: 'encode', ...each })));
    vectors.forEach(({ vector }, i) =>
      expect([vector, encoded[i]]).toEqual([vector, { ok: keys[i] }]),
    );
    const parsed = await java.ask(
      vectors.map(({ name }, i) => ({ op: 'parse', module: name, key: keys[i] })),
    );
    const again = await java.ask(
      parsed.map(({ ok }, i) => ({ op: 'encode', module: requests[i].module, values: ok })),
    );
    expect(again).toEqual(encoded);
  });

  test('a scope refuses other values', async () => {
    const entity = entities.find(({ samples }) => samples.size > 1)!;
    const [first] = entity.samples.keys();
    const rows = rowsOf(entity, 40);
    const other = rows.find((each) => toHex(keyOf(entity, each)) !== toHex(keyOf(entity, rows[0])));
    const within = { [first]: taggedValues(entity, rows[0])[first] };
    const [inside, outside] = await ask(entity, 'encode', [
      { within, values: taggedValues(entity, rows[0]) },
      { within, values: { ...taggedValues(entity, other!), [first]: otherThan(entity, rows) } },
    ]);
    expect(inside).toEqual({ ok: toHex(keyOf(entity, rows[0])) });
    expect([outside.error?.code, outside.error?.property]).toEqual(['OUTSIDE_SCOPE', first]);
  });
});

function keyOf({ model }: RandomEntity, values: Record<string, unknown>): Uint8Array {
  return model.key.encode(values);
}

/** A tagged value of the first segment that is not the first row's. */
function otherThan(entity: RandomEntity, rows: readonly Record<string, unknown>[]): unknown {
  const [first] = entity.samples.keys();
  const texts = rows.map((row) => taggedValues(entity, row)[first]);
  return texts.find((each) => JSON.stringify(each) !== JSON.stringify(texts[0]));
}

/** What the types of Java refuse, TypeScript refuses too. */
function expectSame(given: unknown, answer: Answer, expected: Answer): void {
  if (answer.types === true) expect([given, expected.error]).not.toEqual([given, undefined]);
  else expect([given, answer]).toEqual([given, expected]);
}

function expectSameParse(entity: RandomEntity, key: string, answer: Answer): void {
  const { model } = entity;
  const bytes = fromHex(key)!;
  const values: Record<string, unknown> = {};
  const reason = model.key.foreignReason(bytes);
  if (reason !== undefined) {
    expect([key, answer.error?.problem]).toEqual([key, reason.replace('4,096', '4096')]);
    expect(answer.error!.code).toBe('FOREIGN_KEY');
    return;
  }
  model.key.decoder()(bytes, 0, bytes.length, values);
  expect([key, answer.ok]).toEqual([key, taggedValues(entity, values)]);
}
