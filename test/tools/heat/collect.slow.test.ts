/** Sampling: every operation has the same chance, and memory does not grow. */
import {
  AccessCollector,
  type AccessWindow,
  collectAccess,
} from '../../../src/tools/heat/index.js';
import { SpaceSaving } from '../../../src/tools/heat/collect/space-saving.js';
import { randomOf } from './support/random.js';

const keyOf = (n: number): Uint8Array => Buffer.from(String(n).padStart(8, '0'));

function* operations(count: number, at = () => 0, table = 't') {
  for (let n = 0; n < count; n++)
    yield { table, kind: 'write', key: keyOf(n), bytes: 10, at: at() } as const;
}

describe('the law of the sample', () => {
  test('few operations are all kept, in order, with exact counts', () => {
    const [{ windows }] = collectAccess(operations(1000)).tables;
    expect(windows).toHaveLength(1);
    expect(windows[0]).toMatchObject({ reads: 0, writes: 1000, bytes: 10_000 });
    expect(windows[0].samples.map(({ key }) => Number(Buffer.from(key)))).toEqual(
      Array.from({ length: 1000 }, (_, n) => n),
    );
  });

  // 200 windows of 5,000 operations. Each keeps some 130 to 256 operations.
  test.each([1, 0.25])('each operation is kept equally often (sample %d)', (sample) => {
    const counts = new Array<number>(20).fill(0);
    let [kept, counted] = [0, 0];
    for (let run = 0; run < 200; run++) {
      const random = randomOf(`law ${run} ${sample}`);
      const [{ windows }] = collectAccess(operations(5000), {
        random,
        sample,
        maxSamples: 256,
      }).tables;
      for (const { key } of windows[0].samples)
        counts[Math.floor(Number(Buffer.from(key)) / 250)]++;
      kept += windows[0].samples.length;
      counted += windows[0].writes;
    }
    const mean = kept / counts.length;
    const chiSquare = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
    // 19 degrees of freedom: exceeded once in 100,000 attempts.
    expect(chiSquare).toBeLessThan(59);
    expect(kept / 200).toBeGreaterThan(100);
    expect(kept / 200).toBeLessThan(256);
    expect(Math.abs(counted / 200 / 5000 - 1)).toBeLessThan(0.03);
  });

  test('shares of reads and writes are those of the operations', () => {
    const mixed = function* () {
      for (let n = 0; n < 100_000; n++)
        yield {
          table: 't',
          kind: n % 4 === 0 ? 'write' : 'read',
          key: keyOf(n),
          bytes: n % 2,
          at: 0,
        } as const;
    };
    const random = randomOf('mixed');
    const [{ windows }] = collectAccess(mixed(), { random }).tables;
    const [{ reads, writes, bytes }] = windows;
    expect(Math.abs(writes / 25_000 - 1)).toBeLessThan(0.1);
    expect(Math.abs(reads / 75_000 - 1)).toBeLessThan(0.1);
    expect(Math.abs(bytes / 50_000 - 1)).toBeLessThan(0.1);
  });

  test('a clock that jumps forward and back begins new windows', () => {
    const day = 86_400_000;
    const log = collectAccess(
      (function* () {
        for (const at of [day, 400 * day, day + 60_000, day + 120_000])
          yield* operations(10, () => at);
      })(),
    );
    expect(log.tables[0].windows.map(({ start, writes }) => [start, writes])).toEqual([
      [day, 10],
      [400 * day, 10],
      [day + 60_000, 10],
      [day + 120_000, 10],
    ]);
  });

  test('a window after a busy one begins with its first operations', () => {
    const log = collectAccess(
      (function* () {
        yield* operations(100_000, () => 0);
        yield* operations(50, () => 60_000);
      })(),
    );
    expect(log.tables[0].windows[1].samples).toHaveLength(50);
  });

  test('an operation that was chosen before the sample was thinned is thinned as well', () => {
    const random = randomOf('late');
    let late = 0;
    for (let run = 0; run < 400; run++) {
      let window: AccessWindow | undefined;
      const collector = new AccessCollector({ random, maxSamples: 64 }, (_, each) => {
        window = each;
      });
      const taken = (n: number) => ({
        table: 't',
        kind: 'read' as const,
        keyBytes: keyOf(n),
        keyStart: 0,
        keyEnd: 8,
        bytes: 1,
        at: 0,
      });
      // Chosen with certainty, as a slow read that began first, and added last.
      const slow = collector.take('t');
      for (let n = 1; n < 400; n++) {
        const probability = collector.take('t');
        if (probability > 0) collector.add({ ...taken(n), probability });
      }
      const share = collector.probability('t');
      expect(share).toBeLessThan(0.5);
      collector.add({ ...taken(0), probability: slow });
      collector.end();
      if (window!.samples.some(({ key }) => Number(Buffer.from(key)) === 0)) late += 1 / share;
    }
    expect(late / 400).toBeGreaterThan(0.7);
    expect(late / 400).toBeLessThan(1.3);
  });
});

describe('windows', () => {
  test('operations of a clock that was set back are added to the current window', () => {
    const times = [120_000, 60_000, 119_999, 120_001, 180_000];
    const [{ windows }] = collectAccess(
      times.map((at) => ({ table: 't', kind: 'read', key: keyOf(at), bytes: 0, at }) as const),
    ).tables;
    expect(windows.map(({ start, reads }) => [start, reads])).toEqual([
      [120_000, 4],
      [180_000, 1],
    ]);
  });

  test('tables have windows of their own', () => {
    const log = collectAccess([...operations(3, () => 0, 'b'), ...operations(2, () => 0, 'a')]);
    expect(log.tables.map(({ table, windows }) => [table, windows[0].writes])).toEqual([
      ['a', 2],
      ['b', 3],
    ]);
  });

  test('more tables than allowed are not collected, until others are no longer used', () => {
    const found: string[] = [];
    const collector = new AccessCollector({ maxTables: 2 }, (table) => found.push(table));
    const add = (table: string, at: number): void => {
      collector.endWindows(at);
      const probability = collector.take(table);
      if (probability === 0) return;
      const key = { keyBytes: keyOf(1), keyStart: 0, keyEnd: 8 };
      collector.add({ table, kind: 'read', ...key, bytes: 0, at, probability });
    };
    for (const table of ['a', 'b', 'c', 'c']) add(table, 0);
    add('c', 60_000);
    collector.end();
    expect(found).toEqual(['a', 'b', 'c']);
  });
});

describe('the busiest keys', () => {
  test('counts are at most too great by their error, and frequent keys are never missed', () => {
    const random = randomOf('zipf keys');
    const top = new SpaceSaving(64);
    const counts = new Map<number, number>();
    for (let n = 0; n < 50_000; n++) {
      const key = Math.floor(1 / random());
      counts.set(key, (counts.get(key) ?? 0) + 1);
      top.add(keyOf(key), 1);
    }
    const found = new Map(
      top.top(64).map(({ key, count, error }) => [Number(Buffer.from(key)), { count, error }]),
    );
    for (const [key, { count, error }] of found) {
      expect(count).toBeGreaterThanOrEqual(counts.get(key)!);
      expect(count - error).toBeLessThanOrEqual(counts.get(key)!);
    }
    const frequent = [...counts].filter(([, count]) => count > 50_000 / 64);
    expect(frequent.length).toBeGreaterThan(3);
    for (const [key] of frequent) expect([...found.keys()]).toContain(key);
    expect(found.keys().next().value).toBe(1);
  });
});

test('1,000,000 operations on different keys take constant memory', () => {
  const collector = new AccessCollector({}, (_table, { samples, top }) => {
    sizes.push(samples.length, top.length);
  });
  const sizes: number[] = [];
  const key = Buffer.alloc(100, 'k');
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  let before = 0;
  for (let n = 0; n < 1_000_000; n++) {
    if (n === 10_000) before = heap();
    const probability = collector.take('t');
    if (probability === 0) continue;
    key.write(String(n).padStart(8, '0'));
    const place = { keyBytes: key, keyStart: 0, keyEnd: 100 };
    collector.add({ table: 't', kind: 'write', ...place, bytes: 1, at: 0, probability });
  }
  // Without a forced collection garbage is counted too: some 20,000 samples of 200 bytes.
  expect(heap() - before).toBeLessThan(16 * 2 ** 20);
  collector.end();
  expect(sizes[0]).toBeLessThan(2048);
  expect(sizes[1]).toBeLessThanOrEqual(16);
});
