/** Static properties of filters, for the rules about Google's emulator. */
import type { FamilySchema, Filter } from '../../src/data/store/index.js';

/** The direct subfilters. */
export const children = (filter: Filter): readonly Filter[] => {
  if (filter.kind === 'chain' || filter.kind === 'interleave') return filter.filters;
  if (filter.kind !== 'condition') return [];
  return [filter.predicate, filter.onTrue, filter.onFalse].filter((inner) => inner !== undefined);
};

/** Whether the filter is of one of the kinds, or contains such a filter. */
export function contains(filter: Filter, kinds: readonly Filter['kind'][]): boolean {
  return kinds.includes(filter.kind) || children(filter).some((inner) => contains(inner, kinds));
}

/** Whether a cell with a label may be stripped of its value. */
export const labelsThenStrips = (filter: Filter): boolean =>
  contains(filter, ['label']) && contains(filter, ['stripValue']);

/**
 * Whether cells of several families are counted together: not if the chain selects a family before
 * it counts.
 */
export function countsAcrossFamilies(
  filter: Filter,
  families: ReadonlyMap<string, FamilySchema>,
): boolean {
  return families.size > 1 && counts(filter, families);
}

function counts(filter: Filter, families: ReadonlyMap<string, FamilySchema>): boolean {
  if (filter.kind === 'cellsPerRow' || filter.kind === 'cellsPerRowOffset') return true;
  if (filter.kind !== 'chain') return children(filter).some((inner) => counts(inner, families));
  for (const inner of filter.filters) {
    if (counts(inner, families)) return true;
    if (
      inner.kind === 'columnRange' ||
      (inner.kind === 'familyRegex' && families.has(inner.pattern)) ||
      (inner.kind === 'families' && inner.families.length < 2) ||
      (inner.kind === 'columns' && inner.columns.length < 2)
    )
      return false;
  }
  return false;
}

/** Versions of a column in a history (value-generator.ts, timestamp; and one from the clock). */
const maxVersions = 6;
/** Go's sort.Sort is stable up to this many elements. */
const maxStableElements = 12;

/**
 * Whether an interleave may return more equal cells of a column than Go sorts stably; with
 * `counted`, only if a filter that counts cells follows.
 */
export function breaksTies(filter: Filter, counted: boolean): boolean {
  const { broken, counts: after } = tieState(filter, {
    cells: maxVersions,
    broken: false,
    counts: false,
  });
  return broken && (!counted || after);
}

interface TieState {
  /** Maximum number of cells of a column. */
  readonly cells: number;
  /** Whether the order of cells is undefined. */
  readonly broken: boolean;
  /** Whether cells in undefined order have been counted. */
  readonly counts: boolean;
}

function tieState(filter: Filter, before: TieState): TieState {
  switch (filter.kind) {
    case 'chain':
      return filter.filters.reduce((state, inner) => tieState(inner, state), before);
    case 'cellsPerRow':
    case 'cellsPerRowOffset':
      return { ...before, counts: before.counts || before.broken };
    case 'cellsPerColumn':
      return {
        cells: Math.min(before.cells, filter.count),
        broken: before.broken,
        counts: before.counts || before.broken,
      };
    case 'interleave': {
      const each = filter.filters.map((inner) => tieState(inner, before));
      const cells = each.reduce((sum, one) => sum + one.cells, 0);
      return {
        cells,
        broken: cells > maxStableElements || each.some(({ broken }) => broken),
        counts: each.some((one) => one.counts),
      };
    }
    case 'condition': {
      const each = children(filter).map((inner) => tieState(inner, before));
      return {
        cells: Math.max(...each.slice(1).map(({ cells }) => cells), 0),
        broken: each.some(({ broken }) => broken),
        counts: each.some((one) => one.counts),
      };
    }
    default:
      return before;
  }
}
