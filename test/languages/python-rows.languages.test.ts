/**
 * Rows that TypeScript writes and generated Python reads, and the other way round, through Google's
 * clients in Python and our server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Flag, rowEntities, Sensor, Session } from './support/entities.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';
import {
  floatOf,
  full,
  givenValues,
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

const describePython = pythonIsMissing() ? describe.skip : describe;

describePython.each(rowServers())('rows on $name', (server) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let rows: RowDatabase;
  let db: Database;
  let python: PythonProcess;
  beforeAll(async () => {
    rows = await openRows(server);
    db = rows.db;
    const models = buildModels(rowEntities);
    python = await PythonProcess.start(await writePython(folder, models), rows.address);
  });
  afterAll(async () => {
    await python.close();
    await rows.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(op: string, request: object): Promise<unknown> {
    const [{ ok, error }] = await python.ask([{ op, ...request }]);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return ok;
  }

  test('every kind of column, written by TypeScript', async () => {
    await saveFull(db);
    const [row] = (await ask('fetch', {
      module: 'sensor',
      table: 'sensors',
      values: { tenant: 'acme' },
    })) as Record<string, unknown>[];
    expect(row).toMatchObject({
      ...taggedFull,
      hits: { $int: '7' },
      reads: { $int: '8' },
      data: {
        $map: [
          ['a', [{ $int: '1' }, 'ü', null]],
          ['b', { $map: [['c', true]] }],
        ],
      },
    });
    expect(statusOf((row.status as { $message: string }).$message)).toEqual(status);
  });

  test('every kind of column, written by Python', async () => {
    await ask('store', {
      module: 'sensor',
      table: 'sensors',
      class: 'Sensor',
      values: {
        ...taggedFull,
        sensor: { $int: '2' },
        data: { $json: full.data },
        status: { $message: ['plant.Status', statusHex] },
      },
    });
    await ask('count', {
      module: 'sensor',
      table: 'sensors',
      key: { tenant: 'acme', sensor: { $int: '2' } },
      increments: [{ hits: { $int: '7' } }],
      additions: [{ reads: { $int: '8' }, best: { $map: [['x', { $int: '9' }]] } }],
    });
    const found = await db.repository(Sensor).get({ tenant: 'acme', sensor: 2 });
    expect(found).toMatchObject({ ...full, sensor: 2, hits: 7n, reads: 8n });
    expect(found!.best).toEqual(new Map([['x', 9n]]));
  });

  test('a row that Python replaces loses what it no longer has', async () => {
    const values = { tenant: 'acme', sensor: { $int: '3' }, title: 'first' };
    const request = { module: 'sensor', table: 'sensors', class: 'Sensor' };
    await ask('store', { ...request, values: { ...taggedFull, ...values, data: null } });
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
    const values = { id: 'a', until: { $time: until.getTime() }, user: 'u' };
    await ask('store', { module: 'session', table: 'sessions', class: 'Session', values });
    const sessions = db.repository(Session);
    await sessions.save(sessions.create({ id: 'b', until, user: 'u' }));
    const rows = await ask('fetch', { module: 'session', table: 'sessions', values: {} });
    expect(rows).toEqual([values, { ...values, id: 'b' }]);
    expect((await sessions.get({ id: 'a' }))?.until).toEqual(until);
  });

  test('entries of indexes and buckets of rollups', async () => {
    const { keys, bucket } = await saveReadings(db);
    const byPlace = (await ask('fetch', {
      module: 'reading_by_place',
      table: 'readings_index',
      values: { place: 'roof' },
    })) as Record<string, unknown>[];
    expect(byPlace.map(({ row }) => row)).toEqual(keys);
    expect(byPlace[0].temperature).toEqual(floatOf(20.4));
    const bySerial = (await ask('fetch', {
      module: 'reading_by_serial',
      table: 'readings_index',
      values: { serial: 's20' },
    })) as Record<string, unknown>[];
    expect(bySerial.map(({ row }) => row)).toEqual([keys[1]]);
    const found = (await ask('fetch', {
      module: 'reading_hourly',
      table: 'readings_rollup',
      values: { device: 'd' },
    })) as Record<string, unknown>[];
    expect(found).toEqual([bucket]);
  });

  test('an entity without columns, with names that differ in case only', async () => {
    const values = { class_: 'a', class__2: 'b' };
    await ask('store', { module: 'flag', table: 'flags', class: 'Flag', values });
    expect(await db.repository(Flag).get({ class: 'a', Class: 'b' })).toBeDefined();
    expect(await ask('fetch', { module: 'flag', table: 'flags', values: {} })).toEqual([values]);
  });

  test('what both refuse to write', async () => {
    const base = { tenant: 'acme', sensor: { $int: '1' }, title: 't' };
    const wrong = [...wrongSensors, [{ title: undefined }, { title: null }]] as const;
    for (const [given, inPython] of wrong) {
      const expected = await sensorError(db, given);
      const [{ error }] = await python.ask([
        {
          op: 'write',
          module: 'sensor',
          class: 'Sensor',
          now: Date.now(),
          replace: true,
          values: { ...base, ...inPython },
        },
      ]);
      expect([inPython, error?.code]).toEqual([inPython, expected.code]);
      expect([inPython, error?.property]).toEqual([inPython, expected.details.property]);
    }
  });

  test('Python refuses to write a row with indexes and rollups, and says why', async () => {
    const values = { device: 'd', at: { $time: 0 } };
    const request = { op: 'store', module: 'reading', table: 'readings', class: 'Reading', values };
    const [{ error }] = await python.ask([request]);
    expect(error).toEqual({
      code: 'UNSUPPORTED',
      property: null,
      problem: expect.stringContaining("the indexes 'byPlace', 'bySerial'") as unknown,
      fix: expect.stringContaining('--unsafe-writers') as unknown,
    });
  });
});
