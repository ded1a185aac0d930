/** Counts the requests and the written bytes of each table. */
import type { RowsmithError } from '../../errors.js';
import {
  type CheckAndMutate,
  DelegatingEngine,
  type Mutation,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowMutation,
  type RowStream,
} from '../../store/index.js';

/** A write, or a read with no bytes. */
export interface CountedRequest {
  readonly kind: 'read' | 'write';
  readonly table: string;
  /** Rows that it writes. */
  readonly keys: readonly Uint8Array[];
  /** Keys, families, qualifiers, timestamps and values of the cells that it writes. */
  readonly bytes: number;
}

/** An engine that reports each request before it is sent. */
export class CountingEngine extends DelegatingEngine {
  readonly #report: (request: CountedRequest) => void;

  constructor(engine: DelegatingEngine['engine'], report: (request: CountedRequest) => void) {
    super(engine);
    this.#report = report;
  }

  override readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    this.#report({ kind: 'read', table: plan.table, keys: [], bytes: 0 });
    return super.readRows(plan, options);
  }

  override mutateRow(table: string, row: RowMutation): Promise<void> {
    this.#write(table, [row]);
    return super.mutateRow(table, row);
  }

  override mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    this.#write(table, rows);
    return super.mutateRows(table, rows, options);
  }

  override checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    const { key, onTrue = [], onFalse = [] } = check;
    this.#write(table, [{ key, mutations: [...onTrue, ...onFalse] }]);
    return super.checkAndMutateRow(table, check, options);
  }

  override readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    this.#write(table, [{ key, mutations: [] }]);
    return super.readModifyWriteRow(table, key, rules);
  }

  #write(table: string, rows: readonly RowMutation[]): void {
    const bytes = rows.reduce(
      (sum, { key, mutations }) => sum + key.length + mutations.reduce(addBytes, 0),
      0,
    );
    this.#report({ kind: 'write', table, keys: rows.map(({ key }) => key), bytes });
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
