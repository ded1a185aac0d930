/** Warns of cells and rows that are larger than Bigtable recommends, before it rejects them. */
import {
  equalBytes,
  recommendedCellBytes,
  recommendedRowBytes,
  warnOnce,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Mutation } from '../../../data/store/index.js';

type SetCell = Extract<Mutation, { readonly kind: 'setCell' }>;

/**
 * The number of cells that the mutations set. Warns once of each property with a value of more
 * than 10 MiB, and of an entity that writes more than 100 MiB to one row.
 */
export function countCells(model: EntityModel, mutations: readonly Mutation[]): number {
  let cells = 0;
  let bytes = 0;
  for (const mutation of mutations) {
    if (mutation.kind !== 'setCell') continue;
    cells++;
    const { length } = mutation.value;
    bytes += length;
    if (length > recommendedCellBytes) warnOfCell(model, mutation);
  }
  if (bytes > recommendedRowBytes)
    warnOnce(
      'ROWSMITH_LARGE_ROW',
      model.name,
      `${model.name}: ${inMebibytes(bytes)} are written to one row; Bigtable recommends at most ` +
        `${inMebibytes(recommendedRowBytes)}. Add a segment to the key, so that several rows ` +
        'share the data.',
    );
  return cells;
}

function warnOfCell(model: EntityModel, cell: SetCell): void {
  const property = `${model.name}.${propertyOf(model, cell)}`;
  warnOnce(
    'ROWSMITH_LARGE_CELL',
    property,
    `${property}: a value of ${inMebibytes(cell.value.length)} is written to one cell; Bigtable ` +
      `recommends at most ${inMebibytes(recommendedCellBytes)}. Split it over several columns or ` +
      'rows, or store it elsewhere and keep its address.',
  );
}

/**
 * The property that is stored in the cell; the family of maps, because their qualifiers are data.
 */
function propertyOf({ columns }: EntityModel, { family, qualifier }: SetCell): string {
  const ofFamily = columns.filter((column) => column.family === family);
  const exact = ofFamily.find(
    (column) => column.kind !== 'columnMap' && equalBytes(column.qualifier, qualifier),
  );
  return (exact ?? ofFamily.find(({ kind }) => kind === 'columnMap'))?.property ?? family;
}

function inMebibytes(bytes: number): string {
  // Rounded up: what is above a limit is never shown as equal to it.
  return `${Math.ceil((bytes / (1024 * 1024)) * 10) / 10} MiB`;
}
