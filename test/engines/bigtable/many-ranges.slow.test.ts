/** Reads of more ranges than one request may have: several requests, which read as one. */
import { status } from '@grpc/grpc-js';
import { type KeyRange, prefixRange, rangeContains, toHex } from '../../../src/base/index.js';
import { collectRows, type Row } from '../../../src/data/store/index.js';
import { messagesOf } from '../protocol/chunk-messages.js';
import {
  type ReadCall,
  type ReadServer,
  readsOf,
  type ReadsUnderTest,
  StatusError,
  startReadServer,
} from './read-server.js';

const prefixOf = (i: number): Uint8Array =>
  new Uint8Array(Buffer.from(`${String(i).padStart(6, '0')}${'x'.repeat(400)}#`));
/** 3,000 ranges of some 830 bytes: 2.5 MB, which is six requests. */
const ranges: KeyRange[] = Array.from({ length: 3000 }, (_, i) => prefixRange(prefixOf(i)));
/** A row in every third range, and one in none. */
const rows: Row[] = [...ranges.keys()]
  .filter((i) => i % 3 === 0)
  .concat(5000)
  .map((i) => ({
    key: new Uint8Array([...prefixOf(i), 0x31]),
    cells: [{ family: 'f', qualifier: new Uint8Array([1]), timestamp: 1000n, value: prefixOf(i) }],
  }));

/** Answers as Bigtable does: the rows in the ranges, in order, up to the limit. */
async function answer(call: ReadCall, failAfter = Infinity): Promise<void> {
  const { ranges: asked, limit, reversed } = call.plan;
  const found = rows.filter(({ key }) => asked.some((range) => rangeContains(range, key)));
  if (reversed) found.reverse();
  const sent = found.slice(0, Math.min(limit ?? Infinity, failAfter));
  for (const message of messagesOf(sent)) await call.send(message);
  if (failAfter < found.length) throw new StatusError(status.UNAVAILABLE);
}

let server: ReadServer;
let under: ReadsUnderTest;
const serve = async (respond: (call: ReadCall) => Promise<void>): Promise<void> => {
  server = await startReadServer(respond);
  under = await readsOf(server.address);
};
afterEach(async () => {
  await under.close();
  await server.close();
});
const keysOf = (list: readonly Row[]): string[] =>
  list.map(({ key }) => Buffer.from(key).toString('latin1', 0, 6));
const expected = keysOf(rows.slice(0, -1));

test.each([false, true])(
  'all rows in order, each request within the limit (reversed: %s)',
  async (reversed) => {
    await serve(answer);
    const found = await collectRows(under.reads.open({ table: 't', ranges, reversed }));
    expect(keysOf(found)).toEqual(reversed ? [...expected].reverse() : expected);
    expect(server.calls).toHaveLength(6);
    for (const { plan } of server.calls) {
      const bytes = plan.ranges.reduce(
        (sum, { start, end }) => sum + start.length + end!.length,
        0,
      );
      expect(bytes).toBeLessThan(480 * 1024);
    }
    const asked = server.calls.flatMap(({ plan }) => plan.ranges.map(({ start }) => toHex(start)));
    expect(asked.sort().join(' ')).toBe(ranges.map(({ start }) => toHex(start)).join(' '));
  },
);

test.each([1, 200, 201, 600, 1000])('a limit of %i rows holds over all requests', async (limit) => {
  await serve(answer);
  const found = await collectRows(under.reads.open({ table: 't', ranges, reversed: false, limit }));
  expect(keysOf(found)).toEqual(expected.slice(0, limit));
  expect(server.calls.map(({ plan }) => plan.limit!).every((left) => left <= limit)).toBe(true);
});

test('a request that fails in the middle is resumed, then the next follows', async () => {
  await serve((call) => answer(call, call.index === 1 ? 50 : Infinity));
  const found = await collectRows(under.reads.open({ table: 't', ranges, reversed: false }));
  expect(keysOf(found)).toEqual(expected);
  expect(server.calls.map(({ headers }) => headers.get('bigtable-attempt')[0])).toEqual([
    '0',
    '0',
    '1',
    '0',
    '0',
    '0',
    '0',
  ]);
});
