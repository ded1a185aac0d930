/**
 * A server in a separate process. `ours memory|DIRECTORY` serves our engine. `canned NARROW WIDE`
 * responds to every scan of a table with the same prepared messages of 64 KiB, and to every write
 * with OK, so that it measures the work of the client. Prints `ready ADDRESS`, and ends with its
 * standard input.
 */
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { everyKey } from '../../src/base/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { ChunkEncoder } from '../../src/engines/protocol/index.js';
import { open } from '../../src/entities/repository/index.js';
import { openEngine } from '../../src/engines/index.js';
import { startServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { Connections } from '../../src/server/connections.js';
import { bytesMethod } from './bytes-method.js';
import { narrowOf, Reading, Wide, wideOf } from './entities.js';

const [kind, ...args] = process.argv.slice(2);
process.env.GRPC_VERBOSITY = 'NONE';
process.stdin.on('end', () => process.exit(0)).resume();
console.log(`ready ${await serve()}`);

function serve(): Promise<string> {
  if (kind === 'ours') return serveOurs(args[0]);
  return serveCanned(Number(args[0]), Number(args[1]));
}

async function serveOurs(location: string): Promise<string> {
  const engine = await openLocation(location);
  return (await startServer(engine, { instance: 'projects/p/instances/i' })).address;
}

function openLocation(location: string): Promise<Engine> {
  if (location === 'memory') return openMemoryEngine();
  return openEngine(`file:${location}`);
}

async function serveCanned(narrow: number, wide: number): Promise<string> {
  const messages = await prepare(narrow, wide);
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(
    { ReadRows: bytesMethod('ReadRows'), MutateRows: bytesMethod('MutateRows') },
    {
      ReadRows: (call: ServerWritableStream<Buffer, Buffer>) =>
        void replay(call, messages.get(tableOf(call.request)) ?? []),
      MutateRows: (call: ServerWritableStream<Buffer, Buffer>) => {
        call.write(allOk(entriesOf(call.request)));
        call.end();
      },
    },
  );
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) done(bound);
      else fail(error);
    }),
  );
  // With the default window of 64 KiB a bulk write would mostly wait for window updates.
  new Connections(server);
  return `127.0.0.1:${port}`;
}

/** The messages that our server would send for a scan of each table. */
async function prepare(
  narrow: number,
  wide: number,
): Promise<ReadonlyMap<string, readonly Buffer[]>> {
  await using db = await open('memory:', { entities: [Reading, Wide] });
  await db.repository(Reading).saveMany(Array.from({ length: narrow }, (_, n) => narrowOf(n)));
  await db.repository(Wide).saveMany(Array.from({ length: wide }, (_, n) => wideOf(n)));
  const prepared = new Map<string, readonly Buffer[]>();
  for (const table of ['readings', 'wide']) {
    const writer = new ChunkEncoder();
    const rows = db.engine.readRows({ table, ranges: [everyKey], reversed: false });
    for (let page = await rows.next(); page !== undefined; page = await rows.next())
      while (page.nextRow()) writer.addRow(page);
    writer.close();
    prepared.set(table, [...writer.messages]);
  }
  return prepared;
}

async function replay(
  call: ServerWritableStream<Buffer, Buffer>,
  messages: readonly Buffer[],
): Promise<void> {
  let cancelled = false;
  let resume = (): void => undefined;
  call.on('drain', () => resume());
  call.on('cancelled', () => {
    cancelled = true;
    resume();
  });
  for (const message of messages) {
    if (cancelled) return;
    if (!call.write(message))
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
  }
  call.end();
}

/** The table of a request: field 1 in both messages. */
function tableOf(request: Buffer): string {
  let name = '';
  eachField(request, (number, value) => {
    if (number === 1) name = value.toString('latin1');
  });
  return name.slice(name.lastIndexOf('/') + 1);
}

function entriesOf(request: Buffer): number {
  let entries = 0;
  eachField(request, (number) => {
    if (number === 2) entries++;
  });
  return entries;
}

/**
 * Visits the length-delimited fields of a message that has no other fields than these and varints.
 */
function eachField(message: Buffer, visit: (number: number, value: Buffer) => void): void {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    if ((tag & 7) === 0) varint();
    else {
      const length = varint();
      visit(tag >>> 3, message.subarray(at, at + length));
      at += length;
    }
  }
}

const responses = new Map<number, Buffer>();

/** A MutateRowsResponse with OK for each entry: `{ index, status: {} }`. */
function allOk(entries: number): Buffer {
  const known = responses.get(entries);
  if (known !== undefined) return known;
  const parts: number[] = [];
  for (let index = 0; index < entries; index++) {
    const body = [0x08, ...varintBytes(index), 0x12, 0];
    parts.push(0x0a, body.length, ...body);
  }
  responses.set(entries, Buffer.from(parts));
  return responses.get(entries)!;
}

function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}
