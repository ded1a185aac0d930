/**
 * Rows that TypeScript writes and generated Python reads, and the other way round, through Google's
 * clients in Python and our server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHex } from '../../src/base/index.js';
import { type Database, DateMap, isRowsmithError, open } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Flag, Node, Reading, rowEntities, Sensor, Session, Status } from './support/entities.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';
import { rowServers } from './support/servers.js';

const describePython = pythonIsMissing() ? describe.skip : describe;
const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 28, n));

describePython.each(rowServers())('rows on $name', ({ start }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let server: Awaited<ReturnType<typeof start>>;
  let db: Database;
  let python: PythonProcess;
  beforeAll(async () => {
    server = await start();
    db = await open('bigtable://p/instance-1', {
      entities: rowEntities,
      bigtable: { emulatorHost: server.address },
    });
    await db.admin.apply();
    const models = buildModels(rowEntities);
    python = await PythonProcess.start(await writePython(folder, models), server.address);
  });
  afterAll(async () => {
    await python.close();
    await db.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(op: string, request: object): Promise<unknown> {
    const [{ ok, error }] = await python.ask([{ op, ...request }]);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return ok;
  }

  const status = Object.assign(new Status(), {
    firmware: '1.2',
    uptime: 2n ** 64n - 1n,
    level: 2,
    levels: [0, -1.5],
    counts: new Map([['a', -1]]),
    seen: hour(1),
    node: Object.assign(new Node(), { name: 'n', next: new Node() }),
  });
  const full = {
    tenant: 'acme',
    sensor: 1,
    title: 'ü 😀',
    state: 'open' as const,
    votes: 5,
    size: 2 ** 32 - 1,
    total: -(2n ** 63n),
    value: -0.1,
    half: 0.5,
    active: false,
    raw: Uint8Array.of(0, 255),
    seen: hour(2),
    day: '2026-11-28',
    data: { a: [1, 'ü', null], b: { c: true } },
    moved: 'here',
    status,
    history: [
      { at: hour(2), value: 2 },
      { at: hour(1), value: 1 },
    ],
    tags: new Map([
      ['', 'empty'],
      ['a#b', 'hash'],
    ]),
    hours: new DateMap([
      [hour(3), 3],
      [hour(1), 1],
    ]),
  };

  const sensorInPython = {
    tenant: 'acme',
    sensor: { $int: '1' },
    title: 'ü 😀',
    state: 'open',
    votes: { $int: '5' },
    size: { $int: '4294967295' },
    total: { $int: '-9223372036854775808' },
    value: { $float: 'bfb999999999999a' },
    half: { $float: '3fe0000000000000' },
    active: false,
    raw: { $bytes: '00ff' },
    seen: { $time: hour(2).getTime() },
    day: { $date: '2026-11-28' },
    moved: 'here',
    history: [
      { $version: [{ $time: hour(2).getTime() }, { $float: '4000000000000000' }] },
      { $version: [{ $time: hour(1).getTime() }, { $float: '3ff0000000000000' }] },
    ],
    tags: {
      $map: [
        ['', 'empty'],
        ['a#b', 'hash'],
      ],
    },
    hours: {
      $map: [
        [{ $time: hour(3).getTime() }, { $float: '4008000000000000' }],
        [{ $time: hour(1).getTime() }, { $float: '3ff0000000000000' }],
      ],
    },
  };

  test('every kind of column, written by TypeScript', async () => {
    const sensors = db.repository(Sensor);
    await sensors.save(sensors.create(full));
    await sensors.increment({ tenant: 'acme', sensor: 1 }, 'hits', 7n);
    await sensors.increment({ tenant: 'acme', sensor: 1 }, 'reads', 8n);
    const [row] = (await ask('fetch', {
      module: 'sensor',
      table: 'sensors',
      values: { tenant: 'acme' },
    })) as Record<string, unknown>[];
    expect(row).toMatchObject({
      ...sensorInPython,
      hits: { $int: '7' },
      reads: { $int: '8' },
      data: {
        $map: [
          ['a', [{ $int: '1' }, 'ü', null]],
          ['b', { $map: [['c', true]] }],
        ],
      },
    });
    const { $message } = row.status as { $message: string };
    const model = buildModels([Sensor])[0];
    const { codec } = model.columns.find(({ property }) => property === 'status')!;
    const bytes = Uint8Array.from(Buffer.from($message, 'hex'));
    expect(codec.decode(bytes, 0, bytes.length)).toEqual(status);
  });

  test('every kind of column, written by Python', async () => {
    const model = buildModels([Sensor])[0];
    const { codec } = model.columns.find(({ property }) => property === 'status')!;
    await ask('store', {
      module: 'sensor',
      table: 'sensors',
      class: 'Sensor',
      values: {
        ...sensorInPython,
        sensor: { $int: '2' },
        data: { $json: full.data },
        status: { $message: ['plant.Status', toHex(codec.encode(status))] },
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
    await ask('store', { ...request, values: { ...sensorInPython, ...values, data: null } });
    await ask('store', { ...request, values });
    const found = await db.repository(Sensor).get({ tenant: 'acme', sensor: 3 });
    const given = Object.entries(found!).filter(([, value]) => value !== undefined);
    expect(Object.fromEntries(given)).toEqual({
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
    const readings = db.repository(Reading);
    const rows = [0, 20, 40].map((minute) =>
      readings.create({
        device: 'd',
        at: new Date(hour(5).getTime() + minute * 60_000),
        temperature: 20 + minute / 100,
        place: 'roof',
        serial: `s${minute}`,
      }),
    );
    for (const row of rows) await readings.save(row);
    const model = buildModels([Reading])[0];
    const keys = rows
      .map((row) => toHex(model.key.encode(Object.fromEntries(Object.entries(row)))))
      .reverse();
    const byPlace = (await ask('fetch', {
      module: 'reading_by_place',
      table: 'readings_index',
      values: { place: 'roof' },
    })) as Record<string, unknown>[];
    expect(byPlace.map(({ row }) => row)).toEqual(keys);
    expect(byPlace[0].temperature).toEqual({ $float: '4034666666666666' });
    const bySerial = (await ask('fetch', {
      module: 'reading_by_serial',
      table: 'readings_index',
      values: { serial: 's20' },
    })) as Record<string, unknown>[];
    expect(bySerial.map(({ row }) => row)).toEqual([keys[1]]);
    const [bucket] = (await ask('fetch', {
      module: 'reading_hourly',
      table: 'readings_rollup',
      values: { device: 'd' },
    })) as Record<string, unknown>[];
    const expected = (await readings.rollup('hourly').get({ device: 'd', at: hour(5) }))!;
    expect(bucket).toEqual({
      device: 'd',
      at: { $time: hour(5).getTime() },
      count: { $int: '3' },
      mean: floatOf(expected.mean!),
      total: floatOf(expected.total),
      low: floatOf(expected.low!),
      newest: { $time: expected.newest!.getTime() },
      closing: floatOf(expected.closing!),
      settled: true,
    });
  });

  test('an entity without columns, with names that differ in case only', async () => {
    const values = { class_: 'a', class__2: 'b' };
    await ask('store', { module: 'flag', table: 'flags', class: 'Flag', values });
    expect(await db.repository(Flag).get({ class: 'a', Class: 'b' })).toBeDefined();
    expect(await ask('fetch', { module: 'flag', table: 'flags', values: {} })).toEqual([values]);
  });

  test('what both refuse to write', async () => {
    const base = { tenant: 'acme', sensor: 1, title: 't' };
    const wrong: readonly (readonly [object, object])[] = [
      [{ title: undefined }, { title: null }],
      [{ title: '' }, { title: '' }],
      [{ tenant: 'A' }, { tenant: 'A' }],
      [{ state: 'ajar' }, { state: 'ajar' }],
      [{ votes: 6 }, { votes: { $int: '6' } }],
      [{ size: -1 }, { size: { $int: '-1' } }],
      [{ total: 2n ** 63n }, { total: { $int: String(2n ** 63n) } }],
      [{ half: 1e300 }, { half: { $float: '7e37e43c8800759c' } }],
      [{ sensor: 100_000 }, { sensor: { $int: '100000' } }],
      [
        { active: 1, raw: 'x' },
        { active: { $int: '1' }, raw: 'x' },
      ],
      [
        { history: [{ at: new Date(-1), value: 1 }] },
        { history: [{ $version: [{ $time: -1 }, { $float: '3ff0000000000000' }] }] },
      ],
    ];
    for (const [given, inPython] of wrong) {
      const sensors = db.repository(Sensor);
      const expected: unknown = await sensors.save(Object.assign(new Sensor(), base, given)).then(
        () => 'saved',
        (error: unknown) => error,
      );
      if (!isRowsmithError(expected))
        throw new Error(`TypeScript accepts ${JSON.stringify(given)}`);
      const [{ error }] = await python.ask([
        {
          op: 'write',
          module: 'sensor',
          class: 'Sensor',
          now: Date.now(),
          replace: true,
          values: { ...base, sensor: { $int: '1' }, ...inPython },
        },
      ]);
      expect([inPython, error?.code]).toEqual([inPython, expected.code]);
      expect([inPython, error?.property]).toEqual([inPython, expected.details.property]);
    }
  });

  test('a writer of a row that others follow from is refused, and says why', async () => {
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

function floatOf(value: number): object {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return { $float: toHex(new Uint8Array(view.buffer)) };
}
