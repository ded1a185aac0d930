/** Sends the rows of a plan as ReadRowsResponse messages, no faster than the client takes them. */
import { copyBytes } from '../../bytes/index.js';
import { planAfter, type Engine, type ReadPlan } from '../../store/index.js';
import { ChunkWriter } from '../../protocol/index.js';
import type { ResponseStream } from '../rpc.js';

/** Rows of a page: about 1 ms of work on narrow rows, so that other calls get their turn. */
const pageRows = 1000;
/**
 * Bytes after which a page is left, because nothing is sent while a cursor is read: few for a
 * client that does not take them, so that a thousand scans that stand still hold little, and more
 * with every page that a client takes at once.
 */
const pageBytes = { least: 64 * 1024, most: 512 * 1024 } as const;
/** Milliseconds that rows wait for more of their message when a filter leaves few of them. */
const longestWait = 20;

/** Sends every row of the plan; rejects when the client leaves. */
export async function sendRows(
  engine: Engine,
  plan: ReadPlan,
  outlet: ResponseStream,
): Promise<void> {
  const writer = new ChunkWriter();
  let bytes: number = pageBytes.least;
  for (let rest: ReadPlan | undefined = plan; rest !== undefined;) {
    const began = performance.now();
    rest = await sendUntilFull(engine, rest, writer, outlet, bytes);
    const prompt = performance.now() - began < longestWait;
    bytes = prompt
      ? Math.min(pageBytes.most, bytes + pageBytes.least)
      : Math.max(pageBytes.least, bytes / 2);
  }
  writer.close();
  await send(writer, outlet);
}

/**
 * Reads until a page has more than `bytes`; what is left of the plan then, or undefined at its end.
 */
async function sendUntilFull(
  engine: Engine,
  plan: ReadPlan,
  writer: ChunkWriter,
  outlet: ResponseStream,
  bytes: number,
): Promise<ReadPlan | undefined> {
  const stream = engine.readRows(plan, { signal: outlet.signal, pageRows });
  let rows = 0;
  let sent = performance.now();
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      const before = writer.written;
      let last: Uint8Array | undefined;
      while (last === undefined && page.nextRow()) {
        // Before the cells are read: a cursor's key may move with them.
        const { keyBytes, keyStart, keyEnd } = page;
        writer.addRow(page);
        rows++;
        if (writer.written + writer.open - before > bytes)
          last = copyBytes(keyBytes, keyStart, keyEnd);
      }
      if (writer.open > 0 && performance.now() - sent > longestWait) writer.close();
      if (writer.messages.length > 0) {
        await send(writer, outlet);
        sent = performance.now();
      }
      if (last !== undefined) return planAfter(plan, last, rows);
    }
    return undefined;
  } finally {
    await stream.close();
  }
}

async function send(writer: ChunkWriter, outlet: ResponseStream): Promise<void> {
  const { messages } = writer;
  for (let i = 0; i < messages.length; i++) if (!outlet.write(messages[i])) await outlet.drained();
  messages.length = 0;
}
