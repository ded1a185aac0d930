/**
 * Keys of random entities in TypeScript and in generated Python: the same bytes, values, ranges and
 * errors. `ENTITIES=50 SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import { kinds } from '../data/key/support/kinds.js';
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
import type { Answer } from './support/line-process.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';
import { randomEntities, type RandomEntity } from './support/random-keys.js';
import { errorOf } from './support/values.js';

const describePython = pythonIsMissing() ? describe.skip : describe;
const count = Number(process.env.ENTITIES ?? 40);
const valuesOfEach = 12;

/** Python's datetime has the years 1 to 9999. */
function isInPython(value: unknown): boolean {
  if (!(value instanceof Date)) return true;
  return value.getTime() >= -62_135_596_800_000 && value.getTime() <= 253_402_300_799_999;
}

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
    const rows = rowsOf(entity, valuesOfEach, isInPython);
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
      conditions.map((condition) => attempted(() => rangesOf(entity, condition))),
    );
  });

  test.each(cases)('what %s refuses', async (_name, entity) => {
    const [row] = rowsOf(entity, 1, isInPython);
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

/** The result of TypeScript in the form of Python's answers. */
function attempted(call: () => unknown): Answer {
  let ok: unknown;
  try {
    ok = call();
  } catch {
    return { error: errorOf(call) as Answer['error'] };
  }
  return { ok };
}

function comparable({ ok, error }: Answer): Answer {
  return error === undefined ? { ok } : { error };
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
  const isReadable = Object.values(values).every(isInPython);
  if (!isReadable) expect(answer.error?.code).toBe('UNSUPPORTED');
  else expect([key, answer.ok]).toEqual([key, taggedValues(entity, values)]);
}

test('every kind of segment has samples', () => {
  expect(new Set(kinds.map(({ type }) => type.kind)).size).toBe(16);
});
