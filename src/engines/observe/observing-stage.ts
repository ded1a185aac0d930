/** Reports requests to observers on their way to an engine. */
import {
  type AdminRequest,
  type ReadRequest,
  type ResultOf,
  rowMutationBytes,
  type RowStream,
  type SendAdmin,
  type SendRead,
  type SendWrite,
  type Stage,
  type WriteRequest,
} from '../../data/store/index.js';
import { ObservedStream } from './observed-stream.js';
import type { Observer, Operation } from './operation.js';
import { Watch } from './watch.js';

/** Observes the repository of one entity, or the database itself. */
export class ObservingStage implements Stage {
  readonly #observers: readonly Observer[];
  readonly #entity: string | undefined;

  constructor(observers: readonly Observer[], entity?: string) {
    this.#observers = observers;
    this.#entity = entity;
  }

  read(request: ReadRequest, send: SendRead): RowStream {
    const { plan } = request;
    const watch = this.#watch({ name: 'readRows', table: plan.table, plan });
    const stream = watch.runInContext(() => send(request));
    return new ObservedStream(stream, watch);
  }

  write(request: WriteRequest, send: SendWrite): Promise<ResultOf<WriteRequest>> {
    const { kind: name, table } = request;
    return this.#run({ name, table, ...writtenBy(request) }, () => send(request));
  }

  admin(request: AdminRequest, send: SendAdmin): Promise<ResultOf<AdminRequest>> {
    switch (request.kind) {
      case 'listTables':
      case 'generateConsistencyToken':
      case 'checkConsistency':
      case 'close':
        return send(request);
      default: {
        const table = request.kind === 'createTable' ? request.schema.name : request.table;
        return this.#run({ name: request.kind, table }, () => send(request));
      }
    }
  }

  #watch(request: ObservedRequest): Watch {
    return new Watch(
      { entity: this.#entity, rows: 0, bytes: 0, attempts: 1, engineMillis: 0, ...request },
      this.#observers,
    );
  }

  async #run<T>(request: ObservedRequest, work: () => Promise<T>): Promise<T> {
    const watch = this.#watch(request);
    try {
      const result = await watch.timed(() => watch.runInContext(work));
      watch.end();
      return result;
    } catch (error) {
      watch.end(error);
      throw error;
    }
  }
}

type ObservedRequest = Pick<Operation, 'name' | 'table'> & Partial<Operation>;

/** What is known of a write before it is sent. */
function writtenBy(request: WriteRequest): Partial<Operation> {
  switch (request.kind) {
    case 'mutateRow':
      return { keys: [request.row.key], rows: 1, bytes: rowMutationBytes(request.row) };
    case 'mutateRows':
      return {
        keys: request.rows.map(({ key }) => key),
        rows: request.rows.length,
        bytes: request.rows.reduce((sum, row) => sum + rowMutationBytes(row), 0),
      };
    case 'checkAndMutateRow': {
      const { key, onTrue = [], onFalse = [] } = request.check;
      const bytes = rowMutationBytes({ key, mutations: [...onTrue, ...onFalse] });
      return { keys: [key], rows: 1, bytes };
    }
    case 'readModifyWriteRow':
      return { keys: [request.key], rows: 1 };
    case 'dropRowRange':
      return { keys: request.target.kind === 'prefix' ? [request.target.prefix] : undefined };
  }
}
