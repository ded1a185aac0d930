/** Scans do not step over what a collection has removed, also while other calls write. */
import { memoryStore, type TableStore } from '../../../src/engines/local/kv/store/table-store.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import type { LocalEngineOptions } from '../../../src/engines/local/index.js';
import { until } from '../../support/until.js';
import { read, set, utf8 } from '../conformance.js';

const aged = new Map([['a', { gc: { kind: 'maxAge', micros: 60_000_000 } as const }]]);
const rows = 2_000;
let now = Date.UTC(2026, 0, 1);
let store: TableStore;
let engine: LocalEngine;

async function openExpired(options: LocalEngineOptions): Promise<void> {
  store = memoryStore();
  engine = new LocalEngine('memory:', store, { clock: () => now, ...options });
  await engine.createTable({ name: 't', families: aged });
  const keys = Array.from({ length: rows }, (_, at) => utf8(`k${at + 10_000}`));
  const mutations = [set('a', 'q', 'v', now * 1000)];
  await engine.mutateRows(
    't',
    keys.map((key) => ({ key, mutations })),
  );
  now += 60_001;
}

/** Pairs of rows that a scan steps over, also where they are removed. */
function steps(): number {
  let count = 0;
  for (const run of store.runs(Uint8Array.of(0, 0, 0, 1), Uint8Array.of(0x7f), false))
    while (run.next()) count++;
  return count;
}

afterEach(() => engine.close());

test('compact in memory', async () => {
  await openExpired({});
  expect(steps()).toBe(rows);
  const compacting = engine.compact();
  // Writers do not keep it from ending.
  for (let at = 0; at < 50; at++) {
    await engine.mutateRow('t', {
      key: utf8(`n${at}`),
      mutations: [set('a', 'q', 'v', now * 1000)],
    });
    await new Promise((resolve) => void setImmediate(resolve));
  }
  await compacting;
  expect(steps()).toBeLessThan(60);
  expect(await read(engine)).toHaveLength(50);
});

test('the mode lazy', async () => {
  await openExpired({ gc: 'lazy', lazy: { everyMs: 5, rows: 100_000, ageMs: 1 } });
  await until(() => steps() < rows / 100);
  expect(await read(engine)).toEqual([]);
});

test('a store that is closed meanwhile', async () => {
  await openExpired({});
  const settling = store.settle();
  await engine.close();
  await settling;
});

test('other work goes on between the pages of sampleRowKeys', async () => {
  engine = new LocalEngine('memory:', memoryStore());
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  // A page has 4,096 rows.
  const keys = Array.from({ length: 8_193 }, (_, at) => utf8(`k${at + 10_000}`));
  const mutations = [set('a', 'q', 'v', 0)];
  await engine.mutateRows(
    't',
    keys.map((key) => ({ key, mutations })),
  );
  let isSampled = false;
  const sampled = engine.sampleRowKeys('t').finally(() => (isSampled = true));
  let turns = 0;
  for (; !isSampled; turns++) await new Promise((resolve) => void setImmediate(resolve));
  await sampled;
  expect(turns).toBeGreaterThanOrEqual(3);
});
