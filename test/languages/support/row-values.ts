/** The rows that the suites of every language write and read, and the database that has them. */
import { isRowsmithError, type RowsmithError, toHex } from '../../../src/base/index.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { type Database, DateMap, open } from '../../../src/index.js';
import { Node, Reading, rowEntities, Sensor, Status } from './entities.js';
import type { rowServers } from './servers.js';

export const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 28, n));

/** A number with a fraction, in the tagged form of the drivers. */
export function floatOf(value: number): object {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return { $float: toHex(new Uint8Array(view.buffer)) };
}

function version(at: Date, value: number): object {
  return { $version: [{ $time: at.getTime() }, floatOf(value)] };
}

export const status = Object.assign(new Status(), {
  firmware: '1.2',
  uptime: 2n ** 64n - 1n,
  level: 2,
  levels: [0, -1.5],
  counts: new Map([['a', -1]]),
  seen: hour(1),
  node: Object.assign(new Node(), { name: 'n', next: new Node() }),
});

/** A sensor with a value in each column but its counters. */
export const full = {
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

/** `full` in the tagged form, without `data` and `status`, which each driver shows otherwise. */
export const taggedFull = {
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

const [sensorModel] = buildModels([Sensor]);
const { codec } = sensorModel.columns.find(({ property }) => property === 'status')!;

/** The bytes of `status` in hexadecimal. */
export const statusHex = toHex(codec.encode(status));

export function statusOf(hex: string): unknown {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  return codec.decode(bytes, 0, bytes.length);
}

/** Values that every language refuses: in TypeScript, and in the tagged form. */
export const wrongSensors: readonly (readonly [given: object, tagged: object])[] = [
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
  [{ history: [{ at: new Date(-1), value: 1 }] }, { history: [version(new Date(-1), 1)] }],
];

/** The error of TypeScript on a sensor with a wrong value. */
export async function sensorError(db: Database, given: object): Promise<RowsmithError> {
  const sensor = Object.assign(new Sensor(), { tenant: 'acme', sensor: 1, title: 't' }, given);
  const error: unknown = await db
    .repository(Sensor)
    .save(sensor)
    .catch((thrown: unknown) => thrown);
  if (!isRowsmithError(error)) throw new Error(`TypeScript accepts ${JSON.stringify(given)}`);
  return error;
}

/** A server, and a database on it with the tables of the entities. */
export interface RowDatabase {
  readonly db: Database;
  readonly address: string;
  readonly close: () => Promise<void>;
}

export async function openRows({
  start,
}: ReturnType<typeof rowServers>[number]): Promise<RowDatabase> {
  const server = await start();
  const db = await open('bigtable://p/instance-1', {
    entities: rowEntities,
    bigtable: { emulatorHost: server.address },
  });
  await db.admin.apply();
  const close = async (): Promise<void> => {
    await db.close();
    await server.close();
  };
  return { db, address: server.address, close };
}

/** Saves `full`, and counts 7 hits and 8 reads of it. */
export async function saveFull(db: Database): Promise<void> {
  const sensors = db.repository(Sensor);
  await sensors.save(sensors.create(full));
  await sensors.increment({ tenant: 'acme', sensor: 1 }, 'hits', 7n);
  await sensors.increment({ tenant: 'acme', sensor: 1 }, 'reads', 8n);
}

/** The properties of a sensor that have a value. */
export async function givenValues(db: Database, sensor: number): Promise<object> {
  const found = await db.repository(Sensor).get({ tenant: 'acme', sensor });
  const given = Object.entries(found!).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/** Saves three readings of an hour; their keys in storage's order, and their bucket as tagged. */
export async function saveReadings(
  db: Database,
): Promise<{ readonly keys: readonly string[]; readonly bucket: object }> {
  const readings = db.repository(Reading);
  const [{ key }] = buildModels([Reading]);
  const keys: string[] = [];
  for (const minute of [0, 20, 40]) {
    const row = readings.create({
      device: 'd',
      at: new Date(hour(5).getTime() + minute * 60_000),
      temperature: 20 + minute / 100,
      place: 'roof',
      serial: `s${minute}`,
    });
    await readings.save(row);
    keys.unshift(toHex(key.encode(Object.fromEntries(Object.entries(row)))));
  }
  const rollup = (await readings.rollup('hourly').get({ device: 'd', at: hour(5) }))!;
  const bucket = {
    device: 'd',
    at: { $time: hour(5).getTime() },
    count: { $int: '3' },
    mean: floatOf(rollup.mean!),
    total: floatOf(rollup.total),
    low: floatOf(rollup.low!),
    newest: { $time: rollup.newest!.getTime() },
    closing: floatOf(rollup.closing!),
    settled: true,
  };
  return { keys, bucket };
}
