/** Prefix scans of 1,000 rows and point reads, compared with the floor and classic-level. */
import { type DataSet, deviceName, readingOf, tenant } from './data-set.js';
import { HandReader, handKey, handValue } from './hand-codec.js';
import { interleave, type Variant } from './interleave.js';
import type { Reading } from './reading.js';
import { progress, type Results } from './results.js';
import { type Level, type Opened, scanLevel } from './stores.js';

/** Scans in one sample: 20,000 rows, enough to include garbage collection. */
const scansPerSample = 20;
const rounds = 25;
const warmUp = 6;
/** Devices that are scanned; the floor keeps their rows in memory. */
const maxDevices = 100;

/**
 * A checksum of the rows that were read, so that the compiler cannot remove the work, and to check
 * that all variants read the same rows.
 */
let sum = 0;
function use(reading: Reading): void {
  sum += reading.at.getTime() + reading.status!.battery!;
}

/** The rows of the floor by device: a buffer each for key and value. */
type Arrays = ReadonlyMap<number, readonly (readonly [Buffer, Buffer])[]>;

/** Scans of the disk engine. */
export async function scanDisk(
  data: DataSet,
  disk: Opened,
  level: Level,
  results: Results,
): Promise<void> {
  const devices = data.someDevices(maxDevices);
  const arrays = floorRows(data, devices);
  const reader = new HandReader();
  const timings = await compare('disk', devices, {
    floor: (device) => scanArray(arrays, reader, device),
    'disk.pages': (device) => scanPages(disk, device),
    'disk.for-await': (device) => scanRows(disk, device),
    'level.nextv': (device) => scanLevel(level, reader, device, use),
  });
  const of = { with: timings.get('floor')!, of: 'floor' };
  results.addTiming('scan.floor', of.with, 'us/row');
  results.addTiming('scan.disk.pages', timings.get('disk.pages')!, 'us/row', {
    ...of,
    target: { kind: 'atMost', ratio: 2.5 },
  });
  results.addTiming('scan.disk.for-await', timings.get('disk.for-await')!, 'us/row', {
    ...of,
    target: { kind: 'atMost', ratio: 3 },
  });
  const theirs = timings.get('level.nextv')!;
  results.addTiming('scan.level.nextv', theirs, 'us/row', of);
  for (const way of ['pages', 'for-await']) {
    const ours = timings.get(`disk.${way}`)!;
    results.add({
      name: `scan.level-over-disk.${way}`,
      value: theirs.median / ours.median,
      unit: 'times',
      ratio: theirs.median / ours.median,
      of: `scan.disk.${way}`,
      target: { kind: 'atLeast', ratio: 2.5 },
    });
  }
}

/**
 * Scans of the memory engine, with a separate floor: all rows are on the heap, which slows both
 * down.
 */
export async function scanMemory(data: DataSet, memory: Opened, results: Results): Promise<void> {
  const devices = data.someDevices(maxDevices);
  const arrays = floorRows(data, devices);
  const scattered = scatteredRows(data, devices);
  const reader = new HandReader();
  const timings = await compare('memory', devices, {
    floor: (device) => scanArray(arrays, reader, device),
    scattered: (device) => scanArray(scattered, reader, device),
    'memory.pages': (device) => scanPages(memory, device),
    'memory.for-await': (device) => scanRows(memory, device),
  });
  const of = { with: timings.get('floor')!, of: 'floor.memory' };
  results.addTiming('scan.floor.memory', of.with, 'us/row');
  results.addTiming('scan.memory.pages', timings.get('memory.pages')!, 'us/row', {
    ...of,
    target: { kind: 'atMost', ratio: 1.3 },
  });
  results.addTiming('scan.memory.for-await', timings.get('memory.for-await')!, 'us/row', of);
  // Shows the effect of the position of rows in memory, which follows the order of arrival.
  results.addTiming('scan.floor.scattered', timings.get('scattered')!, 'us/row', of);
}

/** Point reads of existing rows, scattered over the table. */
export async function getDisk(
  data: DataSet,
  disk: Opened,
  level: Level,
  results: Results,
): Promise<void> {
  const reader = new HandReader();
  const timings = await comparePoints('disk', data, {
    'disk.get': ({ tenant, device, at }) => disk.readings.get({ tenant, device, at }),
    'level.getSync': (row) => {
      const key = handKey(row);
      return reader.read(key, level.getSync(key)!);
    },
    'level.get': async (row) => {
      const key = handKey(row);
      return reader.read(key, (await level.get(key))!);
    },
  });
  results.addTiming('get.disk', timings.get('disk.get')!, 'us', {
    with: timings.get('level.getSync')!,
    of: 'level.getSync',
  });
  results.addTiming('get.level.getSync', timings.get('level.getSync')!, 'us');
  results.addTiming('get.level.get', timings.get('level.get')!, 'us', {
    with: timings.get('level.getSync')!,
    of: 'level.getSync',
  });
}

/** Point reads of the memory engine. */
export async function getMemory(data: DataSet, memory: Opened, results: Results): Promise<void> {
  const timings = await comparePoints('memory', data, {
    'memory.get': ({ tenant, device, at }) => memory.readings.get({ tenant, device, at }),
  });
  results.addTiming('get.memory', timings.get('memory.get')!, 'us');
}

type Timings = Awaited<ReturnType<typeof interleave>>;
type Scan = (device: number) => number | Promise<number>;

async function compare(
  what: string,
  devices: readonly number[],
  scans: Readonly<Record<string, Scan>>,
): Promise<Timings> {
  const sums = new Map<string, number>();
  let done = 0;
  const variants: Variant[] = Object.entries(scans).map(([name, scan]) => ({
    name,
    run: async (round) => {
      sum = 0;
      let rows = 0;
      for (let i = 0; i < scansPerSample; i++) {
        const counted = scan(devices[(round * scansPerSample + i) % devices.length]);
        rows += typeof counted === 'number' ? counted : await counted;
      }
      sums.set(`${round} ${name}`, sum);
      return rows;
    },
  }));
  const timings = await interleave(variants, rounds, warmUp, () =>
    progress(`scanning ${what}: round ${++done} of ${rounds + warmUp}`),
  );
  for (let round = 0; round < rounds + warmUp; round++) {
    const seen = new Set(variants.map(({ name }) => sums.get(`${round} ${name}`)));
    if (seen.size !== 1 || seen.has(0))
      throw new Error(`The variants did not read the same rows in round ${round}.`);
  }
  return timings;
}

async function comparePoints(
  what: string,
  data: DataSet,
  gets: Readonly<Record<string, (row: Reading) => unknown>>,
): Promise<Timings> {
  const calls = 2000;
  const rows = Array.from({ length: calls }, (_, i) =>
    readingOf((i * 7919) % data.devices, (i * 104_729) % data.perDevice),
  );
  let done = 0;
  const variants: Variant[] = Object.entries(gets).map(([name, get]) => ({
    name,
    run: async () => {
      sum = 0;
      for (const row of rows) use((await get(row)) as Reading);
      if (!(sum > 0)) throw new Error(`${name} read nothing.`);
      return calls;
    },
  }));
  return interleave(variants, rounds, warmUp, () =>
    progress(`getting ${what}: round ${++done} of ${rounds + warmUp}`),
  );
}

function floorRows(data: DataSet, devices: readonly number[]): Arrays {
  return new Map(
    devices.map((device) => [
      device,
      data.ofDevice(device).map((row) => [handKey(row), handValue(row.status!)] as const),
    ]),
  );
}

/** The same rows, with buffers allocated in order of arrival: rows of a device are far apart. */
function scatteredRows(data: DataSet, devices: readonly number[]): Arrays {
  const rows = new Map<number, (readonly [Buffer, Buffer])[]>(
    devices.map((device) => [device, []]),
  );
  for (let turn = 0; turn < data.perDevice; turn++) {
    for (const device of devices) {
      const row = readingOf(device, turn);
      rows.get(device)!.push([handKey(row), handValue(row.status!)]);
    }
  }
  for (const list of rows.values()) list.reverse();
  return rows;
}

function scanArray(arrays: Arrays, reader: HandReader, device: number): number {
  const rows = arrays.get(device)!;
  for (let i = 0; i < rows.length; i++) use(reader.read(rows[i][0], rows[i][1]));
  return rows.length;
}

async function scanPages({ readings }: Opened, device: number): Promise<number> {
  let rows = 0;
  for await (const page of readings.prefix({ tenant, device: deviceName(device) }).pages()) {
    for (const reading of page) use(reading);
    rows += page.length;
  }
  return rows;
}

async function scanRows({ readings }: Opened, device: number): Promise<number> {
  let rows = 0;
  for await (const reading of readings.prefix({ tenant, device: deviceName(device) })) {
    use(reading);
    rows++;
  }
  return rows;
}
