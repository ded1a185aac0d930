/** Adds operations to a collector on their way to an engine. */
import { isBytes, isPoint, latin1Text } from '../../../base/index.js';
import {
  type Clock,
  type ReadPlan,
  type ReadRequest,
  type RowMutation,
  rowMutationBytes,
  type RowStream,
  type ResultOf,
  type SendRead,
  type SendWrite,
  type Stage,
  type WriteRequest,
} from '../../../data/store/index.js';
import type { AccessCollector } from '../collect/access-collector.js';
import { RecordedKeys, RecordedScan } from './recorded-reads.js';

/** Reads and writes of rows are passed on as they are. */
export class RecordingStage implements Stage {
  readonly #collector: AccessCollector;
  readonly #clock: Clock;

  constructor(collector: AccessCollector, clock: Clock) {
    this.#collector = collector;
    this.#clock = clock;
  }

  read(request: ReadRequest, send: SendRead): RowStream {
    const { plan } = request;
    const stream = send(request);
    if (!isReadOfKeys(plan))
      return new RecordedScan(stream, plan.table, this.#collector, this.#clock);
    // Each key is an operation, whether or not it has a row.
    let chosen: Map<string, number> | undefined;
    for (const { start } of plan.ranges) {
      const probability = this.#collector.take(plan.table);
      if (probability > 0) (chosen ??= new Map()).set(latin1Text(start), probability);
    }
    if (chosen === undefined) return stream;
    return new RecordedKeys(stream, plan.table, chosen, this.#collector, this.#clock);
  }

  write(request: WriteRequest, send: SendWrite): Promise<ResultOf<WriteRequest>> {
    const written = send(request);
    this.#addWrite(request);
    return written;
  }

  #addWrite(request: WriteRequest): void {
    const { table } = request;
    switch (request.kind) {
      case 'mutateRow':
        return this.#addRow(table, request.row);
      case 'mutateRows':
        if (isList(request.rows)) for (const row of request.rows) this.#addRow(table, row);
        return;
      case 'checkAndMutateRow': {
        const { key, onTrue = [], onFalse = [] } = request.check;
        // One of the branches is written; which one is not known before.
        return this.#addRow(table, { key, mutations: onTrue.length > 0 ? onTrue : onFalse });
      }
      case 'readModifyWriteRow':
        return this.#addRow(table, { key: request.key, mutations: [] });
      case 'dropRowRange':
        // Its rows are not known.
        return;
    }
  }

  #addRow(table: string, row: RowMutation): void {
    const probability = this.#collector.take(table);
    // Arguments that only JavaScript can pass are reported by the engine.
    if (probability === 0 || !isBytes(row?.key) || !isList(row.mutations)) return;
    this.#collector.add({
      table,
      kind: 'write',
      keyBytes: row.key,
      keyStart: 0,
      keyEnd: row.key.length,
      bytes: rowMutationBytes(row),
      at: this.#clock(),
      probability,
    });
  }
}

function isReadOfKeys({ ranges }: ReadPlan): boolean {
  return isList(ranges) && ranges.length > 0 && ranges.every(isPoint);
}

function isList<T>(value: readonly T[] | undefined): value is readonly T[] {
  return Array.isArray(value);
}
