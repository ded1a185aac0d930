/** Runs one history on several targets, each with its own table, and finds the first mismatch. */
import type { FamilySchema, RowMutation } from '../../src/data/store/index.js';
import { checkTarget, participates, type RuleUsage } from './check-target.js';
import type { OperationCoverage } from './operation-coverage.js';
import {
  clockedColumns,
  farFuture,
  historyClockStart,
  minClockTimestamp,
  toText,
  type History,
  type Operation,
} from './operation.js';
import type { SharedLock } from './shared-lock.js';
import type { TargetResponse } from './target-response.js';
import type { Target } from './targets.js';

/** What is counted while histories run. */
export interface Coverage {
  readonly rules: RuleUsage;
  readonly operations: OperationCoverage;
}

/** A difference between a target and the oracle. */
export interface Mismatch {
  readonly target: Target;
  /** Index of the last operation that ran. */
  readonly at: number;
  readonly text: string;
}

/** What concurrent histories share. */
export interface RunContext {
  readonly lock: SharedLock;
  /** The clock of all engines, in milliseconds since 1970. */
  readonly time: { now: number };
}

let tables = 0;

/** The first mismatch of a target with the first one, which is the oracle. */
export async function runHistory(
  history: History,
  targets: readonly Target[],
  { lock, time }: RunContext,
  coverage: Coverage,
): Promise<Mismatch | undefined> {
  if (history.clock !== true) return runLocked(history, targets, lock, time, coverage);
  return lock.exclusive(async () => {
    const before = time.now;
    time.now = historyClockStart;
    try {
      return await runLocked(history, targets, undefined, time, coverage);
    } finally {
      time.now = before;
    }
  });
}

/** Without a lock the history already runs exclusively. */
async function runLocked(
  history: History,
  [oracle, ...others]: readonly Target[],
  lock: SharedLock | undefined,
  time: RunContext['time'],
  coverage: Coverage,
): Promise<Mismatch | undefined> {
  const table = `h${++tables}`;
  const targets = others.filter((target) => participates(target, history, coverage.rules));
  const all = [oracle, ...targets];
  const run = new HistoryRun(table, history, oracle, targets, time, coverage);
  const shared = <T>(work: () => Promise<T>): Promise<T> => lock?.shared(work) ?? work();
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => lock?.exclusive(work) ?? work();
  await shared(() => Promise.all(all.map((target) => target.create(table, history))));
  try {
    for (const [at, operation] of [...history.operations, readAll].entries()) {
      const step = () => run.step(operation);
      const mismatch = await (operation.kind === 'reopen' ? exclusive(step) : shared(step));
      if (mismatch !== undefined) return { ...mismatch, at };
    }
    return undefined;
  } finally {
    if (history.operations.some(({ kind }) => kind === 'protect'))
      await shared(() =>
        Promise.allSettled(all.map((target) => target.run(table, { kind: 'protect', on: false }))),
      );
    await shared(() => Promise.allSettled(all.map((target) => target.remove(table))));
  }
}

const readAll: Operation = { kind: 'read', keys: [], ranges: [], reversed: false };
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

class HistoryRun {
  readonly #families: Map<string, FamilySchema>;

  readonly #table: string;
  readonly #history: History;
  readonly #oracle: Target;
  readonly #targets: readonly Target[];
  readonly #time: RunContext['time'];
  readonly #coverage: Coverage;

  constructor(
    table: string,
    history: History,
    oracle: Target,
    targets: readonly Target[],
    time: RunContext['time'],
    coverage: Coverage,
  ) {
    this.#table = table;
    this.#history = history;
    this.#oracle = oracle;
    this.#targets = targets;
    this.#time = time;
    this.#coverage = coverage;
    this.#families = new Map(Object.entries(history.families));
  }

  /** Runs an operation, and then removes cells that depend on the clock of a target. */
  async step(operation: Operation): Promise<Omit<Mismatch, 'at'> | undefined> {
    if (operation.kind === 'wait') {
      this.#time.now += operation.ms;
      this.#coverage.operations.record(operation, { done: true }, this.#history);
      return undefined;
    }
    const families = new Map(this.#families);
    const expected = await this.#oracle.run(this.#table, operation);
    this.#trackFamilies(operation, expected);
    this.#coverage.operations.record(operation, expected, this.#history);
    const results = await Promise.all(
      this.#targets.map(async (target) => ({
        target,
        difference: await this.#check(target, operation, expected, families),
      })),
    );
    const mismatch = results.find(({ difference }) => difference !== undefined);
    if (mismatch !== undefined) {
      const { target, difference } = mismatch;
      return { target, text: `  ${toText(operation)}\n  ${difference}` };
    }
    if (['reopen', 'recreate', 'collect'].includes(operation.kind)) return this.step(readAll);
    if (this.#history.clock === true) return undefined;
    return this.#removeClockCells(operation, expected);
  }

  async #check(
    target: Target,
    operation: Operation,
    expected: TargetResponse,
    families: ReadonlyMap<string, FamilySchema>,
  ): Promise<string | undefined> {
    try {
      return await checkTarget(
        target,
        this.#table,
        { operation, expected, families },
        this.#coverage.rules,
      );
    } catch (error) {
      return `${target.name} failed: ${error instanceof Error ? error.stack : String(error)}`;
    }
  }

  /** Updates the families as an operation of the history changes them. */
  #trackFamilies(operation: Operation, expected: TargetResponse): void {
    if (
      operation.kind === 'recreate' &&
      'statuses' in expected &&
      expected.statuses.every((code) => code === 0)
    ) {
      this.#families.clear();
      for (const [name, schema] of Object.entries(operation.families))
        this.#families.set(name, schema);
    }
    if (operation.kind !== 'families' || 'code' in expected) return;
    for (const change of operation.changes) {
      if (change.kind === 'create') this.#families.set(change.family, change.schema);
      if (change.kind === 'drop') this.#families.delete(change.family);
    }
  }

  /**
   * Cells with the time of the target are compared (as `now`) and then deleted. The result of a
   * read-modify-write is written again with a timestamp that is the same for all targets. Clocks of
   * different targets never agree, and whether two calls happen in the same millisecond is
   * undefined (data-model.md C7).
   */
  async #removeClockCells(
    operation: Operation,
    expected: TargetResponse,
  ): Promise<Omit<Mismatch, 'at'> | undefined> {
    const clocked = clockedColumns(operation).filter(
      ({ key }) => key.length > 0 && key.length <= 4096,
    );
    const remove = (family: string, qualifier: Uint8Array) =>
      ({
        kind: 'deleteFromColumn',
        family,
        qualifier,
        start: minClockTimestamp,
        end: farFuture,
      }) as const;
    const rows: RowMutation[] = clocked.map(({ key, family, qualifier }) => ({
      key,
      mutations: [remove(family, qualifier)],
    }));
    if (operation.kind === 'modify' && 'rows' in expected) {
      for (const { family, qualifier, timestamp, value } of expected.rows[0].cells) {
        if (timestamp !== 'now') continue;
        const column = { family, qualifier: latin1(qualifier) };
        rows.push({
          key: operation.key,
          mutations: [
            remove(family, column.qualifier),
            { kind: 'setCell', ...column, timestamp: farFuture, value: latin1(value) },
          ],
        });
      }
    }
    if (rows.length === 0) return undefined;
    if (clocked.length > 0) {
      const read = { ...readAll, keys: clocked.map(({ key }) => key) } as Operation;
      const mismatch = await this.step(read);
      if (mismatch !== undefined) return mismatch;
    }
    return this.step({ kind: 'mutateRows', rows });
  }
}
