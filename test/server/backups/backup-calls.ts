/** What the suites of backups share. */
import { hourMs } from '../../../src/base/index.js';
import { decodePublished, encodePublished } from '../../engines/protocol/published.js';
import {
  collectCall,
  createTestTable,
  instance,
  type RawClient,
  setCell,
  tableName,
  utf8,
} from '../raw-client.js';

export const cluster = `${instance}/clusters/local`;
export const backup = `${cluster}/backups/b`;
export const restored = `${instance}/tables/restored`;

export const seconds = (ms: number): { seconds: number } => ({ seconds: Math.floor(ms / 1000) });
export const inHours = (hours: number): object => seconds(Date.now() + hours * hourMs);

/** Calls of a client about backups of the table `t`. */
export function backupCalls(client: RawClient) {
  const call = (method: string, request: object) => client.call('tables', method, request);
  const operation = async (method: string, request: object) => {
    const { name } = await client.unary('tables', method, request);
    return wait(client, name);
  };
  const restoreRequest = (tableId = 'restored', from = backup) => ({
    parent: instance,
    tableId,
    backup: from,
  });
  return {
    call,
    operation,
    restoreRequest,
    createRequest: (backupId = 'b', content: object = {}, parent = cluster) => ({
      parent,
      backupId,
      backup: { sourceTable: tableName, expireTime: inHours(8), ...content },
    }),
    /** Creates a backup, and waits for it. */
    create(backupId = 'b', content: object = {}) {
      return operation('CreateBackup', this.createRequest(backupId, content));
    },
    restore: (tableId?: string, from?: string) =>
      operation('RestoreTable', restoreRequest(tableId, from)),
    get: (name = backup) => client.unary('tables', 'GetBackup', { name }),
    async names(request: object = {}): Promise<string[]> {
      const { backups = [] } = await client.unary('tables', 'ListBackups', {
        parent: cluster,
        ...request,
      });
      return backups.map(({ name }: { name: string }) => name.split('/').pop());
    },
  };
}

/** A call of google.longrunning.Operations, which the client does not know. */
export async function operations(client: RawClient, method: string, request: object) {
  const bytes = encodePublished(`google.longrunning.${method}Request`, request);
  const path = `/google.longrunning.Operations/${method}`;
  const { code, messages } = await collectCall(client.bytes(path, bytes, 20_000));
  if (code !== 0) return { code };
  const type = /Get|Wait/.test(method) ? 'google.longrunning.Operation' : 'google.protobuf.Empty';
  return { code, response: unpacked(decodePublished(type, messages[0])) };
}

async function wait(client: RawClient, name: string) {
  const { response } = await operations(client, 'WaitOperation', { name });
  return response;
}

/** The messages in an operation, decoded. */
function unpacked(operation: any): any {
  const result = { ...operation };
  for (const field of ['metadata', 'response'])
    if (result[field] !== undefined) {
      const { type_url: url, value } = result[field];
      result[field] = decodePublished(url.split('/').pop(), value);
    }
  return result;
}

/** The table `t` with two rows: two versions of a cell, another family, and a sum. */
export async function createRows(client: RawClient): Promise<void> {
  await createTestTable(client);
  await write(client, 'r1', [setCell('a', 'q', 'old', 1000), setCell('a', 'q', 'new', 2000)]);
  const amount = Buffer.alloc(8);
  amount.writeBigInt64BE(42n);
  await write(client, 'r2', [
    setCell('b', '', 'x', 3000),
    {
      addToCell: {
        familyName: 'sum',
        columnQualifier: { rawValue: utf8('s') },
        timestamp: { rawTimestampMicros: 4000 },
        input: { intValue: 42 },
      },
    },
  ]);
}

export const write = (client: RawClient, key: string, mutations: object[], table = tableName) =>
  client.unary('data', 'MutateRow', { tableName: table, rowKey: utf8(key), mutations });
