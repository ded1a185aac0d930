/** The stream `tableRows`: stored rows, whether an entity decodes them or not. */
import { nextPrefix, printable, type FaultTexts } from '../../../base/index.js';
import { compareBytes, copyBytes, type KeyRange, rangesAfter } from '../../../base/index.js';
import type { Cell, Filter, RowCursor } from '../../../data/store/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { CallOf } from '../context.js';
import { modelsOfTable } from '../state/entity-names.js';
import type { TableRow, TableRowsLine } from '../protocol/row.js';
import { badRequest, type RequestFields } from '../request-fields.js';
import { cellViews } from './cell-views.js';
import { entityOfKey } from './key-view.js';
import { cellColumn } from './shown-values.js';

/** Cells of a row that are sent with it. */
const shownCells = 20;
/** Rows that are read at the same time: they may be large. */
const pageRows = 64;

/** Reads the rows of a table. */
export async function* readTableRows({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<TableRowsLine> {
  const table = request.text('table');
  const models = modelsOfTable(context.models, table);
  const reversed = request.flag('reverse');
  const size = request.count('size', { max: 10_000, fallback: 200 });
  const onlyForeign = request.flag('undecodable');
  const after = request.optionalBytes('after');
  const range = rangeOf(request);
  const ranges = after === undefined ? [range] : rangesAfter([range], after, reversed);
  let read = 0;
  let found = 0;
  let last: Uint8Array | undefined;
  if (ranges.length > 0) {
    // The newest cell of each column.
    const filter: Filter = { kind: 'cellsPerColumn', count: 1 };
    const plan = { table, ranges, reversed, filter };
    const stream = context.db.engine.readRows(plan, { signal, pageRows });
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        const rows: TableRow[] = [];
        while (found < size && page.nextRow()) {
          read++;
          last = copyBytes(page.keyBytes, page.keyStart, page.keyEnd);
          const model = entityOfKey(models, last);
          if (onlyForeign && model !== undefined) continue;
          found++;
          rows.push(tableRow(page, last, model, models));
        }
        if (rows.length > 0) yield { type: 'rows', rows };
        else yield { type: 'progress', read };
        if (found >= size) break;
      }
    } finally {
      await stream.close();
    }
  }
  const next =
    found >= size && last !== undefined ? Buffer.from(last).toString('base64') : undefined;
  yield { type: 'end', next, read };
}

/** The range that a request names. Throws BAD_REQUEST. */
function rangeOf(request: RequestFields): KeyRange {
  const prefix = request.optionalBytes('prefix');
  const start = request.optionalBytes('start');
  const end = request.optionalBytes('end');
  if (prefix !== undefined) {
    if (start !== undefined || end !== undefined)
      throw badRequest(request.pathOf('prefix'), faults.prefixWithRange);
    return { start: prefix, end: nextPrefix(prefix) };
  }
  if (start !== undefined && end !== undefined && compareBytes(start, end) >= 0)
    throw badRequest(request.pathOf('end'), faults.emptyRange);
  return { start: start ?? new Uint8Array(), end };
}

/** Reads the cells of the current row, and copies the first ones. */
function tableRow(
  page: RowCursor,
  key: Uint8Array,
  model: EntityModel | undefined,
  models: readonly EntityModel[],
): TableRow {
  const cells: Cell[] = [];
  const columns = new Set<string>();
  while (page.nextCell()) {
    const { family } = page;
    const qualifier = copyBytes(page.qualifierBytes, page.qualifierStart, page.qualifierEnd);
    columns.add(cellColumn(family, qualifier));
    if (cells.length === shownCells) continue;
    const value = copyBytes(page.valueBytes, page.valueStart, page.valueEnd);
    cells.push({ family, qualifier, timestamp: page.timestamp(), value });
  }
  return {
    key: Buffer.from(key).toString('base64'),
    printable: printable(key),
    entity: model?.name,
    reasons: model === undefined ? reasonsOf(models, key) : undefined,
    cells: cells.map(cellViews(model)),
    columns: columns.size,
  };
}

function reasonsOf(models: readonly EntityModel[], key: Uint8Array): TableRow['reasons'] {
  return models.map(({ name, key: codec }) => ({
    entity: name,
    reason: codec.foreignReason(key) ?? '',
  }));
}

const faults = {
  prefixWithRange: { problem: 'a prefix is a range', fix: "leave out 'start' and 'end'" },
  emptyRange: { problem: "'end' is not after 'start'", fix: 'give a later key' },
} satisfies FaultTexts;
