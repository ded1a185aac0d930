/** Recordings as bytes: FORMAT.md, round trips, and files that are cut off, damaged or newer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AccessLog,
  type AccessWindow,
  readRecordingBytes,
} from '../../../src/tools/heat/index.js';
import { headerOf, recordOf } from '../../../src/tools/heat/file/recording-bytes.js';
import { decodeWindow, encodeWindow } from '../../../src/tools/heat/file/window-codec.js';
import fc, { anyCharacter } from '../../support/fast-check.js';
import { crc32, MalformedBytes } from '../../../src/tools/heat/file/byte-buffer.js';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, each: unknown) =>
      each instanceof Uint8Array ? Buffer.from(each).toString('latin1') : each,
    ),
  );

/** The content of fixtures/version-1.heat. */
const fixtureWindows: readonly { table: string; window: AccessWindow }[] = [
  {
    table: 'readings',
    window: {
      start: 1_767_571_200_000,
      reads: 2,
      writes: 300,
      bytes: 70_000,
      samples: [
        { key: bytes('device-2#001'), kind: 'write', bytes: 20 },
        { key: bytes('device-1#002'), kind: 'scan', bytes: 0 },
        { key: bytes('device-1#001'), kind: 'write', bytes: 300 },
        { key: new Uint8Array([0, 255, 128]), kind: 'read', bytes: 2 ** 40 },
      ],
      top: [{ key: bytes('device-1#001'), count: 200, error: 3 }],
      largest: { key: new Uint8Array([0, 255, 128]), bytes: 2 ** 40 },
    },
  },
  {
    table: 'größe',
    window: { start: 1_767_571_260_000, reads: 0, writes: 1, bytes: 1, samples: [], top: [] },
  },
];

const fileOf = (windows: typeof fixtureWindows): Buffer =>
  Buffer.concat([
    headerOf(60_000),
    ...windows.map((window) => recordOf(encodeWindow(window, 60_000))),
  ]);

if (process.env.UPDATE_GOLDEN === '1')
  writeFileSync(join(__dirname, 'fixtures/version-1.heat'), fileOf(fixtureWindows));

test('the recording of version 1 is read, and written in the same way', () => {
  const path = join(__dirname, 'fixtures/version-1.heat');
  const stored = readFileSync(path);
  expect(fileOf(fixtureWindows).toString('hex')).toBe(stored.toString('hex'));
  const { log, warning, wholeBytes } = readRecordingBytes(stored, path);
  expect([warning, wholeBytes]).toEqual([undefined, stored.length]);
  expect(plain(log)).toEqual(
    plain({
      windowMs: 60_000,
      tables: [
        { table: 'größe', windows: [fixtureWindows[1].window] },
        { table: 'readings', windows: [fixtureWindows[0].window] },
      ],
    }),
  );
});

test('FORMAT.md describes the fixture', () => {
  const stored = readFileSync(join(__dirname, 'fixtures/version-1.heat'));
  expect(stored.subarray(0, 16)).toEqual(
    Buffer.concat([Buffer.from('RSM-HEAT'), Buffer.from([1, 0, 0, 0, 0x60, 0xea, 0, 0])]),
  );
  const length = stored.readUInt32LE(16);
  const window = stored.subarray(24, 24 + length);
  expect(stored.readUInt32LE(20)).toBe(crc32(window));
  expect(window.subarray(0, 9).toString()).toBe('\x08readings');
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
});

const key = fc.uint8Array({ minLength: 1, maxLength: 12 });
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const window = fc.record({
  start: fc.nat({ max: 40_000_000 }).map((minute) => minute * 60_000),
  reads: count,
  writes: count,
  bytes: count,
  samples: fc.array(
    fc.record({ key, kind: fc.constantFrom('read', 'write', 'scan'), bytes: count }),
    { maxLength: 40 },
  ),
  top: fc.array(fc.record({ key, count, error: count }), { maxLength: 5 }),
  largest: fc.option(fc.record({ key, bytes: count }), { nil: undefined }),
});
const tableWindow = fc.record({ table: fc.string({ unit: anyCharacter }), window });

test('any window is read as it was written', () => {
  fc.assert(
    fc.property(tableWindow, (each) => {
      expect(plain(decodeWindow(encodeWindow(each, 60_000), 60_000))).toEqual(plain(each));
    }),
  );
});

test('a recording that is cut off at any byte is read up to there', () => {
  const whole = fileOf(fixtureWindows);
  const first = 24 + whole.readUInt32LE(16);
  for (let end = 16; end < whole.length; end++) {
    const { log, warning, wholeBytes } = readRecordingBytes(whole.subarray(0, end), 'access.heat');
    expect(log.tables).toHaveLength(end < first ? 0 : 1);
    expect(wholeBytes).toBe(end < first ? 16 : first);
    if (end === 16 || end === first) expect(warning).toBeUndefined();
    else
      expect(warning).toBe(
        `access.heat: the recording is cut off at byte ${wholeBytes}; ` +
          `the last ${end - wholeBytes} bytes were not read`,
      );
  }
});

test('damage is noticed wherever it is', () => {
  const whole = fileOf(fixtureWindows);
  for (let at = 16; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] ^= 0x41;
    const { warning } = readRecordingBytes(damaged, 'access.heat');
    expect(warning).toMatch(/damaged|cut off/);
  }
});

test('windows that no recorder writes are damaged, whatever their checksum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (random) => {
      try {
        decodeWindow(random, 60_000);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBytes);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each<[what: string, bytes: Uint8Array, code: string, problem: string]>([
  ['another file', bytes('{"a": 1}\n{"a": 2}'), 'FILE_FAILED', 'it is not a recording'],
  ['an empty file', bytes(''), 'FILE_FAILED', 'it is empty'],
  ['a file cut after three bytes', bytes('RSM'), 'FILE_FAILED', 'cut off or damaged in its header'],
  [
    'a newer version',
    newer(),
    'FORMAT_TOO_NEW',
    'format version 2, and this version reads up to 1',
  ],
  ['half a header', headerOf(60_000).subarray(0, 10), 'FILE_FAILED', 'damaged in its header'],
  ['a header without a window', headerOf(0), 'FILE_FAILED', 'damaged in its header'],
])('%s is an error with the next step', (_what, content, code, problem) => {
  let error: unknown;
  try {
    readRecordingBytes(content, 'some.file');
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject({
    code,
    details: {
      file: 'some.file',
      problem: expect.stringContaining(problem),
      fix: expect.any(String),
    },
  });
});

function newer(): Uint8Array {
  const header = headerOf(60_000);
  header[8] = 2;
  return header;
}

describe('long recordings', () => {
  const samples = Array.from({ length: 300 }, (_, n) => ({
    key: bytes(String(n).padStart(4, '0')),
    kind: 'read' as const,
    bytes: 1,
  }));
  const recorded = (minutes: number): AccessLog => {
    const windows = Array.from({ length: minutes }, (_, n) => ({
      table: 't',
      window: { start: n * 60_000, reads: 300, writes: 0, bytes: 300, samples, top: [] },
    }));
    return readRecordingBytes(fileOf(windows), 'week.heat').log;
  };

  test('are thinned evenly, and their windows can be judged', () => {
    const { tables, windowMs } = recorded(2500);
    expect(windowMs).toBe(60_000);
    expect(tables[0].windows).toHaveLength(2500);
    // Findings need 200.
    expect(tables[0].windows[7].samples).toHaveLength(250);
    expect(plain(tables[0].windows[7].samples.slice(0, 2))).toEqual(
      plain([samples[0], samples[1]]),
    );
  });

  test('of a week have longer windows, so that memory is bounded', () => {
    const { tables, windowMs } = recorded(10_080);
    expect(windowMs).toBe(180_000);
    const [{ windows }] = tables;
    expect(windows).toHaveLength(3360);
    expect(windows[9]).toMatchObject({ start: 9 * 180_000, reads: 900, bytes: 900 });
    expect(windows[9].samples).toHaveLength(250);
  });
});

describe('parts of windows', () => {
  const part = (minute: number, device: string, operations: number, sampled = operations) => ({
    table: 't',
    window: {
      start: minute * 60_000,
      reads: operations,
      writes: 0,
      bytes: operations,
      samples: Array.from({ length: sampled }, () => ({
        key: bytes(device),
        kind: 'read' as const,
        bytes: 1,
      })),
      top: [{ key: bytes(device), count: operations, error: 1 }],
    },
  });
  const read = (...parts: (typeof fixtureWindows)[number][]) =>
    readRecordingBytes(fileOf(parts), 'parts.heat').log.tables[0].windows;

  test('add up, also their busiest rows', () => {
    const [window] = read(part(1, 'a', 30), part(1, 'b', 20), part(1, 'a', 10));
    expect(window).toMatchObject({ reads: 60, bytes: 60 });
    expect(plain(window.top)).toEqual(
      plain([
        { key: bytes('a'), count: 40, error: 2 },
        { key: bytes('b'), count: 20, error: 1 },
      ]),
    );
  });

  test('samples of all parts stand for as many operations', () => {
    const [{ samples }] = read(part(1, 'a', 1000, 1000), part(1, 'b', 3000, 100));
    const count = (device: string): number =>
      samples.filter(({ key }) => Buffer.from(key).toString() === device).length;
    expect([count('a'), count('b')]).toEqual([33, 100]);
  });

  test('a clock that was set back, or a second process, writes them out of order', () => {
    const windows = read(part(5, 'a', 1), part(6, 'a', 2), part(4, 'a', 3), part(5, 'b', 4));
    expect(windows.map(({ start, reads }) => [start / 60_000, reads])).toEqual([
      [4, 3],
      [5, 5],
      [6, 2],
    ]);
  });
});
