/**
 * A TCP proxy in a process of its own that holds every byte back for a while, as a network does:
 * `delay-proxy HOST:PORT MILLIS`, one way. Prints `ready ADDRESS`, and ends when its standard input
 * does.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const [target, millis] = process.argv.slice(2);
const [host, port] = target.split(':');
process.stdin.on('end', () => process.exit(0)).resume();

/**
 * Sends on what arrives, in order, `millis` later. No window of its own: only the ends hold back.
 */
function delay(from: Socket, to: Socket): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), Number(millis)));
  from.on('end', () => setTimeout(() => to.end(), Number(millis)));
  from.on('error', () => to.destroy());
}

const server = createServer({ noDelay: true }, (client) => {
  const there = connect({ host, port: Number(port), noDelay: true });
  delay(client, there);
  delay(there, client);
});
server.listen(0, '127.0.0.1', () =>
  console.log(`ready 127.0.0.1:${(server.address() as AddressInfo).port}`),
);
