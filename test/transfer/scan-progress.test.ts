/** The estimate of how far a scan is, against what is known to be true. */
import { column, defineEntity, open, rowKey } from '../../src/index.js';
import { type Engine, everyKey, type KeyRange, prefixRange } from '../../src/storage.js';
import { ScanShare } from '../../src/transfer/scan-progress.js';
import { openOverOurServer } from '../engines/bigtable/live-backends.js';
import fc from '../support/fast-check.js';

// A busy machine is no fault.
jest.setTimeout(60_000);

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

/** A share whose samples are there. */
async function sampled(
  engine: Engine,
  ranges: readonly KeyRange[] = [everyKey],
  first = key(0),
  resumed = false,
): Promise<ScanShare> {
  let asked: Promise<unknown> | undefined;
  const watched = {
    sampleRowKeys: (table: string) => (asked = engine.sampleRowKeys(table)),
  } as Engine;
  const share = new ScanShare(watched, 'rows', ranges, { resumed, waitMs: 0 });
  expect(share.after(first, 0)).toBeUndefined();
  await asked;
  await new Promise((resolve) => void setImmediate(resolve));
  return share;
}

const storage = (samples: readonly (readonly [key: string, offset: number])[]): Engine =>
  ({
    sampleRowKeys: async () =>
      samples.map(([each, offsetBytes]) => ({ key: Buffer.from(each), offsetBytes })),
  }) as unknown as Engine;

test.each(['embedded', 'live'])('it is near the truth and only grows: %s', async (kind) => {
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
    await live.behind.createTable({ name: 'rows', families: new Map([['m', {}]]) });
    await live.behind.mutateRows(
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
  // From the start, and from the middle on.
  for (const from of [0, rows / 2]) {
    const share = await sampled(live?.engine ?? db.engine, [everyKey], key(from), from > 0);
    let before = 0;
    for (let id = from; id < rows; id += 100) {
      const said = share.after(key(id), (id - from) * bytes)!;
      expect(said).toBeGreaterThanOrEqual(before);
      // Six parts; where in the first one a scan began that goes on is not known.
      expect(Math.abs(said - id / rows)).toBeLessThan(from > 0 ? 0.2 : 0.1);
      before = said;
    }
    expect(share.after(key(rows), 100 * rows * bytes)).toBeLessThan(1);
  }
});

test('what storage counts otherwise than the scan meets it is learnt from the parts that are behind', async () => {
  // Storage counts ten times what the scan meets.
  const share = await sampled(
    storage([
      ['000100', 2_000_000],
      ['000200', 4_000_000],
      ['', 6_000_000],
    ]),
  );
  share.after(key(100), 100 * bytes);
  expect(share.after(key(150), 150 * bytes)).toBeCloseTo(0.5);
});

test('of a shared table only the parts that the scan reads count', async () => {
  const share = await sampled(
    storage([
      ['a', 1_000],
      ['b', 2_000],
      ['c', 3_000],
      ['', 9_000],
    ]),
    [prefixRange(Buffer.from('b'))],
    Buffer.from('b'),
  );
  expect(share.after(Buffer.from('bm'), 500)).toBeCloseTo(0.5);
});

test('law: whatever storage says, it is a share that only grows, or nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(99), fc.nat(5_000))),
      fc.nat(9_000),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(99), fc.nat(5_000)), { minLength: 1 }),
      async (samples, last, resumed, steps) => {
        const sorted = <T extends readonly number[]>(list: readonly T[]): T[] =>
          [...list].sort((a, b) => a[0] - b[0]);
        const share = await sampled(
          storage([
            ...sorted(samples).map(([at, offset]) => [String(key(at)), offset] as const),
            ['', last],
          ]),
          [everyKey],
          key(0),
          resumed,
        );
        let before = 0;
        let met = 0;
        for (const [at, more] of sorted(steps)) {
          const said = share.after(key(at), (met += more)) ?? before;
          expect(said).toBeGreaterThanOrEqual(before);
          expect(said).toBeLessThan(1);
          before = said;
        }
      },
    ),
  );
});

test('nothing is said where storage knows nothing, and in the first second nobody asks it', async () => {
  for (const samples of [
    [],
    [['', 0]],
    [
      ['a', 0],
      ['', 0],
    ],
  ] as const)
    expect((await sampled(storage(samples))).after(key(5), 100)).toBeUndefined();
  const failing = new ScanShare(
    { sampleRowKeys: () => Promise.reject(new Error('no')) } as unknown as Engine,
    'rows',
    [everyKey],
    { waitMs: 0 },
  );
  expect(failing.after(key(1), 1)).toBeUndefined();
  await new Promise((resolve) => void setImmediate(resolve));
  expect(failing.after(key(1), 1)).toBeUndefined();
  const unasked = new ScanShare(
    {
      sampleRowKeys: () => {
        throw new Error('asked');
      },
    } as unknown as Engine,
    'rows',
    [everyKey],
  );
  expect(unasked.after(key(1), 1)).toBeUndefined();
});
