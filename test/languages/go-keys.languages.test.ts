/**
 * The key vectors in generated Go, and keys of random entities in TypeScript and in Go: the same
 * bytes, values, ranges and refusals. `ENTITIES=50 SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import type { KeyCondition } from '../../src/data/key/index.js';
import fc from '../support/fast-check.js';
import { seed } from '../support/seed.js';
import { attempted, fields, GoProcess, goIsMissing, untagged } from './support/go.js';
import { isAscii, keyVectors } from './support/key-vectors.js';
import type { Answer } from './support/python.js';
import { randomEntities, type RandomEntity } from './support/random-keys.js';
import { tagged } from './support/values.js';

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
    const rows = rowsOf(entity);
    const encoded = await ask(
      entity,
      'encode',
      rows.map((values) => ({ values: taggedValues(entity, values) })),
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

    const conditions = rows.flatMap((values, i) => conditionsOf(entity, values, rows.at(i - 1)!));
    const ranges = await ask(
      entity,
      'ranges',
      conditions.map((condition) => ({ values: taggedCondition(entity, condition) })),
    );
    conditions.forEach((condition, i) => {
      const inTypeScript = attempted(() =>
        entity.model.key
          .ranges(condition)
          .perShard.flat()
          .map(({ start, end }) => [toHex(start), end === undefined ? null : toHex(end)]),
      );
      expectSame(condition, ranges[i], inTypeScript);
    });
  });

  test.each(cases)('what %s refuses', async (_name, entity) => {
    const [row] = rowsOf(entity);
    const wrong = Object.keys(row).flatMap((name) =>
      wrongValues.map((value) => ({ ...row, [name]: value })),
    );
    const answers = await ask(
      entity,
      'encode',
      wrong.map((values) => ({ values: taggedValues(entity, values) })),
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

/** Values that most kinds refuse, with the same meaning in both languages. */
const wrongValues: readonly unknown[] = [
  null,
  true,
  'no such member',
  'a|b#c$d\0',
  'x'.repeat(5000),
  new Uint8Array(5000),
  new Date(1),
  new Date(-8e12),
  new Date(-8.64e15),
  new Date(1e13),
];

function describedKey({ model, samples }: RandomEntity): string {
  const { format, shards } = model.key.spec;
  const segments = [...samples.values()].map(({ type }) =>
    Object.values(type)
      .filter((each) => each !== undefined)
      .join(' '),
  );
  return `${model.name}: ${JSON.stringify(format)} ${shards?.count ?? ''} ${segments.join(', ')}`;
}

function rowsOf({ samples }: RandomEntity): readonly Record<string, unknown>[] {
  const shapes = [...samples].map(([name, { values }]) => [name, values]);
  const row = fc.record(Object.fromEntries(shapes) as Record<string, fc.Arbitrary<unknown>>);
  return fc.sample(row, { seed, numRuns: valuesOfEach });
}

function taggedValues({ samples }: RandomEntity, values: object): Record<string, unknown> {
  return fields(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, tagged(value, kindOf(samples, name))]),
    ),
  );
}

function kindOf(samples: RandomEntity['samples'], name: string): string {
  return samples.get(name)!.type.kind;
}

/** Keys, and changed ones: cut off, longer, with another byte. */
function keysNear(keys: readonly string[]): readonly string[] {
  const changed = keys.flatMap((key, i) => {
    const at = 2 * (i % Math.max(1, key.length / 2));
    return [
      key.slice(0, -2),
      `${key}00`,
      `${key}23`,
      `${key.slice(0, at)}${['00', 'ff', '24', '30'][i % 4]}${key.slice(at + 2)}`,
    ];
  });
  return [...keys, ...changed, '', '0000', 'ff'.repeat(5000)];
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
  expect([key, answer.ok]).toEqual([key, untagged(taggedValues(entity, values))]);
}

/** Conditions on each number of leading segments, with every kind of bound. */
function conditionsOf(
  { samples }: RandomEntity,
  values: Record<string, unknown>,
  other: Record<string, unknown>,
): readonly KeyCondition[] {
  const names = [...samples.keys()];
  return names.flatMap((segment, count): KeyCondition[] => {
    const fixed = Object.fromEntries(names.slice(0, count).map((name) => [name, values[name]]));
    const value = values[segment];
    const from = { value, inclusive: count % 2 === 0 };
    const to = { value: other[segment], inclusive: count % 2 === 1 };
    const text = typeof value === 'string' ? Array.from(value).slice(0, 2).join('') : 'a';
    return [
      { fixed },
      { fixed: { ...fixed, [segment]: value } },
      { fixed, bound: { kind: 'between', segment, from, to } },
      { fixed, bound: { kind: 'between', segment, from } },
      { fixed, bound: { kind: 'between', segment, to: { ...to, inclusive: !to.inclusive } } },
      { fixed, bound: { kind: 'startsWith', segment, text } },
      { fixed, bound: { kind: 'subdomains', segment, domain: 'google.com' } },
    ];
  });
}

function taggedCondition(entity: RandomEntity, { fixed, bound }: KeyCondition): object {
  const values = taggedValues(entity, fixed);
  if (bound === undefined) return values;
  const name = Object.keys(fields({ [bound.segment]: 0 }))[0];
  if (bound.kind === 'startsWith') return { ...values, [name]: { $startsWith: bound.text } };
  if (bound.kind === 'subdomains') return { ...values, [name]: { $subdomains: bound.domain } };
  const kind = kindOf(entity.samples, bound.segment);
  const ends = [bound.from, bound.to].map((end) =>
    end === undefined ? null : [tagged(end.value, kind), end.inclusive],
  );
  return { ...values, [name]: { $between: ends } };
}
