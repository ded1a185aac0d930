/** Reads a row, changes it and writes it, and repeats that while other writers change the row. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  equalBytes,
  isRowsmithError,
  RowsmithError,
  type Values,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { argumentError, type EntityModel } from '../../model/index.js';
import { checkCount } from '../../query/index.js';
import type { Change, ChangeBuilder } from './change.js';

/** The options of `update`, unchecked. */
export interface UpdateCall {
  readonly attempts?: number;
  readonly signal?: AbortSignal;
}

/** What an update is made of. */
export interface UpdateParts {
  readonly model: EntityModel;
  readonly changes: ChangeBuilder;
  /** The entity of a key. */
  readonly read: (key: Values, signal: AbortSignal | undefined) => Promise<object | undefined>;
  readonly write: (change: Change, signal: AbortSignal | undefined) => Promise<unknown>;
}

/**
 * In milliseconds. The delay after attempt n is random, up to `initialDelayMs * 2 ** n` and up to
 * `maxDelayMs`.
 */
const initialDelayMs = 4;
const maxDelayMs = 1000;
const defaultAttempts = 10;
const maxAttempts = 1000;

/** Returns the entity as it was written, or as it is; undefined if there is no row. */
export async function updateRow(
  { model, changes, read, write }: UpdateParts,
  key: Values,
  change: unknown,
  { attempts = defaultAttempts, signal }: UpdateCall,
): Promise<object | undefined> {
  checkCall(model, change, attempts);
  const rowKey = model.key.encode(key);
  for (let attempt = 1; ; attempt++) {
    const entity = await read(key, signal);
    if (entity === undefined) return undefined;
    const expected = changes.expected(entity);
    // A row that was deleted meanwhile has no revision either.
    const call = expected === null ? { if: { exists: true } } : {};
    if (!isChanged(model, change as (entity: object) => unknown, entity)) return entity;
    assertKey(model, entity, rowKey, 'change()');
    try {
      await write(changes.save(entity, call, expected), signal);
      return entity;
    } catch (error) {
      if (!isConflict(error)) throw error;
      assertKey(model, entity, rowKey, 'beforeWrite()');
      if (attempt >= attempts) throw exhausted(error, attempts);
    }
    await wait(attempt, signal);
  }
}

/** Whether the row is not as it was read. */
function isConflict(error: unknown): error is RowsmithError {
  if (!isRowsmithError(error)) return false;
  return error.code === 'REVISION_CONFLICT' || error.code === 'CONDITION_FAILED';
}

function checkCall(model: EntityModel, change: unknown, attempts: number): void {
  if (typeof change !== 'function')
    throw argumentError(model, 'change', faults.notAFunction(change));
  checkCount(model, 'attempts', attempts, maxAttempts);
  // Without a revision, a write of another between the two would be lost.
  if (model.managed?.revision !== undefined) return;
  const { name } = model;
  throw new RowsmithError('UNSUPPORTED', {
    entity: name,
    property: 'update',
    ...faults.entityWithoutRevision(name),
  });
}

/** Calls `change`; returns whether the entity is to be written. */
function isChanged(
  model: EntityModel,
  change: (entity: object) => unknown,
  entity: object,
): boolean {
  const result = change(entity);
  if (result === undefined) return true;
  if (result === 'unchanged') return false;
  if (result instanceof Promise) result.catch(() => undefined);
  throw argumentError(model, 'change', faults.returnedValue(valueText(result)));
}

function assertKey(model: EntityModel, entity: object, rowKey: Uint8Array, by: string): void {
  if (equalBytes(model.key.encode(entity as Values), rowKey)) return;
  throw argumentError(model, model.key.names[0], faults.changedKey(by));
}

async function wait(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const maxMs = Math.min(maxDelayMs, initialDelayMs * 2 ** attempt);
  try {
    await delay(Math.random() * maxMs, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** The conflict of the last attempt. */
function exhausted({ details }: RowsmithError, attempts: number): RowsmithError {
  return new RowsmithError('REVISION_CONFLICT', {
    ...details,
    ...faults.changedMeanwhile(attempts),
    attempts,
  });
}

const faults = {
  notAFunction: (change: unknown) => ({
    problem: `change is ${valueText(change)}, not a function`,
    fix: 'write update(key, (entity) => { entity.property = value; })',
  }),
  entityWithoutRevision: (name: string) => ({
    problem: `${name} has no revision, so that update() could overwrite other writes`,
    fix: "declare @Revision('m') revision?: string, or patch() with a condition",
  }),
  returnedValue: (given: string) => ({
    problem: `change() returned ${given}`,
    fix:
      "change the entity in place and return nothing, or 'unchanged' to write nothing; " +
      'await before update()',
  }),
  changedKey: (by: string) => ({
    problem: `${by} changed the key of the entity`,
    fix: 'insert the entity under its new key and delete the old row',
  }),
  changedMeanwhile: (attempts: number) => ({
    problem: `another writer changed the row at each of ${attempts} attempts; nothing was written`,
    fix: 'give more attempts, or spread the writes of this row over several rows',
  }),
} satisfies FaultTexts;
