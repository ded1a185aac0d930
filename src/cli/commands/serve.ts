/** `rowsmith serve`: the Bigtable API over a directory or memory, until a signal stops it. */
import { readFile } from 'node:fs/promises';
import { directoryUrl, openEngine, type EngineOptions } from '../../engines/index.js';
import type { AccessRecorder } from '../../tools/heat/index.js';
import { startServer, type BigtableServer, type ServerOptions } from '../../server/index.js';
import type { Engine } from '../../data/store/index.js';
import { defineCommand, exit, flag, text, UsageError, type OptionValues } from '../command.js';
import { inputFile, outputFile } from '../files.js';
import { errorText } from '../terminal/error-text.js';
import type { Terminal } from '../terminal/terminal.js';

interface ServeOptions {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly instance: string | undefined;
  readonly engine: EngineOptions;
  readonly files: SecurityFiles;
  /** The value of --record. */
  readonly recording: string | undefined;
}

/** The values of --tls-cert, --tls-key and --token-file. */
interface SecurityFiles {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly token: string | undefined;
}

type Security = Pick<ServerOptions, 'tls' | 'token'>;

const options = {
  dir: text(
    'DIRECTORY',
    'The database; created if it does not exist. Only one process at a time can open it',
    'directory',
  ),
  memory: flag('A database in memory, lost when the server stops'),
  port: text('PORT', 'Default: 8086; 0 takes any free port'),
  host: text(
    'ADDRESS',
    'Default: 127.0.0.1. Without --token-file, anyone who can reach the port ' +
      'can read and write everything',
  ),
  'tls-cert': text('FILE', 'Serve over TLS with this certificate (PEM) ...', 'file'),
  'tls-key': text('FILE', '... and its private key (PEM)', 'file'),
  'token-file': text(
    'FILE',
    'Calls must carry the token in this file: authorization: Bearer TOKEN. At ' +
      'least 16 characters; white space around it is ignored',
    'file',
  ),
  instance: text(
    'NAME',
    'The projects/P/instances/I with the tables that have the same names in the ' +
      'database. Clients may use any project and instance; each has its own ' +
      'tables. Default: projects/rowsmith/instances/local',
  ),
  record: text(
    'FILE',
    'Record which rows are read and written, for rowsmith heatmap, which can read the file ' +
      'meanwhile. A recording is continued',
    'file',
  ),
  gc: text(
    'MODE',
    'onRead (default) hides cells that the garbage collection rules would ' +
      'delete; with lazy and manual they are visible until they are deleted',
    ['onRead', 'lazy', 'manual'],
  ),
};

/** The command. */
export const serve = defineCommand({
  usage: '(--dir DIRECTORY | --memory) [options]',
  about: `Serves the Bigtable API over a local database, for cbt and any other Bigtable client.`,
  options,
  closing: 'SIGTERM and Ctrl-C let running calls finish, then close the database.',
  async run({ values }, { terminal, folder }) {
    const { url, engine: engineOptions, files, recording, ...target } = readOptions(values);
    const options = { ...target, ...(await readSecurity(folder, files)) };
    // grpc-js would log its own lines if the port is taken.
    process.env.GRPC_VERBOSITY ??= 'NONE';
    const record = await recorderOf(folder, recording);
    let engine: Engine | undefined;
    let server: BigtableServer;
    try {
      server = await startServer(async () => (engine = await openEngine(url, engineOptions)), {
        ...options,
        record,
      });
    } catch (error) {
      await engine?.close();
      await record?.close();
      throw error;
    }
    const stopped = stopSignal();
    const warning = exposureWarning(options);
    if (warning !== undefined) terminal.note(warning);
    terminal.printJson({ address: server.address, url });
    const name = url === 'memory:' ? 'memory' : url.slice('file:'.length);
    if (options.tls !== undefined) terminal.print(`Serving ${name} at ${server.address}, TLS.`);
    else {
      terminal.print(`Serving ${name} at ${server.address}. For clients:`);
      terminal.print(`export BIGTABLE_EMULATOR_HOST=${server.address}`);
    }
    terminal.print(`${await stopped}: closing.`);
    await close(server, engine!, terminal);
    await record?.close();
    return exit.ok;
  },
});

function readOptions(values: OptionValues<typeof options>): ServeOptions {
  const { port = '8086', host = '127.0.0.1', instance, gc = 'onRead' } = values;
  const url = readUrl(values.dir, values.memory);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port takes a number from 0 to 65535, not '${port}'`);
  if (gc !== 'onRead' && gc !== 'lazy' && gc !== 'manual')
    throw new UsageError(`--gc takes onRead, lazy or manual, not '${gc}'`);
  const files = {
    cert: values['tls-cert'],
    key: values['tls-key'],
    token: values['token-file'],
  };
  if ((files.cert === undefined) !== (files.key === undefined))
    throw new UsageError('--tls-cert and --tls-key are given together');
  const recording = values.record;
  if (recording === '') throw new UsageError('--record needs a file');
  return { url, host, port: Number(port), instance, engine: { gc }, files, recording };
}

/** The recorder of --record. Throws FILE_FAILED or FORMAT_TOO_NEW; nothing was served. */
async function recorderOf(
  folder: string,
  file: string | undefined,
): Promise<AccessRecorder | undefined> {
  if (file === undefined) return undefined;
  const path = outputFile(folder, file);
  // Imported only here: other servers start faster without it.
  const { recordAccess } = await import('../../tools/heat/index.js');
  return recordAccess({ file: path });
}

async function readSecurity(
  folder: string,
  { cert, key, token }: SecurityFiles,
): Promise<Security> {
  const read = (file: string): Promise<string> => readFile(inputFile(folder, file), 'utf8');
  let tls: ServerOptions['tls'];
  if (cert !== undefined && key !== undefined)
    tls = { cert: await read(cert), key: await read(key) };
  if (token === undefined) return { tls };
  return { tls, token: (await read(token)).trim() };
}

/** What other machines can do with the server; undefined when it is protected. */
function exposureWarning({ host, tls, token }: { host: string } & Security): string | undefined {
  if (isLoopback(host)) return undefined;
  const reach = `Warning: ${host} can be reached from other machines, and calls are not`;
  if (token === undefined)
    return [
      `${reach} authenticated:`,
      '  anyone who can reach the port can read and write everything. Give --token-file with',
      '  --tls-cert and --tls-key, or listen on 127.0.0.1.',
    ].join('\n');
  if (tls === undefined)
    return [
      `${reach} encrypted:`,
      '  the token and all data can be read on the way. Give --tls-cert and --tls-key.',
    ].join('\n');
  return undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
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
