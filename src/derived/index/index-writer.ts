/** Runs the index protocol for the writes of one entity. */
import { randomBytes } from 'node:crypto';
import { latin1Bytes, latin1Text, printable } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine, Micros, Mutation } from '../../store/index.js';
import { continueRepair, type RepairResult, startRepair } from '../protocol/entry-repair.js';
import { continueWrite, startWrite } from '../protocol/row-write.js';
import type { Stray, WriteJob, WriteResult } from '../protocol/write-job.js';
import type { Answer, Copied, EntryName, Request } from '../protocol/step.js';
import { CopiedValues } from '../source/copied-values.js';
import { type BaseWrite, failure, IndexRequests } from './index-requests.js';
import { copyTime, IndexedRows, type IndexedRow } from './indexed-row.js';

/** How often a write starts again because others write the same row or value. */
const maxAttempts = 32;
/** The first pause before that, in milliseconds; it doubles, up to the longest. */
const firstPauseMillis = 1;
const longestPauseMillis = 100;

/** How a write ended that did not fail. */
export type WriteOutcome = 'written' | 'refused';

/** What was read of a row, and then of the rows from which it copies. */
export interface ReadBefore {
  readonly row: IndexedRow;
  readonly copied: Copied;
}

interface RunParts {
  readonly force: boolean;
  /** Whether there is nothing to write to a row. */
  readonly skips: (seen: IndexedRow) => boolean;
  readonly before?: ReadBefore | undefined;
  /** Called before values that others copy change. */
  readonly onMarked?: (() => void) | undefined;
}

/** The writes of one entity that has indexes, or values that others copy. */
export class IndexWriter {
  readonly model: EntityModel;
  readonly rows: IndexedRows;
  readonly requests: IndexRequests;
  readonly #copiesInEntries: boolean;
  readonly #links: readonly number[];

  constructor(engine: Engine, model: EntityModel) {
    this.model = model;
    const copied = new CopiedValues(engine, model);
    this.rows = new IndexedRows(model, copied);
    this.requests = new IndexRequests(engine, this.rows, copied);
    const { copies = [] } = model;
    const columns = model.indexes.flatMap((index) => index.columns);
    this.#copiesInEntries = copies.some((copy) =>
      copy.columns.some(({ to }) => columns.includes(to)),
    );
    this.#links = copies.map(({ index }) => index);
  }

  /**
   * Writes a row with its entries. Rejects with UNIQUE_VIOLATION, CONTENTION, the errors of the
   * storage, and UNAVAILABLE if the row may have been written.
   */
  async write(write: BaseWrite, onMarked?: () => void): Promise<WriteOutcome> {
    const { mutations, condition } = write;
    const deletes = mutations.length === 1 && mutations[0].kind === 'deleteFromRow';
    const skips = (seen: IndexedRow): boolean => deletes && condition === undefined && !seen.exists;
    const kind = await this.#run(write, { force: false, skips, onMarked });
    return kind === 'refused' ? 'refused' : 'written';
  }

  /** Writes all entries of a row again, as its values are, and its copies. */
  async rewrite(key: Uint8Array): Promise<void> {
    await this.#run(noChange(key), { force: true, skips: ({ exists }) => !exists });
  }

  /**
   * Writes the copies of a row again, as their sources are, and moves its version on. Resolves to
   * whether there is such a row.
   */
  async refresh(key: Uint8Array, before?: ReadBefore): Promise<boolean> {
    const skips = ({ exists }: IndexedRow): boolean => !exists;
    return (await this.#run(noChange(key), { force: false, skips, before })) === 'written';
  }

  /** Deletes an entry if its row does not have it. `row` is the key of the base row. */
  async repair(entry: EntryName, row: Uint8Array): Promise<RepairResult> {
    const job = { id: newId(), entry, row: latin1Text(row) };
    const write = { key: row, mutations: [], condition: undefined };
    let step = startRepair(job);
    while (step.kind === 'ask') {
      const { answer } = await this.#ask(step.request, write);
      step = continueRepair(job, step.state, answer);
    }
    return step.result;
  }

  async #run(
    write: BaseWrite,
    { force, skips, before, onMarked }: RunParts,
  ): Promise<'written' | 'unchanged' | 'refused'> {
    const { key, mutations } = write;
    let time: Micros = -1;
    const { copies, copiedBy } = this.model;
    const job: WriteJob<IndexedRow> = {
      id: newId(),
      row: latin1Text(key),
      attempts: maxAttempts,
      force,
      plan: (seen, copied) => {
        time = copyTime(seen, mutations);
        return skips(seen) ? undefined : this.rows.after(key, seen, mutations, copied);
      },
      copies: copies && {
        sources: (seen) => (skips(seen) ? [] : this.rows.sources(key, seen, mutations)),
        inEntries: this.#copiesInEntries,
        links: this.#links,
      },
      marks: copiedBy && ((seen) => this.rows.changesSource(seen, mutations)),
    };
    let step = startWrite(job);
    let error: unknown;
    let attempt = 0;
    let known = before;
    while (step.kind === 'ask') {
      const { state, request }: typeof step = step;
      if (state.attempt > attempt) await pause((attempt = state.attempt));
      if (request.kind === 'mark') onMarked?.();
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
    await this.#deleteStrays(step.result.strays, key);
    return this.#outcome(step.result, write, error);
  }

  async #ask(
    request: Request,
    write: BaseWrite,
  ): Promise<{ readonly answer: Answer<IndexedRow>; readonly error?: unknown }> {
    try {
      return { answer: await this.requests.send(request, write) };
    } catch (error) {
      return { answer: failure(error), error };
    }
  }

  /** Entries of attempts that came to nothing. If this fails, they are left to repair. */
  async #deleteStrays(strays: readonly Stray[], row: Uint8Array): Promise<void> {
    for (const { index, key } of strays) await this.repair({ index, key }, row);
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
        throw this.#violation(result.entry, result.holder, key);
      case 'contended':
        throw new RowsmithError('CONTENTION', {
          entity: this.model.name,
          key: printable(key),
          problem: `others wrote the row or a unique value ${maxAttempts} times meanwhile; nothing was written`,
          fix: 'write again later, or write the row less often',
        });
      case 'failed':
        throw this.#failed(error, result.mayBeWritten);
    }
  }

  #failed(error: unknown, mayBeWritten: boolean): unknown {
    if (!(error instanceof RowsmithError)) return error;
    const isOpen = error.code === 'UNAVAILABLE';
    if (isOpen && !mayBeWritten)
      return new RowsmithError(error.code, { ...error.details, written: false }, { cause: error });
    if (isOpen || !mayBeWritten) return error;
    return new RowsmithError(
      'UNAVAILABLE',
      { entity: this.model.name, problem: 'the row may have been written', fix: 'read it again' },
      { cause: error },
    );
  }

  #violation({ index }: EntryName, holder: string, key: Uint8Array): RowsmithError {
    const { name, segments } = this.model.indexes[index];
    const holderKey = latin1Bytes(holder);
    const row: Record<string, unknown> = {};
    this.model.key.decoder()(holderKey, 0, holderKey.length, row);
    return new RowsmithError('UNIQUE_VIOLATION', {
      entity: this.model.name,
      property: segments.join(', '),
      problem: `another row has the same value in the unique index '${name}'; nothing was written`,
      fix: 'use another value, or change the row that has it',
      index: name,
      key: printable(key),
      holder: row,
      holderKey: printable(holderKey),
    });
  }
}

function noChange(key: Uint8Array): {
  key: Uint8Array;
  mutations: Mutation[];
  condition: undefined;
} {
  return { key, mutations: [], condition: undefined };
}

function answerBefore(
  request: Request,
  before: ReadBefore | undefined,
): Answer<IndexedRow> | undefined {
  if (before === undefined) return undefined;
  if (request.kind === 'readRow') return { kind: 'row', row: before.row };
  if (request.kind === 'readSources') return { kind: 'sources', copied: before.copied };
  return undefined;
}

/** Different for all writes, whichever process makes them. */
export function newId(): string {
  return randomBytes(9).toString('base64url');
}

function pause(attempt: number): Promise<void> {
  const longest = Math.min(longestPauseMillis, firstPauseMillis * 2 ** attempt);
  return new Promise((resolve) => {
    setTimeout(resolve, Math.random() * longest);
  });
}
