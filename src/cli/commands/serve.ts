/** `rowsmith serve`: the Bigtable API over a directory or memory, until it is told to stop. */
import type { EngineOptions } from '../../engines/index.js';
import { openEngine } from '../../engines/index.js';
import { startServer, type BigtableServer } from '../../server/index.js';
import type { Engine } from '../../store/index.js';
import { errorText } from '../terminal/error-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith serve (--dir DIRECTORY | --memory) [options]

Serves the Bigtable API, so that any Bigtable client, cbt among them, works on the rows of a local database.

  --dir DIRECTORY    The database; made when there is none. One process at a time may have it open.
  --memory           A database that is gone when the server stops.
  --port PORT        Default 8086; 0 takes any free one.
  --host ADDRESS     Default 127.0.0.1. There is no authentication: whoever reaches the port reads and writes everything.
  --instance NAME    projects/P/instances/I whose tables have their own names in the database; default projects/rowsmith/instances/local.
                     Clients may use any project and instance; each has its own tables.
  --gc MODE          onRead (default) hides what the garbage collection rules would collect; lazy and manual leave it visible until it is collected.

SIGTERM and Ctrl-C let running calls end, then close the database.`;

interface ServeOptions {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly instance: string | undefined;
  readonly engine: EngineOptions;
}

/** The verb. */
export const serve: Command = {
  help,
  async run(args, { terminal }) {
    const { url, engine: engineOptions, ...options } = readOptions(args);
    // grpc-js would write its own lines beside ours when the port is taken.
    process.env.GRPC_VERBOSITY ??= 'NONE';
    const engine = await openEngine(url, engineOptions);
    let server: BigtableServer;
    try {
      server = await startServer(engine, options);
    } catch (error) {
      await engine.close();
      throw error;
    }
    const stopped = stopSignal();
    terminal.data({ address: server.address, url });
    terminal.say(
      `Serving ${url === 'memory:' ? 'memory' : url.slice('file:'.length)} at ${server.address}. Clients find it by`,
    );
    terminal.say(`export BIGTABLE_EMULATOR_HOST=${server.address}`);
    terminal.say(`${await stopped}: closing.`);
    await close(server, engine, terminal);
    return exit.ok;
  },
};

function readOptions(args: readonly string[]): ServeOptions {
  const {
    dir,
    memory = false,
    port = '8086',
    host = '127.0.0.1',
    instance,
    gc = 'onRead',
  } = parse(args);
  if ((dir === undefined) === !memory)
    throw new UsageError(
      memory
        ? '--dir and --memory exclude each other'
        : 'say where the rows are: --dir DIRECTORY, or --memory',
    );
  if (dir === '') throw new UsageError('--dir needs a directory');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port takes a number from 0 to 65535, not '${port}'`);
  if (gc !== 'onRead' && gc !== 'lazy' && gc !== 'manual')
    throw new UsageError(`--gc takes onRead, lazy or manual, not '${gc}'`);
  return {
    url: dir === undefined ? 'memory:' : `file:${dir}`,
    host,
    port: Number(port),
    instance,
    engine: { gc },
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  return parseOptions(args, {
    dir: text,
    memory: { type: 'boolean' },
    port: text,
    host: text,
    instance: text,
    gc: text,
  }).values;
}

/**
 * The signal that asks to stop. The next one is the system's own again, and ends the process at
 * once.
 */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => resolve(signal));
  });
}

async function close(server: BigtableServer, engine: Engine, terminal: Terminal): Promise<void> {
  try {
    await server.close();
  } catch (error) {
    terminal.note(errorText(error));
  } finally {
    await engine.close();
  }
}
