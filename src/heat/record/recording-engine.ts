/** An engine that adds its operations to a collector and passes them on to another engine. */
import { isBytes } from '../../base/index.js';
import { isPoint, latin1Text } from '../../bytes/index.js';
import type { RowsmithError } from '../../errors.js';
import {
  type CheckAndMutate,
  type Clock,
  DelegatingEngine,
  type Engine,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowMutation,
  rowMutationBytes,
  type RowStream,
} from '../../store/index.js';
import type { AccessCollector } from '../collect/access-collector.js';
import { RecordedKeys, RecordedScan } from './recorded-reads.js';

export class RecordingEngine extends DelegatingEngine {
  readonly #collector: AccessCollector;
  readonly #clock: Clock;

  constructor(engine: Engine, collector: AccessCollector, clock: Clock) {
    super(engine);
    this.#collector = collector;
    this.#clock = clock;
  }

  /** Rows are passed on as they are, with their tokens. */
  get appliesOnce(): boolean {
    return this.engine.appliesOnce === true;
  }

  override readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    const stream = this.engine.readRows(plan, options);
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

  override mutateRow(table: string, row: RowMutation): Promise<void> {
    const written = this.engine.mutateRow(table, row);
    this.#addWrite(table, row);
    return written;
  }

  override mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const written = this.engine.mutateRows(table, rows, options);
    if (isList(rows)) for (const row of rows) this.#addWrite(table, row);
    return written;
  }

  override checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    const checked = this.engine.checkAndMutateRow(table, check, options);
    const { key, onTrue = [], onFalse = [] } = check;
    // One of the branches is written; which one is not known before.
    this.#addWrite(table, { key, mutations: onTrue.length > 0 ? onTrue : onFalse });
    return checked;
  }

  override readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    const written = this.engine.readModifyWriteRow(table, key, rules);
    this.#addWrite(table, { key, mutations: [] });
    return written;
  }

  #addWrite(table: string, row: RowMutation): void {
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
