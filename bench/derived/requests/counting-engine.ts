/** An engine that counts the requests for rows, by the names of Bigtable's methods. */
import type { RowsmithError } from '../../../src/errors.js';
import {
  type CheckAndMutate,
  DelegatingEngine,
  type DropTarget,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowMutation,
  type RowStream,
} from '../../../src/store/index.js';

export const methods = [
  'ReadRows',
  'MutateRow',
  'MutateRows',
  'CheckAndMutateRow',
  'ReadModifyWriteRow',
  'DropRowRange',
] as const;
export type Method = (typeof methods)[number];

export class CountingEngine extends DelegatingEngine {
  readonly counts = new Map<Method, number>();

  get requests(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  override readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    const stream = super.readRows(plan, options);
    let isOpen = false;
    return {
      next: async () => {
        if (isOpen) return stream.next();
        isOpen = true;
        return this.send('ReadRows', () => stream.next());
      },
      close: () => stream.close(),
    };
  }

  override mutateRow(table: string, row: RowMutation): Promise<void> {
    return this.send('MutateRow', () => super.mutateRow(table, row));
  }

  override mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    return this.send('MutateRows', () => super.mutateRows(table, rows, options));
  }

  override checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.send('CheckAndMutateRow', () => super.checkAndMutateRow(table, check, options));
  }

  override readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    return this.send('ReadModifyWriteRow', () => super.readModifyWriteRow(table, key, rules));
  }

  override dropRowRange(table: string, target: DropTarget): Promise<void> {
    return this.send('DropRowRange', () => super.dropRowRange(table, target));
  }

  protected send<T>(method: Method, request: () => Promise<T>): Promise<T> {
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    return request();
  }
}
