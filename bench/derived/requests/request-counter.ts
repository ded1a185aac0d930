/** Counts the requests for rows, by the names of Bigtable's methods. */
import type {
  ReadRequest,
  ResultOf,
  RowStream,
  SendRead,
  SendWrite,
  Stage,
  WriteRequest,
} from '../../../src/data/store/index.js';

export const methods = [
  'ReadRows',
  'MutateRow',
  'MutateRows',
  'CheckAndMutateRow',
  'ReadModifyWriteRow',
  'DropRowRange',
] as const;
export type Method = (typeof methods)[number];

const methodOf: Readonly<Record<WriteRequest['kind'], Method>> = {
  mutateRow: 'MutateRow',
  mutateRows: 'MutateRows',
  checkAndMutateRow: 'CheckAndMutateRow',
  readModifyWriteRow: 'ReadModifyWriteRow',
  dropRowRange: 'DropRowRange',
};

export class RequestCounter implements Stage {
  readonly counts = new Map<Method, number>();

  get requests(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  read(request: ReadRequest, send: SendRead): RowStream {
    const stream = send(request);
    let isOpen = false;
    return {
      next: async () => {
        if (isOpen) return stream.next();
        isOpen = true;
        return this.pass('ReadRows', () => stream.next());
      },
      close: () => stream.close(),
    };
  }

  write(request: WriteRequest, send: SendWrite): Promise<ResultOf<WriteRequest>> {
    return this.pass(methodOf[request.kind], () => send(request));
  }

  protected pass<T>(method: Method, request: () => Promise<T>): Promise<T> {
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    return request();
  }
}
