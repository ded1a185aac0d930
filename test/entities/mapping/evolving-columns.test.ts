/**
 * Reading old data: earlier qualifiers, defaults, versions of packed values, unknown fields.
 */
import {
  AlsoReads,
  Column,
  column,
  type Database,
  defineEntity,
  Entity,
  Field,
  Message,
  open,
  Packed,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../src/index.js';
import { cellsOf, latin1 } from './stored.js';
import fc from '../../support/fast-check.js';
import { families, cellRows } from './evolving-rows.js';

@Entity({ table: 'things', families })
class Old {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'double', { qualifier: 't' }) temperature?: number;
  @Column('m', 'string') zone?: string;
}

@Entity({ table: 'things', families })
class Now {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @AlsoReads('temp', 't') @Column('m', 'double', { qualifier: 'c' }) celsius?: number;
  @Column('m', 'string', { alsoReads: 'zone', qualifier: 'z' }) zone?: string;
  @Column('m', 'bool', { default: true }) active?: boolean;
  @Column('m', 'timestamp', { default: () => new Date(0) }) seen?: Date;
}

/** Writes rows with one class and reads them with another. */
async function reread(
  write: (db: Database) => Promise<void>,
  read: (db: Database) => Promise<void>,
): Promise<void> {
  const old = await open('memory:', { entities: [Old] });
  const now = await open('memory:', { entities: [Now] });
  await write(old);
  for (const name of ['things']) {
    const rows = await cellRows(old, name);
    for (const row of rows) await now.engine.mutateRow(name, row);
  }
  await read(now);
  await old.close();
  await now.close();
}

describe('earlier qualifiers', () => {
  test('are read if the current one is absent, and deleted when the row is saved', () =>
    reread(
      (db) =>
        db
          .repository(Old)
          .save(Object.assign(new Old(), { id: 'a', temperature: 21.5, zone: 'north' })),
      async (db) => {
        const things = db.repository(Now);
        const thing = (await things.get({ id: 'a' }))!;
        expect(thing).toEqual(
          Object.assign(new Now(), {
            id: 'a',
            celsius: 21.5,
            zone: 'north',
            active: true,
            seen: new Date(0),
          }),
        );
        expect(await things.scanAll().select('celsius').all()).toEqual([
          { id: 'a', celsius: 21.5 },
        ]);
        expect((await things.history({ id: 'a' }, 'celsius')).map(({ value }) => value)).toEqual([
          21.5,
        ]);
        await things.save(thing);
        expect((await cellsOf(db.engine, 'things')).map((cell) => cell.split('@')[0])).toEqual([
          'm:c',
          'm:z',
        ]);
        expect(await things.get({ id: 'a' })).toEqual(thing);
      },
    ));

  test('the newest qualifier with a cell wins, in any sort order', async () => {
    const db = await open('memory:', { entities: [Now] });
    const set = (qualifier: string, value: number) => ({
      kind: 'setCell' as const,
      family: 'm',
      qualifier: latin1(qualifier),
      timestamp: 1000,
      value: new Uint8Array(Buffer.from(new Float64Array([value]).buffer).reverse()),
    });
    for (const [id, names] of Object.entries({
      a: ['t'],
      b: ['t', 'temp'],
      c: ['c', 't', 'temp'],
      d: ['c', 't'],
      e: ['temp'],
    })) {
      await db.engine.mutateRow('things', {
        key: latin1(id),
        mutations: names.map((name) => set(name, { t: 1, temp: 2, c: 3 }[name]!)),
      });
    }
    const read = await db.repository(Now).scanAll().all();
    expect(read.map(({ celsius }) => celsius)).toEqual([1, 2, 3, 3, 2]);
    await db.close();
  });

  test('damage of an earlier qualifier matters only if it provides the value', async () => {
    const db = await open('memory:', { entities: [Now] });
    const set = (qualifier: string, value: Uint8Array) =>
      ({
        kind: 'setCell',
        family: 'm',
        qualifier: latin1(qualifier),
        timestamp: 1000,
        value,
      }) as const;
    const zero = new Uint8Array(8);
    const damaged = latin1('x');
    const rows = db.repository(Now);
    const read = async (cells: Readonly<Record<string, Uint8Array>>): Promise<unknown> => {
      const mutations = Object.entries(cells).map(([name, value]) => set(name, value));
      await db.engine.mutateRow('things', { key: latin1('a'), mutations });
      const found = await rows.get({ id: 'a' }).catch((error: unknown) => error);
      await db.engine.mutateRow('things', {
        key: latin1('a'),
        mutations: [{ kind: 'deleteFromRow' }],
      });
      return found;
    };
    expect(await read({ t: damaged, temp: zero })).toMatchObject({ celsius: 0 });
    expect(await read({ c: zero, t: damaged })).toMatchObject({ celsius: 0 });
    expect(await read({ zone: Uint8Array.of(0xff), z: latin1('north') })).toMatchObject({
      zone: 'north',
    });
    expect(await read({ t: damaged })).toMatchObject({
      code: 'DAMAGED_CELL',
      details: { column: 'm:t', problem: 'expected 8 bytes for double, but the cell has 1' },
    });
    expect(await read({ t: zero, temp: damaged })).toMatchObject({ details: { column: 'm:temp' } });
    await db.close();
  });

  test('patch deletes only the earlier qualifiers of the columns it writes', () =>
    reread(
      (db) =>
        db
          .repository(Old)
          .save(Object.assign(new Old(), { id: 'a', temperature: 1, zone: 'north' })),
      async (db) => {
        const things = db.repository(Now);
        await things.patch({ id: 'a' }, { zone: null });
        expect((await things.get({ id: 'a' }))!.zone).toBeUndefined();
        expect((await cellsOf(db.engine, 'things')).map((cell) => cell.split('@')[0])).toEqual([
          'm:t',
        ]);
        await things.patch({ id: 'a' }, { celsius: 2 });
        expect((await cellsOf(db.engine, 'things')).map((cell) => cell.split('@')[0])).toEqual([
          'm:c',
        ]);
      },
    ));

  test('conditions compare the value that would be read', () =>
    reread(
      (db) => db.repository(Old).save(Object.assign(new Old(), { id: 'a', temperature: 1 })),
      async (db) => {
        const things = db.repository(Now);
        await expect(
          things.patch({ id: 'a' }, { celsius: 2 }, { if: { equals: { celsius: null } } }),
        ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
        await expect(
          things.patch({ id: 'a' }, { celsius: 2 }, { if: { equals: { celsius: 5 } } }),
        ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
        await things.patch({ id: 'a' }, { celsius: 2 }, { if: { equals: { celsius: 1 } } });
        await things.patch(
          { id: 'a' },
          { celsius: 3 },
          { if: { equals: { celsius: 2, zone: null } } },
        );
        expect((await things.get({ id: 'a' }))!.celsius).toBe(3);
        await expect(things.append({ id: 'a' }, { zone: 'x' })).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
        });
      },
    ));

  test.each<[string, () => unknown, string]>([
    [
      'of another column',
      () => ({ a: column('m', 'int32', { alsoReads: 'b' }), b: column('m', 'int32') }),
      "b: it has the qualifier of 'a' in family 'm'",
    ],
    [
      'its own',
      () => ({ a: column('m', 'int32', { alsoReads: ['a'] }) }),
      "a: alsoReads names 'a', which is its own qualifier",
    ],
    [
      'twice',
      () => ({ a: column('m', 'int32', { alsoReads: ['x', 'x'] }) }),
      "a: alsoReads names 'x' twice",
    ],
    [
      'a default that rows would share',
      () => ({ a: column('m', 'timestamp', { default: new Date(0) }) }),
      'a: the default is a Date',
    ],
    [
      'a default that the column cannot store',
      () => ({ a: column('m', 'int32', { default: 1.5 }) }),
      'a: the default cannot be stored: expected a whole number for int32, got the number 1.5',
    ],
  ])('rejected: %s', async (_what, columns, fault) => {
    const Thing = defineEntity(
      class Thing {
        id = '';
        a?: never;
        b?: never;
      },
      {
        table: 't',
        families,
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: columns() as never,
      },
    );
    const error = await open('memory:', { entities: [Thing] }).then(
      () => undefined,
      (caught: unknown) => caught as RowsmithError,
    );
    expect(
      error!.details.faults!.map(({ property, problem }) => `${property}: ${problem}`),
    ).toContain(fault);
  });

  test('@AlsoReads needs a column', async () => {
    class Thing {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'string') a?: string;
      @AlsoReads('b') b?: string;
    }
    Entity({ table: 't', families })(Thing);
    await expect(open('memory:', { entities: [Thing] })).rejects.toMatchObject({
      details: {
        faults: [{ property: 'b', problem: '@AlsoReads is used without @Column or @Packed' }],
      },
    });
  });
});

test('save and patch of an older program preserve the fields written by a newer one', async () => {
  @Message('evolving.Wide')
  class Wide {
    @Field(1, 'string') a?: string;
    @Field(2, 'int64') b?: bigint;
    @Field(3, 'bytes') c?: Uint8Array;
  }
  @Message('evolving.Wide')
  class Narrow {
    @Field(1, 'string') a?: string;
  }
  @Entity({ table: 'w', families })
  class New {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Packed('m', () => Wide) value?: Wide;
  }
  @Entity({ table: 'w', families })
  class Older {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Packed('m', () => Narrow) value?: Narrow;
    @Column('m', 'string') note?: string;
  }
  await fc.assert(
    fc.asyncProperty(
      fc.option(fc.string({ unit: 'grapheme' })),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.uint8Array(),
      async (a, b, c) => {
        const newer = await open('memory:', { entities: [New] });
        const older = await open('memory:', { entities: [Older] });
        const value = Object.assign(new Wide(), { a: a ?? undefined, b, c });
        await newer.repository(New).save(Object.assign(new New(), { id: 'x', value }));
        for (const row of await cellRows(newer, 'w')) await older.engine.mutateRow('w', row);
        const read = (await older.repository(Older).get({ id: 'x' }))!;
        await older.repository(Older).save(Object.assign(read, { note: 'seen' }));
        await older.repository(Older).patch({ id: 'x' }, { value: Object.assign({}, read.value) });
        for (const row of await cellRows(older, 'w')) await newer.engine.mutateRow('w', row);
        expect((await newer.repository(New).get({ id: 'x' }))!.value).toEqual(value);
        await newer.close();
        await older.close();
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 15) },
  );
});
