/** `rowsmith serve`: the Bigtable API over a directory or memory, until a signal stops it. */
import { directoryUrl, openEngine, type EngineOptions } from '../../engines/index.js';
import { startServer, type BigtableServer } from '../../server/index.js';
import type { Engine } from '../../store/index.js';
import {
  exit,
  flagOption,
  parseOptions,
  textOption,
  UsageError,
  type Command,
} from '../command.js';
import { errorText } from '../terminal/error-text.js';
import type { Terminal } from '../terminal/terminal.js';

const help = `Usage: rowsmith serve (--dir DIRECTORY | --memory) [options]

Serves the Bigtable API over a local database, for cbt and any other Bigtable client.

  --dir DIRECTORY    The database; created if it does not exist. Only one process at a time can
                     open it
  --memory           A database in memory, lost when the server stops
  --port PORT        Default: 8086; 0 takes any free port
  --host ADDRESS     Default: 127.0.0.1. There is no authentication: anyone who can reach the port
                     can read and write everything
  --instance NAME    The projects/P/instances/I whose tables have the same names in the database.
                     Clients may use any project and instance; each has its own tables.
                     Default: projects/rowsmith/instances/local
  --gc MODE          onRead (default) hides cells that the garbage collection rules would delete;
                     with lazy and manual they are visible until they are deleted

SIGTERM and Ctrl-C let running calls finish, then close the database.`;

interface ServeOptions {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly instance: string | undefined;
  readonly engine: EngineOptions;
}

/** The command. */
export const serve: Command = {
  help,
  async run(args, { terminal }) {
    const { url, engine: engineOptions, ...options } = readOptions(args);
    // grpc-js would log its own lines if the port is taken.
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
    terminal.printJson({ address: server.address, url });
    const name = url === 'memory:' ? 'memory' : url.slice('file:'.length);
    terminal.print(`Serving ${name} at ${server.address}. For clients:`);
    terminal.print(`export BIGTABLE_EMULATOR_HOST=${server.address}`);
    terminal.print(`${await stopped}: closing.`);
    await close(server, engine, terminal);
    return exit.ok;
  },
};

function readOptions(args: readonly string[]): ServeOptions {
  const { values } = parseOptions(args, {
    dir: textOption,
    memory: flagOption,
    port: textOption,
    host: textOption,
    instance: textOption,
    gc: textOption,
  });
  const { port = '8086', host = '127.0.0.1', instance, gc = 'onRead' } = values;
  const url = readUrl(values.dir, values.memory);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port takes a number from 0 to 65535, not '${port}'`);
  if (gc !== 'onRead' && gc !== 'lazy' && gc !== 'manual')
    throw new UsageError(`--gc takes onRead, lazy or manual, not '${gc}'`);
  return { url, host, port: Number(port), instance, engine: { gc } };
}

function readUrl(directory: string | undefined, memory = false): string {
  if (directory !== undefined && memory)
    throw new UsageError('--dir and --memory exclude each other');
  if (memory) return 'memory:';
  if (directory === undefined)
    throw new UsageError('no database is named: give --dir DIRECTORY or --memory');
  if (directory === '') throw new UsageError('--dir needs a directory');
  if (directory.startsWith('file:'))
    throw new UsageError(`--dir takes a directory, not the url '${directory}'`);
  return directoryUrl(directory);
}

/** The signal that asks to stop. A second signal has the system's effect and ends the process. */
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
