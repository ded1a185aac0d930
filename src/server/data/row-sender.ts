/** Sends the rows of a plan as ReadRowsResponse messages, no faster than the client reads them. */
import { copyBytes } from '../../base/index.js';
import { planAfter, type Engine, type ReadPlan, type RowCursor } from '../../data/store/index.js';
import { ChunkEncoder, ReadRowsResponse } from '../../engines/protocol/index.js';
import type { ResponseStream } from '../rpc.js';
import { encodeReadStats } from './read-stats.js';

/** Rows of a page: about 1 ms of work on narrow rows, so that other calls are served in between. */
const pageRows = 1000;
/**
 * Bytes after which a page is abandoned and sent, because nothing is sent while a cursor is read.
 * Starts small, so that a thousand scans with clients that do not read hold little memory, and
 * grows with every page that the client accepts at once.
 */
const pageBytes = { min: 64 * 1024, max: 512 * 1024 } as const;
/** Milliseconds that rows wait for their message to fill when a filter passes few of them. */
const maxWaitMs = 20;
/**
 * A read without rows tells the last key that it has scanned after so many pages, of up to 4,096
 * rows, or milliseconds. The next attempt of a client then continues there, however short its
 * timeout is.
 */
const silence = { pages: 16, ms: 100 } as const;

/**
 * Sends every row of the plan, and with `stats` the statistics of the read; rejects when the client
 * disconnects.
 */
export async function sendRows(
  engine: Engine,
  plan: ReadPlan,
  responses: ResponseStream,
  stats: boolean,
): Promise<void> {
  const readStarted = performance.now();
  const writer = new ChunkEncoder();
  const keys = stats ? new LastKey() : undefined;
  let bytes: number = pageBytes.min;
  for (let rest: ReadPlan | undefined = plan; rest !== undefined;) {
    const started = performance.now();
    rest = await sendUntilFull(engine, rest, writer, responses, bytes, keys);
    if (performance.now() - started < maxWaitMs)
      bytes = Math.min(pageBytes.max, bytes + pageBytes.min);
    else bytes = Math.max(pageBytes.min, bytes / 2);
  }
  writer.close();
  if (keys !== undefined) {
    const { signal } = responses;
    const message = encodeReadStats(engine, plan, writer, keys.last, signal, readStarted);
    writer.messages.push(Buffer.from(await message));
  }
  await send(writer, responses);
}

/** The key of the last row that was sent. */
class LastKey {
  last: Uint8Array | undefined;
}

/**
 * Sends rows until a page exceeds `bytes`. Returns the rest of the plan, or undefined at its end.
 */
async function sendUntilFull(
  engine: Engine,
  plan: ReadPlan,
  writer: ChunkEncoder,
  responses: ResponseStream,
  bytes: number,
  keys: LastKey | undefined,
): Promise<ReadPlan | undefined> {
  const stream = engine.readRows(plan, { signal: responses.signal, pageRows });
  let rows = 0;
  let lastSent = performance.now();
  let silentPages = 0;
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      const before = writer.closedBytes;
      let last: Uint8Array | undefined;
      while (last === undefined && page.nextRow()) {
        // Read before the cells are: reading them may move the key to other buffers.
        const { keyBytes, keyStart, keyEnd } = page;
        if (keys !== undefined) keys.last = copyBytes(keyBytes, keyStart, keyEnd);
        writer.addRow(page);
        rows++;
        if (writer.closedBytes + writer.openBytes - before > bytes)
          last = copyBytes(keyBytes, keyStart, keyEnd);
      }
      const waitedMs = performance.now() - lastSent;
      if (waitedMs > maxWaitMs) writer.close();
      if (writer.messages.length === 0 && (++silentPages >= silence.pages || waitedMs > silence.ms))
        addScannedKey(writer, page);
      if (writer.messages.length > 0) {
        await send(writer, responses);
        lastSent = performance.now();
        silentPages = 0;
      }
      if (last !== undefined) return planAfter(plan, last, rows);
    }
    return undefined;
  } finally {
    await stream.close();
  }
}

/** Adds a message that tells how far the read has come, after the rows so far. */
function addScannedKey(writer: ChunkEncoder, page: RowCursor): void {
  const lastScannedRowKey = page.scannedKey?.();
  if (lastScannedRowKey === undefined) return;
  writer.close();
  writer.messages.push(Buffer.from(ReadRowsResponse.encode({ lastScannedRowKey })));
}

async function send(writer: ChunkEncoder, responses: ResponseStream): Promise<void> {
  const { messages } = writer;
  for (let i = 0; i < messages.length; i++)
    if (!responses.write(messages[i])) await responses.drained();
  messages.length = 0;
}
