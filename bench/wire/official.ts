/**
 * The official Node client as applications use it: the handwritten client, with its metrics off,
 * which is its best case.
 */
import { createRequire } from 'node:module';
import type { Bigtable as BigtableClass, Table } from '@google-cloud/bigtable';

// It is CommonJS, and its index.d.ts declares more than it exports.
const { Bigtable } = createRequire(import.meta.url)('@google-cloud/bigtable') as {
  Bigtable: typeof BigtableClass;
};
// Without this its authentication looks for Google's metadata server.
process.env.METADATA_SERVER_DETECTION = 'none';

/** A row of the client. */
export interface OfficialRow {
  readonly id: Buffer;
  readonly data: Record<
    string,
    Record<string, readonly { readonly value: Buffer; readonly timestamp: string }[]>
  >;
}

/** A client of one server. */
export class Official {
  readonly #client: BigtableClass;

  /** `window`: bytes of the HTTP/2 flow-control window; the default of the client is 64 KiB. */
  constructor(address: string, window?: number) {
    process.env.BIGTABLE_EMULATOR_HOST = address;
    const options: Record<string, unknown> = { projectId: 'p', metricsEnabled: false };
    if (window !== undefined) options['grpc-node.flow_control_window'] = window;
    this.#client = new Bigtable(options);
    delete process.env.BIGTABLE_EMULATOR_HOST;
  }

  table(name: string): Table {
    return this.#client.instance('i').table(name);
  }

  async createTable(name: string, families: readonly string[]): Promise<void> {
    await this.#client.instance('i').createTable(name, { families: [...families] } as never);
  }

  /** All rows as an array, values as Buffers. */
  async getRows(table: string, options: object = {}): Promise<readonly OfficialRow[]> {
    const [rows] = await this.table(table).getRows({ decode: false, ...options } as never);
    return rows as unknown as readonly OfficialRow[];
  }

  /** Reads the rows one by one and maps them; returns their number. */
  async stream(
    table: string,
    options: object = {},
    map: (row: OfficialRow) => object = (row) => row,
  ): Promise<number> {
    let rows = 0;
    for await (const row of this.table(table).createReadStream({ decode: false, ...options }))
      if (map(row as OfficialRow) !== undefined) rows++;
    return rows;
  }

  close(): Promise<void> {
    return this.#client.close().then(() => undefined);
  }
}
