/** Merges remove what garbage collection rules collect, without a sweep. */
import { everyKey } from '../../../src/base/index.js';
import { collectRows, type GcMode } from '../../../src/data/store/index.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import { memoryStore, type TableStore } from '../../../src/engines/local/kv/store/table-store.js';
import { tableRowSpan } from '../../../src/engines/local/kv/store-key.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { utf8 } from '../conformance.js';

/** Each commit fills a buffer, and two tables are merged. */
const limits = { ...defaultLimits, buffer: 1, newest: 2, level: 20_000, table: 10_000 };
const hour = 3_600_000;

function storedPairs(store: TableStore): number {
  const { start, end } = tableRowSpan(1);
  const cursor = store.scan(start, end, false);
  let pairs = 0;
  while (cursor.next()) pairs++;
  return pairs;
}

async function pairsAfterAnHour(gc: GcMode): Promise<readonly [stored: number, read: number]> {
  let now = 1_700_000_000_000;
  const store = memoryStore(limits);
  const engine = new LocalEngine('memory:', store, { clock: () => now, gc });
  const rule = { kind: 'maxAge', micros: hour * 1000 } as const;
  await engine.createTable({ name: 't', families: new Map([['f', { gc: rule }]]) });
  const write = async (name: string, rows: number): Promise<void> => {
    for (let i = 0; i < rows; i++)
      await engine.mutateRow('t', {
        key: utf8(`${100 + i} ${name}`),
        mutations: [
          {
            kind: 'setCell',
            family: 'f',
            qualifier: utf8('q'),
            timestamp: BigInt(now) * 1000n,
            value: utf8('v'.repeat(300)),
          },
        ],
      });
  };
  await write('old', 60);
  now += 2 * hour;
  // Later rows between them, so that tables of both are merged.
  await write('new', 60);
  await write('newer', 60);
  await store.compact();
  const rows = await collectRows(
    engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
  );
  const stored = storedPairs(store);
  await engine.close();
  return [stored, rows.length];
}

test('expired rows are removed where they are hidden', async () => {
  const [stored, read] = await pairsAfterAnHour('onRead');
  expect(read).toBe(120);
  expect(stored).toBe(120);
});

test('they remain where they are collected by calls only', async () => {
  await expect(pairsAfterAnHour('manual')).resolves.toEqual([180, 180]);
});
