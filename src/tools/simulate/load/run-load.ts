/** Runs a workload against a database for a time, and measures it. */
import { AccessCollector, type AccessLog, type AccessWindow } from '../../heat/index.js';
import { isRowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityClass } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { Random } from '../../values/index.js';
import { workloadError } from '../workload/check-values.js';
import type { EntityLoad } from '../workload/entity-load.js';
import { type Latencies, loadRecorders, type Recorder } from './latencies.js';
import { type LoadOperation, LoadOperations, type OperationOptions } from './operations.js';

/** How a workload is run. */
export interface LoadOptions extends OperationOptions {
  /** Operations each second, started at even intervals; undefined for as many as possible. */
  readonly rate: number | undefined;
  /** Operations at a time, at most. */
  readonly concurrency: number;
  /** Milliseconds that are measured, after the warm-up. */
  readonly durationMs: number;
  readonly warmUpMs: number;
  /** Milliseconds since 1970 of the first operation, for keys with a time. */
  readonly start: number;
  /** Stops the run; operations that were started are awaited. */
  readonly signal?: AbortSignal;
  /** Called about once a second with the number of operations that have ended. */
  readonly onProgress?: (done: number) => void;
}

/** One kind of operation. */
export interface OperationReport {
  /** `write`, `get`, or the name of an access pattern. */
  readonly name: string;
  /** From the time at which the operation was due: waiting for other operations counts. */
  readonly latency: Latencies;
  /** From the time at which it was started. */
  readonly service: Latencies;
  /** Rows that were read. */
  readonly rows: number;
  /** Operations that failed, by code; they are not in the latencies. */
  readonly errors: Readonly<Record<string, number>>;
}

/** What a run measured. */
export interface LoadReport {
  readonly workload: string;
  readonly entity: string;
  /** Seconds that were measured. */
  readonly seconds: number;
  /** Operations that ended without error in this time, and each second. */
  readonly operations: number;
  readonly perSecond: number;
  readonly errors: number;
  /**
   * Operations that were due and could not be started in time. They are in the latencies with the
   * time that they had waited.
   */
  readonly unsent: number;
  readonly kinds: readonly OperationReport[];
  /** The run was stopped before its end. */
  readonly stopped: boolean;
  readonly access: AccessLog;
}

/** Runs the workload. Throws INVALID_ARGUMENT if it neither reads nor writes. */
export async function runLoad(
  load: EntityLoad,
  db: Database,
  options: LoadOptions,
): Promise<LoadReport> {
  if (load.writesPerSecond + load.readsPerSecond === 0)
    throw workloadError(load.model, 'writesPerSecond', faults.missingRates);
  return new LoadRun(load, db, options, await loadRecorders()).run();
}

/** The methods of a repository that operations call. */
interface LoadedRepository {
  create(values: object): object;
  save(entity: object): Promise<void>;
  get(key: object): Promise<object | undefined>;
  increment(key: object, counter: string, amount: bigint): Promise<unknown>;
  readonly patterns: Readonly<Record<string, (values: object) => { all(): Promise<unknown[]> }>>;
}

interface KindState {
  readonly latency: Recorder;
  readonly service: Recorder;
  rows: number;
  readonly errors: Map<string, number>;
}

/** Timers may be late by a millisecond or so; the rest of a wait passes turn by turn. */
const timerSlackMs = 2;
/** Operations that never started and are recorded one by one. */
const maxRecordedUnsent = 20_000;
/** Operations after which a worker lets timers and signals run. */
const turnOperations = 16;

class LoadRun {
  readonly #load: EntityLoad;
  readonly #options: LoadOptions;
  readonly #repository: LoadedRepository;
  readonly #operations: LoadOperations;
  readonly #newRecorder: () => Recorder;
  readonly #kinds = new Map<string, KindState>();
  readonly #windows: AccessWindow[] = [];
  readonly #collector: AccessCollector;
  #next = 0;
  #done = 0;
  /** On the clock of `performance`, which is never set back, and in milliseconds since 1970. */
  #startedAt = 0;
  #startedTime = 0;

  constructor(load: EntityLoad, db: Database, options: LoadOptions, newRecorder: () => Recorder) {
    this.#load = load;
    this.#options = options;
    this.#repository = db.repository(load.model.entityClass as EntityClass);
    this.#operations = new LoadOperations(load, options);
    this.#newRecorder = newRecorder;
    const random = new Random(options.seed);
    const windowMs = Math.max(1000, Math.ceil(options.durationMs / 60_000) * 1000);
    this.#collector = new AccessCollector(
      { windowMs, random: () => random.next() },
      (_table, window) => this.#windows.push(window),
    );
  }

  async run(): Promise<LoadReport> {
    const { concurrency, warmUpMs, durationMs, signal, onProgress } = this.#options;
    this.#startedAt = performance.now();
    this.#startedTime = Date.now();
    const progress = setInterval(() => onProgress?.(this.#done), 1000);
    try {
      await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    } finally {
      clearInterval(progress);
    }
    const stopped = signal?.aborted === true;
    const measured = performance.now() - this.#startedAt - warmUpMs;
    const seconds = Math.max(0, stopped ? measured : Math.max(measured, durationMs)) / 1000;
    const unsent = stopped ? 0 : this.#recordUnsent();
    this.#collector.end();
    return this.#report(seconds, unsent, stopped);
  }

  /** One operation after the other, until the time is over. */
  async #work(): Promise<void> {
    for (let count = 1; !this.#isStopped(); count++) {
      const index = this.#next;
      const due = this.#dueAt(index);
      if (this.#now() >= this.#endMs() || due >= this.#endMs()) return;
      this.#next++;
      // Made here, so that operations are in the order of their index.
      const operation = this.#operations.next(this.#options.start + due);
      if (this.#now() < due) await this.#until(due);
      else if (count % turnOperations === 0) await turn();
      if (this.#isStopped()) return;
      await this.#execute(operation, due);
    }
  }

  #isStopped(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #now(): number {
    return performance.now() - this.#startedAt;
  }

  #endMs(): number {
    return this.#options.warmUpMs + this.#options.durationMs;
  }

  /** When an operation is due, in milliseconds after the start; without a rate, at once. */
  #dueAt(index: number): number {
    const { rate } = this.#options;
    return rate === undefined ? this.#now() : (index * 1000) / rate;
  }

  async #until(due: number): Promise<void> {
    while (this.#now() < due && !this.#isStopped()) {
      const left = due - this.#now();
      if (left <= timerSlackMs) await turn();
      else await new Promise((resolve) => setTimeout(resolve, Math.min(left - 1, 100)));
    }
  }

  async #execute(operation: LoadOperation, due: number): Promise<void> {
    const started = this.#now();
    let rows = 0;
    let failure: string | undefined;
    try {
      rows = await this.#call(operation);
    } catch (error) {
      failure = isRowsmithError(error) ? error.code : String((error as Error)?.name);
    }
    const ended = this.#now();
    this.#done++;
    if (due < this.#options.warmUpMs) return;
    const kind = this.#kindOf(operation.name);
    if (failure !== undefined) {
      kind.errors.set(failure, (kind.errors.get(failure) ?? 0) + 1);
      return;
    }
    kind.latency.recordValue((ended - due) * 1000);
    kind.service.recordValue((ended - started) * 1000);
    kind.rows += rows;
    this.#collect(operation);
  }

  /** Resolves to the number of rows that were read. */
  async #call(operation: LoadOperation): Promise<number> {
    const repository = this.#repository;
    switch (operation.kind) {
      case 'write':
        await repository.save(repository.create({ ...operation.key, ...operation.columns }));
        return 0;
      case 'increment':
        await repository.increment(operation.key, operation.counter, 1n);
        return 0;
      case 'get':
        return (await repository.get(operation.key)) === undefined ? 0 : 1;
      case 'pattern':
        return (await repository.patterns[operation.name](operation.arguments).all()).length;
    }
  }

  #collect({ kind, key }: LoadOperation): void {
    const { model } = this.#load;
    const table = model.table.name;
    const probability = this.#collector.take(table);
    if (probability === 0) return;
    const keyBytes = model.key.encode(key);
    const keyEnd = keyBytes.length;
    this.#collector.add({
      table,
      kind: kind === 'write' || kind === 'increment' ? 'write' : 'read',
      keyBytes,
      keyStart: 0,
      keyEnd,
      bytes: keyEnd,
      at: this.#startedTime + this.#now(),
      probability,
    });
  }

  #kindOf(name: string): KindState {
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      const newRecorder = this.#newRecorder;
      kind = { latency: newRecorder(), service: newRecorder(), rows: 0, errors: new Map() };
      this.#kinds.set(name, kind);
    }
    return kind;
  }

  /** Operations that were due before the end and never started; many are recorded in groups. */
  #recordUnsent(): number {
    const { rate, warmUpMs, start } = this.#options;
    if (rate === undefined) return 0;
    // The first operation that is not due before the end.
    const end = Math.ceil((this.#endMs() * rate) / 1000);
    const first = Math.max(this.#next, Math.ceil((warmUpMs * rate) / 1000));
    const group = Math.max(1, Math.ceil((end - first) / maxRecordedUnsent));
    for (let index = first; index < end; index += group) {
      const due = this.#dueAt(index);
      const { name } = this.#operations.next(start + due);
      const waited = (this.#endMs() - due) * 1000;
      this.#kindOf(name).latency.recordValue(waited, Math.min(group, end - index));
    }
    return Math.max(0, end - first);
  }

  #report(seconds: number, unsent: number, stopped: boolean): LoadReport {
    const { name, model } = this.#load;
    const kinds = [...this.#kinds].map(([kind, state]): OperationReport => ({
      name: kind,
      latency: state.latency.latencies(),
      service: state.service.latencies(),
      rows: state.rows,
      errors: Object.fromEntries([...state.errors].sort(([a], [b]) => (a < b ? -1 : 1))),
    }));
    const operations = kinds.reduce((sum, { service }) => sum + service.count, 0);
    const errors = kinds
      .flatMap((kind) => Object.values(kind.errors))
      .reduce((sum, count) => sum + count, 0);
    return {
      workload: name,
      entity: model.name,
      seconds,
      operations,
      perSecond: seconds === 0 ? 0 : operations / seconds,
      errors,
      unsent,
      kinds: kinds.sort((a, b) => (a.name < b.name ? -1 : 1)),
      stopped,
      access: {
        windowMs: this.#collector.windowMs,
        tables: [{ table: model.table.name, windows: this.#windows }],
      },
    };
  }
}

/** The next turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const faults = {
  missingRates: {
    problem: 'the workload neither reads nor writes',
    fix: 'give writesPerSecond or readsPerSecond',
  },
} satisfies FaultTexts;
