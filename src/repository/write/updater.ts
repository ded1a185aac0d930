/** Reads a row, changes it and writes it, and repeats that while others write the row meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { valueText } from '../../base/index.js';
import { equalBytes } from '../../bytes/index.js';
import { isRowsmithError, RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import { checkCount } from '../../query/index.js';
import type { EntityWriter } from './entity-writer.js';
import type { Values } from './write-checks.js';

/** The options of `update`, unchecked. */
export interface UpdateCall {
  readonly attempts?: number;
  readonly signal?: AbortSignal;
}

/**
 * In milliseconds. The delay after attempt n is random, up to `initialDelayMs * 2 ** n` and up to
 * `maxDelayMs`.
 */
const initialDelayMs = 4;
const maxDelayMs = 1000;
const defaultAttempts = 10;
const maxAttempts = 1000;

/** The updates of one repository. */
export class Updater {
  readonly #model: EntityModel;
  readonly #writer: EntityWriter;
  readonly #read: (key: Values, signal: AbortSignal | undefined) => Promise<object | undefined>;

  /** `read` returns the entity of a key. */
  constructor(
    model: EntityModel,
    writer: EntityWriter,
    read: (key: Values, signal: AbortSignal | undefined) => Promise<object | undefined>,
  ) {
    this.#model = model;
    this.#writer = writer;
    this.#read = read;
  }

  /** Returns the entity as it was written, or as it is; undefined if there is no row. */
  async update(
    key: Values,
    change: unknown,
    { attempts = defaultAttempts, signal }: UpdateCall = {},
  ): Promise<object | undefined> {
    if (typeof change !== 'function')
      throw this.#argumentError(
        'change',
        `change is ${valueText(change)}, not a function`,
        'write update(key, (entity) => { entity.property = value; })',
      );
    checkCount(this.#model, 'attempts', attempts, maxAttempts);
    this.#assertRevised();
    const rowKey = this.#model.key.encode(key);
    for (let attempt = 1; ; attempt++) {
      const entity = await this.#read(key, signal);
      if (entity === undefined) return undefined;
      const expected = this.#writer.expectedOf(entity);
      if (!this.#change(change as (entity: object) => unknown, entity, rowKey)) return entity;
      try {
        await this.#writer.save(entity, { expected, signal });
        return entity;
      } catch (error) {
        if (!isRowsmithError(error) || error.code !== 'REVISION_CONFLICT') throw error;
        this.#assertKey(entity, rowKey, 'beforeWrite()');
        if (attempt >= attempts) throw exhausted(error, attempts);
      }
      await this.#wait(attempt, signal);
    }
  }

  /** Without a revision, a write of another between the two would be lost. */
  #assertRevised(): void {
    if (this.#writer.revised !== undefined) return;
    const { name } = this.#model;
    throw new RowsmithError('UNSUPPORTED', {
      entity: name,
      property: 'update',
      problem: `${name} has no revision, so that update() could overwrite what others write`,
      fix: "declare @Revision('m') revision?: string, or patch() with a condition",
    });
  }

  /** Calls `change`; returns whether the entity is to be written. */
  #change(change: (entity: object) => unknown, entity: object, rowKey: Uint8Array): boolean {
    const result = change(entity);
    if (result === 'unchanged') return false;
    if (result !== undefined) {
      if (result instanceof Promise) result.catch(() => undefined);
      throw this.#argumentError(
        'change',
        `change() returned ${valueText(result)}`,
        "change the entity in place and return nothing, or 'unchanged' to write nothing; " +
          'await before update()',
      );
    }
    this.#assertKey(entity, rowKey, 'change()');
    return true;
  }

  #assertKey(entity: object, rowKey: Uint8Array, by: string): void {
    if (equalBytes(this.#model.key.encode(entity as Values), rowKey)) return;
    throw this.#argumentError(
      this.#model.key.names[0],
      `${by} changed the key of the entity`,
      'insert the entity under its new key and delete the old row',
    );
  }

  async #wait(attempt: number, signal: AbortSignal | undefined): Promise<void> {
    const maxMs = Math.min(maxDelayMs, initialDelayMs * 2 ** attempt);
    try {
      await delay(Math.random() * maxMs, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  #argumentError(property: string, problem: string, fix: string): Error {
    return this.#writer.checks.argumentError(property, problem, fix);
  }
}

/** The conflict of the last attempt. */
function exhausted({ details }: RowsmithError, attempts: number): RowsmithError {
  return new RowsmithError('REVISION_CONFLICT', {
    ...details,
    problem: `others wrote the row during each of ${attempts} attempts; nothing was written`,
    fix: 'give more attempts, or spread the writes of this row over several rows',
    attempts,
  });
}
