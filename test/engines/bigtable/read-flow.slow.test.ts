/**
 * Flow control of reads: the server is not faster than the reader, nothing is lost, and a closed or
 * aborted read cancels the call.
 */
import { everyKey } from '../../../src/base/index.js';
import type { Row, RowStream } from '../../../src/data/store/index.js';
import { messagesOf } from '../protocol/chunk-messages.js';
import {
  readsOf,
  startReadServer,
  type ReadCall,
  type ReadServer,
  type ReadsUnderTest,
} from './read-server.js';
import { pause, until } from '../../support/until.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const plan = { table: 't', ranges: [everyKey], reversed: false };
/** The 64 rows of a message of 64 KiB. */
const rowsOf = (message: number): Row[] =>
  Array.from({ length: 64 }, (_, i) => ({
    key: utf8(`${String(message).padStart(6, '0')}-${String(i).padStart(2, '0')}`),
    cells: [
      {
        family: 'f',
        qualifier: utf8('q'),
        timestamp: 1000n,
        value: new Uint8Array(1000).fill(message),
      },
    ],
  }));

let server: ReadServer;
let under: ReadsUnderTest;
async function serve(
  respond: (call: ReadCall) => Promise<void>,
  windowBytes: number,
): Promise<void> {
  server = await startReadServer(respond);
  under = await readsOf(server.address, { windowBytes });
}
afterEach(async () => {
  await under.close();
  await server.close();
});
const sendAll =
  (messages: number) =>
  async (call: ReadCall): Promise<void> => {
    for (let i = 0; i < messages; i++) await call.send(Buffer.concat(messagesOf(rowsOf(i))));
  };

/** Waits until the server has stopped sending; returns the number of messages. */
async function standstill(call: ReadCall): Promise<number> {
  for (let still = 0, last = -1; still < 15; still = call.sent === last ? still + 1 : 0) {
    last = call.sent;
    await pause(30);
  }
  return call.sent;
}

async function rest(
  stream: RowStream,
  each: () => Promise<void> | void = () => undefined,
): Promise<string[]> {
  const keys: string[] = [];
  for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
    while (page.nextRow())
      keys.push(Buffer.from(page.keyBytes.subarray(page.keyStart, page.keyEnd)).toString());
    await each();
  }
  return keys;
}

test('a paused reader stops the server', async () => {
  // 20 MB in total; the window, the client's buffer and the buffers of two sockets hold a few MB.
  await serve(sendAll(320), 1 << 20);
  const stream = under.reads.open(plan);
  const page = await stream.next();
  let first = 0;
  while (page?.nextRow() === true) first++;
  const sent = await standstill(server.calls[0]);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(100);
  const keys = await rest(stream);
  expect(first + keys.length).toBe(320 * 64);
  expect(server.calls).toHaveLength(1);
});

test('with a window of 4 MiB a slow reader gets every row, although the status arrived long before', async () => {
  await serve(sendAll(60), 4 << 20);
  let pages = 0;
  const keys = await rest(under.reads.open(plan), async () => {
    if (++pages === 1) await standstill(server.calls[0]);
    if (pages % 3 === 0) await pause(4);
  });
  expect(keys).toEqual(
    Array.from({ length: 60 }, (_, i) =>
      rowsOf(i).map(({ key }) => Buffer.from(key).toString()),
    ).flat(),
  );
  expect(server.calls).toHaveLength(1);
});

describe('the server sees that the read has ended', () => {
  const endless = async (call: ReadCall): Promise<void> => {
    for (let i = 0; ; i++) await call.send(Buffer.concat(messagesOf(rowsOf(i))));
  };
  const hang = (call: ReadCall): Promise<void> =>
    new Promise((_resolve, reject) =>
      call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
    );

  test.each([
    ['a server that sends', endless],
    ['a server that hangs', hang],
  ])('closed: %s', async (_what, respond) => {
    await serve(respond, 1 << 20);
    const stream = under.reads.open(plan);
    const first = stream.next();
    await until(() => server.calls.length === 1);
    if (respond === endless) await first;
    await stream.close();
    await until(() => server.calls[0].signal.aborted);
    if (respond === hang) expect(await first).toBeUndefined();
    expect(await stream.next()).toBeUndefined();
    expect(server.calls).toHaveLength(1);
  });

  test.each([
    ['a server that sends', endless],
    ['a server that hangs', hang],
  ])('aborted: %s', async (_what, respond) => {
    await serve(respond, 1 << 20);
    const abort = new AbortController();
    const stream = under.reads.open(plan, { signal: abort.signal });
    const first = stream.next();
    first.catch(() => undefined);
    await until(() => server.calls.length === 1);
    if (respond === endless) await first;
    abort.abort(new Error('enough'));
    await until(() => server.calls[0].signal.aborted);
    if (respond === hang) await expect(first).rejects.toThrow('enough');
    await expect(stream.next()).rejects.toThrow('enough');
    expect(server.calls).toHaveLength(1);
  });

  test('when the limit is met, nothing more is read', async () => {
    await serve(endless, 1 << 20);
    expect(await rest(under.reads.open({ ...plan, limit: 100 }))).toHaveLength(100);
    await until(() => server.calls[0].signal.aborted);
  });
});

test('pages have at most `pageRows` rows, also within one large message', async () => {
  await serve(sendAll(3), 1 << 20);
  const sizes: number[] = [];
  const stream = under.reads.open(plan, { pageRows: 50 });
  for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
    let rows = 0;
    while (page.nextRow()) rows++;
    sizes.push(rows);
  }
  expect(Math.max(...sizes)).toBe(50);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(192);
});
