/** examples/telemetry on every back end. */
import { Reading } from '../../examples/telemetry/entities.js';
import { TelemetryStore } from '../../examples/telemetry/store.js';
import { recordAccess } from '../../src/tools/index.js';
import { backEnds, type OpenedBackEnd } from '../entities/repository/support/back-ends.js';

const hour = 3_600_000;
const day = 24 * hour;
const sensor = { site: 'oslo', sensor: 's1' };

describe.each(backEnds)('the telemetry store, $name', (backEnd) => {
  // Our server and the emulator have clocks of their own, so time begins now.
  const start = Math.floor(Date.now() / hour) * hour;
  let now = start;
  let opened: OpenedBackEnd;
  let store: TelemetryStore;
  const recorder = recordAccess({ clock: () => now });
  beforeAll(async () => {
    const options = { clock: () => now, gc: 'onRead', observe: { record: recorder } } as const;
    opened = await backEnd.open([Reading], options);
    store = new TelemetryStore(opened.db);
  });
  afterAll(() => opened.close());

  const readings = (count: number, sensors: number, from: number): Reading[] =>
    Array.from({ length: count }, (_, n) =>
      opened.db.repository(Reading).create({
        site: 'oslo',
        sensor: `s${1 + (n % sensors)}`,
        at: new Date(from + n * 1000),
        celsius: 20 + (n % 2),
      }),
    );

  async function* csv(): AsyncIterable<string> {
    const line = (at: number, celsius: unknown): string =>
      `oslo,s1,${new Date(at).toISOString()},${String(celsius)}\n`;
    yield 'site,sensor,at,celsius\n';
    yield line(start - 3 * hour, 20.5) + line(start - 3 * hour + 60_000, 21.5);
    yield line(start - 60 * day, 19) + line(start - hour, 'warm');
  }

  test('an import is counted by hours, and what has expired is only counted', async () => {
    const { written, rejected } = await store.importCsv(csv());
    expect([written, rejected]).toEqual([3, 1]);
    // Google's emulator has no aggregate but sum: what was added last is the maximum.
    if (backEnd.name.includes('emulator')) await opened.db.derived.rollups.repair(Reading);
    const hours = await store.hours(sensor, new Date(start - 90 * day));
    expect(hours.map(({ at, count, mean, high }) => [at.getTime(), count, mean, high])).toEqual([
      [start - 3 * hour, 2, 21, 21.5],
      [start - 60 * day, 1, 19, 19],
    ]);
    expect(await opened.db.repository(Reading).prefix(sensor).count()).toBe(2);
  });

  test('readings that arrive twice count once, and the newest of each sensor is found', async () => {
    const arrived = readings(400, 40, start - hour);
    await store.record(arrived);
    await store.record(arrived.slice(0, 10));
    const latest = await store.latest('oslo');
    expect(latest).toHaveLength(40);
    expect(latest[0].at.getTime()).toBe(start - hour + 360_000);
    const [newest] = await store.hours(sensor, new Date(start - hour));
    expect([newest.count, newest.mean]).toEqual([10, 20]);
  });

  test('the writes are spread over the table', async () => {
    now += 60_000;
    await store.latest('oslo');
    expect(recorder.findings({ entities: [Reading], nodes: 3 })).toEqual([]);
  });

  test('readings expire after 30 days, and their hours stay', async () => {
    now += 31 * day;
    expect(await store.latest('oslo')).toEqual([]);
    expect(await store.hours(sensor, new Date(start - 6 * hour))).toHaveLength(2);
  });
});
