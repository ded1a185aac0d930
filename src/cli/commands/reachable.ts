/**
 * Whether somebody listens at the address of a live database. The client retries for as long as a
 * program may wait; people who have not started an emulator read it at once.
 */
import { connect, type Socket } from 'node:net';
import { errorMessage, RowsmithError, type FaultTexts } from '../../base/index.js';
import { parseEngineUrl } from '../../engines/index.js';

/** Milliseconds for a connection. */
const maxConnectMs = 1_500;
/** The address of Cloud Bigtable. */
const service = { host: 'bigtable.googleapis.com', port: 443 };
/** With a proxy the service need not be reachable from here. */
const proxies = ['grpc_proxy', 'https_proxy', 'http_proxy', 'HTTPS_PROXY', 'HTTP_PROXY'];

/** Rejects with UNAVAILABLE if the url is of a live database and nobody listens there. */
export async function assertReachable(url: string): Promise<void> {
  // The client says what is wrong with another url.
  if (parseEngineUrl(url).kind !== 'live' || !/^bigtable:\/\/[^/]*\/[^/?]/.test(url)) return;
  const emulator = process.env.BIGTABLE_EMULATOR_HOST ?? '';
  if (emulator === '') {
    if (proxies.some((name) => (process.env[name] ?? '') !== '')) return;
    const problem = await connectProblem(service);
    if (problem !== undefined) throw unavailable(url, faults.noService(service.host, problem));
    return;
  }
  const [, ipv6, name, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(emulator) ?? [];
  // The client says what is wrong with another form.
  if (port === undefined) return;
  const problem = await connectProblem({ host: ipv6 ?? name, port: Number(port) });
  if (problem !== undefined) throw unavailable(url, faults.noEmulator(emulator, port, problem));
}

function unavailable(
  url: string,
  { problem, fix }: { readonly problem: string; readonly fix: string },
): RowsmithError {
  return new RowsmithError('UNAVAILABLE', { url, problem, fix });
}

/** Why there is no connection; undefined if there is one. */
function connectProblem(address: {
  readonly host: string;
  readonly port: number;
}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = connect(address);
    const end = (problem?: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    const timer = setTimeout(() => end(`no answer in ${maxConnectMs / 1000} s`), maxConnectMs);
    socket.once('connect', () => end());
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? errorMessage(error)));
  });
}

const faults = {
  noEmulator: (address: string, port: string, problem: string) => ({
    problem: `nobody listens at ${address}, which BIGTABLE_EMULATOR_HOST names (${problem})`,
    fix:
      `start it: rowsmith serve --dir DIRECTORY --port ${port}, or gcloud beta emulators bigtable start ` +
      `--host-port=${address}; or unset BIGTABLE_EMULATOR_HOST to use Cloud Bigtable`,
  }),
  noService: (host: string, problem: string) => ({
    problem: `${host} cannot be reached from here (${problem})`,
    fix: 'check the network, or set BIGTABLE_EMULATOR_HOST to the address of an emulator',
  }),
} satisfies FaultTexts;
