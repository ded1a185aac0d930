/**
 * Bad input that generated code must compile with, or refuse with the words of TypeScript; and rows of
 * other versions of a declaration.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRowsmithError, toHex } from '../../src/base/index.js';
import {
  column,
  type Database,
  defineEntity,
  type EntityClass,
  enumOf,
  Field,
  Message,
  open,
  packed,
  rowKey,
} from '../../src/index.js';
import { compileDehydrator } from '../../src/entities/mapping/index.js';
import {
  buildModels,
  type ColumnModel,
  type EntityModel,
  rowsProperty,
} from '../../src/entities/model/index.js';
import { writeGenerated } from './support/generated-files.js';
import { amounts, noon, Sales, versions } from './support/sale-versions.js';
import { attemptedIn, type Language, type Row } from './support/language.js';
import type { Answer, LineProcess } from './support/line-process.js';
import { Era, Harvest, placesOf, Tide, timesOfMessages } from './support/time-cases.js';
import { taggedRow } from './support/vectors.js';

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

const Crop = growing('Crop', () => Harvest);
const Marker = declare(class {}, {
  name: 'Marker',
  table: 'markers',
  marker: true,
  families: { m: {} },
  key: rowKey('id' as never),
  segments: { id: 'string' },
});

/** A pattern that Go does not have. */
const Code = declare(class {}, {
  name: 'Code',
  table: 'codes',
  families: { m: {} },
  key: rowKey('id' as never),
  segments: { id: 'string' },
  columns: { code: column('m', 'string', { pattern: /^a{1001}$/ }) },
});

/** Names that are words of all three languages, and names that differ in case only. */
const Words = declare(class {}, {
  name: 'class',
  table: 'words',
  families: { m: {} },
  key: rowKey('for' as never, 'None' as never, 'none' as never),
  segments: { for: 'string', None: 'string', none: { kind: 'uint', width: 4 } },
  columns: { import: column('m', 'string'), IMPORT: column('m', 'int32') },
});

/** How a language names the entity `class` and its properties. */
export interface NamesOfWords {
  readonly entity: string;
  readonly keys: readonly [string, string, string];
  readonly columns: readonly [string, string];
  readonly settled: string;
}

/** What a call that must fail says of the declarations. */
async function faultsOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    return (error.details.faults ?? []).map(({ problem }) => problem).join('\n');
  }
  throw new Error('it is accepted');
}

export function describeBadInput(language: Language, names: NamesOfWords): void {
  describe(`declarations that are refused before ${language.name} is generated`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-bad-input-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('an enum without a zero', async () => {
      enum Season {
        Spring = 1,
      }
      @Message('garden.Calendar')
      class Calendar {
        @Field(1, enumOf(Season)) season?: Season;
      }
      const Year = growing('Year', () => Calendar);
      expect(await faultsOf(() => buildModels([Year]))).toContain('the enum has no member 0');
    });

    test('messages of two packages that refer to each other', async () => {
      @Message('left.One')
      class One {
        @Field(1, () => Other) other?: InstanceType<typeof Other>;
      }
      @Message('right.Other')
      class Other {
        @Field(1, () => One) one?: One;
      }
      const models = buildModels([growing('Pair', () => One)]);
      const write = () => writeGenerated(language.name.toLowerCase(), folder, models);
      expect(await faultsOf(write)).toContain('in a cycle: left -> right -> left');
    });
  });

  const describePresent = language.isMissing() ? describe.skip : describe;
  describePresent(`bad input of ${language.name}`, () => {
    const classes = [Marker, Growth, Crop, Era, Tide, Code, Words, ...Sales];
    const models = buildModels(classes);
    const model = (name: string): EntityModel => models.find((each) => each.name === name)!;
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-bad-input-'));
    let program: LineProcess;
    let db: Database;
    beforeAll(async () => {
      program = await language.start(folder, models);
      db = await open('memory:', { entities: classes, lint: false });
    });
    afterAll(async () => {
      await program.close();
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function ask(entity: string, op: string, request: Row): Promise<Answer> {
      const [answer] = await program.ask([language.request(op, entity, request)]);
      return answer;
    }
    const now = Date.UTC(2026, 10, 28);
    const cell = (name: string, value: Uint8Array): unknown[] => [
      ...['m', Buffer.from(name).toString('hex'), toHex(value), now * 1000],
    ];
    const written = (values: object): Row => ({ values, now, insert: true });

    test('names that are words of the language, and names that differ in case only', async () => {
      const { entity, keys, columns } = names;
      const values = { [keys[0]]: 'a', [keys[1]]: 'b', [keys[2]]: { $int: '7' } };
      const key = model('class').key.encode({ for: 'a', None: 'b', none: 7 });
      expect(await ask(entity, 'encode', { values })).toEqual({ ok: toHex(key) });
      // Columns are named in the order of their qualifiers.
      const more = { ...values, [columns[0]]: { $int: '1' }, [columns[1]]: 'x' };
      expect(await ask(entity, 'write', written(more))).toEqual({
        ok: [cell('IMPORT', Buffer.of(0, 0, 0, 0, 0, 0, 0, 1)), cell('import', Buffer.from('x'))],
      });
    });

    test('an entity without columns', async () => {
      const { key, mutations } = compileDehydrator(model('Marker')).insert({ id: 'a' }, now * 1000);
      const { ok } = await ask('Marker', 'write', written({ id: 'a' }));
      const cells = mutations.map((each) => {
        if (each.kind !== 'setCell') throw new Error(`${each.kind} in an insert`);
        return [each.family, toHex(each.qualifier), toHex(each.value), now * 1000];
      });
      expect(ok).toEqual(cells);
      const read = await ask('Marker', 'read', { key: toHex(key), cells });
      expect(read.ok).toEqual(language.keyValues({ id: 'a' }));
    });

    test('messages that refer to each other, with an enum of words', async () => {
      const plant = Object.assign(new Plant(), {
        from: 'seed',
        light: Light.True,
        bed: Object.assign(new Bed(), { first: new Plant(), class: new Bed() }),
      });
      const { codec, key } = { ...model('Growth').columns[0], key: model('Growth').key };
      const raw = codec.encode(plant);
      const cells = [cell('plant', raw)];
      const { ok } = await ask('Growth', 'read', { key: toHex(key.encode({ id: 'a' })), cells });
      const expected = { id: 'a', plant: { $message: ['garden.Plant', toHex(raw)] } };
      const [found, wanted] = language.comparable(ok as Row, expected);
      expect(found).toEqual(wanted);
    });

    test.each([
      ['a negative', { $int: '-1' }],
      ['a greater one than the width has', { $int: '100000000' }],
      ['a fraction', { $float: '3ff8000000000000' }],
    ])('values out of range: %s', async (_name, value) => {
      const { error, types } = await ask('Sale0', 'encode', { values: { shop: 's', day: value } });
      if (types) return;
      expect(error).toMatchObject({ code: 'INVALID_KEY', property: 'day' });
      expect(error!.problem).not.toBe('');
      expect(error!.fix).not.toBe('');
    });

    test('every truncated key', async () => {
      const { key } = model('Sale0');
      const whole = toHex(key.encode({ shop: 'shop', day: 20_261_128 }));
      const keys = Array.from({ length: whole.length / 2 }, (_, i) => whole.slice(0, 2 * i));
      const requests = keys.map((each) => language.request('parse', 'Sale0', { key: each }));
      const answers = await program.ask(requests);
      expect(answers).toEqual(keys.map((each) => foreign(key.foreignReason(bytesOf(each)))));
    });

    const foreign = (problem: string | undefined): object => {
      const fix = expect.any(String) as unknown;
      return { error: { code: 'FOREIGN_KEY', property: null, problem, fix } };
    };

    const pairs = Sales.flatMap((_, i) => Sales.map((__, k) => [i, k] as const));
    test.each(pairs)('a key of version %i, read as version %i', async (from, as) => {
      const values = { shop: 's', day: from === 4 ? noon : 20_261, till: 't' };
      const bytes = model(`Sale${from}`).key.encode(values);
      const { key, name } = model(`Sale${as}`);
      const problem = key.foreignReason(bytes);
      const parsed = await ask(name, 'parse', { key: toHex(bytes) });
      if (problem !== undefined) {
        expect(parsed).toEqual(foreign(problem));
        // Rows of Go have their key in the cells.
        const cells = [cell('amount', Buffer.alloc(0))];
        const read = await ask(name, 'read', { key: toHex(bytes), cells });
        expect(read).toEqual(foreign(problem));
        return;
      }
      const found: Record<string, unknown> = {};
      key.decoder()(bytes, 0, bytes.length, found);
      expect(parsed.ok).toEqual(language.keyValues(taggedRow(model(name), found)));
    });

    /** The row with a cell in TypeScript, and in the language. */
    async function readInBoth(
      entityClass: EntityClass,
      values: Row,
      [family, qualifier, value, micros]: readonly [string, string, Uint8Array, number],
    ): Promise<{ readonly inTypeScript: Answer; readonly answer: Answer }> {
      const { key, name, table } = models.find((each) => each.entityClass === entityClass)!;
      const row = key.encode(values);
      const written = {
        ...{ kind: 'setCell' as const, family, timestamp: BigInt(micros), value },
        qualifier: Buffer.from(qualifier),
      };
      await db.engine.mutateRow(table.name, { key: row, mutations: [written] });
      const rows = db.repository(entityClass) as unknown as { get(key: object): Promise<Row> };
      const inTypeScript = await rows.get(values).then(
        (found) => attemptedIn(language, () => found),
        (error: unknown) =>
          attemptedIn(language, () => {
            throw error;
          }),
      );
      await db.engine.mutateRow(table.name, { key: row, mutations: [{ kind: 'deleteFromRow' }] });
      const cells = [[family, toHex(written.qualifier), toHex(value), micros]];
      return { inTypeScript, answer: await ask(name, 'read', { key: toHex(row), cells }) };
    }

    function expectSame(entity: EntityModel, answer: Answer, inTypeScript: Answer): void {
      if (inTypeScript.error !== undefined) {
        const { code, property, problem } = inTypeScript.error;
        expect(answer.error).toMatchObject({ code, property, problem });
        return;
      }
      const expected = taggedRow(entity, inTypeScript.ok as Row);
      const [found, wanted] = language.comparable((answer.ok ?? answer) as Row, expected);
      expect(found).toEqual(wanted);
    }

    test.each(pairs)('a column of version %i, read as version %i', async (from, as) => {
      const [{ codec }] = model(`Sale${from}`).columns;
      const raw = codec.encode(amounts[versions[from][0]]);
      const values = { shop: 's', day: as === 4 ? noon : 20_261, till: 't' };
      const cell = ['m', 'amount', raw, now * 1000] as const;
      const { inTypeScript, answer } = await readInBoth(Sales[as], values, cell);
      expectSame(model(`Sale${as}`), answer, inTypeScript);
    });

    describe.each(timesOfMessages)('a Timestamp %s', (_name, time, isRefused) => {
      test.each(Object.entries(placesOf(time)))('in %s', async (_place, message) => {
        const raw = bytesOf(message);
        const cell = ['m', 'plant', raw, now * 1000] as const;
        const { inTypeScript, answer } = await readInBoth(Crop, { id: 'a' }, cell);
        expect(inTypeScript.error?.code).toBe(isRefused ? 'DAMAGED_CELL' : undefined);
        const { error: refusal } = inTypeScript;
        // TypeScript names the field too.
        const atColumn = refusal === undefined ? inTypeScript : inColumn(refusal, 'plant');
        expectSame(model('Crop'), answer, atColumn);
        const values = { id: 'a', plant: { $message: ['garden.Harvest', message] } };
        const { error } = await ask('Crop', 'write', written(values));
        const refused = { code: 'INVALID_VALUE', property: 'plant' };
        expect(error).toEqual(isRefused ? expect.objectContaining(refused) : undefined);
      });
    });

    test('a time of a rollup after the year 9999', async () => {
      const { rows } = model('Tide').rollups[0];
      const late = new Date(253_402_300_800_000);
      const cells = Object.entries({ [rowsProperty]: 1n, 'max:high/0': BigInt(+late) }).map(
        ([property, value]) => {
          const { family, qualifier, codec } = rows.columns.find(
            (each) => each.property === property,
          ) as ColumnModel & { readonly qualifier: Uint8Array };
          return [family, toHex(qualifier), toHex(codec.encode(value)), now * 1000];
        },
      );
      const key = toHex(rows.key.encode({ at: noon }));
      const { ok, error } = await ask('TideHourly', 'read', { key, cells });
      if (language.name === 'Python')
        expect(error).toMatchObject({ code: 'UNSUPPORTED', property: 'newest' });
      else expect(JSON.stringify(ok)).toContain(String(+late));
      for (const [family, isSettled] of [
        ['_other', true],
        ['_mark', false],
      ] as const) {
        const marked = [cells[0], [family, toHex(Buffer.from('w')), '', now * 1000]];
        const bucket = await ask('TideHourly', 'read', { key, cells: marked });
        expect(bucket.ok).toMatchObject({ [names.settled]: isSettled });
      }
    });

    test('times with microseconds, and without a time zone', async () => {
      const tags = language.name === 'Python' ? ['$micros', '$naive'] : ['$micros'];
      for (const tag of tags) {
        const { error } = await ask('Tide', 'encode', { values: { at: { [tag]: 1001 } } });
        const problem = tag === '$micros' ? 'whole milliseconds' : 'no time zone';
        expect(error).toMatchObject({ code: 'INVALID_KEY', property: 'at' });
        expect(error!.problem).toContain(problem);
      }
    });

    test('the year 0, which a datetime of the year 1 east of UTC is in', async () => {
      const ms = -62_135_600_400_000;
      const [at, inTypeScript] = [
        { [language.name === 'Python' ? '$east' : '$time']: ms },
        new Date(ms),
      ];
      const { ok } = await ask('Era', 'encode', { values: { at, day: at, hour: at } });
      const values = { at: inTypeScript, day: inTypeScript, hour: inTypeScript };
      expect(ok).toBe(toHex(model('Era').key.encode(values)));
    });

    test('a pattern with more repetitions than Go has', async () => {
      const [answer] = await program.ask([
        language.request('write', 'Code', written({ id: 'a', code: 'a'.repeat(1001) })),
      ]);
      const code = language.name === 'Go' ? 'UNSUPPORTED' : undefined;
      expect(answer.error?.code).toBe(code);
    });

    const inColumn = (error: NonNullable<Answer['error']>, property: string): Answer => ({
      error: { ...error, property },
    });

    const years = [-62_135_596_800_001, 253_402_300_800_000];
    test.each(years)('the time %i, outside the years 1 to 9999', async (ms) => {
      const micros = Buffer.alloc(8);
      micros.writeBigInt64BE(BigInt(ms) * 1000n);
      const cases: readonly (readonly [number, Parameters<typeof readInBoth>[2], string])[] = [
        [0, ['m', 'high', micros, now * 1000], 'high'],
        [ms, ['m', 'high', Buffer.alloc(8), now * 1000], 'at'],
        ...(ms < 0 ? [] : [[0, ['v', 'seen', Buffer.of(1), ms * 1000], 'seen'] as const]),
      ];
      for (const [at, cell, property] of cases) {
        const { inTypeScript, answer } = await readInBoth(Tide, { at: new Date(at) }, cell);
        expect(inTypeScript.error).toBeUndefined();
        if (language.name !== 'Python') {
          expectSame(model('Tide'), answer, inTypeScript);
          continue;
        }
        const problem = expect.stringContaining('outside the years 1 to 9999') as unknown;
        expect(answer.error).toMatchObject({ code: 'UNSUPPORTED', property, problem });
      }
    });
  });
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}
