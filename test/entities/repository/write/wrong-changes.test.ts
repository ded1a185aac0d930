/**
 * What is passed where an object of properties is expected, and has none: a Map, a Set, a Date, an
 * array, an instance of a class, a Promise that nobody awaited. Such calls resolved and wrote
 * nothing, or wrote without their condition.
 */
import { bufferedCounters, type Database, open } from '../../../../src/index.js';
import { Reading } from '../support/entities.js';

/** Columns in private fields and getters, which no write would see. */
class Hidden {
  readonly #value = 2;
  get value(): number {
    return this.#value;
  }
}

/** Of other libraries: sent when it is awaited. */
class Query {
  readonly sql = 'SELECT 1';
  then(done: (rows: unknown) => void): void {
    done([{ value: 2 }]);
  }
}

class Changed {
  value = 3;
}

const key = { tenant: 't', device: 'd', n: 1 };
const wrong: readonly [given: string, make: () => unknown, fix: RegExp][] = [
  ['a Promise', () => Promise.resolve({ value: 2 }), /await/],
  ['a Query', () => new Query(), /await/],
  ['a Map', () => new Map([['value', 2]]), /Object\.fromEntries/],
  ['a Set', () => new Set(['value']), /plain object|\{ /],
  ['a Date', () => new Date(0), /plain object|\{ /],
  ['an array', () => [], /plain object|\{ /],
  ['an array', () => [{ value: 2 }], /plain object|\{ /],
  ['a Uint8Array', () => new Uint8Array(), /plain object|\{ /],
  ['a Hidden', () => new Hidden(), /plain object|\{ /],
];

/** Untyped methods. */
type Untyped = Record<string, (...args: unknown[]) => unknown>;
type Call = (readings: Untyped, value: unknown) => unknown;

const failureOf = async (result: unknown): Promise<never> => {
  throw ((await result) as { failures: { error: unknown }[] }).failures[0]?.error;
};

const calls: readonly [name: string, call: Call][] = [
  ['patch', (readings, value) => readings.patch(key, value)],
  ['patch add', (readings, value) => readings.patch(key, {}, { add: value })],
  ['append', (readings, value) => readings.append(key, value)],
  ['increment and append', (readings, value) => readings.increment(key, {}, { append: value })],
  ['options of increments', (readings, value) => readings.increment(key, {}, value)],
  ['increment', (readings, value) => readings.increment(key, value)],
  ['create', (readings, value) => readings.create(value)],
  ['fromJSON', (readings, value) => readings.fromJSON(value)],
  ['patchMany', (readings, value) => failureOf(readings.patchMany([{ key, changes: value }]))],
  ['patchMany item', (readings, value) => failureOf(readings.patchMany([value]))],
  [
    'patchMany add',
    (readings, value) => failureOf(readings.patchMany([{ key, changes: {}, add: value }])),
  ],
  [
    'incrementMany',
    (readings, value) => failureOf(readings.incrementMany([{ key, changes: value }])),
  ],
  ['if', (readings, value) => readings.patch(key, { value: 2 }, { if: value })],
  [
    'if equals',
    (readings, value) => readings.patch(key, { value: 2 }, { if: { exists: true, equals: value } }),
  ],
  ['options of a write', (readings, value) => readings.patch(key, { value: 2 }, value)],
  ['options of a read', (readings, value) => readings.get(key, value)],
  [
    'add of buffered counters',
    (readings, value) => bufferedCounters(readings as never).add(key, value as never),
  ],
];

let db: Database;
beforeEach(async () => {
  db = await open('memory:', { entities: [Reading] });
  await db.repository(Reading).patch(key, { value: 1 });
});
afterEach(() => db.close());

const untyped = (): Untyped => db.repository(Reading) as unknown as Untyped;

async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(calls)('%s', (_name, call) => {
  test.each(wrong)('%s is rejected', async (given, make, fix) => {
    const error = await errorOf(() => call(untyped(), make()));
    expect(error).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        problem: expect.stringContaining(given) as string,
        fix: expect.stringMatching(fix) as string,
      },
    });
    expect(await db.repository(Reading).scanAll().all()).toMatchObject([{ value: 1 }]);
  });
});

test.each(wrong.filter(([given]) => given !== 'a Hidden'))(
  '%s is no key',
  async (given, make, fix) => {
    expect(await errorOf(() => untyped().get(make()))).toMatchObject({
      code: 'INVALID_KEY',
      details: {
        property: 'key',
        problem: expect.stringContaining(given) as string,
        fix: expect.stringMatching(fix) as string,
      },
    });
  },
);

test('instances with own columns are changes, and objects without a prototype', async () => {
  await untyped().patch(key, new Changed());
  expect(await db.repository(Reading).get(key)).toMatchObject({ value: 3 });
  const bare = Object.assign(Object.create(null) as object, { value: 4 });
  await untyped().patch(key, bare);
  expect(await db.repository(Reading).get(key)).toMatchObject({ value: 4 });
});

test('no changes are no error: an empty object', async () => {
  for (const changes of [{}, Object.create(null), { value: undefined }]) {
    await untyped().patch(key, changes);
    await untyped().patch(key, changes as object, { add: changes as object });
  }
  expect(await db.repository(Reading).get(key)).toMatchObject({ value: 1 });
});

test('an entity is no object of changes', async () => {
  const readings = db.repository(Reading);
  const whole = readings.create({ ...key, value: 5 });
  for (const entity of [whole, new Reading(), Object.assign(new Reading(), { value: 5 })])
    for (const call of [
      () => untyped().patch(key, entity),
      () => untyped().append(key, entity),
      () => failureOf(untyped().patchMany([{ key, changes: entity }])),
    ])
      expect(await errorOf(call)).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: {
          entity: 'Reading',
          problem: expect.stringContaining('a Reading') as string,
          fix: expect.stringContaining('save()') as string,
        },
      });
  expect(await readings.get(key)).toMatchObject({ value: 1 });
});

test('a copy is created from an entity', () => {
  const readings = db.repository(Reading);
  expect(readings.create(readings.create({ ...key, value: 5 }))).toEqual({ ...key, value: 5 });
});
