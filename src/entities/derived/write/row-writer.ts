/** Runs the index protocol for the writes of one entity. */
import { randomBytes } from 'node:crypto';
import {
  latin1Text,
  mayBeApplied,
  printable,
  RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine, Micros } from '../../../data/store/index.js';
import { continueRepair, type RepairResult, startRepair } from '../protocol/entry-repair.js';
import { continueWrite, startWrite } from '../protocol/row-write.js';
import {
  type StorageAnswer,
  type Copied,
  type EntryName,
  type PlannedEntry,
  type Request,
  sameEntry,
} from '../protocol/step.js';
import type { WriteJob, WriteResult } from '../protocol/write-job.js';
import type { WriteState } from '../protocol/write-state.js';
import type { RolledChange } from '../rollup/bucket/contributions.js';
import { RollupRequests } from '../rollup/rollup-requests.js';
import { CopiedValues } from '../source/copied-values.js';
import { type BaseWrite, failure, RowRequests } from './row-requests.js';
import { uniqueViolation } from './unique-violation.js';
import { WatchedRows, type WatchedRow } from './watched-rows.js';
import { copyTime } from '../row/row-after.js';

/** How often a write starts again because other writers write the same row or value. */
const maxAttempts = 32;
/** How often the deletion of an entry starts again that no row has. */
const maxStrayAttempts = 8;
/** The first pause before that, in milliseconds; it doubles, up to the longest. */
const firstPauseMillis = 1;
const longestPauseMillis = 100;

/** How a write ended that did not fail. */
export type WriteOutcome = 'written' | 'refused';

/** What was read of a row, and then of the rows from which it copies. */
export interface ReadBefore {
  readonly row: WatchedRow;
  readonly copied: Copied;
}

/** A run of the protocol. */
interface Run {
  /** The indexes to write entries of, whatever the row says; undefined for none. */
  readonly forced?: readonly number[];
  /** Whether there is nothing to write to a row. */
  readonly skips: (seen: WatchedRow) => boolean;
  /** The entries after the write. */
  readonly plan: (seen: WatchedRow, copied: Copied) => readonly PlannedEntry[];
  /** The buckets that it changes. */
  readonly rolls: (seen: WatchedRow, copied: Copied) => readonly RolledChange[];
  readonly before?: ReadBefore | undefined;
  /** Called before values that other rows copy change. */
  readonly onMarked?: (() => void) | undefined;
}

const isMissing = ({ exists }: WatchedRow): boolean => !exists;

/** The writes of one entity that has indexes, or values that other rows copy. */
export class RowWriter {
  readonly model: EntityModel;
  readonly rows: WatchedRows;
  readonly requests: RowRequests;
  readonly #copiesInEntries: boolean;
  readonly #links: readonly number[];

  constructor(engine: Engine, model: EntityModel) {
    this.model = model;
    this.rows = new WatchedRows(model);
    const rollups = new RollupRequests(engine, model);
    this.requests = new RowRequests(engine, this.rows, new CopiedValues(engine, model), rollups);
    const { copies = [] } = model;
    const columns = model.indexes.flatMap((index) => index.columns);
    this.#copiesInEntries = copies.some((copy) =>
      copy.columns.some(({ to }) => columns.includes(to) || this.rows.isRolled(to)),
    );
    this.#links = copies.map(({ index }) => index);
  }

  /**
   * Writes a row with its entries. Rejects with UNIQUE_VIOLATION, CONTENTION, the errors of the
   * storage, and UNAVAILABLE if the row may have been written. `onMarked` is called before values
   * that other rows copy change.
   */
  async write(write: BaseWrite, onMarked?: () => void): Promise<WriteOutcome> {
    const { key, mutations, condition } = write;
    const deletes = mutations.length === 1 && mutations[0].kind === 'deleteFromRow';
    const kind = await this.#run(write, {
      skips: (seen) => deletes && condition === undefined && !seen.exists,
      plan: (seen, copied) => this.rows.after(key, seen, write, copied),
      rolls: (seen, copied) => this.rows.rolls(key, seen, write, copied),
      onMarked,
    });
    return kind === 'refused' ? 'refused' : 'written';
  }

  /**
   * Writes the entries of a row again from its values, in the indexes at these positions. In other
   * indexes it keeps the entries that it has. Its copies are written from their sources.
   */
  async rewrite(
    key: Uint8Array,
    indexes: readonly number[] = [...this.model.indexes.keys()],
  ): Promise<void> {
    await this.#run(noChange(key), {
      rolls: (seen, copied) => this.rows.rolls(key, seen, noChange(key), copied),
      forced: indexes,
      skips: isMissing,
      plan: (seen, copied) => this.rows.again(key, seen, copied, indexes),
    });
  }

  /**
   * Writes the copies of a row again, as their sources are, and moves its version on. Resolves to
   * whether there is such a row.
   */
  async refresh(key: Uint8Array, before?: ReadBefore): Promise<boolean> {
    const kind = await this.#run(noChange(key), {
      rolls: (seen, copied) => this.rows.rolls(key, seen, noChange(key), copied),
      skips: isMissing,
      plan: (seen, copied) => this.rows.again(key, seen, copied, []),
      before,
    });
    return kind === 'written';
  }

  /** Deletes an entry if its row does not have it. `row` is the key of the base row. */
  async repair(entry: EntryName, row: Uint8Array): Promise<RepairResult> {
    const job = { id: newId(), entry, row: latin1Text(row) };
    const write = noChange(row);
    let step = startRepair(job);
    while (step.kind === 'ask') {
      const { answer } = await this.#ask(step.request, write);
      step = continueRepair(job, step.state, answer);
    }
    return step.result;
  }

  async #run(write: BaseWrite, run: Run): Promise<'written' | 'unchanged' | 'refused'> {
    let time: Micros = -1;
    const job = this.#job(write, run, (seen) => {
      time = copyTime(seen, write, this.rows.families);
    });
    let step = startWrite(job);
    let error: unknown;
    let attempt = 0;
    let known = run.before;
    let state: WriteState<WatchedRow> | undefined;
    while (step.kind === 'ask') {
      const { request }: typeof step = step;
      ({ state } = step);
      if (state.attempt > attempt) await pause((attempt = state.attempt));
      if (request.kind === 'mark') run.onMarked?.();
      let answer = answerBefore(request, known);
      if (answer === undefined) {
        // What was read before a request is not what is read after it.
        known = undefined;
        const asked = await this.#ask(request, { ...write, copyTime: time });
        if (asked.error !== undefined) ({ error } = asked);
        ({ answer } = asked);
      }
      step = continueWrite(job, state, answer);
    }
    const replaced = job.force ? [] : this.#replaced(step.result, state);
    await this.#settleStrays([...step.result.strays, ...replaced], write.key);
    return this.#outcome(step.result, write, error);
  }

  #job(
    write: BaseWrite,
    { forced, skips, plan, rolls }: Run,
    onCopies: (seen: WatchedRow) => void,
  ): WriteJob<WatchedRow> {
    const { key } = write;
    const { copies, copiedBy } = this.model;
    return {
      id: newId(),
      row: latin1Text(key),
      attempts: maxAttempts,
      force: forced !== undefined,
      forced,
      plan: (seen, copied) => {
        if (skips(seen)) return undefined;
        if (copies !== undefined) onCopies(seen);
        return plan(seen, copied);
      },
      copies: copies && {
        sources: (seen) => (skips(seen) ? [] : this.rows.sources(key, seen, write)),
        inEntries: this.#copiesInEntries,
        links: this.#links,
      },
      rolls: this.model.rollups.length === 0 ? undefined : rolls,
      marks: copiedBy && ((seen) => this.rows.changesSource(seen, write)),
    };
  }

  async #ask(
    request: Request,
    write: BaseWrite,
  ): Promise<{ readonly answer: StorageAnswer<WatchedRow>; readonly error?: unknown }> {
    try {
      return { answer: await this.requests.send(request, write) };
    } catch (error) {
      return { answer: failure(error), error };
    }
  }

  /**
   * Entries of attempts that came to nothing: deleted if the row does not have them, otherwise
   * written again as the row is. If this fails, they are left to repair.
   */
  async #settleStrays(strays: readonly EntryName[], row: Uint8Array): Promise<void> {
    for (const { index, key } of strays)
      for (let attempt = 1; attempt <= maxStrayAttempts; attempt++) {
        const { kind } = await this.repair({ index, key }, row);
        if (kind === 'busy') await pause(attempt);
        // The row may lose the entry before it is written again, which is then looked for.
        else if (kind !== 'replaced' || !(await this.#isRewritten(row, index))) break;
      }
  }

  #isRewritten(row: Uint8Array, index: number): Promise<boolean> {
    return this.rewrite(row, [index]).then(
      () => true,
      () => false,
    );
  }

  /**
   * Entries that a write that came to nothing has replaced, and the row had: with other tokens, by
   * which no later write deletes them, and other covered values.
   */
  #replaced(
    { kind }: WriteResult,
    state: WriteState<WatchedRow> | undefined,
  ): readonly EntryName[] {
    if (state === undefined || kind === 'written' || kind === 'unchanged') return [];
    const had = state.seen?.entries ?? [];
    // After all attempts, the row is not as it was read.
    return state.wrote.filter(
      (each) => kind === 'contended' || had.some((entry) => sameEntry(entry, each)),
    );
  }

  #outcome(
    result: WriteResult,
    { key }: BaseWrite,
    error: unknown,
  ): 'written' | 'unchanged' | 'refused' {
    switch (result.kind) {
      case 'written':
      case 'unchanged':
      case 'refused':
        return result.kind;
      case 'taken':
        throw uniqueViolation(this.model, result.entry, result.holder, key);
      case 'contended':
        throw new RowsmithError('CONTENTION', {
          entity: this.model.name,
          key: printable(key),
          ...faults.changedMeanwhile,
        });
      case 'failed':
        throw this.#failed(error, result.mayBeWritten);
    }
  }

  #failed(error: unknown, mayBeWritten: boolean): unknown {
    if (!(error instanceof RowsmithError)) return error;
    const isOpen = mayBeApplied(error);
    if (isOpen && !mayBeWritten)
      return new RowsmithError(error.code, { ...error.details, written: false }, { cause: error });
    if (isOpen || !mayBeWritten) return error;
    return new RowsmithError(
      'UNAVAILABLE',
      { entity: this.model.name, ...faults.unknownOutcome },
      { cause: error },
    );
  }
}

function noChange(key: Uint8Array): BaseWrite {
  return { key, mutations: [], condition: undefined };
}

function answerBefore(
  request: Request,
  before: ReadBefore | undefined,
): StorageAnswer<WatchedRow> | undefined {
  if (before === undefined) return undefined;
  if (request.kind === 'readRow') return { kind: 'row', row: before.row };
  if (request.kind === 'readSources') return { kind: 'sources', copied: before.copied };
  return undefined;
}

const processId = randomBytes(9).toString('base64url');
let lastId = 0;

/** Different for all writes, whichever process makes them. */
export function newId(): string {
  return `${processId}.${(++lastId).toString(36)}`;
}

function pause(attempt: number): Promise<void> {
  const longest = Math.min(longestPauseMillis, firstPauseMillis * 2 ** attempt);
  return new Promise((resolve) => {
    setTimeout(resolve, Math.random() * longest);
  });
}

const faults = {
  changedMeanwhile: {
    problem: `another writer changed the row or a unique value at each of ${maxAttempts} attempts; nothing was written`,
    fix: 'write again later, or write the row less often',
  },
  unknownOutcome: { problem: 'the row may have been written', fix: 'read it again' },
} satisfies FaultTexts;
