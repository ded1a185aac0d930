/** Runs the index protocol for the writes of one entity. */
import { randomBytes } from 'node:crypto';
import { latin1Bytes, latin1Text, printable } from '../../bytes/index.js';
import { mayBeApplied, RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../store/index.js';
import { continueRepair, type RepairResult, startRepair } from '../protocol/entry-repair.js';
import {
  continueWrite,
  startWrite,
  type Stray,
  type WriteJob,
  type WriteResult,
} from '../protocol/row-write.js';
import type { Answer, EntryName, Request } from '../protocol/step.js';
import { type BaseWrite, failure, IndexRequests } from './index-requests.js';
import { IndexedRows, type IndexedRow } from './indexed-row.js';

/** How often a write starts again because others write the same row or value. */
const maxAttempts = 32;
/** How often the deletion of an entry starts again that no row has. */
const maxStrayAttempts = 8;
/** The first pause before that, in milliseconds; it doubles, up to the longest. */
const firstPauseMillis = 1;
const longestPauseMillis = 100;

/** How a write ended that did not fail. */
export type WriteOutcome = 'written' | 'refused';

/** The writes of one entity that has indexes. */
export class IndexWriter {
  readonly model: EntityModel;
  readonly rows: IndexedRows;
  readonly requests: IndexRequests;

  constructor(engine: Engine, model: EntityModel) {
    this.model = model;
    this.rows = new IndexedRows(model);
    this.requests = new IndexRequests(engine, this.rows);
  }

  /**
   * Writes a row with its entries. Rejects with UNIQUE_VIOLATION, CONTENTION, the errors of the
   * storage, and UNAVAILABLE if the row may have been written.
   */
  async write(write: BaseWrite): Promise<WriteOutcome> {
    const { key, mutations, condition, keepsTimes } = write;
    const deletes = mutations.length === 1 && mutations[0].kind === 'deleteFromRow';
    return this.#run(write, {
      force: false,
      plan: (seen) => {
        if (deletes && condition === undefined && !seen.exists) return undefined;
        return this.rows.after(key, seen, mutations, keepsTimes);
      },
    });
  }

  /**
   * Writes the entries of a row again, as its values are: those of the indexes at these positions.
   * Of the others, it keeps those that it has.
   */
  async rewrite(
    key: Uint8Array,
    indexes: readonly number[] = [...this.model.indexes.keys()],
  ): Promise<void> {
    const write = { key, mutations: [], condition: undefined };
    await this.#run(write, {
      force: true,
      forced: indexes,
      plan: (seen) => {
        if (!seen.exists) return undefined;
        const fault = this.rows.faultsOf(key, seen).find(({ index }) => indexes.includes(index));
        if (fault !== undefined) throw fault.error;
        return seen.entries.filter(
          ({ index, token }) => indexes.includes(index) || token !== undefined,
        );
      },
    });
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
    parts: Pick<WriteJob<IndexedRow>, 'force' | 'forced' | 'plan'>,
  ): Promise<WriteOutcome> {
    const row = latin1Text(write.key);
    const job: WriteJob<IndexedRow> = { id: newId(), row, attempts: maxAttempts, ...parts };
    let step = startWrite(job);
    let error: unknown;
    let attempt = 0;
    while (step.kind === 'ask') {
      if (step.state.attempt > attempt) await pause((attempt = step.state.attempt));
      const asked = await this.#ask(step.request, write);
      if (asked.error !== undefined) ({ error } = asked);
      step = continueWrite(job, step.state, asked.answer);
    }
    await this.#deleteStrays(step.result.strays, write.key);
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
    for (const { index, key } of strays)
      for (let attempt = 1; attempt <= maxStrayAttempts; attempt++) {
        const { kind } = await this.repair({ index, key }, row);
        if (kind !== 'busy') break;
        await pause(attempt);
      }
  }

  #outcome(result: WriteResult, { key }: BaseWrite, error: unknown): WriteOutcome {
    switch (result.kind) {
      case 'written':
      case 'unchanged':
        return 'written';
      case 'refused':
        return 'refused';
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
    const isOpen = mayBeApplied(error);
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

const processId = randomBytes(9).toString('base64url');
let lastId = 0;

/** Different for all writes, whichever process makes them. */
function newId(): string {
  return `${processId}.${(++lastId).toString(36)}`;
}

function pause(attempt: number): Promise<void> {
  const longest = Math.min(longestPauseMillis, firstPauseMillis * 2 ** attempt);
  return new Promise((resolve) => {
    setTimeout(resolve, Math.random() * longest);
  });
}
