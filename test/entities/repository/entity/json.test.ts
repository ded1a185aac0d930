/**
 * Entities as JSON: nothing is lost in either direction, the generated JSON Schema describes the
 * form, and what is not of the form is rejected.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonSchema } from '../../../../src/tools/codegen/documents/json-schema.js';
import {
  Column,
  column,
  defineEntity,
  Entity,
  open,
  type OpenDatabase,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';
import { exportRows } from '../../../../src/tools/index.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import fc from '../../../support/fast-check.js';
import { compiledSchema } from '../../../support/json-schema.js';
import { All, Everything, Inner } from '../../../tools/transfer/everything.js';
import { Sample, at, key, keyJson, throughText, entities, attempt } from './json-samples.js';

/** More with `RUNS=3000 SEED=new npx jest test/entities/repository/entity/json`. */
const runs = process.env.RUNS === undefined ? undefined : Number(process.env.RUNS);
let db: OpenDatabase<typeof Everything | typeof Sample>;
const samples = () => db.repository(Sample);
const everything = () => db.repository(Everything);
beforeAll(async () => {
  db = await open('memory:', { entities: [Everything, Sample] });
});
afterAll(() => db.close());

const validate = compiledSchema(jsonSchema(buildModel(Everything)));

test('property: an entity is the same after toJSON, text and fromJSON', () => {
  fc.assert(
    fc.property(entities, (entity) => {
      const json = everything().toJSON(entity);
      const text = JSON.stringify(json);
      expect(JSON.stringify(entity)).toBe(text);
      const back = everything().fromJSON(JSON.parse(JSON.stringify(entity)));
      expect(back).toBeInstanceOf(Everything);
      // Checks types, too: bytes, dates, maps, classes of messages.
      expect(withoutUndefined(back)).toStrictEqual(withoutUndefined(entity));
      expect(JSON.stringify(back)).toBe(JSON.stringify(entity));
    }),
    { numRuns: runs ?? 20 },
  );
});

test('property: the JSON is of the generated schema', () => {
  fc.assert(
    fc.property(entities, (entity) => {
      const valid = validate(throughText(entity));
      expect({ valid, errors: validate.errors }).toEqual({ valid: true, errors: null });
    }),
    { numRuns: runs ?? 20 },
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
    { numRuns: runs ?? 50 },
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
