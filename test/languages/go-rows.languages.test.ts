/**
 * Rows that TypeScript writes and generated Go reads, and the other way round, through Google's client
 * in Go and our server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Flag, rowEntities, Sensor, Session } from './support/entities.js';
import { fields, GoProcess, goIsMissing, untagged } from './support/go.js';
import {
  floatOf,
  full,
  givenValues,
  hour,
  openRows,
  type RowDatabase,
  saveFull,
  saveReadings,
  sensorError,
  status,
  statusHex,
  statusOf,
  taggedFull,
  wrongSensors,
} from './support/row-values.js';
import { rowServers } from './support/servers.js';

const describeGo = goIsMissing() ? describe.skip : describe;

/** Fields, with days as text; the driver's maps are sorted, because Go has no order of them. */
const sensorInGo = fields({
  ...(untagged(taggedFull) as object),
  hours: {
    $map: [
      [{ $time: hour(1).getTime() }, floatOf(1)],
      [{ $time: hour(3).getTime() }, floatOf(3)],
    ],
  },
});

/** The program is built once for all servers. */
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeGo.each(rowServers())('rows on $name', (server) => {
  let rows: RowDatabase;
  let db: Database;
  let go: GoProcess;
  beforeAll(async () => {
    rows = await openRows(server);
    db = rows.db;
    go = await GoProcess.start(folder, buildModels(rowEntities), rows.address);
  });
  afterAll(async () => {
    await go.close();
    await rows.close();
  });

  async function ask(op: string, request: object): Promise<unknown> {
    const [{ ok, error }] = await go.ask([{ op, ...request }]);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return ok;
  }

  test('every kind of column, written by TypeScript', async () => {
    await saveFull(db);
    const [row] = (await ask('fetch', {
      entity: 'Sensor',
      table: 'sensors',
      values: { Tenant: 'acme' },
    })) as Record<string, { readonly $map?: unknown[] } | undefined>[];
    // Go gives the keys of a map in any order.
    const sorted = { ...row, Tags: sortedMap(row.Tags), Hours: sortedMap(row.Hours) };
    expect(sorted).toMatchObject({
      ...sensorInGo,
      Hits: { $int: '7' },
      Reads: { $int: '8' },
      Data: { $json: full.data },
    });
    expect(statusOf((row.Status as { $message: string }).$message)).toEqual(status);
  });

  test('every kind of column, written by Go', async () => {
    await ask('store', {
      entity: 'Sensor',
      table: 'sensors',
      values: {
        ...sensorInGo,
        Sensor: { $int: '2' },
        Data: { $json: full.data },
        Status: { $message: statusHex },
      },
    });
    await ask('count', {
      entity: 'Sensor',
      table: 'sensors',
      values: { Tenant: 'acme', Sensor: { $int: '2' } },
      increments: { Hits: { $int: '7' } },
      additions: { Reads: { $int: '8' }, Best: { $map: [['x', { $int: '9' }]] } },
    });
    const found = await db.repository(Sensor).get({ tenant: 'acme', sensor: 2 });
    expect(found).toMatchObject({ ...full, sensor: 2, hits: 7n, reads: 8n });
    expect(found!.best).toEqual(new Map([['x', 9n]]));
  });

  test('a row that Go replaces loses what it no longer has', async () => {
    const values = { Tenant: 'acme', Sensor: { $int: '3' }, Title: 'first' };
    const request = { entity: 'Sensor', table: 'sensors' };
    await ask('store', { ...request, values: { ...sensorInGo, ...values } });
    await ask('store', { ...request, values });
    expect(await givenValues(db, 3)).toEqual({
      tenant: 'acme',
      sensor: 3,
      title: 'first',
      votes: 3,
    });
  });

  test('cells of a row that expires', async () => {
    const until = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
    const values = { ID: 'a', Until: { $time: until.getTime() }, User: 'u' };
    await ask('store', { entity: 'Session', table: 'sessions', values });
    const sessions = db.repository(Session);
    await sessions.save(sessions.create({ id: 'b', until, user: 'u' }));
    const rows = await ask('fetch', { entity: 'Session', table: 'sessions', values: {} });
    expect(rows).toEqual([values, { ...values, ID: 'b' }]);
    expect((await sessions.get({ id: 'a' }))?.until).toEqual(until);
  });

  test('entries of indexes and buckets of rollups', async () => {
    const { keys, bucket } = await saveReadings(db);
    const byPlace = (await ask('fetch', {
      entity: 'ReadingByPlace',
      table: 'readings_index',
      values: { Place: 'roof' },
    })) as Record<string, unknown>[];
    expect(byPlace.map(({ row }) => row)).toEqual(keys);
    expect(byPlace[0].Temperature).toEqual(floatOf(20.4));
    const bySerial = (await ask('fetch', {
      entity: 'ReadingBySerial',
      table: 'readings_index',
      values: { Serial: 's20' },
    })) as Record<string, unknown>[];
    expect(bySerial.map(({ row }) => row)).toEqual([keys[1]]);
    const found = (await ask('fetch', {
      entity: 'ReadingHourly',
      table: 'readings_rollup',
      values: { Device: 'd' },
    })) as Record<string, unknown>[];
    expect(found).toEqual([fields(bucket)]);
  });

  test('an entity without columns, with names that differ in case only', async () => {
    const values = { Class: 'a', Class_2: 'b' };
    await ask('store', { entity: 'Flag', table: 'flags', values });
    expect(await db.repository(Flag).get({ class: 'a', Class: 'b' })).toBeDefined();
    expect(await ask('fetch', { entity: 'Flag', table: 'flags', values: {} })).toEqual([values]);
  });

  test('what both refuse to write', async () => {
    const base = { tenant: 'acme', sensor: { $int: '1' }, title: 't' };
    const wrong = [...wrongSensors, [{ day: '2026-02-30' }, { day: '2026-02-30' }]] as const;
    for (const [given, inGo] of wrong) {
      const expected = await sensorError(db, given);
      const [{ error, types }] = await go.ask([
        {
          op: 'store',
          entity: 'Sensor',
          values: fields({ ...base, ...inGo }),
        },
      ]);
      // Without a value, a string is empty in Go. What types refuse has no code.
      if (types) continue;
      expect([inGo, error?.code]).toEqual([inGo, expected.code]);
      expect([inGo, error?.property]).toEqual([inGo, expected.details.property]);
    }
  });

  test('Go refuses to write a row with indexes and rollups, and says why', async () => {
    const values = { Device: 'd', At: { $time: 0 } };
    const request = { op: 'store', entity: 'Reading', table: 'readings', values };
    const [{ error }] = await go.ask([request]);
    expect(error).toEqual({
      code: 'UNSUPPORTED',
      property: null,
      problem: expect.stringContaining("the indexes 'byPlace', 'bySerial'") as unknown,
      fix: expect.stringContaining('--unsafe-writers') as unknown,
    });
  });
});

function sortedMap(map: { readonly $map?: unknown[] } | undefined): object {
  return { $map: map!.$map!.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}
