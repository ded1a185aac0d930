/**
 * Compiles the filter of a read plan for one table: into a projection, which the scan applies while
 * it decodes cells, and a filter over the decoded cells for what a projection cannot express.
 */
import type { Filter } from '../../../data/store/index.js';
import { equalBytes } from '../../../base/index.js';
import { compileFilter, type CellFilter } from './filter/cell-filter.js';
import { compilePattern, type Pattern } from './filter/regex.js';
import { sortedQualifiers } from './filter/qualifier-list.js';
import type { GcPredicate } from '../table/gc.js';
import type { FamilyState, TableState } from '../table/table-state.js';

/** Which cells of one family are read. */
export interface FamilyRead {
  readonly name: string;
  /** True when all cells are read, so that none has to be tested. */
  readonly plain: boolean;
  /** The qualifiers that are read, sorted; undefined for all. */
  readonly qualifiers: readonly Uint8Array[] | undefined;
  /** The garbage collection rule that hides cells; undefined when none does. */
  readonly isHidden: GcPredicate | undefined;
  /** True if only one cell of the family is read in each row, without its value. */
  readonly presence: boolean;
}

/** All cells of a family, whatever it is. */
export const noFamily: FamilyRead = {
  name: '',
  plain: true,
  qualifiers: undefined,
  isHidden: undefined,
  presence: false,
};

/** Which cells of each row are read. */
export interface CellProjection {
  /** By family ID. Undefined for families that are skipped. */
  readonly families: readonly (FamilyRead | undefined)[];
  /** Maximum number of cells in each column, the newest. */
  readonly maxPerColumn: number;
  /** True when values are stripped. */
  readonly strip: boolean;
  /** True when only the first cell of each row is read, to count rows and to list keys. */
  readonly firstCellOnly: boolean;
  /** The rest of the filter, over the cells of the row; undefined when nothing is left. */
  readonly filter: CellFilter | undefined;
  /** With `filter` only: rows with keys that do not match are skipped without being decoded. */
  readonly rowKey: Pattern | undefined;
}

/**
 * Instructions of a pattern that is matched with row keys at once: at most 10 ms for each key.
 * Larger ones are matched in steps, by the filter.
 */
const maxKeyInstructions = 500;

/** The qualifiers that are read of a family. */
type Qualifiers = 'all' | readonly Uint8Array[];

interface ProjectionBuilder {
  /** By family name; undefined for all columns. */
  columns: Map<string, Qualifiers> | undefined;
  /** Names of the families that show only whether the row has a cell in one of them. */
  presence: ReadonlySet<string>;
  maxPerColumn: number;
  strip: boolean;
  firstCellOnly: boolean;
}

/**
 * Compiles a filter, which has been validated. With `hideExpired`, cells that the garbage
 * collection rules collect are not read. `random` is for rowSample.
 */
export function compileProjection(
  table: TableState,
  filter: Filter | undefined,
  hideExpired: boolean,
  random: () => number,
): CellProjection {
  const builder: ProjectionBuilder = {
    columns: undefined,
    presence: new Set(),
    maxPerColumn: Infinity,
    strip: false,
    firstCellOnly: false,
  };
  const steps = filter === undefined ? [] : flattenChain(filter);
  // The projection covers the first steps of the chain; the filter is applied to its result.
  const firstLeft = steps.findIndex((step) => !addFilter(step, builder));
  const families = table.byId.map((family) => familyRead(family, builder, hideExpired));
  const { maxPerColumn, strip, firstCellOnly } = builder;
  let rest: CellFilter | undefined;
  let rowKey: Pattern | undefined;
  if (firstLeft >= 0) {
    const first = steps[firstLeft];
    if (first.kind === 'rowKeyRegex') {
      const pattern = compilePattern(first.pattern);
      if (pattern.instructions <= maxKeyInstructions) rowKey = pattern;
    }
    rest = compileFilter({ kind: 'chain', filters: steps.slice(firstLeft) }, random);
  }
  return { families, maxPerColumn, strip, firstCellOnly, filter: rest, rowKey };
}

function familyRead(
  family: FamilyState | undefined,
  { columns, presence, maxPerColumn, strip }: ProjectionBuilder,
  hideExpired: boolean,
): FamilyRead | undefined {
  if (family === undefined) return undefined;
  const { name, isCollectable } = family;
  const isHidden = hideExpired ? isCollectable : undefined;
  if (presence.has(name))
    return { name, plain: false, qualifiers: undefined, isHidden, presence: true };
  const qualifiers = columns === undefined ? 'all' : columns.get(name);
  if (qualifiers === undefined || qualifiers.length === 0) return undefined;
  if (qualifiers !== 'all')
    return {
      name,
      plain: false,
      qualifiers: sortedQualifiers(qualifiers),
      isHidden,
      presence: false,
    };
  const plain = isHidden === undefined && maxPerColumn === Infinity && !strip;
  return { name, plain, qualifiers: undefined, isHidden, presence: false };
}

/** The steps of a chain, including the steps of chains inside of it. */
function flattenChain(filter: Filter): readonly Filter[] {
  if (filter.kind !== 'chain') return [filter];
  return filter.filters.flatMap(flattenChain);
}

/**
 * Adds a filter to the projection; false when a projection cannot express it. Filters of columns,
 * versions and values commute, so their order does not matter. The first cell of a row depends on
 * the filters before it, so none of them may follow it.
 */
function addFilter(filter: Filter, builder: ProjectionBuilder): boolean {
  if ((builder.firstCellOnly || builder.presence.size > 0) && selectsCells(filter)) return false;
  switch (filter.kind) {
    case 'interleave':
      return addPresence(filter.filters, builder);
    case 'passAll':
      return true;
    case 'stripValue':
      builder.strip = true;
      return true;
    case 'cellsPerRow':
      if (filter.count !== 1 || builder.presence.size > 0) return false;
      builder.firstCellOnly = true;
      return true;
    case 'cellsPerColumn':
      builder.maxPerColumn = Math.min(builder.maxPerColumn, filter.count);
      return true;
    case 'families':
      narrowColumns(builder, new Map(filter.families.map((family) => [family, 'all'] as const)));
      return true;
    case 'columns': {
      const columns = new Map<string, Qualifiers>();
      for (const { family, qualifiers } of filter.columns)
        columns.set(family, uniteQualifiers(columns.get(family) ?? [], qualifiers));
      narrowColumns(builder, columns);
      return true;
    }
    default:
      return false;
  }
}

/**
 * Adds the cells of some families with, of all other families that are read, one cell of each row
 * without its value: what the repository reads to count rows while it reads some of their columns.
 */
function addPresence(branches: readonly Filter[], builder: ProjectionBuilder): boolean {
  if (branches.length !== 2 || builder.columns !== undefined || builder.strip) return false;
  if (builder.maxPerColumn !== Infinity) return false;
  const [read, presence] = branches.map(flattenChain);
  const [families, perRow, strip, ...more] = presence;
  if (families.kind !== 'families' || more.length > 0) return false;
  if (perRow?.kind !== 'cellsPerRow' || perRow.count !== 1 || strip?.kind !== 'stripValue')
    return false;
  const [own, perColumn, ...others] = read;
  if (own.kind !== 'families' || others.length > 0) return false;
  if (perColumn !== undefined && perColumn.kind !== 'cellsPerColumn') return false;
  if (own.families.some((family) => families.families.includes(family))) return false;
  builder.columns = new Map(own.families.map((family) => [family, 'all']));
  builder.presence = new Set(families.families);
  if (perColumn !== undefined) builder.maxPerColumn = perColumn.count;
  return true;
}

function selectsCells({ kind }: Filter): boolean {
  return kind === 'cellsPerColumn' || kind === 'families' || kind === 'columns';
}

/** Restricts the projection to columns that are in both maps. */
function narrowColumns(builder: ProjectionBuilder, columns: Map<string, Qualifiers>): void {
  const { columns: previous } = builder;
  if (previous !== undefined)
    for (const [family, qualifiers] of columns)
      columns.set(family, intersectQualifiers(previous.get(family) ?? [], qualifiers));
  builder.columns = columns;
}

function uniteQualifiers(a: Qualifiers, b: Qualifiers): Qualifiers {
  if (a === 'all' || b === 'all') return 'all';
  return [...a, ...b];
}

function intersectQualifiers(a: Qualifiers, b: Qualifiers): Qualifiers {
  if (a === 'all') return b;
  if (b === 'all') return a;
  return b.filter((qualifier) => a.some((other) => equalBytes(other, qualifier)));
}

/**
 * Reads every stored cell, including cells of dropped families and cells that the rules collect;
 * for sweeps.
 */
export function everyCell(table: TableState): CellProjection {
  return {
    families: new Array<FamilyRead>(table.nextFamily).fill(noFamily),
    maxPerColumn: Infinity,
    strip: false,
    firstCellOnly: false,
    filter: undefined,
    rowKey: undefined,
  };
}
