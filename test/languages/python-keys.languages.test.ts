/**
 * Keys of random entities in TypeScript and in generated Python: the same bytes, values, ranges and
 * refusals. `ENTITIES=50 SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import type { KeyCondition } from '../../src/data/key/index.js';
import { kinds } from '../data/key/support/kinds.js';
import fc from '../support/fast-check.js';
import { seed } from '../support/seed.js';
import { type Answer, PythonProcess, pythonIsMissing, writePython } from './support/python.js';
import { randomEntities, type RandomEntity } from './support/random-keys.js';
import { refusalOf, tagged } from './support/values.js';

const describePython = pythonIsMissing() ? describe.skip : describe;
const count = Number(process.env.ENTITIES ?? 40);
const valuesOfEach = 12;

/** Python's datetime begins with the year 1. */
const firstMs = -62_135_596_800_000;

describePython('keys of random entities', () => {
  const entities = randomEntities(count, seed);
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let python: PythonProcess;
  beforeAll(async () => {
    const models = entities.map(({ model }) => model);
    python = await PythonProcess.start(await writePython(folder, models));
  });
  afterAll(async () => {
    await python.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The answers of Python to requests for an entity. */
  async function ask({ model }: RandomEntity, op: string, requests: readonly object[]) {
    const module = model.name.toLowerCase();
    return python.ask(requests.map((request) => ({ module, op, ...request })));
  }

  const cases = entities.map((entity) => [describedKey(entity), entity] as const);

  test.each(cases)('%s', async (_name, entity) => {
    const rows = rowsOf(entity);
    const requests = rows.map((values) => ({ values: taggedValues(entity, values) }));
    const encoded = await ask(entity, 'encode', requests);
    const expected = rows.map((values) => attempted(() => toHex(entity.model.key.encode(values))));
    expect(encoded.map(comparable)).toEqual(expected);

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
    expect(ranges.map(comparable)).toEqual(
      conditions.map((condition) =>
        attempted(() =>
          entity.model.key
            .ranges(condition)
            .perShard.flat()
            .map(({ start, end }) => [toHex(start), end === undefined ? null : toHex(end)]),
        ),
      ),
    );
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
      const expected = attempted(() => toHex(entity.model.key.encode(values)));
      const { error } = comparable(answers[i]);
      // Python knows no punycode. A number as text is a decimal in TypeScript alone.
      if (expected.error === undefined || error?.problem === 'the domain name is not ASCII') return;
      expect([values, error]).toEqual([values, expected.error]);
    });
  });
});

/** Values that most kinds refuse, with the same meaning in both languages. */
const wrongValues: readonly unknown[] = [
  null,
  true,
  'no such member',
  '\ud800',
  'a|b#c$d\0',
  'x'.repeat(5000),
  new Uint8Array(5000),
  new Date(1),
  new Date(-8e12),
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
  const shapes = [...samples].map(([name, { values }]) => [
    name,
    values.filter((value) => !(value instanceof Date) || value.getTime() >= firstMs),
  ]);
  const row = fc.record(Object.fromEntries(shapes) as Record<string, fc.Arbitrary<unknown>>);
  return fc.sample(row, { seed, numRuns: valuesOfEach });
}

function taggedValues({ samples }: RandomEntity, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, tagged(value, kindOf(samples, name))]),
  );
}

function kindOf(samples: RandomEntity['samples'], name: string): string {
  return samples.get(name)!.type.kind;
}

/** The result of TypeScript in the form of Python's answers. */
function attempted(call: () => unknown): Answer {
  let ok: unknown;
  try {
    ok = call();
  } catch {
    return { error: refusalOf(call) as Answer['error'] };
  }
  return { ok };
}

function comparable({ ok, error }: Answer): Answer {
  return error === undefined ? { ok } : { error };
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
  const { model, samples } = entity;
  const bytes = fromHex(key)!;
  const values: Record<string, unknown> = {};
  const reason = model.key.foreignReason(bytes);
  if (reason !== undefined) {
    expect([key, answer.error?.problem]).toEqual([key, reason.replace('4,096', '4096')]);
    expect(answer.error!.code).toBe('FOREIGN_KEY');
    return;
  }
  model.key.decoder()(bytes, 0, bytes.length, values);
  const isTooEarly = Object.values(values).some(
    (value) =>
      value instanceof Date && (value.getTime() < firstMs || value.getTime() > 253_402_300_799_999),
  );
  if (isTooEarly) expect(answer.error?.code).toBe('UNSUPPORTED');
  else expect([key, answer.ok]).toEqual([key, taggedParsed(samples, values)]);
}

function taggedParsed(samples: RandomEntity['samples'], values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, tagged(value, kindOf(samples, name))]),
  );
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
    const text = typeof value === 'string' ? value.slice(0, 2) : 'a';
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
  const { segment } = bound;
  if (bound.kind === 'startsWith') return { ...values, [segment]: { $startsWith: bound.text } };
  if (bound.kind === 'subdomains') return { ...values, [segment]: { $subdomains: bound.domain } };
  const kind = kindOf(entity.samples, segment);
  const ends = [bound.from, bound.to].map((end) =>
    end === undefined ? null : [tagged(end.value, kind), end.inclusive],
  );
  return { ...values, [segment]: { $between: ends } };
}

test('every kind of segment has samples', () => {
  expect(new Set(kinds.map(({ type }) => type.kind)).size).toBe(16);
});
