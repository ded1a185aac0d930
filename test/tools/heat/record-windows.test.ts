/** Windows and files of recordings, and clocks that return no time. */
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { recordAccess } from '../../../src/tools/index.js';
import { readRecordingBytes } from '../../../src/tools/heat/index.js';
import { DeviceFirst, TimeFirst } from './support/entities.js';
import { setClock } from './set-clock.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-heat-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('windows and files', () => {
  test('each minute is a window, in a file that can be read meanwhile', async () => {
    const clock = setClock();
    const file = join(folder, 'minutes.heat');
    await using recorder = recordAccess({ file, clock: clock.now });
    await using db = await open('memory:', {
      entities: [TimeFirst],
      observe: { record: recorder },
    });
    const readings = db.repository(TimeFirst);
    const save = () =>
      readings.save(readings.create({ at: new Date(clock.at), device: 'd', value: 1 }));
    for (let minute = 0; minute < 3; minute++, clock.at += 60_000) await save();
    const read = () => readRecordingBytes(readFileSync(file), file);
    expect(read().log.tables[0].windows.map(({ writes }) => writes)).toEqual([1, 1]);
    await recorder.close();
    expect(read().log.tables[0].windows.map(({ writes }) => writes)).toEqual([1, 1, 1]);
    expect(read().warning).toBeUndefined();
  });

  test('a recording is continued, and a window that was cut off is removed', async () => {
    const clock = setClock();
    const file = join(folder, 'continued.heat');
    const recordOnce = async (): Promise<void> => {
      await using recorder = recordAccess({ file, clock: clock.now });
      await using db = await open('memory:', {
        entities: [TimeFirst],
        observe: { record: recorder },
      });
      const readings = db.repository(TimeFirst);
      await readings.save(readings.create({ at: new Date(clock.at), device: 'd', value: 1 }));
      clock.at += 60_000;
      await readings.save(readings.create({ at: new Date(clock.at), device: 'd', value: 1 }));
    };
    await recordOnce();
    truncateSync(file, statSync(file).size - 3);
    await recordOnce();
    const { log, warning } = readRecordingBytes(readFileSync(file), file);
    expect(warning).toBeUndefined();
    // The second recorder began in the minute of the window that was cut off.
    expect(log.tables[0].windows.map(({ writes }) => writes)).toEqual([1, 1, 1]);
  });

  test('a second recording in the same minute continues its window', async () => {
    const clock = setClock();
    const file = join(folder, 'same-minute.heat');
    for (let run = 0; run < 2; run++) {
      await using recorder = recordAccess({ file, clock: clock.now });
      await using db = await open('memory:', {
        entities: [TimeFirst],
        observe: { record: recorder },
      });
      const readings = db.repository(TimeFirst);
      await readings.save(readings.create({ at: new Date(run), device: 'd', value: 1 }));
    }
    const { log } = readRecordingBytes(readFileSync(file), file);
    expect(log.tables[0].windows).toMatchObject([{ writes: 2, samples: [{}, {}] }]);
  });

  test.each([undefined, 'full.heat'])('the size is bounded (file: %s)', async (name) => {
    const clock = setClock();
    const file = name === undefined ? undefined : join(folder, name);
    await using recorder = recordAccess({ file, maxBytes: 65_536, clock: clock.now });
    await using db = await open('memory:', {
      entities: [TimeFirst],
      observe: { record: recorder },
    });
    const readings = db.repository(TimeFirst);
    for (let minute = 0; minute < 30; minute++, clock.at += 60_000) {
      const rows = Array.from({ length: 500 }, (_, n) =>
        readings.create({ at: new Date(clock.at + n), device: `device-${n}`, value: 1 }),
      );
      await readings.saveMany(rows);
    }
    const { windows } = recorder.log().tables[0];
    expect(windows.length).toBeGreaterThan(1);
    expect(windows.length).toBeLessThan(15);
    expect(windows.at(-1)!.start).toBe(clock.at - 60_000);
    if (file === undefined) return;
    expect(statSync(file).size).toBeLessThanOrEqual(65_536);
    expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(65_536);
  });

  test('a recording that cannot be written ends, and the database goes on', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const own = mkdtempSync(join(tmpdir(), 'rowsmith-heat-'));
    const recorder = recordAccess({ file: join(own, 'access.heat') });
    await using db = await open('memory:', {
      entities: [TimeFirst],
      observe: { record: recorder },
    });
    const readings = db.repository(TimeFirst);
    rmSync(own, { recursive: true });
    try {
      await readings.save(readings.create({ at: new Date(0), device: 'd', value: 1 }));
      expect(() => recorder.flush()).toThrow(expect.objectContaining({ code: 'FILE_FAILED' }));
      expect(emitWarning).toHaveBeenCalledTimes(1);
      await readings.save(readings.create({ at: new Date(1), device: 'd', value: 1 }));
      await expect(recorder.close()).rejects.toMatchObject({ code: 'FILE_FAILED' });
      expect(await readings.scanAll().count()).toBe(2);
    } finally {
      emitWarning.mockRestore();
    }
  });
});

describe('a clock that returns no time', () => {
  test.each([NaN, -1, Infinity, '5'])('%p', (wrong) => {
    expect(() => recordAccess({ clock: () => wrong as number })).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ property: 'record.clock' }),
      }),
    );
  });

  test('later on does not fail operations, which count at the last time', async () => {
    const clock = setClock();
    await using recorder = recordAccess({ clock: clock.now });
    await using db = await open('memory:', {
      entities: [DeviceFirst],
      observe: { record: recorder },
    });
    const readings = db.repository(DeviceFirst);
    for (const at of [clock.at, NaN, -5, clock.at + 60_000]) {
      clock.at = at;
      await readings.get({ device: 'a', at: new Date(0) });
    }
    const [{ windows }] = recorder.log().tables;
    expect(windows.map(({ reads }) => reads)).toEqual([3, 1]);
  });
});
