/** close() of a live database: it waits for writes, and reports what cannot be known. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { everyKey, RowsmithError } from '../../../src/base/index.js';
import { startServer } from '../../../src/server/index.js';
import { collectRows, type Engine, type Mutation } from '../../../src/data/store/index.js';
import { set, utf8 } from '../conformance.js';
import { liveUrl } from './live-backends.js';

const instance = 'projects/p/instances/instance-1';
const put = (engine: Engine, key: string, ...mutations: Mutation[]): Promise<void> =>
  engine.mutateRow('t', { key: utf8(key), mutations });
const codes = async (writes: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map((result) => {
    if (result.status === 'fulfilled') return 'written';
    return result.reason instanceof RowsmithError ? result.reason.code : String(result.reason);
  });

/** Our server over an engine with writes that take `delayMs`; -1 never ends. */
async function openSlow(delayMs: number, totalTimeoutMs = 60_000) {
  const stored = await openMemoryEngine({});
  await stored.createTable({ name: 't', families: new Map([['a', {}]]) });
  const pause = async (): Promise<void> => {
    if (delayMs < 0) await new Promise(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  };
  const slow = new Proxy(stored, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (!/^(mutateRow|mutateRows|checkAndMutateRow|readModifyWriteRow)$/.test(String(name)))
        return method;
      return async (...args: unknown[]) => {
        const result = await method(...args);
        await pause();
        return result;
      };
    },
  });
  const server = await startServer(slow, { instance });
  const engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, totalTimeoutMs });
  const rows = () =>
    collectRows(stored.readRows({ table: 't', ranges: [everyKey], reversed: false }));
  const stop = async (): Promise<void> => {
    await engine.close();
    await server.close({ graceMs: 100 });
    await stored.close();
  };
  return { engine, rows, stop };
}

test('50 writes that were begun before close() are written and acknowledged', async () => {
  const { engine, rows, stop } = await openSlow(50);
  const writes = Array.from({ length: 50 }, (_, i) => put(engine, `k${i}`, set('a', 'q', 'v')));
  await new Promise((resolve) => setTimeout(resolve, 1));
  const closing = engine.close();
  await expect(put(engine, 'late', set('a', 'q', 'v'))).rejects.toMatchObject({
    code: 'DATABASE_CLOSED',
  });
  await closing;
  expect(await codes(writes)).toEqual(writes.map(() => 'written'));
  expect(await rows()).toHaveLength(50);
  await stop();
});

test('every kind of write is waited for', async () => {
  const { engine, stop } = await openSlow(50);
  const key = utf8('k');
  const mutations = [set('a', 'q', 'v')];
  const writes: Promise<unknown>[] = [
    engine.mutateRow('t', { key, mutations }),
    engine.mutateRows('t', [{ key, mutations }]),
    engine.checkAndMutateRow('t', { key, onTrue: mutations, onFalse: mutations }),
    engine.readModifyWriteRow('t', key, [
      { kind: 'append', family: 'a', qualifier: utf8('n'), value: utf8('x') },
    ]),
  ];
  await engine.close();
  expect(await codes(writes)).toEqual(writes.map(() => 'written'));
  await stop();
});

test('a read ends with DATABASE_CLOSED', async () => {
  const { engine, stop } = await openSlow(0);
  for (let i = 0; i < 100; i++) await put(engine, `k${i}`, set('a', 'q', 'v'.repeat(100_000)));
  const stream = engine.readRows(
    { table: 't', ranges: [everyKey], reversed: false },
    { pageRows: 1 },
  );
  await stream.next();
  await engine.close();
  const readOn = async (): Promise<void> => {
    while ((await stream.next()) !== undefined);
  };
  await expect(readOn()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  await stop();
});

test('a write without a response is reported as unknown after the total timeout', async () => {
  const { engine, rows, stop } = await openSlow(-1, 300);
  const write = put(engine, 'k', set('a', 'q', 'v'));
  const append = engine.readModifyWriteRow('t', utf8('k'), [
    { kind: 'append', family: 'a', qualifier: utf8('n'), value: utf8('x') },
  ]);
  await engine.close();
  expect(await codes([write, append])).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  expect(await rows()).toHaveLength(1);
  await stop();
});
