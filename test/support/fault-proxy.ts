/** A TCP proxy on loopback that simulates network faults: delays and broken connections. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Faults of all connections. They can be changed at any time. */
export interface NetworkFaults {
  /** Delay in milliseconds in each direction; default 0. */
  delayMs?: number;
  /** Whether new connections are rejected; default false. */
  rejectConnections?: boolean;
  /**
   * Called for every packet from the server with its size in bytes; true breaks the connection
   * before the packet is forwarded.
   */
  disconnectOn?: (bytes: number) => boolean;
}

/** A running proxy. */
export interface FaultProxy {
  readonly address: string;
  /** May be changed at any time. */
  readonly faults: NetworkFaults;
  /** Number of connections so far. */
  readonly connections: () => number;
  /** Number of broken connections. */
  readonly disconnects: () => number;
  /** Breaks all connections. */
  disconnectAll(): void;
  /**
   * All current connections stay open but discard every byte from now on, like a connection that
   * died without being closed. New connections work.
   */
  stallConnections(): void;
  close(): Promise<void>;
}

/** Starts a proxy for `target`, `host:port`. */
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
    if (faults.rejectConnections === true) return void client.destroy();
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
      // A reset, not an orderly close, as when a cable is pulled.
      client.resetAndDestroy();
    };
    open.add(cut);
    for (const socket of [client, upstream])
      socket.setNoDelay(true).on('error', end).on('close', end);
    forward(client, upstream, line, faults, () => false, cut);
    forward(upstream, client, line, faults, (bytes) => faults.disconnectOn?.(bytes) === true, cut);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    connections: () => connections,
    disconnects: () => cuts,
    disconnectAll: () => {
      for (const cut of [...open]) cut();
    },
    stallConnections: () => {
      for (const line of lines) line.dead = true;
    },
    close: () => closed(server, open),
  };
}

/** A connection through the proxy. */
interface Line {
  dead: boolean;
}

/** Forwards packets in order, each after its delay. A slow reader pauses the writer. */
function forward(
  from: Socket,
  to: Socket,
  line: Line,
  faults: NetworkFaults,
  shouldCut: (bytes: number) => boolean,
  cut: () => void,
): void {
  let inTransit = 0;
  from.on('data', (packet: Buffer) => {
    if (line.dead) return;
    if (shouldCut(packet.length)) return cut();
    const pass = (): void => {
      inTransit--;
      if (to.destroyed) return;
      if (!to.write(packet)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    };
    inTransit++;
    const { delayMs = 0 } = faults;
    // A packet also waits while an earlier one is delayed, otherwise it would overtake it; timers
    // with the same delay keep their order.
    if (delayMs === 0 && inTransit === 1) pass();
    else setTimeout(pass, delayMs);
  });
}

function closed(server: Server, open: Set<() => void>): Promise<void> {
  for (const cut of [...open]) cut();
  return new Promise((resolve) => void server.close(() => resolve()));
}
