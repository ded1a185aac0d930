/** Runs the conformance cases on a service, in tables of the run. */
import { everyKey, RowsmithError, type FaultTexts } from '../../../base/index.js';
import {
  collectRows,
  failedRead,
  type Engine,
  type Stage,
  withStages,
} from '../../../data/store/index.js';
import { Difference, errorLine, isOutage } from '../assert.js';
import { CaseContext, type CaseGroup, type ConformanceCase, caseFamilies } from '../case.js';
import { caseGroups } from '../groups.js';
import { type RandomHistory, historyGroup } from '../history/history-case.js';
import { rowsOf, set, caseTable, utf8 } from '../rows.js';
import { OwnTables } from './own-tables.js';
import { RequestClock } from './request-times.js';
import type { CaseResult, ConformanceReport } from './report.js';

/** What runs, and where. */
export interface ServiceRunOptions {
  /** Opens a connection to the service; called several times. */
  readonly open: () => Promise<Engine>;
  /** The names of all tables begin with it. */
  readonly prefix: string;
  readonly history: RandomHistory;
  /** Whether all tables are left, with their rows. */
  readonly keep: boolean;
  /** Ends the run after the request in flight; tables are dropped all the same. */
  readonly signal: AbortSignal;
  readonly onResult: (result: CaseResult) => void;
  /** How long a service may take for an answer before it counts as gone; default 20,000. */
  readonly answerMs?: number;
  /** How long it may take until reads show a change of tables; default 60,000. */
  readonly settleMs?: number;
}

/** The cases of a run. */
export function serviceGroups(history: RandomHistory): readonly CaseGroup[] {
  return [...caseGroups, historyGroup(history)];
}

/** Runs all cases. Rejects only if the service cannot be connected to. */
export async function verifyService(options: ServiceRunOptions): Promise<ConformanceReport> {
  return new ServiceRun(options, await options.open()).run();
}

/** How long a service may take to create a table, in milliseconds. */
const maxCreateMs = 120_000;

class ServiceRun {
  readonly #options: ServiceRunOptions;
  /** The connection of the run, with stored names. */
  readonly #service: Engine;
  /** The same with the names of cases. */
  readonly #engine: Engine;
  readonly #tables: OwnTables;
  readonly #requests = new RequestClock();
  readonly #answerMs: number;
  #error: unknown;
  /** Whether the table of cases has to be created. */
  #needsTable = true;

  constructor(options: ServiceRunOptions, service: Engine) {
    this.#options = options;
    this.#answerMs = options.answerMs ?? 20_000;
    this.#tables = new OwnTables(options.prefix);
    this.#service = service;
    this.#engine = this.#staged(service);
  }

  async run(): Promise<ConformanceReport> {
    const started = performance.now();
    const results: CaseResult[] = [];
    try {
      await this.#start();
      for (const { title: group, cases } of serviceGroups(this.#options.history))
        for (const each of cases) {
          const { title } = each;
          const result = { group, title, ...(await this.#judge(each)) };
          results.push(result);
          this.#options.onResult(result);
        }
    } catch (error) {
      this.#error ??= error;
    } finally {
      if (!this.#options.keep) await this.#dropAll();
      await this.#service.close();
    }
    const { times } = this.#requests;
    const ms = performance.now() - started;
    const leftTables = this.#tables.existing;
    return { results, leftTables, requests: times, ms, error: this.#error };
  }

  /** Creates the first table, and checks what nearly every case needs. */
  async #start(): Promise<void> {
    await this.#prepareTable();
    try {
      const onTrue = [set('a', 'q', 'v')];
      const check = { key: utf8('k'), predicate: { kind: 'blockAll' } as const, onTrue };
      await this.#engine.checkAndMutateRow(caseTable, check);
    } catch (error) {
      if (!(error instanceof RowsmithError) || error.code !== 'FAILED_PRECONDITION') throw error;
      const problem = error.details.problem ?? error.message;
      const details = { ...error.details, ...faults.noTransactions(problem) };
      throw new RowsmithError(error.code, details, { cause: error });
    }
  }

  async #judge(each: ConformanceCase): Promise<Omit<CaseResult, 'group' | 'title'>> {
    if (this.#error !== undefined) return { outcome: 'notRun' };
    const { onService } = each;
    if (onService !== undefined && 'leftOut' in onService)
      return { outcome: 'leftOut', reason: onService.leftOut };
    const started = performance.now();
    const since = (): number => performance.now() - started;
    try {
      await this.#prepareTable();
      const { current } = this.#tables;
      const difference = await this.#run(each);
      if (difference !== undefined)
        return { outcome: 'differs', ms: since(), table: current, ...difference };
      return { outcome: 'passed', ms: since(), reason: onService?.relaxed };
    } catch (error) {
      const { signal } = this.#options;
      if (signal.aborted) this.#error = signal.reason;
      else if (!(await this.#answers())) this.#error = error;
      if (signal.aborted) return { outcome: 'notRun' };
      return { outcome: 'failed', ms: since(), reason: errorLine(error) };
    }
  }

  /** Runs a case; resolves to how it differs. Rejects if the case cannot be judged. */
  async #run(
    each: ConformanceCase,
  ): Promise<Pick<CaseResult, 'expected' | 'found' | 'step'> | undefined> {
    let mayReuse = false;
    try {
      await this.#runOn(each);
      mayReuse = each.changesTable !== true;
      return undefined;
    } catch (error) {
      if (this.#options.signal.aborted || isOutage(error)) throw error;
      if (!(error instanceof Difference)) return { expected: 'no error', found: errorLine(error) };
      const { expected, found, step } = error;
      return { expected, found, step };
    } finally {
      await this.#tidyUp(mayReuse);
    }
  }

  async #runOn(each: ConformanceCase): Promise<void> {
    const { settleMs = 60_000 } = this.#options;
    if (each.closes !== true) return each.run(new CaseContext({ engine: this.#engine, settleMs }));
    let engine = this.#staged(await this.#options.open());
    const reopen = async (): Promise<Engine> => {
      await engine.close();
      return (engine = this.#staged(await this.#options.open()));
    };
    try {
      await each.run(new CaseContext({ engine, reopen, settleMs }));
    } finally {
      await engine.close();
    }
  }

  async #prepareTable(): Promise<void> {
    if (!this.#needsTable) return;
    this.#tables.startNext();
    await inTime(
      this.#engine.createTable({ name: caseTable, families: caseFamilies }),
      maxCreateMs,
    );
    this.#needsTable = false;
  }

  /** Leaves an empty table, or none. Faults are found by the next case. */
  async #tidyUp(mayReuse: boolean): Promise<void> {
    this.#needsTable = !mayReuse;
    try {
      if (mayReuse) await this.#deleteRows();
      if (this.#options.keep) return;
      const { current, existing } = this.#tables;
      for (const each of existing) if (each !== current || !mayReuse) await this.#drop(each);
    } catch {
      this.#needsTable = true;
    }
  }

  /** Row by row: the service limits how often rows are dropped by range. */
  async #deleteRows(): Promise<void> {
    const filter = { kind: 'cellsPerRow', count: 1 } as const;
    const rows = await rowsOf(this.#engine, { filter });
    if (rows.length === 0) return;
    const deletions = rows.map(({ key }) => ({
      key,
      mutations: [{ kind: 'deleteFromRow' as const }],
    }));
    const errors = await this.#engine.mutateRows(caseTable, deletions);
    for (const error of errors) if (error !== undefined) throw error;
  }

  /** Whether the service still answers. */
  async #answers(): Promise<boolean> {
    const plan = { table: this.#tables.current, ranges: [everyKey], reversed: false, limit: 1 };
    try {
      await collectRows(this.#service.readRows(plan, { timeoutMs: this.#answerMs }));
      return true;
    } catch (error) {
      return !isOutage(error);
    }
  }

  /** Drops the tables that exist; gives up at the first fault. */
  async #dropAll(): Promise<void> {
    try {
      for (const stored of this.#tables.existing) await this.#drop(stored);
    } catch {
      // Reported as tables that are left.
    }
  }

  #drop(stored: string): Promise<void> {
    return inTime(this.#tables.drop(this.#service, stored), this.#answerMs);
  }

  #staged(engine: Engine): Engine {
    const { signal } = this.#options;
    return withStages(engine, [gate(signal), this.#tables.stage(engine), this.#requests.stage]);
  }
}

/** Rejects all requests once a signal is aborted. */
function gate(signal: AbortSignal): Stage {
  const reason = (): Error => signal.reason as Error;
  return {
    read: (request, send) => (signal.aborted ? failedRead(reason()) : send(request)),
    write: (request, send) => (signal.aborted ? Promise.reject(reason()) : send(request)),
    admin: (request, send) =>
      signal.aborted && request.kind !== 'close' ? Promise.reject(reason()) : send(request),
  };
}

/** Rejects with UNAVAILABLE if the promise takes longer: changes of tables are retried for long. */
async function inTime(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RowsmithError('UNAVAILABLE', faults.noAnswer(ms))), ms);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const faults = {
  noAnswer: (ms: number) => ({
    problem: `no answer to a change of tables in ${ms / 1000} s`,
    fix: 'try again later',
  }),
  noTransactions: (problem: string) => ({
    problem: `the app profile does not permit single-row transactions: ${problem}`,
    fix: 'name an app profile with single-cluster routing: bigtable://project/instance?appProfile=NAME',
  }),
} satisfies FaultTexts;
