/** A TCP proxy on loopback that delays and cuts: what a network does to a connection. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What to do to the bytes of a connection; each may change while it runs. */
export interface NetworkFaults {
  /** Milliseconds that bytes take each way; default 0. */
  delayMs?: number;
  /** Whether new connections are refused; default false. */
  refuse?: boolean;
  /**
   * Asked for every packet from the server: true cuts its connection before the packet is passed
   * on.
   */
  cut?: (bytes: number) => boolean;
}

/** A running proxy. */
export interface FaultProxy {
  readonly address: string;
  /** May be changed at any time. */
  readonly faults: NetworkFaults;
  /** Connections there have been. */
  readonly connections: () => number;
  /** Connections that were cut. */
  readonly cuts: () => number;
  /** Cuts every connection now. */
  cutAll(): void;
  /**
   * From now on the connections there are swallow every byte, and stay open: a line that died
   * without a word. New ones work.
   */
  killLines(): void;
  close(): Promise<void>;
}

/** Starts a proxy before `target`, `host:port`. */
export async function startFaultProxy(
  target: string,
  faults: NetworkFaults = {},
): Promise<FaultProxy> {
  const open = new Set<() => void>();
  const lines = new Set<Line>();
  let connections = 0;
  let cuts = 0;
  const server = createServer((client) => {
    connections++;
    if (faults.refuse === true) return void client.destroy();
    const line: Line = { dead: false };
    lines.add(line);
    const [host, port] = target.split(':');
    const upstream = connect(Number(port), host);
    const end = (): void => {
      open.delete(cut);
      lines.delete(line);
      client.destroy();
      upstream.destroy();
    };
    const cut = (): void => {
      if (!open.has(cut)) return;
      cuts++;
      end();
      // A reset, not an orderly end: nobody says goodbye when a cable is pulled.
      client.resetAndDestroy();
    };
    open.add(cut);
    for (const socket of [client, upstream])
      socket.setNoDelay(true).on('error', end).on('close', end);
    forward(client, upstream, line, faults, () => false, cut);
    forward(upstream, client, line, faults, (bytes) => faults.cut?.(bytes) === true, cut);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    connections: () => connections,
    cuts: () => cuts,
    cutAll: () => {
      for (const cut of [...open]) cut();
    },
    killLines: () => {
      for (const line of lines) line.dead = true;
    },
    close: () => closed(server, open),
  };
}

/** A connection through the proxy. */
interface Line {
  dead: boolean;
}

/**
 * Passes bytes on, in order, each packet when it has been under way long enough; a slow reader
 * stops the writer.
 */
function forward(
  from: Socket,
  to: Socket,
  line: Line,
  faults: NetworkFaults,
  asks: (bytes: number) => boolean,
  cut: () => void,
): void {
  let under = 0;
  from.on('data', (packet: Buffer) => {
    if (line.dead) return;
    if (asks(packet.length)) return cut();
    const pass = (): void => {
      under--;
      if (to.destroyed) return;
      if (!to.write(packet)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    };
    under++;
    const { delayMs = 0 } = faults;
    // What is behind something delayed waits as well, else it would overtake it; timers of one
    // length keep their order.
    if (delayMs === 0 && under === 1) pass();
    else setTimeout(pass, delayMs);
  });
}

function closed(server: Server, open: Set<() => void>): Promise<void> {
  for (const cut of [...open]) cut();
  return new Promise((resolve) => void server.close(() => resolve()));
}
