/** Counts the requests for rows, and what they write. */
import type { Mutation, RowMutation, Stage, WriteRequest } from '../../../data/store/index.js';
import { isOwnFamily } from '../../../entities/model/index.js';
import { isPoint } from '../../../base/index.js';

/** A request for a row. */
export interface CountedAccess {
  readonly kind: 'read' | 'write';
  readonly table: string;
  /** Of scans, where they begin. */
  readonly key: Uint8Array;
  /** The key, and families, qualifiers, timestamps and values of cells; 0 for reads. */
  readonly bytes: number;
  /** Of these, what is written for indexes and rollups. */
  readonly ownBytes: number;
}

/** Reports each row of a request before it is sent. A conditional write reads its row as well. */
export function countRequests(report: (access: CountedAccess) => void): Stage {
  return {
    read(request, send) {
      const { table, ranges } = request.plan;
      const scans = ranges.every(isPoint) ? ranges : ranges.slice(0, 1);
      for (const { start } of scans)
        report({ kind: 'read', table, key: start, bytes: 0, ownBytes: 0 });
      return send(request);
    },
    write(request, send) {
      if (request.kind === 'dropRowRange') return send(request);
      const { table, kind } = request;
      for (const { key, mutations } of rowsOf(request)) {
        if (kind === 'checkAndMutateRow' || kind === 'readModifyWriteRow')
          report({ kind: 'read', table, key, bytes: 0, ownBytes: 0 });
        const bytes = key.length + mutations.reduce(addBytes, 0);
        const ownBytes = mutations.filter(isOwn).reduce(addBytes, 0);
        report({ kind: 'write', table, key, bytes, ownBytes });
      }
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

function addBytes(sum: number, mutation: Mutation): number {
  if (!('qualifier' in mutation)) return sum;
  const name = mutation.family.length + mutation.qualifier.length + fixedBytes;
  if (mutation.kind === 'setCell') return sum + name + mutation.value.length;
  if (mutation.kind === 'deleteFromColumn') return sum + name;
  return sum + name + fixedBytes;
}

function isOwn(mutation: Mutation): boolean {
  return 'family' in mutation && isOwnFamily(mutation.family);
}
