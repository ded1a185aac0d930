/**
 * Reads are spread over turns of the event loop, so that responses leave while other reads begin.
 */
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { Turns } from '../../src/server/data/turns.js';
import { startServer } from '../../src/server/index.js';
import { createTestTable, instance, RawClient, tableName } from './raw-client.js';

const turn = () => new Promise((resolve) => void setImmediate(resolve));

test('four reads begin in each turn, in the order of their arrival', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  const arrive = async (n: number): Promise<void> => {
    await turns.next();
    begun.push(n);
  };
  for (let n = 0; n < 10; n++) void arrive(n);
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2, 3]);
  await turn();
  // A read that arrives while other reads wait begins after them.
  void arrive(10);
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await turn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await turn();
  expect(turns.next()).toBeUndefined();
});

test('the first responses leave before the last of many reads begin', async () => {
  const engine = await openMemoryEngine();
  let begun = 0;
  const counting = new Proxy(engine, {
    get: (_target, name) => {
      if (name === 'readRows') begun++;
      const member = engine[name as keyof typeof engine];
      return typeof member === 'function' ? (member as () => unknown).bind(engine) : member;
    },
  });
  await using server = await startServer(counting, { instance });
  const client = new RawClient(server.address);
  await createTestTable(client);
  const begunWhenAnswered: number[] = [];
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { code } = await client.call('data', 'ReadRows', { tableName });
      expect(code).toBe(0);
      begunWhenAnswered.push(begun);
    }),
  );
  expect(begunWhenAnswered[0]).toBeLessThan(200);
  expect(begun).toBe(200);
  client.close();
});
