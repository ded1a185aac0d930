/**
 * A server in a separate process that responds to every call with the same message: the floor of a
 * server on Node. `grpc-js BYTES` serves with grpc-js, `http2 BYTES` with `node:http2` alone. Prints
 * `ready ADDRESS`, and ends with its standard input.
 */
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { bytesMethod } from './bytes-method.js';

const [kind, bytes] = process.argv.slice(2);
const message = Buffer.alloc(Number(bytes), 7);
process.stdin.on('end', () => process.exit(0)).resume();
const port = await (kind === 'http2' ? serveHttp2() : serveGrpc());
console.log(`ready 127.0.0.1:${port}`);

async function serveHttp2(): Promise<number> {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  const framed = Buffer.concat([prefix, message]);
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }),
    );
    stream.on('end', () => {
      const headers = { ':status': 200, 'content-type': 'application/grpc' };
      stream.respond(headers, { waitForTrailers: true });
      stream.end(framed);
    });
    stream.resume();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function serveGrpc(): Promise<number> {
  const server = new Server();
  server.addService(
    { ReadRows: bytesMethod('ReadRows') },
    {
      ReadRows: (call: ServerWritableStream<Buffer, Buffer>) => {
        call.write(message);
        call.end();
      },
    },
  );
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    }),
  );
}
