/** A server over an engine with deliberate faults, and runs of the conformance cases on it. */
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  type AdminRequest,
  type Engine,
  type ReadRequest,
  type Stage,
  type WriteRequest,
  withStages,
} from '../../../src/data/store/index.js';
import { startServer } from '../../../src/server/index.js';
import { type ConformanceReport, verifyService } from '../../../src/tools/conformance/index.js';
import { liveUrl } from '../../engines/bigtable/live-backends.js';

/** A running server. */
export interface FaultyServer {
  readonly address: string;
  /** What is served, without faults. */
  readonly backend: Engine;
  /** All requests that the engine has got. */
  readonly requests: readonly (ReadRequest | WriteRequest | AdminRequest)[];
  readonly close: () => Promise<void>;
}

/** Starts a server over an empty engine, with the faults of a stage. */
export async function startFaultyServer(fault: Stage = {}): Promise<FaultyServer> {
  const backend = await openMemoryEngine();
  const requests: (ReadRequest | WriteRequest | AdminRequest)[] = [];
  const record: Stage = {
    read: (request, send) => {
      requests.push(request);
      return send(request);
    },
    write: (request, send) => {
      requests.push(request);
      return send(request);
    },
    admin: (request, send) => {
      requests.push(request);
      return send(request);
    },
  };
  const server = await startServer(withStages(backend, [record, fault]), {
    instance: 'projects/p/instances/instance-1',
  });
  const close = async (): Promise<void> => {
    await server.close({ graceMs: 0 });
    await backend.close();
  };
  return { address: server.address, backend, requests, close };
}

export const prefix = 'rowsmith-verify-20261127-abcdef';

/** Runs the cases on a server. Few operations of the random history: the cases notice most faults. */
export function verify(
  { address }: Pick<FaultyServer, 'address'>,
  options: Partial<Parameters<typeof verifyService>[0]> = {},
  // A busy machine may take seconds for a request.
  totalTimeoutMs = 60_000,
): Promise<ConformanceReport> {
  return verifyService({
    open: () => openLiveEngine(liveUrl, { emulatorHost: address, totalTimeoutMs }),
    prefix,
    history: { seed: 1, operations: 1 },
    keep: false,
    signal: new AbortController().signal,
    onResult: () => undefined,
    settleMs: 0,
    ...options,
  });
}

/** Titles of the cases with an outcome. */
export function titlesOf({ results }: ConformanceReport, outcome: string): readonly string[] {
  return results.filter((each) => each.outcome === outcome).map(({ title }) => title);
}
