/** The cells of a row on which something depends, and the filters that read them. */
import {
  type ColumnModel,
  type EntityModel,
  entryColumns,
  qualifiersOf,
  rollupTokens,
} from '../../model/index.js';
import type { Filter } from '../../../data/store/index.js';
import type { Contributions } from '../rollup/bucket/contributions.js';

/** The columns on which entries, copies of this row, or its own copies depend. */
function watchedColumns({ indexes, copies = [], copiedBy }: EntityModel): ReadonlySet<ColumnModel> {
  return new Set([
    ...indexes.flatMap(({ columns }) => columns),
    ...copies.flatMap(({ columns }) => columns.map(({ to }) => to)),
    ...(copiedBy?.columns ?? []),
  ]);
}

interface WatchedCell {
  readonly family: string;
  readonly qualifiers: readonly Uint8Array[];
}

/** The cells on which something depends. */
export function watchedCells(model: EntityModel, { slots }: Contributions): readonly WatchedCell[] {
  const columns = Array.from(watchedColumns(model), (column) => ({
    property: column.property,
    family: column.family,
    qualifiers: qualifiersOf(column),
  }));
  const known = new Set(columns.map(({ property }) => property));
  return [...columns, ...slots.filter(({ property }) => !known.has(property))];
}

/** The families of the tokens of entries. */
function tokenFamilies({ indexes }: EntityModel): readonly string[] {
  return [...new Set(indexes.map(({ own }) => own.tokens))];
}

export function readFilter(
  model: EntityModel,
  families: readonly string[],
  columns: readonly WatchedCell[],
): Filter {
  const ours = [...tokenFamilies(model), entryColumns.version.family];
  if (model.rollups.length > 0) ours.unshift(rollupTokens);
  const own: Filter = { kind: 'families', families: ours };
  const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
  const exists: Filter = {
    kind: 'chain',
    filters: [
      { kind: 'families', families },
      { kind: 'cellsPerRow', count: 1 },
    ],
  };
  const filters = [{ kind: 'chain', filters: [own, newest] } as const, exists];
  if (columns.length > 0) {
    const watched: Filter = {
      kind: 'columns',
      columns: columns.map(({ family, qualifiers }) => ({ family, qualifiers })),
    };
    filters.unshift({ kind: 'chain', filters: [watched, newest] });
  }
  return { kind: 'interleave', filters };
}

/** The newest cell of each column of the entity, and ours. */
export function wideFilter(model: EntityModel, families: readonly string[]): Filter {
  const ours = [...tokenFamilies(model), entryColumns.version.family, rollupTokens].filter((each) =>
    model.table.families.has(each),
  );
  return {
    kind: 'chain',
    filters: [
      { kind: 'families', families: [...families, ...ours] },
      { kind: 'cellsPerColumn', count: 1 },
    ],
  };
}
