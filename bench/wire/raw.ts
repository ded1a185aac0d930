/**
 * A client of plain grpc-js: requests are bytes, and responses are counted and discarded, so that
 * it measures the work of the server.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { MutateRowsRequest, ReadRowsRequest } from '../../src/engines/protocol/index.js';

const identity = (bytes: Buffer): Buffer => bytes;
const tables = 'projects/p/instances/i/tables/';

/** A connection to a server. */
export class Raw {
  readonly #client: Client;

  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc-node.flow_control_window': 4 << 20,
    });
  }

  /** Reads rows; resolves to the number of bytes received. */
  read(
    table: string,
    request: Omit<Parameters<typeof ReadRowsRequest.encode>[0], 'tableName'> = {},
  ): Promise<number> {
    return this.#send(
      'ReadRows',
      ReadRowsRequest.encode({ tableName: tables + table, ...request }),
    );
  }

  /** Sends a prepared MutateRowsRequest. */
  mutate(request: Uint8Array): Promise<number> {
    return this.#send('MutateRows', request);
  }

  close(): void {
    this.#client.close();
  }

  #send(method: string, request: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      let bytes = 0;
      const call = this.#client.makeServerStreamRequest(
        `/google.bigtable.v2.Bigtable/${method}`,
        identity,
        identity,
        Buffer.from(request.buffer, request.byteOffset, request.length),
        new Metadata(),
      );
      call.on('data', (message: Buffer) => {
        bytes += message.length;
      });
      call.on('error', reject);
      call.on('end', () => resolve(bytes));
    });
  }
}

/** An encoded MutateRowsRequest that sets cells. */
export function mutateRequest(
  table: string,
  rows: readonly {
    readonly key: Uint8Array;
    readonly cells: readonly {
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly value: Uint8Array;
    }[];
  }[],
): Uint8Array {
  return MutateRowsRequest.encode({
    tableName: tables + table,
    entries: rows.map(({ key, cells }) => ({
      rowKey: key,
      mutations: cells.map(({ family, qualifier, value }) => ({
        setCell: {
          familyName: family,
          columnQualifier: qualifier,
          timestampMicros: 1_700_000_000_000_000n,
          value,
        },
      })),
    })),
  });
}
