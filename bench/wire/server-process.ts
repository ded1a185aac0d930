/**
 * A server in a process of its own: `ours memory|DIRECTORY` serves our engine; `canned NARROW WIDE`
 * answers every scan of a table with the same prepared messages of 64 KiB, and every write with OK,
 * so that only the client's work counts. Prints `ready ADDRESS`, and ends when its standard input
 * does.
 */
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { everyKey } from '../../src/bytes/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { ChunkWriter } from '../../src/protocol/index.js';
import { open } from '../../src/repository/index.js';
import { openEngine, startServer } from '../../src/server/index.js';
import { widenUploads } from '../../src/server/widen-uploads.js';
import { narrowOf, Reading, Wide, wideOf } from './entities.js';

const [kind, ...args] = process.argv.slice(2);
process.env.GRPC_VERBOSITY = 'NONE';
process.stdin.on('end', () => process.exit(0)).resume();
console.log(
  `ready ${kind === 'ours' ? await serveOurs(args[0]) : await serveCanned(Number(args[0]), Number(args[1]))}`,
);

async function serveOurs(where: string): Promise<string> {
  const engine = where === 'memory' ? await openMemoryEngine() : await openEngine(`file:${where}`);
  return (await startServer(engine, { instance: 'projects/p/instances/i' })).address;
}

async function serveCanned(narrow: number, wide: number): Promise<string> {
  const messages = await prepare(narrow, wide);
  const identity = (bytes: Buffer): Buffer => bytes;
  const method = (name: string, responseStream: boolean) => ({
    path: `/google.bigtable.v2.Bigtable/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  });
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(
    { ReadRows: method('ReadRows', true), MutateRows: method('MutateRows', true) },
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
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? done(bound) : fail(error),
    ),
  );
  // With HTTP/2's own 64 KiB a bulk write would measure how often client and server wake each
  // other.
  widenUploads(server);
  return `127.0.0.1:${port}`;
}

/** The messages that our own server would send for a scan of each table. */
async function prepare(
  narrow: number,
  wide: number,
): Promise<ReadonlyMap<string, readonly Buffer[]>> {
  await using db = await open('memory:', { entities: [Reading, Wide] });
  await db.repository(Reading).saveMany(Array.from({ length: narrow }, (_, n) => narrowOf(n)));
  await db.repository(Wide).saveMany(Array.from({ length: wide }, (_, n) => wideOf(n)));
  const prepared = new Map<string, readonly Buffer[]>();
  for (const table of ['readings', 'wide']) {
    const writer = new ChunkWriter();
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
  let left = false;
  let goOn = (): void => undefined;
  call.on('drain', () => goOn());
  call.on('cancelled', () => {
    left = true;
    goOn();
  });
  for (const message of messages) {
    if (left) return;
    if (!call.write(message))
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
  }
  call.end();
}

/** Table of a request: its field 1 in both kinds. */
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

/** Walks a message whose fields of interest have lengths. */
function eachField(message: Buffer, see: (number: number, value: Buffer) => void): void {
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
      see(tag >>> 3, message.subarray(at, at + length));
      at += length;
    }
  }
}

const answers = new Map<number, Buffer>();

/** MutateRowsResponse with an OK for each entry: `{ index, status: {} }`. */
function allOk(entries: number): Buffer {
  const known = answers.get(entries);
  if (known !== undefined) return known;
  const parts: number[] = [];
  for (let index = 0; index < entries; index++) {
    const body = [0x08, ...varintBytes(index), 0x12, 0];
    parts.push(0x0a, body.length, ...body);
  }
  answers.set(entries, Buffer.from(parts));
  return answers.get(entries)!;
}

function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}
