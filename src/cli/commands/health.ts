/** `rowsmith health`: asks a server whether it serves, as health checks of containers do. */
import { readFile } from 'node:fs/promises';
import type * as grpcJs from '@grpc/grpc-js';
import { errorMessage, RowsmithError, type FaultTexts } from '../../base/index.js';
import { count, defineCommand, text, withDefault } from '../command.js';
import { inputFile } from '../files.js';

const method = '/grpc.health.v1.Health/Check';
/** HealthCheckResponse with SERVING. */
const serving = Buffer.of(0x08, 1);
const defaultAddress = '127.0.0.1:8086';

const options = {
  'tls-cert': text('FILE', 'The server serves over TLS with this certificate (PEM)', 'file'),
  timeout: withDefault(count('MS', 'Milliseconds to wait for an answer'), 5000),
};

/** The command. */
export const command = defineCommand({
  usage: '[HOST:PORT] [options]',
  about: `Asks a server of rowsmith serve whether it serves; default ${defaultAddress}. It needs no
token. Health checks of containers call it.`,
  arguments: [{ name: 'HOST:PORT' }],
  options,
  examples: [
    ['health', 'the server on port 8086 of this machine'],
    ['health 10.0.0.5:8086 --tls-cert cert.pem', 'another one, which serves over TLS'],
  ],
  exits: { failed: 'the server does not answer, or its database does not' },
  json: '{ address: string, serving: true }',
  async run({ values, positionals: [address = defaultAddress] }, { terminal, folder }) {
    // grpc-js would log its own lines if nothing listens.
    process.env.GRPC_VERBOSITY ??= 'NONE';
    const grpc = await loadGrpc();
    const credentials = await credentialsOf(grpc, folder, values.tlsCert);
    // The certificate is accepted whatever host it names, and TLS does not name addresses.
    const name = { 'grpc.ssl_target_name_override': 'localhost' };
    await check(new grpc.Client(address, credentials, name), address, values.timeout);
    terminal.printJson({ address, serving: true });
    terminal.print(`${address} serves.`);
  },
});

/** An optional peer dependency. */
async function loadGrpc() {
  try {
    return await import('@grpc/grpc-js');
  } catch (cause) {
    throw new RowsmithError('MISSING_PACKAGE', faults.missingPackage, { cause });
  }
}

/** TLS accepts the certificate itself, whatever host it names: there is no other to trust. */
async function credentialsOf(
  grpc: typeof grpcJs,
  folder: string,
  file: string | undefined,
): Promise<grpcJs.ChannelCredentials> {
  if (file === undefined) return grpc.credentials.createInsecure();
  const certificate = await readFile(inputFile(folder, file));
  return grpc.credentials.createSsl(certificate, null, null, {
    checkServerIdentity: () => undefined,
  });
}

/** Rejects with UNAVAILABLE unless the server serves. */
async function check(client: grpcJs.Client, address: string, timeoutMs: number): Promise<void> {
  const asBytes = (bytes: Buffer): Buffer => bytes;
  try {
    const response = await new Promise<Buffer | undefined>((resolve, reject) => {
      const deadline = Date.now() + timeoutMs;
      const request = Buffer.alloc(0);
      client.makeUnaryRequest(method, asBytes, asBytes, request, { deadline }, (error, bytes) => {
        if (error === null) resolve(bytes);
        else reject(error);
      });
    });
    if (response?.equals(serving) === true) return;
  } catch (cause) {
    const fault = faults.noAnswer(address, errorMessage(cause));
    throw new RowsmithError('UNAVAILABLE', fault, { cause });
  } finally {
    client.close();
  }
  throw new RowsmithError('UNAVAILABLE', faults.notServing(address));
}

const faults = {
  missingPackage: {
    problem: 'the command needs @grpc/grpc-js, which cannot be loaded',
    fix: 'run npm install @grpc/grpc-js',
  },
  noAnswer: (address: string, cause: string) => ({
    problem: `the server at ${address} does not answer: ${cause}`,
    fix: 'start it with rowsmith serve, and give its address, and its certificate if it has one',
  }),
  notServing: (address: string) => ({
    problem: `the server at ${address} does not serve: it is stopping, or its database fails`,
    fix: 'look at what rowsmith serve has printed, and start it again',
  }),
} satisfies FaultTexts;
