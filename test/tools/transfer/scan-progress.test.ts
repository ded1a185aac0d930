/** Compares the estimated progress of a scan with the true one. */
import { column, defineEntity, open, rowKey } from '../../../src/index.js';
import { type Engine, everyKey, type KeyRange, prefixRange } from '../../../src/storage.js';
import { ScanProgress } from '../../../src/tools/transfer/scan-progress.js';
import { openOverOurServer } from '../../engines/bigtable/live-backends.js';
import fc from '../../support/fast-check.js';

// Tests are slow on a busy machine.

const Row = defineEntity(
  class Row {
    id = 0;
    text?: string;
  },
  {
    table: 'rows',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: { kind: 'uint', width: 6 } },
    columns: { text: column('m', 'string') },
  },
);
const key = (id: number): Buffer => Buffer.from(String(id).padStart(6, '0'));
const bytes = 2_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The progress of a scan that has sampled the table. */
async function sampled(
  engine: Engine,
  ranges: readonly KeyRange[] = [everyKey],
  first = key(0),
  resumed = false,
): Promise<ScanProgress> {
  let samples: Promise<unknown> | undefined;
  const watched = {
    sampleRowKeys: (table: string) => (samples = engine.sampleRowKeys(table)),
  } as Engine;
  const progress = new ScanProgress(watched, 'rows', ranges, { resumed, waitMs: 0 });
  expect(progress.fractionAt(first, 0)).toBeUndefined();
  await samples;
  await new Promise((resolve) => void setImmediate(resolve));
  return progress;
}

const storage = (samples: readonly (readonly [key: string, offset: number])[]): Engine =>
  ({
    sampleRowKeys: async () =>
      samples.map(([each, offsetBytes]) => ({ key: Buffer.from(each), offsetBytes })),
  }) as unknown as Engine;

test.each(['embedded', 'live'])('is close to the truth and never decreases: %s', async (kind) => {
  const rows = 3_000;
  const db = await open('memory:', { entities: [Row] });
  await db
    .repository(Row)
    .saveMany(
      Array.from({ length: rows }, (_, id) =>
        Object.assign(new Row(), { id, text: 'x'.repeat(bytes) }),
      ),
    );
  const live = kind === 'live' ? await openOverOurServer() : undefined;
  closing.push(async () => {
    await live?.close();
    await db.close();
  });
  if (live !== undefined) {
    await live.backend.createTable({ name: 'rows', families: new Map([['m', {}]]) });
    await live.backend.mutateRows(
      'rows',
      Array.from({ length: rows }, (_, id) => ({
        key: key(id),
        mutations: [
          {
            kind: 'setCell' as const,
            family: 'm',
            qualifier: Buffer.from('text'),
            timestamp: 1000,
            value: Buffer.alloc(bytes),
          },
        ],
      })),
    );
  }
  // From the start, and from the middle.
  for (const from of [0, rows / 2]) {
    const progress = await sampled(live?.engine ?? db.engine, [everyKey], key(from), from > 0);
    let before = 0;
    for (let id = from; id < rows; id += 100) {
      const fraction = progress.fractionAt(key(id), (id - from) * bytes)!;
      expect(fraction).toBeGreaterThanOrEqual(before);
      // Six sections; where in the first one a resumed scan started is unknown.
      expect(Math.abs(fraction - id / rows)).toBeLessThan(from > 0 ? 0.2 : 0.1);
      before = fraction;
    }
    expect(progress.fractionAt(key(rows), 100 * rows * bytes)).toBeLessThan(1);
  }
});

test('the ratio of storage bytes to bytes read is learned from completed sections', async () => {
  // Storage counts ten times the bytes that the scan reads.
  const progress = await sampled(
    storage([
      ['000100', 2_000_000],
      ['000200', 4_000_000],
      ['', 6_000_000],
    ]),
  );
  progress.fractionAt(key(100), 100 * bytes);
  expect(progress.fractionAt(key(150), 150 * bytes)).toBeCloseTo(0.5);
});

test('of a shared table only the sections that the scan reads are counted', async () => {
  const progress = await sampled(
    storage([
      ['a', 1_000],
      ['b', 2_000],
      ['c', 3_000],
      ['', 9_000],
    ]),
    [prefixRange(Buffer.from('b'))],
    Buffer.from('b'),
  );
  expect(progress.fractionAt(Buffer.from('bm'), 500)).toBeCloseTo(0.5);
});

test('property: for any samples, it is undefined or a fraction that never decreases', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(99), fc.nat(5_000))),
      fc.nat(9_000),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(99), fc.nat(5_000)), { minLength: 1 }),
      async (samples, last, resumed, steps) => {
        const sorted = <T extends readonly number[]>(list: readonly T[]): T[] =>
          [...list].sort((a, b) => a[0] - b[0]);
        const progress = await sampled(
          storage([
            ...sorted(samples).map(([at, offset]) => [String(key(at)), offset] as const),
            ['', last],
          ]),
          [everyKey],
          key(0),
          resumed,
        );
        let before = 0;
        let read = 0;
        for (const [at, more] of sorted(steps)) {
          const fraction = progress.fractionAt(key(at), (read += more)) ?? before;
          expect(fraction).toBeGreaterThanOrEqual(before);
          expect(fraction).toBeLessThan(1);
          before = fraction;
        }
      },
    ),
  );
});

test('is undefined without samples, and does not sample in the first second', async () => {
  for (const samples of [
    [],
    [['', 0]],
    [
      ['a', 0],
      ['', 0],
    ],
  ] as const)
    expect((await sampled(storage(samples))).fractionAt(key(5), 100)).toBeUndefined();
  const failing = new ScanProgress(
    { sampleRowKeys: () => Promise.reject(new Error('no')) } as unknown as Engine,
    'rows',
    [everyKey],
    { waitMs: 0 },
  );
  expect(failing.fractionAt(key(1), 1)).toBeUndefined();
  await new Promise((resolve) => void setImmediate(resolve));
  expect(failing.fractionAt(key(1), 1)).toBeUndefined();
  const waiting = new ScanProgress(
    {
      sampleRowKeys: () => {
        throw new Error('sampled');
      },
    } as unknown as Engine,
    'rows',
    [everyKey],
  );
  expect(waiting.fractionAt(key(1), 1)).toBeUndefined();
});
