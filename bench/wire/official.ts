/**
 * The official Node client as applications use it: its handwritten tables, with its metrics off,
 * which is its best case.
 */
import { createRequire } from 'node:module';
import type { Bigtable as BigtableClass, Table } from '@google-cloud/bigtable';

// Its index.d.ts declares more than it exports, and it is CommonJS.
const { Bigtable } = createRequire(import.meta.url)('@google-cloud/bigtable') as {
  Bigtable: typeof BigtableClass;
};
// Its authentication would look for Google's metadata server.
process.env.METADATA_SERVER_DETECTION = 'none';

/** A row as the client gives it. */
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

  /** `window`: bytes of HTTP/2's flow-control window; the client's own default is 64 KiB. */
  constructor(address: string, window?: number) {
    process.env.BIGTABLE_EMULATOR_HOST = address;
    this.#client = new Bigtable({
      projectId: 'p',
      metricsEnabled: false,
      ...(window === undefined ? {} : { 'grpc-node.flow_control_window': window }),
    });
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

  /** The rows one by one, each mapped where asked; the answer is their number. */
  async stream(
    table: string,
    options: object = {},
    mapped?: (row: OfficialRow) => object,
  ): Promise<number> {
    let rows = 0;
    for await (const row of this.table(table).createReadStream({ decode: false, ...options }))
      if (mapped === undefined ? row !== undefined : mapped(row as OfficialRow) !== undefined)
        rows++;
    return rows;
  }

  close(): Promise<void> {
    return this.#client.close().then(() => undefined);
  }
}
