/**
 * A client made of grpc-js and Google's published protos, without a client library or our codec.
 */
import {
  Client,
  credentials,
  type ClientReadableStream,
  Metadata,
  type StatusObject,
} from '@grpc/grpc-js';
import type { Method } from 'protobufjs';
import { decodePublished, encodePublished, published } from '../engines/protocol/published.js';
import { RowMerger, type Chunk } from '../engines/protocol/row-merger.js';
import type { Row } from '../../src/data/store/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { startServer, type BigtableServer, type ServerOptions } from '../../src/server/index.js';

const services = {
  data: 'google.bigtable.v2.Bigtable',
  tables: 'google.bigtable.admin.v2.BigtableTableAdmin',
  instances: 'google.bigtable.admin.v2.BigtableInstanceAdmin',
} as const;
const methods = new Map<string, Method>();
function methodOf(service: keyof typeof services, name: string): Method {
  const full = `${service} ${name}`;
  let method = methods.get(full);
  if (method === undefined)
    methods.set(full, (method = published.lookupService(services[service]).methods[name]));
  return method;
}
/** FeatureFlags with reverse_scans. */
const reverseScans = 'CAE=';
const identity = (bytes: Buffer): Buffer => bytes;

/** The outcome of a call. */
export interface CallResult {
  readonly code: number;
  readonly details: string;
  /** Decoded messages, in order. */
  readonly messages: any[];
  readonly headers: Metadata | undefined;
  readonly trailers: Metadata;
}

export class RawClient {
  readonly client: Client;

  readonly #headers: Readonly<Record<string, string>>;

  /** `headers` are sent with every call. */
  constructor(address: string, headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers;
    this.client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
    });
  }

  /** Starts a call and returns its stream; messages are not decoded. */
  stream(
    service: keyof typeof services,
    method: string,
    request: object,
    deadline?: number,
  ): ClientReadableStream<Buffer> {
    const type = methodOf(service, method).resolvedRequestType!;
    return this.bytes(
      `/${services[service]}/${method}`,
      encodePublished(type.fullName.slice(1), request),
      deadline,
    );
  }

  bytes(path: string, request: Buffer, deadline?: number): ClientReadableStream<Buffer> {
    return this.client.makeServerStreamRequest(
      path,
      identity,
      identity,
      request,
      this.#metadata(),
      deadline === undefined ? {} : { deadline: Date.now() + deadline },
    );
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    const headers = { 'bigtable-features': reverseScans, ...this.#headers };
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return metadata;
  }

  /** Makes a call and waits for its end. */
  async call(
    service: keyof typeof services,
    method: string,
    request: object,
    deadline?: number,
  ): Promise<CallResult> {
    const type = methodOf(service, method).resolvedResponseType!.fullName.slice(1);
    const answer = await collectCall(this.stream(service, method, request, deadline));
    return {
      ...answer,
      messages: answer.messages.map((bytes) => decodePublished(type, bytes as Buffer)),
    };
  }

  /** Makes a unary call and returns its response; throws if it fails. */
  async unary(service: keyof typeof services, method: string, request: object): Promise<any> {
    const { code, details, messages } = await this.call(service, method, request);
    if (code !== 0) throw Object.assign(new Error(`${method}: ${code} ${details}`), { code });
    return messages[0];
  }

  /** Reads rows with the strict merger. */
  async rows(request: object): Promise<Row[]> {
    const { code, details, messages } = await this.call('data', 'ReadRows', request);
    if (code !== 0) throw Object.assign(new Error(`ReadRows: ${code} ${details}`), { code });
    const merger = new RowMerger(true);
    for (const { chunks } of messages as { chunks: Chunk[] }[])
      for (const chunk of chunks) merger.add(chunk);
    merger.end();
    return merger.rows;
  }

  close(): void {
    this.client.close();
  }
}

/** Collects a stream to its end; the last status is the one that counts. */
export function collectCall(stream: ClientReadableStream<Buffer>): Promise<CallResult> {
  return new Promise((resolve) => {
    const messages: Buffer[] = [];
    let headers: Metadata | undefined;
    let status: StatusObject | undefined;
    let ended = false;
    const finish = () => {
      if (status !== undefined && ended)
        resolve({
          code: status.code,
          details: status.details,
          messages,
          headers,
          trailers: status.metadata,
        });
    };
    stream.on('metadata', (metadata: Metadata) => {
      headers = metadata;
    });
    stream.on('data', (message: Buffer) => messages.push(message));
    stream.on('error', () => {
      ended = true;
      finish();
    });
    stream.on('end', () => {
      ended = true;
      finish();
    });
    stream.on('status', (last: StatusObject) => {
      status = last;
      finish();
    });
  });
}

export interface TestServer {
  readonly engine: Engine;
  readonly server: BigtableServer;
  readonly client: RawClient;
  readonly close: () => Promise<void>;
}

/** A server over an empty memory engine, and a client of it. */
export async function serveMemory(
  options: ServerOptions & { readonly clock?: () => number } = {},
): Promise<TestServer> {
  const engine = await openMemoryEngine(
    options.clock === undefined ? {} : { clock: options.clock },
  );
  const server = await startServer(engine, options);
  const client = new RawClient(server.address);
  const close = async () => {
    client.close();
    await server.close({ graceMs: 500 });
    await engine.close();
  };
  return { engine, server, client, close };
}

export const instance = 'projects/p/instances/instance-1';
export const tableName = `${instance}/tables/t`;
export const utf8 = (text: string): Buffer => Buffer.from(text);

/** A table `t` with families a and b, and a sum. */
export async function createTestTable(client: RawClient): Promise<void> {
  const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
  const families = {
    a: {},
    b: {},
    sum: { valueType: { aggregateType: { inputType: int64, sum: {} } } },
  };
  await client.unary('tables', 'CreateTable', {
    parent: instance,
    tableId: 't',
    table: { columnFamilies: families },
  });
}

export const setCell = (
  familyName: string,
  qualifier: string,
  value: string | Buffer,
  timestampMicros: number | string = 1000,
): object => ({
  setCell: {
    familyName,
    columnQualifier: utf8(qualifier),
    timestampMicros,
    value: typeof value === 'string' ? utf8(value) : value,
  },
});
