/**
 * A TCP proxy in a separate process that delays all bytes, as a network does: `delay-proxy
 * HOST:PORT MILLIS`, one way. Prints `ready ADDRESS`, and ends with its standard input.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const [target, millis] = process.argv.slice(2);
const [host, port] = target.split(':');
process.stdin.on('end', () => process.exit(0)).resume();

/** Forwards data in order, `millis` later. Has no flow control of its own. */
function delay(from: Socket, to: Socket): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), Number(millis)));
  from.on('end', () => setTimeout(() => to.end(), Number(millis)));
  from.on('error', () => to.destroy());
}

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ host, port: Number(port), noDelay: true });
  delay(client, upstream);
  delay(upstream, client);
});
server.listen(0, '127.0.0.1', () =>
  console.log(`ready 127.0.0.1:${(server.address() as AddressInfo).port}`),
);
