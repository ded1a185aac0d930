/**
 * Rows that TypeScript writes and generated Go reads, and the other way round, through Google's client
 * in Go and our server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHex } from '../../src/base/index.js';
import { type Database, DateMap, isRowsmithError, open } from '../../src/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { startServer } from '../../src/server/index.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator } from '../support/google-emulator.js';
import { Flag, Node, Reading, rowEntities, Sensor, Session, Status } from './support/entities.js';
import { fields, GoProcess, goIsMissing } from './support/go.js';

const describeGo = goIsMissing() ? describe.skip : describe;
const emulator = findEmulator();

async function ourServer() {
  const engine = await openMemoryEngine();
  const { address, close } = await startServer(engine, {
    instance: 'projects/p/instances/instance-1',
  });
  return {
    address,
    close: async () => {
      await close({ graceMs: 200 });
      await engine.close();
    },
  };
}

const servers = [
  { name: 'our server', start: ourServer },
  ...(emulator === undefined
    ? []
    : [{ name: "Google's emulator", start: () => startGoogleEmulator(emulator) }]),
];

const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 28, n));

/** The program is built once for all servers. */
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-go-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeGo.each(servers)('rows on $name', ({ start }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let db: Database;
  let go: GoProcess;
  beforeAll(async () => {
    server = await start();
    db = await open('bigtable://p/instance-1', {
      entities: rowEntities,
      bigtable: { emulatorHost: server.address },
    });
    await db.admin.apply();
    go = await GoProcess.start(folder, buildModels(rowEntities), server.address);
  });
  afterAll(async () => {
    await go.close();
    await db.close();
    await server.close();
  });

  async function ask(op: string, request: object): Promise<unknown> {
    const [{ ok, error }] = await go.ask([{ op, ...request }]);
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

  const sensorInGo = fields({
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
    day: '2026-11-28',
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
        [{ $time: hour(1).getTime() }, { $float: '3ff0000000000000' }],
        [{ $time: hour(3).getTime() }, { $float: '4008000000000000' }],
      ],
    },
  });

  test('every kind of column, written by TypeScript', async () => {
    const sensors = db.repository(Sensor);
    await sensors.save(sensors.create(full));
    await sensors.increment({ tenant: 'acme', sensor: 1 }, 'hits', 7n);
    await sensors.increment({ tenant: 'acme', sensor: 1 }, 'reads', 8n);
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
    const { $message } = row.Status as { $message: string };
    const model = buildModels([Sensor])[0];
    const { codec } = model.columns.find(({ property }) => property === 'status')!;
    const bytes = Uint8Array.from(Buffer.from($message, 'hex'));
    expect(codec.decode(bytes, 0, bytes.length)).toEqual(status);
  });

  test('every kind of column, written by Go', async () => {
    const model = buildModels([Sensor])[0];
    const { codec } = model.columns.find(({ property }) => property === 'status')!;
    await ask('store', {
      entity: 'Sensor',
      table: 'sensors',
      values: {
        ...sensorInGo,
        Sensor: { $int: '2' },
        Data: { $json: full.data },
        Status: { $message: toHex(codec.encode(status)) },
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
    const values = { ID: 'a', Until: { $time: until.getTime() }, User: 'u' };
    await ask('store', { entity: 'Session', table: 'sessions', values });
    const sessions = db.repository(Session);
    await sessions.save(sessions.create({ id: 'b', until, user: 'u' }));
    const rows = await ask('fetch', { entity: 'Session', table: 'sessions', values: {} });
    expect(rows).toEqual([values, { ...values, ID: 'b' }]);
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
      entity: 'ReadingByPlace',
      table: 'readings_index',
      values: { Place: 'roof' },
    })) as Record<string, unknown>[];
    expect(byPlace.map(({ row }) => row)).toEqual(keys);
    expect(byPlace[0].Temperature).toEqual({ $float: '4034666666666666' });
    const bySerial = (await ask('fetch', {
      entity: 'ReadingBySerial',
      table: 'readings_index',
      values: { Serial: 's20' },
    })) as Record<string, unknown>[];
    expect(bySerial.map(({ row }) => row)).toEqual([keys[1]]);
    const [bucket] = (await ask('fetch', {
      entity: 'ReadingHourly',
      table: 'readings_rollup',
      values: { Device: 'd' },
    })) as Record<string, unknown>[];
    const expected = (await readings.rollup('hourly').get({ device: 'd', at: hour(5) }))!;
    expect(bucket).toEqual(
      fields({
        device: 'd',
        at: { $time: hour(5).getTime() },
        count: { $int: '3' },
        mean: floatOf(expected.mean!),
        total: floatOf(expected.total),
        low: floatOf(expected.low!),
        newest: { $time: expected.newest!.getTime() },
        closing: floatOf(expected.closing!),
        settled: true,
      }),
    );
  });

  test('an entity without columns, with names that differ in case only', async () => {
    const values = { Class: 'a', Class_2: 'b' };
    await ask('store', { entity: 'Flag', table: 'flags', values });
    expect(await db.repository(Flag).get({ class: 'a', Class: 'b' })).toBeDefined();
    expect(await ask('fetch', { entity: 'Flag', table: 'flags', values: {} })).toEqual([values]);
  });

  test('what both refuse to write', async () => {
    const base = { tenant: 'acme', sensor: 1, title: 't' };
    const wrong: readonly (readonly [object, object])[] = [
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
      [{ day: '2026-02-30' }, { day: '2026-02-30' }],
      [
        { history: [{ at: new Date(-1), value: 1 }] },
        { history: [{ $version: [{ $time: -1 }, { $float: '3ff0000000000000' }] }] },
      ],
    ];
    for (const [given, inGo] of wrong) {
      const sensors = db.repository(Sensor);
      const expected: unknown = await sensors.save(Object.assign(new Sensor(), base, given)).then(
        () => 'saved',
        (error: unknown) => error,
      );
      if (!isRowsmithError(expected))
        throw new Error(`TypeScript accepts ${JSON.stringify(given)}`);
      const [{ error }] = await go.ask([
        {
          op: 'store',
          entity: 'Sensor',
          values: fields({ ...base, sensor: { $int: '1' }, ...inGo }),
        },
      ]);
      // Without a value, a string is empty in Go. What types refuse has no code.
      if (error?.code === 'TYPES') continue;
      expect([inGo, error?.code]).toEqual([inGo, expected.code]);
      expect([inGo, error?.property]).toEqual([inGo, expected.details.property]);
    }
  });

  test('a writer of a row that others follow from is refused, and says why', async () => {
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

function floatOf(value: number): object {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return { $float: toHex(new Uint8Array(view.buffer)) };
}

function sortedMap(map: { readonly $map?: unknown[] } | undefined): object {
  return { $map: map!.$map!.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}
