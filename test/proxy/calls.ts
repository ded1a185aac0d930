/** The calls of the suite on a live engine: published messages in, published messages out. */
import type { Message } from 'protobufjs';
import { pointRange, isRowsmithError, type RowsmithError } from '../../src/base/index.js';
import {
  CheckAndMutateRowRequest,
  decodeFilter,
  decodeMutateRowsRequest,
  decodeMutations,
  decodeReadRequest,
  decodeRowKey,
  decodeRules,
  encodeRow,
  MutateRowRequest,
  ReadModifyWriteRowRequest,
  ReadRowsRequest,
  RowMessage,
  SampleRowKeysRequest,
  statusCode,
  statusOf,
  type StatusReport,
} from '../../src/engines/protocol/index.js';
import { CallError } from '../../src/engines/bigtable/channel/channel.js';
import { collectRows, copyRow, type Row } from '../../src/data/store/index.js';
import type { LiveClient } from './live-clients.js';
import { bytesOf, messageOf } from './protos.js';

/** A request of the proxy; `request` is a message of the Bigtable API. */
interface DataRequest {
  readonly request: Message;
}

/** The data calls of the proxy, by name. Each resolves to the fields of its result. */
export const dataCalls: Readonly<
  Record<string, (client: LiveClient, request: never) => Promise<object>>
> = {
  async ReadRow(
    { engine }: LiveClient,
    request: { tableName: string; rowKey: string; filter?: Message | null },
  ) {
    const { tableName, rowKey, filter } = request;
    const stream = engine.readRows({
      table: tableOf(tableName),
      ranges: [pointRange(new Uint8Array(Buffer.from(rowKey)))],
      reversed: false,
      filter: filter == null ? undefined : decodeFilter(bytesOf(filter)),
    });
    const [row] = await collectRows(stream);
    return { row: row === undefined ? undefined : rowMessage(row) };
  },

  async ReadRows(
    { engine, timeoutMs }: LiveClient,
    { request, cancelAfterRows }: DataRequest & { cancelAfterRows: number },
  ) {
    const message = ReadRowsRequest.decode(bytesOf(request));
    const plan = decodeReadRequest(message, tableOf(message.tableName));
    const stream = engine.readRows(plan, { timeoutMs });
    const rows: Message[] = [];
    for (;;) {
      const page = await stream.next();
      if (page === undefined) return { rows };
      while (page.nextRow()) {
        rows.push(rowMessage(copyRow(page)));
        if (rows.length !== cancelAfterRows) continue;
        await stream.close();
        return { rows };
      }
    }
  },

  async MutateRow({ engine }: LiveClient, { request }: DataRequest) {
    const { tableName, rowKey, mutations } = MutateRowRequest.decode(bytesOf(request));
    const row = { key: decodeRowKey(rowKey), mutations: decodeMutations(mutations) };
    await engine.mutateRow(tableOf(tableName), row);
    return {};
  },

  async BulkMutateRows({ engine }: LiveClient, { request }: DataRequest) {
    const { tableName, entries } = decodeMutateRowsRequest(bytesOf(request));
    const rows = entries.map((entry) => {
      if (isRowsmithError(entry)) throw entry;
      return entry;
    });
    const errors = await engine.mutateRows(tableOf(tableName), rows);
    const failed = errors.flatMap((error, index) =>
      error === undefined ? [] : [{ index, status: callStatus(error) }],
    );
    // Of the call as a whole: it has not done what it was asked for.
    return { entries: failed, status: failed.at(0)?.status };
  },

  async CheckAndMutateRow({ engine }: LiveClient, { request }: DataRequest) {
    const message = CheckAndMutateRowRequest.decode(bytesOf(request));
    const { tableName, rowKey, predicateFilter: filter } = message;
    const predicateMatched = await engine.checkAndMutateRow(tableOf(tableName), {
      key: decodeRowKey(rowKey),
      predicate: filter === undefined ? undefined : decodeFilter(filter),
      onTrue: decodeMutations(message.trueMutations),
      onFalse: decodeMutations(message.falseMutations),
    });
    return { result: { predicateMatched } };
  },

  async ReadModifyWriteRow({ engine }: LiveClient, { request }: DataRequest) {
    const { tableName, rowKey, rules } = ReadModifyWriteRowRequest.decode(bytesOf(request));
    const row = await engine.readModifyWriteRow(
      tableOf(tableName),
      decodeRowKey(rowKey),
      decodeRules(rules),
    );
    return { row: rowMessage(row) };
  },

  async SampleRowKeys({ engine }: LiveClient, { request }: DataRequest) {
    const { tableName } = SampleRowKeysRequest.decode(bytesOf(request));
    const samples = await engine.sampleRowKeys(tableOf(tableName));
    return { samples: samples.map(({ key, offsetBytes }) => ({ rowKey: key, offsetBytes })) };
  },
};

/** The gRPC status of an error: what the last attempt ended with, if there was one. */
export function callStatus(error: unknown): StatusReport {
  const { cause } = error as RowsmithError;
  if (cause instanceof CallError) return { code: cause.code, message: cause.message };
  const { code, message } = statusOf(error);
  return { code: code === statusCode.OK ? statusCode.UNKNOWN : code, message };
}

/** The id of a table by its full name. */
function tableOf(name = ''): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function rowMessage(row: Row): Message {
  return messageOf('Row', RowMessage.encode(encodeRow(row)));
}
