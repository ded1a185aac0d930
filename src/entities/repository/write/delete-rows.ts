/** Deletes the rows that a query finds: row by row, or as ranges that hold nothing else. */
import {
  checkOptions,
  copyBytes,
  equalBytes,
  invalidArgument,
  type KeyRange,
  prefixRange,
  RowsmithError,
  type Values,
  type FaultTexts,
} from '../../../base/index.js';
import { isMaintained } from '../../derived/index.js';
import type { EntityModel } from '../../model/index.js';
import { entitiesWithin, type QuerySpec } from '../../query/index.js';
import type { Engine, RowMutation } from '../../../data/store/index.js';
import type { DeleteOptions, DeleteResult } from '../types/bulk-types.js';
import { BulkWrite } from './bulk-write.js';
import { deletion } from './complete.js';

/** The query with the rows to delete. */
export interface DeletedRows {
  readonly engine: Engine;
  readonly model: EntityModel;
  /** All entities of the table that this program knows, including this one. */
  readonly models: readonly EntityModel[];
  readonly query: QuerySpec;
  /** What the query reads. */
  readonly ranges: readonly KeyRange[];
  /** True if every row of the ranges that is the entity's is a row of the query. */
  readonly wholeRanges: boolean;
  /** The signal of the query itself. */
  readonly signal: AbortSignal | undefined;
  /** The keys of the rows. */
  keys(signal: AbortSignal | undefined): AsyncIterable<object>;
}

const deleteOptions = ['batchRows', 'inFlight', 'onFailure', 'onProgress', 'signal', 'dropRanges'];

/** Deletes the rows of a query. */
export async function deleteRows(
  rows: DeletedRows,
  options: DeleteOptions<Values> = {},
): Promise<DeleteResult> {
  const { model } = rows;
  checkOptions('delete()', options, deleteOptions, { entity: model.name });
  assertWholeRows(rows);
  const { dropRanges = false, signal = rows.signal, ...bulk } = options;
  if (typeof dropRanges !== 'boolean')
    throw invalidArgument('dropRanges', faults.notABoolean, {
      entity: model.name,
    });
  if (dropRanges) {
    const dropped = await dropIfAlone(rows, signal);
    if (dropped !== undefined) return { deleted: dropped, failed: 0, failures: [], dropped: true };
  }
  const rowOf = (key: Values): RowMutation => deletion(model, key);
  const write = new BulkWrite(rows.engine, model, rowOf, { ...bulk, signal });
  const keys = rows.keys(signal) as AsyncIterable<Values>;
  const { written: deleted, failed, failures } = await write.run(whileSent(keys, write));
  return { deleted, failed, failures, dropped: false };
}

/**
 * Does not read on when rows are no longer sent: the rows not read are not known. No async
 * generator, which could not be ended while the storage does not answer.
 */
function whileSent(keys: AsyncIterable<Values>, write: BulkWrite<Values>): AsyncIterable<Values> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = keys[Symbol.asyncIterator]();
      return {
        next: () =>
          write.notSent === undefined
            ? iterator.next()
            : Promise.reject(unreadError(write.notSent)),
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

function unreadError({ code, details, cause }: RowsmithError): RowsmithError {
  return new RowsmithError(
    code,
    {
      ...details,
      ...faults.rowsNotDeleted,
      written: undefined,
    },
    { cause },
  );
}

/**
 * Drops the ranges of the query if they hold nothing else, and returns the number of their rows.
 * Otherwise nothing is deleted, and the result is undefined.
 */
async function dropIfAlone(
  rows: DeletedRows,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { engine, model, ranges, wholeRanges } = rows;
  const prefixes = ranges.map(prefixOf);
  // A dropped range would leave the entries of indexes, and copies in other rows.
  if (isMaintained(model)) return undefined;
  if (!wholeRanges || ranges.length === 0 || prefixes.includes(undefined)) return undefined;
  const read = { query: rows.query, ranges: { perShard: [ranges] } };
  if (entitiesWithin(rows.models, model, read).length > 0) return undefined;
  const count = await countAlone(rows, signal);
  if (count === undefined) return undefined;
  for (const prefix of prefixes) {
    signal?.throwIfAborted();
    await engine.dropRowRange(model.table.name, { kind: 'prefix', prefix: prefix! });
  }
  return count;
}

/** The prefix that all keys of a range have and no other keys; undefined if there is none. */
function prefixOf({ start, end }: KeyRange): Uint8Array | undefined {
  const after = prefixRange(start).end;
  if (start.length === 0 || end === undefined || after === undefined) return undefined;
  return equalBytes(after, end) ? copyBytes(start, 0, start.length) : undefined;
}

/** The number of rows in the ranges; undefined if one of them is not the entity's. */
async function countAlone(
  { engine, model, ranges }: DeletedRows,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const decode = model.key.decoder();
  const filters = [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }] as const;
  const stream = engine.readRows(
    { table: model.table.name, ranges, reversed: false, filter: { kind: 'chain', filters } },
    { signal },
  );
  let count = 0;
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) {
        if (!decode(page.keyBytes, page.keyStart, page.keyEnd, {})) return undefined;
        count++;
      }
    }
  } finally {
    await stream.close();
  }
  return count;
}

/** Throws INVALID_QUERY for queries with results other than the rows as they are now. */
function assertWholeRows({ model, query }: DeletedRows): void {
  const { select, keysOnly, versions, asOf } = query;
  const partial = [
    select !== undefined && 'select()',
    keysOnly && 'keysOnly()',
    versions !== undefined && 'versions()',
    asOf !== undefined && 'asOf()',
  ].find((name) => name !== false);
  if (partial === undefined) return;
  throw new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property: 'delete',
    ...faults.partialDelete(partial),
  });
}

const faults = {
  notABoolean: { problem: 'dropRanges is not a boolean', fix: 'give true or false' },
  rowsNotDeleted: {
    problem: 'rows were not deleted, because the database did not answer',
    fix: 'delete the rows of the query again once it answers, or set a longer totalTimeoutMs',
  },
  partialDelete: (partial: string) => ({
    problem: 'delete() deletes whole rows, as they are now',
    fix: `leave ${partial} out`,
  }),
} satisfies FaultTexts;
