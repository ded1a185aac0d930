/** `rowsmith serve`: the Bigtable API over a directory or memory, until a signal stops it. */
import type { FaultTexts } from '../../base/index.js';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { directoryUrl, openEngine } from '../../engines/index.js';
import type { AccessRecorder } from '../../tools/heat/index.js';
import { startServer, type BigtableServer, type ServerOptions } from '../../server/index.js';
import type { Engine } from '../../data/store/index.js';
import {
  choice,
  count,
  defineCommand,
  flag,
  text,
  UsageError,
  type OptionValues,
  withDefault,
} from '../command.js';
import { inputFile, outputFile } from '../files.js';
import { stopSignal } from './stop-signal.js';
import { errorText } from '../terminal/error-text.js';
import type { Terminal } from '../terminal/terminal.js';

type Security = Pick<ServerOptions, 'tls' | 'token'>;

const options = {
  dir: text('DIRECTORY', 'The database; created if it does not exist', 'directory'),
  memory: flag('A database in memory, lost when the server stops'),
  port: withDefault(
    count('PORT', 'A port; 0 takes any free one', { min: 0, max: 65_535 }),
    8086,
    '8086',
  ),
  host: withDefault(
    text(
      'ADDRESS',
      'The address to listen at. Without --token-file, whoever reaches the port can write ' +
        'everything',
    ),
    '127.0.0.1',
  ),
  'tls-cert': text('FILE', 'Serve over TLS with this certificate (PEM) ...', 'file'),
  'tls-key': text('FILE', '... and its private key (PEM)', 'file'),
  'token-file': text(
    'FILE',
    'Calls must carry the token of this file, at least 16 characters: authorization: Bearer TOKEN',
    'file',
  ),
  instance: text(
    'NAME',
    'The projects/P/instances/I with the tables of the database; any other instance has its ' +
      'own tables. Default: projects/rowsmith/instances/local',
  ),
  record: text(
    'FILE',
    'Record which rows are read and written, for rowsmith heatmap; continues a recording',
    'file',
  ),
  gc: withDefault(
    choice(
      'MODE',
      'When expired cells disappear: lazy, after a sweep in the background, as in Bigtable; ' +
        'onRead, at once; manual, after rowsmith compact',
      ['lazy', 'onRead', 'manual'],
    ),
    'lazy',
  ),
};

/** The command. */
export const command = defineCommand({
  usage: '(--dir DIRECTORY | --memory) [options]',
  about: `Serves the Bigtable API over a local database, for cbt and any other Bigtable client.
SIGTERM and Ctrl-C let running calls finish, then close the database.`,
  options,
  examples: [
    ['serve --dir ./data', 'a directory, on port 8086 of this machine'],
    ['serve --memory --port 0', 'an empty database, on any free port'],
  ],
  json: '{ address: string, url: string }',
  async run({ values }, { terminal, folder }) {
    if ((values.tlsCert === undefined) !== (values.tlsKey === undefined))
      throw new UsageError(faults.incompleteTls);
    const { host, port, instance, gc } = values;
    const url = urlOf(folder, values);
    const security = await readSecurity(folder, values);
    // grpc-js would log its own lines if the port is taken.
    process.env.GRPC_VERBOSITY ??= 'NONE';
    const record = await recorderOf(folder, values.record);
    const options = { host, port, instance, ...security, record };
    const { server, engine } = await start(() => openEngine(url, { gc }), options);
    const stopped = stopSignal();
    const warning = exposureWarning({ host, ...security });
    if (warning !== undefined) terminal.note(warning);
    terminal.printJson({ address: server.address, url });
    printAddress(terminal, url, server, security);
    terminal.print(`${await stopped}: closing.`);
    await close(server, engine, terminal);
    await record?.close();
  },
});

interface Started {
  readonly server: BigtableServer;
  readonly engine: Engine;
}

/** Starts the server; closes what was opened if it does not start. */
async function start(
  open: () => Promise<Engine>,
  options: ServerOptions & { readonly record: AccessRecorder | undefined },
): Promise<Started> {
  let engine: Engine | undefined;
  try {
    const server = await startServer(async () => (engine = await open()), options);
    return { server, engine: engine! };
  } catch (error) {
    await engine?.close();
    await options.record?.close();
    throw error;
  }
}

function printAddress(
  terminal: Terminal,
  url: string,
  { address }: BigtableServer,
  { tls }: Security,
): void {
  const name = url === 'memory:' ? 'memory' : url.slice('file:'.length);
  if (tls !== undefined) terminal.print(`Serving ${name} at ${address}, TLS.`);
  else {
    terminal.print(`Serving ${name} at ${address}. For clients:`);
    terminal.print(`export BIGTABLE_EMULATOR_HOST=${address}`);
  }
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
  { tlsCert: cert, tlsKey: key, tokenFile: token }: OptionValues<typeof options>,
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

function urlOf(folder: string, { dir, memory }: OptionValues<typeof options>): string {
  if (dir !== undefined && memory) throw new UsageError(faults.directoryAndMemory);
  if (memory) return 'memory:';
  if (dir === undefined) throw new UsageError(faults.noDatabase);
  if (dir.startsWith('file:')) throw new UsageError(faults.urlAsDirectory(dir));
  return directoryUrl(resolve(folder, dir));
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

const faults = {
  incompleteTls: { problem: '--tls-cert and --tls-key are given together' },
  directoryAndMemory: { problem: '--dir and --memory exclude each other' },
  noDatabase: { problem: 'no database is named', fix: 'give --dir DIRECTORY or --memory' },
  urlAsDirectory: (dir: string) => ({ problem: `--dir takes a directory, not the url '${dir}'` }),
} satisfies FaultTexts;
