/** Counts the requests and the written bytes of each table. */
import type { Mutation, RowMutation, Stage, WriteRequest } from '../../../data/store/index.js';

/** A write, or a read with no bytes. */
export interface CountedRequest {
  readonly kind: 'read' | 'write';
  readonly table: string;
  /** Rows that it writes. */
  readonly keys: readonly Uint8Array[];
  /** Keys, families, qualifiers, timestamps and values of the cells that it writes. */
  readonly bytes: number;
}

/** Reports each request for rows before it is sent. */
export function countRequests(report: (request: CountedRequest) => void): Stage {
  return {
    read(request, send) {
      report({ kind: 'read', table: request.plan.table, keys: [], bytes: 0 });
      return send(request);
    },
    write(request, send) {
      if (request.kind === 'dropRowRange') return send(request);
      const rows = rowsOf(request);
      const keys = rows.map(({ key }) => key);
      const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
      report({ kind: 'write', table: request.table, keys, bytes });
      return send(request);
    },
  };
}

function rowsOf(request: Exclude<WriteRequest, { kind: 'dropRowRange' }>): readonly RowMutation[] {
  switch (request.kind) {
    case 'mutateRow':
      return [request.row];
    case 'mutateRows':
      return request.rows;
    case 'checkAndMutateRow': {
      const { key, onTrue = [], onFalse = [] } = request.check;
      return [{ key, mutations: [...onTrue, ...onFalse] }];
    }
    case 'readModifyWriteRow':
      return [{ key: request.key, mutations: [] }];
  }
}

/** Bytes of a cell's timestamp, and of a value that is added. */
const fixedBytes = 8;

function bytesOf({ key, mutations }: RowMutation): number {
  return key.length + mutations.reduce(addBytes, 0);
}

function addBytes(sum: number, mutation: Mutation): number {
  if (!('qualifier' in mutation)) return sum;
  const name = mutation.family.length + mutation.qualifier.length + fixedBytes;
  if (mutation.kind === 'setCell') return sum + name + mutation.value.length;
  if (mutation.kind === 'deleteFromColumn') return sum + name;
  return sum + name + fixedBytes;
}
