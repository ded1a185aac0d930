/**
 * Rows that TypeScript writes and generated Java reads, and the other way round, through Google's
 * client in Java and our server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHex } from '../../src/base/index.js';
import { type Database, DateMap, isRowsmithError, open } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Flag, Node, Reading, rowEntities, Sensor, Session, Status } from './support/entities.js';
import { JavaProcess, javaIsMissing, writeJava } from './support/java.js';
import { rowServers } from './support/servers.js';

const describeJava = javaIsMissing() ? describe.skip : describe;
const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 28, n));

/** A number as the driver has it. */
function floatOf(value: number): object {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return { $float: toHex(new Uint8Array(view.buffer)) };
}

const version = (at: Date, value: number): object => ({
  $version: [{ $time: at.getTime() }, floatOf(value)],
});

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

const fullInJava = {
  tenant: 'acme',
  sensor: { $int: '1' },
  title: 'ü 😀',
  state: 'open',
  votes: { $int: '5' },
  size: { $int: '4294967295' },
  total: { $int: '-9223372036854775808' },
  value: floatOf(-0.1),
  half: floatOf(0.5),
  active: false,
  raw: { $bytes: '00ff' },
  seen: { $time: hour(2).getTime() },
  day: { $date: '2026-11-28' },
  data: JSON.stringify(full.data),
  moved: 'here',
  history: [version(hour(2), 2), version(hour(1), 1)],
  tags: {
    $map: [
      ['', 'empty'],
      ['a#b', 'hash'],
    ],
  },
  hours: {
    $map: [
      [{ $time: hour(3).getTime() }, floatOf(3)],
      [{ $time: hour(1).getTime() }, floatOf(1)],
    ],
  },
};

describeJava('rows in Java', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-java-'));
  let sources: string;
  beforeAll(async () => void (sources = await writeJava(folder, buildModels(rowEntities))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(rowServers())('on $name', ({ start }) => {
    let server: Awaited<ReturnType<typeof start>>;
    let db: Database;
    let java: JavaProcess;
    beforeAll(async () => {
      server = await start();
      db = await open('bigtable://p/instance-1', {
        entities: rowEntities,
        bigtable: { emulatorHost: server.address },
      });
      await db.admin.apply();
      java = await JavaProcess.start(sources, server.address);
    });
    afterAll(async () => {
      await java.close();
      await db.close();
      await server.close();
    });

    async function ask(op: string, module: string, request: object): Promise<unknown> {
      const [{ ok, error, types }] = await java.ask([{ op, module, ...request }]);
      if (error !== undefined || types) throw new Error(JSON.stringify(error ?? 'types'));
      return ok;
    }

    async function fetch(module: string, values: object): Promise<Record<string, unknown>[]> {
      return (await ask('fetch', module, { values })) as Record<string, unknown>[];
    }

    const codec = buildModels([Sensor])[0].columns.find(
      ({ property }) => property === 'status',
    )!.codec;

    test('every kind of column, written by TypeScript', async () => {
      const sensors = db.repository(Sensor);
      await sensors.save(sensors.create(full));
      await sensors.increment({ tenant: 'acme', sensor: 1 }, 'hits', 7n);
      await sensors.increment({ tenant: 'acme', sensor: 1 }, 'reads', 8n);
      const [row] = await fetch('Sensor', { tenant: 'acme' });
      expect(row).toMatchObject({ ...fullInJava, hits: { $int: '7' }, reads: { $int: '8' } });
      const bytes = Buffer.from((row.status as { $message: string }).$message, 'hex');
      expect(codec.decode(Uint8Array.from(bytes), 0, bytes.length)).toEqual(status);
    });

    test('every kind of column, written by Java', async () => {
      const sensor = { $int: '2' };
      const message = { $message: toHex(codec.encode(status)) };
      await ask('store', 'Sensor', { values: { ...fullInJava, sensor, status: message } });
      await ask('count', 'Sensor', {
        key: { tenant: 'acme', sensor },
        increments: { hits: { $int: '7' } },
        additions: { reads: { $int: '8' }, best: { $map: [['x', { $int: '9' }]] } },
      });
      const found = await db.repository(Sensor).get({ tenant: 'acme', sensor: 2 });
      expect(found).toMatchObject({ ...full, sensor: 2, hits: 7n, reads: 8n });
      expect(found!.best).toEqual(new Map([['x', 9n]]));
    });

    test('a row that Java replaces loses what it no longer has', async () => {
      const values = { tenant: 'acme', sensor: { $int: '3' }, title: 'first' };
      await ask('store', 'Sensor', { values: { ...fullInJava, ...values } });
      await ask('store', 'Sensor', { values });
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
      await ask('store', 'Session', { values });
      const sessions = db.repository(Session);
      await sessions.save(sessions.create({ id: 'b', until, user: 'u' }));
      expect(await fetch('Session', {})).toEqual([values, { ...values, id: 'b' }]);
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
      const byPlace = await fetch('ReadingByPlace', { place: 'roof' });
      expect(byPlace.map(({ row }) => row)).toEqual(keys);
      expect(byPlace[0].temperature).toEqual(floatOf(20.4));
      const bySerial = await fetch('ReadingBySerial', { serial: 's20' });
      expect(bySerial.map(({ row }) => row)).toEqual([keys[1]]);
      const [bucket] = await fetch('ReadingHourly', { device: 'd' });
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
      await ask('store', 'Flag', { values });
      expect(await db.repository(Flag).get({ class: 'a', Class: 'b' })).toBeDefined();
      expect(await fetch('Flag', {})).toEqual([values]);
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
        [{ seen: new Date(NaN) }, { seen: { $micros: 1 } }],
        [
          { active: 1, raw: 'x' },
          { active: { $int: '1' }, raw: 'x' },
        ],
        [{ history: [{ at: new Date(-1), value: 1 }] }, { history: [version(new Date(-1), 1)] }],
      ];
      for (const [given, inJava] of wrong) {
        const sensors = db.repository(Sensor);
        const expected: unknown = await sensors.save(Object.assign(new Sensor(), base, given)).then(
          () => 'saved',
          (error: unknown) => error,
        );
        if (!isRowsmithError(expected))
          throw new Error(`TypeScript accepts ${JSON.stringify(given)}`);
        const values = { ...base, sensor: { $int: '1' }, ...inJava };
        const request = { op: 'write', module: 'Sensor', now: Date.now(), replace: true, values };
        const [{ error, types }] = await java.ask([request]);
        if (types) continue;
        expect([inJava, error?.code]).toEqual([inJava, expected.code]);
        expect([inJava, error?.property]).toEqual([inJava, expected.details.property]);
      }
    });

    test('JSON that is none is refused', async () => {
      const base = { tenant: 'acme', sensor: { $int: '4' }, title: 't' };
      const texts = ['', '{', '[1,]', '{"a" 1}', '01', '"\\x"', '[][', 'nul', '{"a":1}}', '[1]2'];
      const valid = ['{}', '[]', ' [ {"a":[]} , "\\u00e9", -1.5e+3, true ] ', '[[],[]]', '"a"'];
      const answers = await java.ask(
        [...texts, ...valid].map((data) => ({
          op: 'write',
          module: 'Sensor',
          now: 0,
          replace: true,
          values: { ...base, data },
        })),
      );
      expect(answers.map(({ error }) => error?.code)).toEqual([
        ...texts.map(() => 'INVALID_VALUE'),
        ...valid.map(() => undefined),
      ]);
    });

    test('a writer of a row that others follow from is refused, and says why', async () => {
      const values = { device: 'd', at: { $time: 0 } };
      const [{ error }] = await java.ask([{ op: 'store', module: 'Reading', values }]);
      expect(error).toEqual({
        code: 'UNSUPPORTED',
        property: null,
        problem: expect.stringContaining("the indexes 'byPlace', 'bySerial'") as unknown,
        fix: expect.stringContaining('--unsafe-writers') as unknown,
      });
    });
  });
});
