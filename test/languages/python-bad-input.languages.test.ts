/** The cases of bad input that generated Python must compile with, or refuse with words. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRowsmithError, toHex } from '../../src/base/index.js';
import {
  column,
  defineEntity,
  type EntityClass,
  enumOf,
  Field,
  Message,
  packed,
  rowKey,
} from '../../src/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { Flag } from './support/entities.js';
import type { Answer } from './support/line-process.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';

const describePython = pythonIsMissing() ? describe.skip : describe;

/** Members with names that Python cannot have. */
enum Light {
  None = 0,
  True = 7,
}

@Message('garden.Plant')
class Plant {
  @Field(1, 'string') from?: string;
  @Field(2, () => Bed) bed?: InstanceType<typeof Bed>;
  @Field(3, enumOf(Light)) light?: Light;
}

@Message('garden.Bed')
class Bed {
  @Field(1, () => Plant) first?: Plant;
  @Field(2, () => Bed) class?: Bed;
}

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;

const growing = (name: string, message: () => new () => object): EntityClass =>
  declare(class {}, {
    name,
    table: name,
    families: { m: {} },
    key: rowKey('id' as never),
    segments: { id: 'string' },
    columns: { plant: packed('m', message) },
  });
const Growth = growing('Growth', () => Plant);

/** A row of sales as it was declared, and as it is now: another key, and another type of a column. */
const sale = (name: string, segments: object, kind: 'int32' | 'string'): EntityClass =>
  declare(class {}, {
    name,
    table: name,
    families: { m: {} },
    key: rowKey(...(Object.keys(segments) as [never])),
    segments,
    columns: { amount: column('m', kind) },
  });
const Before = sale('Before', { shop: 'string', day: { kind: 'uint', width: 8 } }, 'string');
const After = sale(
  'After',
  { shop: 'string', day: { kind: 'uint', width: 8 }, till: 'string' },
  'int32',
);

const Words = declare(class {}, {
  name: 'class',
  table: 'words',
  families: { m: {} },
  key: rowKey('from' as never, 'None' as never, 'none' as never),
  segments: { from: 'string', None: 'string', none: { kind: 'uint', width: 4 } },
  columns: { import: column('m', 'string'), IMPORT: column('m', 'int32') },
});

/** What a call that must fail says of the declarations. */
function faultsOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    return (error.details.faults ?? []).map(({ problem }) => problem).join('\n');
  }
  throw new Error('it is accepted');
}

test('an enum without a zero is refused before anything is generated', () => {
  enum Season {
    Spring = 1,
  }
  @Message('garden.Calendar')
  class Calendar {
    @Field(1, enumOf(Season)) season?: Season;
  }
  const Year = growing('Year', () => Calendar);
  expect(faultsOf(() => buildModels([Year]))).toContain('the enum has no member 0');
});

test('messages of two packages that refer to each other are refused', async () => {
  @Message('left.One')
  class One {
    @Field(1, () => Other) other?: InstanceType<typeof Other>;
  }
  @Message('right.Other')
  class Other {
    @Field(1, () => One) one?: One;
  }
  const models = buildModels([growing('Pair', () => One)]);
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  const error: unknown = await writePython(folder, models).catch((thrown: unknown) => thrown);
  expect(
    faultsOf(() => {
      throw error;
    }),
  ).toContain('in a cycle: left -> right -> left');
  rmSync(folder, { recursive: true });
});

describePython('bad input', () => {
  const models = buildModels([Flag, Growth, Before, After, Words]);
  const model = (name: string): EntityModel => models.find((each) => each.name === name)!;
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let python: PythonProcess;
  beforeAll(async () => {
    python = await PythonProcess.start(await writePython(folder, models));
  });
  afterAll(async () => {
    await python.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(module: string, op: string, request: object): Promise<Answer> {
    const [answer] = await python.ask([{ module, op, ...request }]);
    return answer;
  }
  const now = Date.UTC(2026, 10, 28);
  const cell = (name: string, value: Uint8Array): unknown[] => [
    ...['m', Buffer.from(name).toString('hex'), toHex(value), now * 1000],
  ];

  test('names that are words of Python, and names that differ in case only', async () => {
    const values = { from_: 'a', none: 'b', none_2: { $int: '7' } };
    const key = model('class').key.encode({ from: 'a', None: 'b', none: 7 });
    expect(await ask('class_', 'encode', { values })).toEqual({ ok: toHex(key) });
    // Columns are named in the order of their qualifiers.
    const request = {
      class: 'Class',
      values: { ...values, import_: { $int: '1' }, import__2: 'x' },
      now,
    };
    const { ok } = await ask('class_', 'write', { ...request, replace: false });
    expect(ok).toHaveLength(2);
  });

  test('an entity without columns', async () => {
    const values = { class_: 'a', class__2: 'b' };
    const request = { class: 'Flag', values, now, replace: false };
    expect((await ask('flag', 'write', request)).ok).toHaveLength(1);
  });

  test('messages that refer to each other, with an enum of words', async () => {
    const plant = Object.assign(new Plant(), {
      from: 'seed',
      light: Light.True,
      bed: Object.assign(new Bed(), { first: new Plant(), class: new Bed() }),
    });
    const { codec } = model('Growth').columns[0];
    const raw = codec.encode(plant);
    const key = toHex(model('Growth').key.encode({ id: 'a' }));
    const { ok } = await ask('growth', 'read', { key, cells: [cell('plant', raw)] });
    expect(ok).toEqual({ id: 'a', plant: { $message: toHex(raw) } });
  });

  test.each([
    ['a negative', { $int: '-1' }],
    ['a greater one than the width has', { $int: '100000000' }],
    ['a fraction', { $float: '3ff8000000000000' }],
  ])('values out of range: %s', async (_name, day) => {
    const answer = await ask('before', 'encode', { values: { shop: 's', day } });
    expect(answer.error).toMatchObject({ code: 'INVALID_KEY', property: 'day' });
    expect(answer.error!.problem).not.toBe('');
    expect(answer.error!.fix).not.toBe('');
  });

  test('every truncated key', async () => {
    const key = toHex(model('Before').key.encode({ shop: 'shop', day: 20_261_128 }));
    for (let length = 0; length < key.length; length += 2) {
      const answer = await ask('before', 'parse', { key: key.slice(0, length) });
      const problem = model('Before').key.foreignReason(Buffer.from(key.slice(0, length), 'hex'));
      expect(answer.error).toMatchObject({ code: 'FOREIGN_KEY', problem });
    }
  });

  test.each([
    ['After', 'before', { shop: 's', day: 1, till: 't' }],
    ['Before', 'after', { shop: 's', day: 1 }],
  ])('a key of another version: of %s, read as %s', async (from, as, values) => {
    const key = model(from).key.encode(values);
    const problem = model(as[0].toUpperCase() + as.slice(1)).key.foreignReason(key);
    expect(problem).toBeDefined();
    const answer = await ask(as, 'parse', { key: toHex(key) });
    expect(answer.error).toMatchObject({ code: 'FOREIGN_KEY', problem });
    expect((await ask(as, 'read', { key: toHex(key), cells: [] })).error?.code).toBe('FOREIGN_KEY');
  });

  test('a column of another version', async () => {
    const key = toHex(model('After').key.encode({ shop: 's', day: 1, till: 't' }));
    const answer = await ask('after', 'read', { key, cells: [cell('amount', Buffer.from('12'))] });
    expect(answer.error).toMatchObject({
      code: 'DAMAGED_CELL',
      property: 'amount',
      fix: 'check that the column was written as int32',
    });
  });
});
