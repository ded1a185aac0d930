/** The handler of each call. */
import { changeRow, insertRow, removeRow } from './change/change-rows.js';
import { validateValues } from './change/validate-values.js';
import type { CallOf } from './context.js';
import { countRows, measureQuery } from './data/query/count-rows.js';
import { explainQuery } from './data/query/explain-query.js';
import { queryText } from './data/query/query-text.js';
import { readCellBytes, cellLines } from './data/row-cells.js';
import { readRow } from './data/row-detail.js';
import { readRows } from './data/query/read-rows.js';
import { schemaInfo } from './data/schema-info.js';
import { nextValues } from './data/query/segment-values.js';
import { listTables } from './data/table-list.js';
import { readTableRows } from './data/table-rows.js';
import { readPart } from './data/value-part.js';
import {
  propagateEntity,
  rebuildIndex,
  repairDerived,
  verifyDerived,
} from './insight/check-derived.js';
import { explainGc } from './insight/collected.js';
import { readDerived, readDrift, readLint } from './insight/declared.js';
import { readHeat } from './insight/heat.js';
import { simulateWorkload } from './insight/simulate.js';
import type { StudioCalls, StudioStreams } from './protocol/calls.js';
import type { RequestFields } from './request-fields.js';
import {
  cancelTransfer,
  downloadCell,
  exportFile,
  followTransfer,
  importFile,
} from './transfer/transfer-calls.js';

type CallHandlers = {
  readonly [N in keyof StudioCalls]: (
    call: CallOf<RequestFields>,
  ) => Promise<StudioCalls[N]['response']>;
};

type StreamHandlers = {
  readonly [N in keyof StudioStreams]: (
    call: CallOf<RequestFields>,
  ) => AsyncGenerator<StudioStreams[N]['line']>;
};

/** Calls that are answered with one JSON value. */
export const calls: CallHandlers = {
  session: ({ context }) => Promise.resolve(context.session),
  schema: ({ context }) => Promise.resolve(schemaInfo(context.models)),
  values: nextValues,
  typescript: queryText,
  explain: explainQuery,
  row: readRow,
  part: readPart,
  cellValue: readCellBytes,
  downloadCell,
  validate: validateValues,
  update: changeRow,
  insert: insertRow,
  remove: removeRow,
  drift: readDrift,
  lint: readLint,
  derived: readDerived,
  export: exportFile,
  import: importFile,
  cancel: cancelTransfer,
};

/** Calls that are answered with lines. */
export const streams: StreamHandlers = {
  tables: listTables,
  rows: readRows,
  count: countRows,
  measure: measureQuery,
  cells: cellLines,
  tableRows: readTableRows,
  gc: explainGc,
  verify: verifyDerived,
  repair: repairDerived,
  rebuild: rebuildIndex,
  propagate: propagateEntity,
  heat: readHeat,
  simulate: simulateWorkload,
  progress: followTransfer,
};
