/** Closing waits for the writes that have begun, and for no others. */
import { PendingWrites } from '../../../src/entities/derived/write/pending-writes.js';
import type { SendWrite, WriteRequest } from '../../../src/data/store/index.js';

const request: WriteRequest = {
  kind: 'mutateRow',
  table: 't',
  row: { key: new Uint8Array([1]), mutations: [] },
};

test('nothing is waited for once the writes have ended, however they end', async () => {
  const writes = new PendingWrites('memory:');
  await writes.write(request, (() => Promise.resolve()) as SendWrite);
  const fails = (() => Promise.reject(new Error('no'))) as SendWrite;
  await expect(writes.write(request, fails)).rejects.toThrow('no');
  expect(writes.stop()).toBeUndefined();
});

test('a write that has begun is waited for, and later ones are refused', async () => {
  const writes = new PendingWrites('memory:');
  let end = (): void => undefined;
  const running = writes.write(
    request,
    (() => new Promise<void>((done) => (end = done))) as SendWrite,
  );
  const stopped = writes.stop();
  expect(stopped).toBeDefined();
  await expect(writes.write(request, (() => Promise.resolve()) as SendWrite)).rejects.toMatchObject(
    { code: 'DATABASE_CLOSED' },
  );
  end();
  await running;
  await stopped;
});
