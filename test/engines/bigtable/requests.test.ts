/** What the live engine asks for, and what it makes of unusual responses. */
import { status } from '@grpc/grpc-js';
import { everyKey, pointRange, unionRanges } from '../../../src/base/index.js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { collectRows, type Engine, type ReadPlan } from '../../../src/data/store/index.js';
import { decodePublished, encodePublished } from '../protocol/published.js';
import { utf8 } from '../conformance.js';
import { get, rowMessages, rowsOf } from './header-calls.js';
import { startHeaderServer, type HeaderServer, type Respond } from './header-server.js';
import { liveUrl } from './live-backends.js';

let server: HeaderServer;
let engine: Engine;
async function serve(respond: Respond, settings: LiveSettings = {}): Promise<void> {
  server = await startHeaderServer(respond);
  engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, ...settings });
}
afterEach(async () => {
  await engine.close();
  await server.close();
});

const read = (plan: Partial<ReadPlan>) =>
  collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false, ...plan }));
const limits = (): unknown[] =>
  server.attempts.map(({ request }) => {
    const { rowsLimit } = decodePublished('google.bigtable.v2.ReadRowsRequest', request) as {
      readonly rowsLimit?: string;
    };
    return rowsLimit;
  });
const nothing: Respond = () => undefined;

describe.each([true, false])('single reads (gatherGets: %s)', (gatherGets) => {
  test('ask for one row', async () => {
    await serve(nothing, { gatherGets });
    await get(engine, 'k');
    await read({ ranges: [pointRange(utf8('k'))], reversed: true });
    expect(limits()).toEqual(['1', '1']);
  });

  test('and so do their retries', async () => {
    await serve(
      ({ index, send }) => {
        if (index === 0) return { status: status.UNAVAILABLE };
        rowMessages('k').forEach(send);
        return undefined;
      },
      { gatherGets },
    );
    await get(engine, 'k');
    expect(limits()).toEqual(['1', '1']);
  });
});

test('reads of several keys are limited by their keys, and scans by what the caller gives', async () => {
  await serve(nothing);
  await Promise.all([get(engine, 'a'), get(engine, 'b')]);
  await read({ ranges: unionRanges(['a', 'b'].map((key) => pointRange(utf8(key)))) });
  await read({});
  await read({ limit: 7 });
  expect(limits()).toEqual([undefined, undefined, undefined, '7']);
});

test.each([
  { sent: [] },
  { sent: [['m', 5]] },
  {
    sent: [
      ['m', 5],
      ['', 9],
    ],
  },
] as { sent: [string, number][] }[])(
  'sampled keys are those that were sent: $sent',
  async ({ sent }) => {
    await serve(({ send }) => {
      for (const [key, offsetBytes] of sent)
        send(
          encodePublished('google.bigtable.v2.SampleRowKeysResponse', {
            rowKey: utf8(key),
            offsetBytes,
          }),
        );
    });
    const samples = await engine.sampleRowKeys('t');
    expect(
      samples.map(({ key, offsetBytes }) => [Buffer.from(key).toString(), offsetBytes]),
    ).toEqual(sent);
  },
);

test('a row without a status in a successful response fails, and is not sent again', async () => {
  await serve(({ send }) => {
    const entries = [
      { index: 0, status: {} },
      { index: 2, status: {} },
    ];
    send(encodePublished('google.bigtable.v2.MutateRowsResponse', { entries }));
  });
  const results = await engine.mutateRows('t', rowsOf('a', 'b', 'c'));
  expect(results.map((error) => error?.code)).toEqual([undefined, 'UNAVAILABLE', undefined]);
  expect(server.attempts).toHaveLength(1);
});

test.each([
  [false, ['b', 'a'], 'strictly increasing'],
  [true, ['a', 'b'], 'strictly decreasing'],
] as const)('rows in the wrong order (reversed: %s) are an error', async (reversed, keys, text) => {
  await serve(({ send }) => keys.flatMap(rowMessages).forEach(send));
  await expect(read({ reversed })).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    details: { problem: expect.stringContaining(text) as string },
  });
});
