/** The recorder on databases and on the server: what it sees, and that nothing else changes. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Column, Entity, indexOn, indexes, open, rowKey, Segment } from '../../../src/index.js';
import { type AccessRecorder, recordAccess } from '../../../src/tools/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { observationOf } from '../../../src/engines/observe/index.js';
import { startServer } from '../../../src/server/index.js';
import type { ReadPlan } from '../../../src/data/store/index.js';
import { DeviceFirst, TimeFirst } from './support/entities.js';
import { setClock } from './set-clock.js';

@Entity({ table: 'orders', families: { o: {} } })
class Order {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byTime: indexOn('placed') });
  @Segment('string') id!: string;
  @Column('o', 'timestamp') placed?: Date;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-heat-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The samples of the only table as `read device-1#... bytes`, without the time. */
function lines(recorder: AccessRecorder): string[] {
  return recorder
    .log()
    .tables.flatMap(({ windows }) => windows)
    .flatMap(({ samples }) => samples)
    .map(({ kind, key, bytes }) => `${kind} ${Buffer.from(key).toString().split('#')[0]} ${bytes}`);
}

/** Saves, reads, scans and deletes rows of some devices. */
async function useDatabase(url: string, record: AccessRecorder): Promise<void> {
  await using db = await open(url, { entities: [DeviceFirst], observe: { record } });
  await db.admin.apply();
  const readings = db.repository(DeviceFirst);
  const rowOf = (device: string) => readings.create({ device, at: new Date(0), value: 1 });
  await readings.save(rowOf('a'));
  await readings.saveMany([rowOf('b'), rowOf('c')]);
  await readings.get(rowOf('a'));
  await readings.get(rowOf('missing'));
  await readings.getMany([rowOf('c'), rowOf('missing')]);
  expect(await readings.scanAll().all()).toHaveLength(3);
  expect(await readings.scanAll().limit(1).all()).toHaveLength(1);
  await readings.patch(rowOf('b'), { value: 2 });
  await readings.delete(rowOf('b'));
}

describe('what is recorded', () => {
  const expected = [
    'write a',
    'write b',
    'write c',
    'read a',
    'read missing',
    'read c',
    'read missing',
    'scan a',
    'scan b',
    'scan c',
    'scan a',
    'write b',
    'write b',
  ];
  const withoutBytes = (each: readonly string[]): string[] =>
    each.map((line) => line.replace(/ \d+$/, ''));

  test('in memory', async () => {
    await using recorder = recordAccess();
    await useDatabase('memory:', recorder);
    expect(withoutBytes(lines(recorder))).toEqual(expected);
  });

  test('on disk', async () => {
    await using recorder = recordAccess();
    await useDatabase(`file:${join(folder, 'data')}`, recorder);
    expect(withoutBytes(lines(recorder))).toEqual(expected);
  });

  test('on the live engine, and on the server that it uses', async () => {
    const engine = await openMemoryEngine({});
    await using served = recordAccess();
    await using recorder = recordAccess();
    const server = await startServer(engine, { record: served });
    process.env.BIGTABLE_EMULATOR_HOST = server.address;
    try {
      await useDatabase('bigtable://rowsmith/local', recorder);
    } finally {
      delete process.env.BIGTABLE_EMULATOR_HOST;
      await server.close();
      await engine.close();
    }
    expect(withoutBytes(lines(recorder))).toEqual(expected);
    // The server reads ahead of a client that ends a read.
    const writes = (each: readonly string[]) => each.filter((line) => line.startsWith('write'));
    expect(writes(withoutBytes(lines(served)))).toEqual(writes(expected));
    const read = new Set(withoutBytes(lines(served)).filter((line) => line.startsWith('read')));
    expect(read).toEqual(new Set(expected.filter((line) => line.startsWith('read'))));
  });

  test('bytes of keys, qualifiers and values', async () => {
    await using recorder = recordAccess();
    await using db = await open('memory:', {
      entities: [DeviceFirst],
      observe: { record: recorder },
    });
    const readings = db.repository(DeviceFirst);
    const row = readings.create({ device: 'a', at: new Date(0), value: 1 });
    await readings.save(row);
    await readings.get(row);
    const key = 'a#'.length + 13;
    const cell = 'value'.length + 8;
    expect(lines(recorder)).toEqual([expect.stringMatching(/^write a /), `read a ${key + cell}`]);
  });
});

test('rows and pages are the same with a recorder', async () => {
  await using recorder = recordAccess();
  const read = async (record: AccessRecorder | undefined): Promise<unknown> => {
    await using db = await open('memory:', { entities: [DeviceFirst], observe: { record } });
    const readings = db.repository(DeviceFirst);
    const rows = Array.from({ length: 700 }, (_, n) =>
      readings.create({ device: `d${n % 7}`, at: new Date(n), value: n }),
    );
    await readings.saveMany(rows);
    const all = await readings.scanAll().all();
    const reversed = await readings.prefix({ device: 'd3' }).reverse().limit(5).all();
    const page = await readings.scanAll().page({ size: 10 });
    const first = await readings.firstPer('device').all();
    return [all, reversed, page, first];
  };
  expect(await read(recorder)).toEqual(await read(undefined));
});

test('findings of a recording', async () => {
  const clock = setClock();
  await using recorder = recordAccess({ clock: clock.now });
  await using db = await open('memory:', { entities: [TimeFirst], observe: { record: recorder } });
  const readings = db.repository(TimeFirst);
  const rows = Array.from({ length: 500 }, (_, n) =>
    readings.create({ at: new Date(clock.at + n), device: `device-${n % 50}`, value: 1 }),
  );
  await readings.saveMany(rows);
  expect(recorder.findings({ entities: [TimeFirst] })).toMatchObject([
    { kind: 'sequentialWrites', entity: 'TimeFirst', segment: 'at', fix: expect.any(String) },
  ]);
});

describe('bad input', () => {
  test.each<[options: object, property: string]>([
    [{ file: '' }, 'record.file'],
    [{ file: 7 }, 'record.file'],
    [{ sample: 0 }, 'record.sample'],
    [{ sample: 1.5 }, 'record.sample'],
    [{ sample: Number.NaN }, 'record.sample'],
    [{ maxBytes: 100 }, 'record.maxBytes'],
    [{ windowMs: 0 }, 'record.windowMs'],
    [{ windowMs: 4_000_000 }, 'record.windowMs'],
    [{ clock: 5 }, 'record.clock'],
  ])('%j', (options, property) => {
    expect(() => recordAccess(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ property, fix: expect.any(String) }),
      }),
    );
  });

  test('an option that does not exist', () => {
    expect(() => recordAccess({ files: 'a' } as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });

  test('a file that is no recording is left as it is', () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'notes of a person');
    expect(() => recordAccess({ file })).toThrow(expect.objectContaining({ code: 'FILE_FAILED' }));
    expect(readFileSync(file, 'utf8')).toBe('notes of a person');
  });

  test('a recording with other windows is left as it is', async () => {
    const file = join(folder, 'hours.heat');
    await recordAccess({ file, windowMs: 3_600_000 }).close();
    expect(() => recordAccess({ file })).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ property: 'record.windowMs' }),
      }),
    );
  });

  test('a folder that does not exist', () => {
    expect(() => recordAccess({ file: join(folder, 'none/access.heat') })).toThrow(
      expect.objectContaining({ code: 'FILE_FAILED' }),
    );
  });

  test('options where a recorder is expected', async () => {
    const wrong = { entities: [TimeFirst], observe: { record: { file: 'a.heat' } } };
    await expect(open('memory:', wrong as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'observe.record' },
    });
    const error = { code: 'INVALID_ARGUMENT', details: { property: 'record' } };
    const engine = await openMemoryEngine({});
    await expect(startServer(engine, { record: {} as never })).rejects.toMatchObject(error);
    await engine.close();
  });

  test('beside a log, and alone without the cost of one', async () => {
    await using recorder = recordAccess();
    const lines: string[] = [];
    const log = (line: string): number => lines.push(line);
    for (const observe of [{ record: recorder }, { record: recorder, log }]) {
      await using db = await open('memory:', { entities: [TimeFirst], observe });
      expect((await observationOf(observe, 'rowsmith')) !== undefined).toBe('log' in observe);
      await db.repository(TimeFirst).scanAll().all();
    }
    expect(lines).toEqual([expect.stringContaining('readRows')]);
  });

  test('wrong calls are rejected by the engine as without a recorder', async () => {
    await using recorder = recordAccess();
    await using db = await open('memory:', {
      entities: [TimeFirst],
      observe: { record: recorder },
    });
    const wrong = { code: 'INVALID_ARGUMENT' };
    await expect(db.engine.mutateRow('readings', undefined as never)).rejects.toMatchObject(wrong);
    await expect(db.engine.mutateRows('readings', 3 as never)).rejects.toMatchObject(wrong);
    await expect(db.engine.checkAndMutateRow('readings', {} as never)).rejects.toMatchObject(wrong);
    const plan = { table: 'readings', ranges: 5, reversed: false } as unknown as ReadPlan;
    await expect(db.engine.readRows(plan).next()).rejects.toMatchObject(wrong);
    expect(recorder.log().tables).toEqual([]);
  });
});

test('findings that are read again and again divide no window', async () => {
  const clock = setClock();
  await using recorder = recordAccess({ clock: clock.now });
  await using db = await open('memory:', {
    entities: [DeviceFirst],
    observe: { record: recorder },
  });
  const readings = db.repository(DeviceFirst);
  for (let second = 0; second < 60; second++, clock.at += 1000) {
    for (let n = 0; n < 10; n++) {
      const device = n < 3 ? 'hot' : `d${((second * 10 + n) * 7919) % 10_007}`;
      await readings.get({ device, at: new Date(0) });
    }
    recorder.findings({ entities: [DeviceFirst] });
  }
  expect(recorder.findings({ entities: [DeviceFirst] })).toMatchObject([
    { kind: 'hotRow', level: 'info', windows: 1, judged: 1, figures: { share: 0.3 } },
  ]);
  const load = (storage: 'ssd' | 'hdd'): number =>
    recorder.findings({ entities: [DeviceFirst], storage })[0].figures.load;
  // 3 reads a second, of 17,000 and of 500.
  expect([load('ssd'), load('hdd')]).toEqual([expect.closeTo(3 / 17_000), expect.closeTo(3 / 500)]);
  expect(() => recorder.findings({ entities: [], storage: 'tape' as 'hdd' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({ property: 'storage' }),
    }),
  );
});

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['emptied', (file: string) => truncateSync(file)],
])('a file that is %s meanwhile is begun again', async (_what, change) => {
  const file = join(folder, 'moved.heat');
  const clock = setClock();
  await using recorder = recordAccess({ file, clock: clock.now });
  await using db = await open('memory:', {
    entities: [DeviceFirst],
    observe: { record: recorder },
  });
  const readings = db.repository(DeviceFirst);
  const read = () => readings.get({ device: 'a', at: new Date(0) });
  await read();
  recorder.flush();
  change(file);
  clock.at += 60_000;
  await read();
  const [{ windows }] = recorder.log().tables;
  expect(windows.map(({ start }) => start)).toEqual([clock.at]);
  await recorder.close();
  rmSync(file);
});

test('entries of indexes are named', async () => {
  const clock = setClock();
  await using recorder = recordAccess({ clock: clock.now });
  await using db = await open('memory:', {
    entities: [Order],
    observe: { record: recorder },
    lint: false,
  });
  const orders = db.repository(Order);
  for (let n = 0; n < 900; n++, clock.at += 200)
    await orders.save(orders.create({ id: `o${(n * 7919) % 10_007}`, placed: new Date(clock.at) }));
  expect(recorder.findings({ entities: [Order] })).toMatchObject([
    { kind: 'sequentialWrites', entity: expect.stringContaining('Order'), segment: 'placed' },
  ]);
});
