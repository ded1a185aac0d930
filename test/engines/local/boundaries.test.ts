/** The first and the last of what the embedded engine takes. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';

let engine: Engine;
beforeEach(async () => {
  engine = await openMemoryEngine();
  const families = new Map([['a', {}]]);
  await engine.createTable({ name: 't', families, granularity: 'micros' } as never);
});
afterEach(() => engine.close());

const write = (timestamp: bigint): Promise<void> =>
  engine.mutateRow('t', {
    key: utf8('k'),
    mutations: [{ ...set('a', 'q', 'v'), timestamp } as never],
  });

test('a timestamp is an int64 that is not negative', async () => {
  const last = 2n ** 63n - 1n;
  await write(0n);
  await write(last);
  expect(await read(engine)).toEqual([`k{a:q@${last}=v a:q@0=v}`]);
  await rejects(write(last + 1n), 'INVALID_ARGUMENT');
  await rejects(write(-2n), 'INVALID_ARGUMENT');
});

test('a token of a write has at least eight bytes', async () => {
  const row = (token: string) => ({
    ...{ key: utf8('k'), mutations: [set('a', 'q', 'v')] },
    token: utf8(token),
  });
  await rejects(engine.mutateRow('t', row('1234567')), 'INVALID_ARGUMENT');
  await engine.mutateRow('t', row('12345678'));
  expect(await read(engine)).toHaveLength(1);
});
