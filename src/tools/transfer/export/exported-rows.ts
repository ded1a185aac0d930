/** What an export reads: all rows of an entity, or the rows that a query finds. */
import {
  fromHex,
  type KeyRange,
  pointRange,
  rangesAfter,
  RowsmithError,
  unionRanges,
  type Values,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { fullScan, planOf, rangesOf } from '../../../entities/query/index.js';
import type { QuerySource } from '../../../entities/repository/index.js';
import type { Engine, Filter, RowCursor } from '../../../data/store/index.js';
import type { ExportPosition } from './export-state.js';

/** The rows of an export. */
export interface ExportedRows {
  readonly engine: Engine;
  readonly model: EntityModel;
  /** Contain the rows. */
  readonly ranges: readonly KeyRange[];
  /** The query that finds them; undefined for all rows of the entity. */
  readonly source?: QuerySource;
}

/** All rows of an entity. */
export function allRows(engine: Engine, model: EntityModel): ExportedRows {
  return { engine, model, ranges: unionRanges(rangesOf(model, fullScan).perShard.flat()) };
}

/** The rows that a query finds. Throws INVALID_QUERY unless it is for whole rows as they are. */
export function rowsOfQuery(source: QuerySource): ExportedRows {
  const { engine, model, query } = source;
  const { select, keysOnly, versions, asOf } = query;
  if (select !== undefined || keysOnly || versions !== undefined || asOf !== undefined)
    throw new RowsmithError('INVALID_QUERY', {
      entity: model.name,
      property: 'query',
      ...faults.partialRows,
    });
  return { engine, model, ranges: unionRanges(source.ranges), source };
}

/** The pages of the rows after a position. A page is read before the next one is requested. */
export async function* pagesAfter(
  rows: ExportedRows,
  position: ExportPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<RowCursor> {
  const { source } = rows;
  if (source === undefined || readsRanges(source)) {
    const ranges = remainingRanges(rows, position);
    if (ranges.length > 0) yield* pagesOf(rows, ranges, signal);
    return;
  }
  const { limit } = source.query;
  if (limit !== undefined && position.rows >= limit) return;
  const keys = source.keys({
    limit: limit === undefined ? undefined : limit - position.rows,
    after: position.key === null ? undefined : fromHex(position.key),
    signal,
  });
  try {
    for (let page = await keys.next(); page !== undefined; page = await keys.next()) {
      const points = page.map((key) => pointRange(rows.model.key.encode(key as Values)));
      // Shards are merged in the order of keys without shards, and so are not in the order of
      // storage.
      if (rows.model.key.spec.shards === undefined)
        yield* pagesOf(rows, unionRanges(points), signal);
      else for (const point of points) yield* pagesOf(rows, [point], signal);
    }
  } finally {
    await keys.close();
  }
}

/** Whether every row of the entity in the ranges is a result, and all in ascending order. */
function readsRanges({ query }: QuerySource): boolean {
  const { limit, where, firstPer, reversed } = query;
  return limit === undefined && where === undefined && firstPer === undefined && !reversed;
}

function remainingRanges({ ranges }: ExportedRows, { key }: ExportPosition): readonly KeyRange[] {
  if (key === null) return ranges;
  return rangesAfter(ranges, fromHex(key)!, false);
}

async function* pagesOf(
  { engine, model, source }: ExportedRows,
  ranges: readonly KeyRange[],
  signal: AbortSignal | undefined,
): AsyncGenerator<RowCursor> {
  const reversed = source?.query.reversed === true;
  const plan = { table: model.table.name, ranges, reversed, filter: filterOf(model) };
  const stream = engine.readRows(plan, { signal });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) yield page;
  } finally {
    await stream.close();
  }
}

/** Only the families of the entity: other families may hold much data, which is not exported. */
function filterOf(model: EntityModel): Filter {
  const { families } = planOf(model, fullScan, { perShard: [] }).selection;
  return { kind: 'families', families };
}

const faults = {
  partialRows: {
    problem: 'exportRows() writes whole rows, as they are now',
    fix: 'leave select(), keysOnly(), distinct(), versions() and asOf() out',
  },
} satisfies FaultTexts;
