/** One signal for many concurrent calls: Node warns of a leak at more than ten listeners. */
import { getEventListeners } from 'node:events';
import { pointRange } from '../../../src/base/index.js';
import { collectRows } from '../../../src/data/store/index.js';
import { openOverOurServer, type LiveUnderTest } from './live-backends.js';

const key = (n: number): Uint8Array => Buffer.from(`k${n}`);
let under: LiveUnderTest;
beforeAll(async () => {
  under = await openOverOurServer();
  await under.engine.createTable({ name: 't', families: new Map([['a', {}]]) });
});
afterAll(() => under.close());

test('forty reads and bulk writes with one signal cause no warning, and leave no listener', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const { signal } = new AbortController();
  const each = Array.from({ length: 40 }, (_, n) => n);
  await Promise.all(
    each.map((n) =>
      under.engine.mutateRows(
        't',
        [
          {
            key: key(n),
            mutations: [
              { kind: 'setCell', family: 'a', qualifier: key(n), timestamp: 1000, value: key(n) },
            ],
          },
        ],
        { signal },
      ),
    ),
  );
  // Batched gets, and scans, which are one call each.
  const gets = each.map((n) =>
    collectRows(
      under.engine.readRows(
        { table: 't', ranges: [pointRange(key(n))], reversed: false },
        { signal },
      ),
    ),
  );
  const scans = each.map((n) =>
    collectRows(
      under.engine.readRows(
        { table: 't', ranges: [pointRange(key(n))], reversed: false, limit: 1 },
        { signal },
      ),
    ),
  );
  const reads = Promise.all([...gets, ...scans]);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(getEventListeners(signal, 'abort').length).toBeLessThan(5);
  expect((await reads).map((rows) => rows.length)).toEqual(each.concat(each).map(() => 1));
  // Warnings are emitted in a later turn.
  await new Promise((resolve) => void setImmediate(resolve));
  process.removeListener('warning', onWarning);
  expect(warnings.map(String)).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('aborting it rejects all of them with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const gets = Array.from({ length: 40 }, (_, n) =>
    collectRows(
      under.engine.readRows(
        { table: 't', ranges: [pointRange(key(n))], reversed: false },
        { signal: controller.signal },
      ),
    ),
  );
  controller.abort(reason);
  for (const get of await Promise.allSettled(gets))
    expect(get).toEqual({ status: 'rejected', reason });
});
