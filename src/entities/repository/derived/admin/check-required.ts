/** Finds rows without required values, which reads reject with INCOMPLETE_ROW or skip. */
import {
  copyBytes,
  compareSlices,
  printable,
  unionRanges,
  type Values,
} from '../../../../base/index.js';
import { type ColumnModel, type EntityModel, qualifiersOf } from '../../../model/index.js';
import { fullScan, rangesOf } from '../../../query/index.js';
import type { Engine, Filter, RowCursor } from '../../../../data/store/index.js';

/** The position at which the check of required columns begins: it has no later ones. */
export const requiredPosition = 'required';

/** A row that lacks required values. */
export interface IncompleteRow {
  readonly key: Values;
  readonly rowKey: string;
  /** The required properties without a value. */
  readonly missing: readonly string[];
}

/** Reads the required columns of an entity, or rather whether they are there. */
export interface RequiredJob {
  readonly engine: Engine;
  readonly model: EntityModel;
  readonly signal: AbortSignal | undefined;
  readonly report: {
    readonly addIncomplete: (row: IncompleteRow) => void;
    /** Called after each page and at the end, with the number of rows so far. */
    readonly onRequired: (rows: number) => void;
  };
}

/** The columns that each row must have. */
export function requiredColumns({ columns }: EntityModel): readonly ColumnModel[] {
  return columns.filter((column) => 'required' in column && column.required === true);
}

/** Reads the rows of the entity once. */
export async function checkRequired(job: RequiredJob): Promise<void> {
  const { engine, model, signal, report } = job;
  const required = requiredColumns(model);
  const decode = model.key.decoder();
  let rows = 0;
  const stream = engine.readRows(
    {
      table: model.table.name,
      ranges: unionRanges(rangesOf(model, fullScan).perShard.flat()),
      reversed: false,
      filter: cellsOf(model),
    },
    { signal },
  );
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) {
        const { keyBytes, keyStart, keyEnd } = page;
        const key: Record<string, unknown> = {};
        // A row of another entity of the table.
        if (!decode(keyBytes, keyStart, keyEnd, key)) continue;
        rows++;
        const missing = missingIn(page, required);
        if (missing.length === 0) continue;
        const rowKey = printable(copyBytes(keyBytes, keyStart, keyEnd));
        report.addIncomplete({ key, rowKey, missing });
      }
      report.onRequired(rows);
    }
  } finally {
    await stream.close();
  }
  report.onRequired(rows);
}

/** The cells that make a row of the entity exist, without their values. */
function cellsOf({ columns, marker }: EntityModel): Filter {
  const families = new Set(columns.map(({ family }) => family));
  if (marker !== undefined) families.add(marker.family);
  return {
    kind: 'chain',
    filters: [
      { kind: 'families', families: [...families] },
      { kind: 'cellsPerColumn', count: 1 },
      { kind: 'stripValue' },
    ],
  };
}

function missingIn(row: RowCursor, required: readonly ColumnModel[]): readonly string[] {
  const missing = new Set(required);
  while (row.nextCell())
    for (const column of missing) if (isCellOf(column, row)) missing.delete(column);
  return [...missing].map(({ property }) => property);
}

function isCellOf(column: ColumnModel, row: RowCursor): boolean {
  if (column.family !== row.family) return false;
  const { qualifierBytes, qualifierStart, qualifierEnd } = row;
  return qualifiersOf(column).some(
    (qualifier) =>
      compareSlices(
        qualifier,
        0,
        qualifier.length,
        qualifierBytes,
        qualifierStart,
        qualifierEnd,
      ) === 0,
  );
}
