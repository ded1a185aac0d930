/** Versions of packed values. */
import {
  type Database,
  defineEntity,
  Field,
  Message,
  open,
  packed,
  rowKey,
  unknownFields,
} from '../../../src/index.js';
import { families, cellRows } from './evolving-rows.js';

describe('versions of packed values', () => {
  @Message('evolving.Place')
  class Old1 {
    @Field(1, 'string') name?: string;
    @Field(7, 'bytes') extra?: Uint8Array;
  }
  @Message('evolving.Place')
  class Place {
    @Field(1, 'string') name?: string;
    @Field(2, 'string') city?: string;
    @Field(3, 'double') meters?: number;
    @Field(15, 'uint32') version?: number;
  }
  const upgrades = {
    1: (stored: Place): Place =>
      Object.assign(stored, {
        city: stored.name?.split(', ')[1],
        name: stored.name?.split(', ')[0],
      }),
    2: (stored: Place): Place => Object.assign(new Place(), stored, { meters: 3 }),
  };
  const rowEntity = (packedOptions: object) =>
    defineEntity(
      class Row {
        id = '';
        place?: Place;
      },
      {
        table: 't',
        families,
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { place: packed('m', () => Place, packedOptions) },
      },
    );
  const Before = defineEntity(
    class Before {
      id = '';
      place?: Old1;
    },
    {
      table: 't',
      families,
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { place: packed('m', () => Old1) },
    },
  );

  async function copyTo(from: Database, to: Database): Promise<void> {
    for (const row of await cellRows(from, 't')) await to.engine.mutateRow('t', row);
  }

  test('old values are upgraded when read, keep unknown fields, and are stored upgraded by the next save', async () => {
    const old = await open('memory:', { entities: [Before] });
    await old.repository(Before).save(
      Object.assign(new Before(), {
        id: 'a',
        place: Object.assign(new Old1(), { name: 'Tower, Paris', extra: Uint8Array.of(1, 2) }),
      }),
    );
    const Row = rowEntity({ version: 'version', upgrades });
    const db = await open('memory:', { entities: [Row] });
    await copyTo(old, db);
    const rows = db.repository(Row);
    const row = (await rows.get({ id: 'a' }))!;
    expect(Object.assign({}, row.place)).toEqual({
      name: 'Tower',
      city: 'Paris',
      meters: 3,
      version: 3,
      [unknownFields]: expect.any(Uint8Array),
    });
    await rows.save(row);
    const Plain = rowEntity({});
    const plain = await open('memory:', { entities: [Plain] });
    await copyTo(db, plain);
    const stored = (await plain.repository(Plain).get({ id: 'a' }))!.place!;
    expect(stored).toEqual(row.place);
    // Fields unknown to the second program are still there for the first one.
    const restored = await open('memory:', { entities: [Before] });
    await copyTo(db, restored);
    expect((await restored.repository(Before).get({ id: 'a' }))!.place!.extra).toEqual(
      Uint8Array.of(1, 2),
    );
    for (const each of [old, db, plain, restored]) await each.close();
  });

  test("new values are written with the current version, and the caller's object is not modified", async () => {
    const Row = rowEntity({ version: 'version', upgrades });
    const db = await open('memory:', { entities: [Row] });
    const place = Object.assign(new Place(), { name: 'Home' });
    await db.repository(Row).save(Object.assign(new Row(), { id: 'a', place }));
    expect(place.version).toBeUndefined();
    expect((await db.repository(Row).get({ id: 'a' }))!.place).toEqual(
      Object.assign(new Place(), { name: 'Home', version: 3 }),
    );
    await db.close();
  });

  test('a newer version and a failed upgrade are reported as errors', async () => {
    const Newer = rowEntity({
      version: 'version',
      upgrades: { ...upgrades, 3: (stored: Place) => stored },
    });
    const Row = rowEntity({
      version: 'version',
      upgrades: {
        1: () => {
          throw new Error('no city');
        },
      },
    });
    const newer = await open('memory:', { entities: [Newer] });
    await newer.repository(Newer).save(Object.assign(new Newer(), { id: 'a', place: new Place() }));
    const db = await open('memory:', { entities: [Row] });
    await copyTo(newer, db);
    await expect(db.repository(Row).get({ id: 'a' })).rejects.toMatchObject({
      code: 'DAMAGED_CELL',
      details: {
        property: 'place.version',
        problem: 'the value has version 4, but this program supports versions 1 to 2',
      },
    });
    const old = await open('memory:', { entities: [Before] });
    await old
      .repository(Before)
      .save(
        Object.assign(new Before(), { id: 'a', place: Object.assign(new Old1(), { name: 'x' }) }),
      );
    await copyTo(old, db);
    await db.engine.mutateRow('t', (await cellRows(old, 't'))[0]);
    await expect(db.repository(Row).get({ id: 'a' })).rejects.toMatchObject({
      code: 'DAMAGED_CELL',
    });
    for (const each of [newer, db, old]) await each.close();
  });

  test.each<[string, object, string]>([
    [
      'a gap',
      { version: 'version', upgrades: { 1: () => 0, 3: () => 0 } },
      'there is no upgrade function from version 2',
    ],
    ['no field', { upgrades }, 'upgrades are declared without a version field'],
    [
      'the wrong field',
      { version: 'name', upgrades },
      "the version field 'name' is not a uint32 field of evolving.Place",
    ],
  ])('rejected: %s', async (_what, options, problem) => {
    await expect(open('memory:', { entities: [rowEntity(options)] })).rejects.toMatchObject({
      details: { faults: [{ property: 'place', problem }] },
    });
  });
});
