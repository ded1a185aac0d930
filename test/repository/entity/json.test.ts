/**
 * Entities as JSON: nothing is lost in either direction, the generated JSON Schema describes the
 * form, and what is not of the form is rejected.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonSchema } from '../../../src/codegen/documents/json-schema.js';
import {
  Column,
  column,
  ColumnMap,
  Counter,
  defineEntity,
  Entity,
  exportRows,
  type JsonOf,
  open,
  type OpenDatabase,
  rowKey,
  RowsmithError,
  Segment,
  unknownFields,
  type Version,
  Versions,
} from '../../../src/index.js';
import { buildModel } from '../../../src/model/index.js';
import fc from '../../support/fast-check.js';
import { All, Everything, Inner, instances } from '../../transfer/everything.js';

@Entity({ table: 'samples', families: { m: {}, c: {}, t: {}, h: {} } })
class Sample {
  static readonly key = rowKey('id', 'at');
  @Segment('string') id!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number = 5;
  @Column('m', 'int64') big?: bigint;
  @Column('m', 'int32') small?: number;
  @Column('m', 'bool') on?: boolean;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'json') extra?: unknown;
  @Column('m', 'string') name?: string | null;
  @Counter('c') hits?: bigint;
  @ColumnMap('t', 'int64') scores?: Map<string, bigint>;
  @Versions('h', 'double') history?: Version<number>[];
}

const at = new Date('2026-11-22T10:00:00.000Z');
const key = { id: 'a', at };
const keyJson = { id: 'a', at: '2026-11-22T10:00:00.000Z' };

let db: OpenDatabase<typeof Everything | typeof Sample>;
const samples = () => db.repository(Sample);
const everything = () => db.repository(Everything);

beforeAll(async () => {
  db = await open('memory:', { entities: [Everything, Sample] });
});
afterAll(() => db.close());

/** The validator of draft 2020-12 that another package depends on. */
const validate = ((): ((value: unknown) => boolean) & { errors?: unknown } => {
  const from = createRequire(require.resolve('ajv-formats'));
  const { default: Ajv } = from('ajv/dist/2020') as { default: new (options: object) => never };
  const formats = from('ajv-formats') as { default: (ajv: unknown) => void };
  const ajv = new Ajv({ allErrors: true, strict: false }) as unknown as {
    compile(schema: object): (value: unknown) => boolean;
  };
  formats.default(ajv);
  return ajv.compile(JSON.parse(jsonSchema(buildModel(Everything))) as object);
})();

const throughText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Entities with counters, and with fields that their messages do not declare. */
const entities = fc
  .tuple(instances, fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), fc.boolean())
  .map(([entity, counter, unknown]) => {
    if (counter !== null) Object.assign(entity, { plain: counter, added: -1n });
    if (unknown && entity.all !== undefined)
      Object.assign(entity.all, { [unknownFields]: Uint8Array.of(0xf8, 0x3f, 1) });
    return entity;
  });

test('property: an entity is the same after toJSON, text and fromJSON', () => {
  fc.assert(
    fc.property(entities, (entity) => {
      const json = everything().toJSON(entity);
      const text = JSON.stringify(json);
      expect(JSON.stringify(entity)).toBe(text);
      const back = everything().fromJSON(JSON.parse(text));
      expect(back).toBeInstanceOf(Everything);
      // Checks types, too: bytes, dates, maps, classes of messages.
      expect(withoutUndefined(back)).toStrictEqual(withoutUndefined(entity));
      expect(JSON.stringify(back)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('property: the JSON is of the generated schema', () => {
  fc.assert(
    fc.property(entities, (entity) => {
      const valid = validate(throughText(entity));
      expect({ valid, errors: validate.errors }).toEqual({ valid: true, errors: null });
    }),
    { numRuns: 300 },
  );
});

test('property: a value of another type is rejected by the schema and by fromJSON', () => {
  const others = [5, 1.5, true, 'x', '5', ' 5 ', '', [], {}, [[]], { a: 1 }];
  const properties = Object.keys(
    throughText(fc.sample(entities, { numRuns: 1, seed: 1 })[0]) as object,
  );
  expect(properties.length).toBeGreaterThan(17);
  const all = [...buildModel(Everything).key.names, ...columnsOf(Everything)];
  fc.assert(
    fc.property(
      entities,
      fc.constantFrom(...all),
      fc.constantFrom(...others),
      (entity, property, other) => {
        const value = { ...(throughText(entity) as object), [property]: other };
        const valid = validate(value);
        const accepted = attempt(() => everything().fromJSON(value));
        // The schema knows no lengths of bytes and the like, so that it may accept more.
        if (accepted instanceof Error) expect(accepted).toBeInstanceOf(RowsmithError);
        else expect({ property, other, valid }).toEqual({ property, other, valid: true });
      },
    ),
    { numRuns: 1500 },
  );
});

test('it is a line of a plain export', async () => {
  const entity = fc.sample(entities, { numRuns: 1, seed: 7 })[0];
  await everything().save(entity);
  const stored = (await everything().get(entity))!;
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-json-'));
  const file = join(folder, 'rows.jsonl');
  await exportRows(db.engine, everything().model, file, { format: 'jsonl', plain: true });
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(stored)}\n`);
  rmSync(folder, { recursive: true });
  await everything().delete(entity);
});

describe('JSON.stringify', () => {
  const full = (): Sample =>
    samples().create({
      ...key,
      value: NaN,
      big: 2n ** 60n,
      raw: Uint8Array.of(1, 2),
      seen: at,
      hits: 1n,
      scores: new Map([
        ['__proto__', 1n],
        ['b', 2n],
      ]),
      history: [{ at, value: -0 }],
    });

  test('of an entity', () => {
    expect(JSON.stringify(full())).toBe(
      '{"id":"a","at":"2026-11-22T10:00:00.000Z","hits":"1",' +
        '"history":[{"at":"2026-11-22T10:00:00.000Z","value":"-0"}],' +
        '"big":"1152921504606846976","raw":"AQI=","seen":"2026-11-22T10:00:00.000Z",' +
        '"value":"NaN","scores":{"__proto__":"1","b":"2"}}',
    );
    expect(JSON.stringify({ inside: [full()] })).toContain('"inside":[{"id":"a"');
  });

  test('of results of select, keysOnly and distinct', async () => {
    await samples().save(full());
    const [row] = await samples().scanAll().select('big', 'scores', 'raw').all();
    expect(throughText(row)).toEqual({
      ...keyJson,
      big: '1152921504606846976',
      raw: 'AQI=',
      scores: throughText({ ['__proto__']: '1', b: '2' }),
    });
    // Equal to a plain object for every comparison, and cloned as one.
    const plain = { ...key, big: 2n ** 60n, raw: row.raw, scores: row.scores };
    assert.deepStrictEqual(row, plain);
    expect(row).toStrictEqual(plain);
    expect(structuredClone(row)).toStrictEqual(plain);
    expect(Object.keys(row).sort()).toEqual(['at', 'big', 'id', 'raw', 'scores']);
    expect(samples().toJSON(row)).toEqual(throughText(row));
    // Without a value that would be lost there is nothing to define.
    const [other] = await samples().scanAll().select('small').all();
    expect(Object.getOwnPropertyNames(other).sort()).toEqual(['at', 'id']);
    const [nan] = await samples().scanAll().select('value').all();
    expect(throughText(nan)).toEqual({ ...keyJson, value: 'NaN' });
    await samples().patch(key, { value: 1.5 });
    const [number] = await samples().scanAll().select('value').all();
    expect(Object.getOwnPropertyNames(number).sort()).toEqual(['at', 'id', 'value']);
    const entity = fc.sample(entities, { numRuns: 1, seed: 3 })[0];
    await everything().save(entity);
    const [keys] = await everything().scanAll().keysOnly().all();
    const [first] = await everything().distinct('bigint').all();
    const written = throughText(entity) as Record<string, unknown>;
    expect(throughText(keys)).toEqual(
      Object.fromEntries(everything().model.key.names.map((name) => [name, written[name]])),
    );
    expect(throughText(first)).toEqual(
      Object.fromEntries(['string', 'int', 'uint', 'bigint'].map((name) => [name, written[name]])),
    );
    await samples().delete(key);
    await everything().delete(entity);
  });

  test('leaves comparisons, copies and clones as they are', async () => {
    const one = full();
    assert.deepStrictEqual(one, full());
    expect(one).toStrictEqual(full());
    expect(one.constructor).toBe(Sample);
    expect(Object.keys(one)).not.toContain('toJSON');
    const names: string[] = [];
    for (const name in one) names.push(name);
    expect(names).not.toContain('toJSON');
    expect(structuredClone(one)).toEqual(one);
    await samples().save(one);
    expect(await samples().get(key)).toStrictEqual(
      Object.assign(full(), { hits: undefined, small: undefined, on: undefined }),
    );
    await samples().delete(key);
  });

  test('writes properties that are not mapped, and half an entity', () => {
    const half = Object.assign(new Sample(), { id: 'a', title: 'x', value: undefined });
    expect(throughText(half)).toEqual({ id: 'a', title: 'x' });
    expect(() => samples().toJSON(half)).toThrow(expect.objectContaining({ code: 'INVALID_KEY' }));
  });

  test('a value that its column cannot store is an error that names it', () => {
    const wrong = Object.assign(full(), { scores: { a: 1 } });
    for (const write of [() => JSON.stringify(wrong), () => samples().toJSON(wrong)])
      expect(write).toThrow(
        expect.objectContaining({
          code: 'INVALID_VALUE',
          details: expect.objectContaining({ entity: 'Sample', property: 'scores' }),
        }),
      );
  });

  test('uses a toJSON of the class, or of one that it extends', () => {
    @Entity({ table: 'own', families: { m: {} } })
    class Own {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'int64') big?: bigint;
      toJSON(): object {
        return { mine: this.id };
      }
    }
    class Base {
      toJSON(): object {
        return { base: true };
      }
    }
    @Entity({ table: 'heir', families: { m: {} } })
    class Heir extends Base {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'int64') big?: bigint;
    }
    const [own, heir] = [Object.assign(new Own(), { id: 'a' }), Object.assign(new Heir(), key)];
    expect(JSON.stringify([own, heir])).toBe('[{"mine":"a"},{"base":true}]');
  });

  test('of subclasses, and of classes of defineEntity', () => {
    class Special extends Sample {
      extra2 = 1;
    }
    expect(throughText(Object.assign(new Special(), key, { big: 1n }))).toEqual({
      ...keyJson,
      value: 5,
      big: '1',
      extra2: 1,
    });
    @Entity({ table: 'specials', families: { m: {}, c: {}, t: {}, h: {}, x: {} } })
    class Mapped extends Sample {
      static override readonly key = rowKey('id', 'at');
      @Column('x', 'int64') more?: bigint;
    }
    expect(throughText(Object.assign(new Mapped(), key, { more: 7n }))).toMatchObject({
      more: '7',
    });
    const Defined = defineEntity(
      class Defined {
        id = '';
        big?: bigint;
      },
      {
        table: 'defined',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { big: column('m', 'int64') },
      },
    );
    expect(JSON.stringify(Object.assign(new Defined(), { id: 'a', big: 3n }))).toBe(
      '{"id":"a","big":"3"}',
    );
  });
});

describe('fromJSON', () => {
  test.each<[name: string, value: unknown, code: string, property: string, fix: RegExp]>([
    ['text', '{}', 'INVALID_ARGUMENT', 'value', /JSON.parse/],
    ['null', null, 'INVALID_ARGUMENT', 'value', /JSON.parse/],
    ['an array', [], 'INVALID_ARGUMENT', 'value', /JSON.parse/],
    ['nothing', {}, 'INVALID_KEY', 'id', /./],
    ['without a segment', { id: 'a' }, 'INVALID_KEY', 'at', /./],
    ['a segment of null', { ...keyJson, id: null }, 'INVALID_KEY', 'id', /./],
    ['a misspelt name', { ...keyJson, valeu: 1 }, 'INVALID_ARGUMENT', 'valeu', /'value'/],
    ['a method', { ...keyJson, toJSON: 1 }, 'INVALID_ARGUMENT', 'toJSON', /./],
    ['a prototype', JSON.parse('{"__proto__":{}}'), 'INVALID_ARGUMENT', '__proto__', /./],
    ['timestamps of an export', { ...keyJson, '@at': 5 }, 'INVALID_ARGUMENT', '@at', /importRows/],
    ['a number as int64', { ...keyJson, big: 5 }, 'INVALID_VALUE', 'big', /toJSON/],
    ['a rounded int64', { ...keyJson, big: 2 ** 60 }, 'INVALID_VALUE', 'big', /quotes/],
    ['too large an int64', { ...keyJson, big: `${2n ** 63n}` }, 'INVALID_VALUE', 'big', /./],
    ['digits as int32', { ...keyJson, small: '5' }, 'INVALID_VALUE', 'small', /toJSON/],
    ['a fraction as int32', { ...keyJson, small: 1.5 }, 'INVALID_VALUE', 'small', /./],
    ['text as bool', { ...keyJson, on: 'true' }, 'INVALID_VALUE', 'on', /toJSON/],
    ['digits as double', { ...keyJson, value: '1.5' }, 'INVALID_VALUE', 'value', /toJSON/],
    ['a day', { ...keyJson, at: '2026-11-22' }, 'INVALID_VALUE', 'at', /toJSON/],
    [
      'microseconds',
      { ...keyJson, at: '2026-11-22T10:00:00.000001Z' },
      'INVALID_VALUE',
      'at',
      /toJSON/,
    ],
    ['no base64', { ...keyJson, raw: 'é' }, 'INVALID_VALUE', 'raw', /base64/],
    ['other base64', { ...keyJson, raw: 'AB==' }, 'INVALID_VALUE', 'raw', /toJSON/],
    ['a number as a date', { ...keyJson, seen: 5 }, 'INVALID_VALUE', 'seen', /./],
    [
      'a time without a zone',
      { ...keyJson, at: '2026-11-22T10:00:00' },
      'INVALID_VALUE',
      'at',
      /./,
    ],
    ['a list as a map', { ...keyJson, scores: [['a', '1']] }, 'INVALID_VALUE', 'scores', /./],
    ['a wrong entry', { ...keyJson, scores: { a: 1 } }, 'INVALID_VALUE', 'scores["a"]', /./],
    ['a null entry', { ...keyJson, scores: { a: null } }, 'INVALID_VALUE', 'scores["a"]', /./],
    ['no versions', { ...keyJson, history: {} }, 'INVALID_VALUE', 'history', /"at"/],
    ['a version as a number', { ...keyJson, history: [1] }, 'INVALID_VALUE', 'history[0]', /./],
    [
      'a version without time',
      { ...keyJson, history: [{ value: 1 }] },
      'INVALID_VALUE',
      'history[0]',
      /./,
    ],
    [
      'a version with more',
      { ...keyJson, history: [{ at: keyJson.at, value: 1, v: 1 }] },
      'INVALID_VALUE',
      'history[0]',
      /leave/,
    ],
  ])('%s is rejected', (_name, value, code, property, fix) => {
    const error = attempt(() => samples().fromJSON(value));
    expect(error).toBeInstanceOf(RowsmithError);
    const { details } = error as RowsmithError;
    expect({ code: (error as RowsmithError).code, ...details }).toMatchObject({
      code,
      entity: 'Sample',
      property,
      fix: expect.stringMatching(fix) as string,
    });
  });

  test('what is absent is undefined, though the class assigns a value', () => {
    expect(samples().fromJSON(keyJson).value).toBeUndefined();
    expect(samples().fromJSON({ ...keyJson, value: null, name: null }).value).toBeUndefined();
    expect(new Sample().value).toBe(5);
  });

  test('messages are of their classes, and wrong fields are named', () => {
    const json = throughText(fc.sample(instances, { numRuns: 1, seed: 2 })[0]) as object;
    const value = { ...json, all: { inner: { value: 'NaN' }, byNumber: [[5, 'x']] } };
    const { all } = everything().fromJSON(value);
    expect(all).toBeInstanceOf(All);
    expect(all?.inner).toBeInstanceOf(Inner);
    expect(all?.byNumber).toEqual(new Map([[5, 'x']]));
    const wrong = (fields: object): unknown =>
      (attempt(() => everything().fromJSON({ ...json, all: fields })) as RowsmithError).details
        .property;
    expect(wrong({ inner: { value: '5' } })).toBe('all.inner.value');
    expect(wrong({ list: ['1', 2] })).toBe('all.list[1]');
    expect(wrong({ int32: '5' })).toBe('all.int32');
    expect(wrong({ int33: 5 })).toBe('all.int33');
    expect(wrong({ byNumber: [['5', 'x']] })).toBe('all.byNumber[0]');
    expect(wrong({ left: 'a', right: 1 })).toMatch(/^all/);
  });
});

test('the type of the JSON', () => {
  const json: JsonOf<Sample> = samples().toJSON(samples().create({ ...key }));
  const id: string = json.id;
  const time: string = json.at;
  const value: number | 'NaN' | 'Infinity' | '-Infinity' | '-0' | undefined = json.value;
  const big: string | undefined = json.big;
  const scores: { readonly [qualifier: string]: string } | undefined = json.scores;
  const raw: string | undefined = json.raw;
  const name: string | null | undefined = json.name;
  // @ts-expect-error a bigint is text
  const wrong: bigint | undefined = json.big;
  expect([id, time, value, big, scores, raw, name, wrong]).toBeDefined();
  const selected = samples().toJSON({ ...key, big: 1n });
  const text: string = selected.big;
  expect(text).toBe('1');
  expect(() => samples().toJSON({ ...key, bgi: 1n })).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ property: 'bgi' }) }),
  );
});

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}

function columnsOf(entity: new () => object): string[] {
  return buildModel(entity).columns.map(({ property }) => property);
}

/** Without undefined properties, at every depth of entities and messages. */
function withoutUndefined(value: object): object {
  const copy = Object.create(Object.getPrototypeOf(value) as object) as object;
  for (const name of Reflect.ownKeys(value)) {
    const each: unknown = Reflect.get(value, name);
    if (each !== undefined) Reflect.set(copy, name, cleaned(each));
  }
  return copy;
}

function cleaned(value: unknown): unknown {
  if (value instanceof Map) {
    const entries = [...value].map(([name, each]): [unknown, unknown] => [name, cleaned(each)]);
    return new Map(entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  }
  if (Array.isArray(value)) return value.map(cleaned);
  if (value instanceof All || value instanceof Inner) return withoutUndefined(value);
  return value;
}
